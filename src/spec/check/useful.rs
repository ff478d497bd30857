//! Usefulness of patterns (L. Maranget, *Warnings for pattern matching*, JFP 2007): whether a row fits a value that no row
//! before it fits, and an example of a value that none fits.
//!
//! The rows `None` and `Some(0)` leave `Some(_)`; after `_` no row is useful. A list is `nil` or `cons`: `[p, ..rest]` is
//! `cons(p, _)`. The search has a budget: what it does not find within it, it does not claim.

use crate::scalar::Int;
use crate::spec::types::{Type, TypeId, Types};

/// The constructor or literal at the root of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Constructor {
    /// A variant of an enum or option.
    Variant(u32),
    /// The one of a tuple or struct.
    Only,
    Bool(bool),
    Int(Int),
    Text(Vec<u8>),
    Nil,
    Cons,
}

/// A pattern without names.
#[derive(Clone, Debug)]
pub(super) enum Row {
    Any,
    Of(Constructor, Vec<Row>),
    Or(Vec<Row>),
}

/// The row that stands for each field of a pattern that fits anything.
static ANY: Row = Row::Any;

/// Comparisons of rows that one question may take.
const BUDGET: u32 = 200_000;
/// Columns that one question may go through.
const DEEPEST: u32 = 600;

/// A question took too long.
#[derive(Debug)]
pub(super) struct GaveUp;

/// A vector of patterns, one for each column.
type Line<'p> = Vec<&'p Row>;

/// The search.
pub(super) struct Search<'t> {
    types: &'t Types,
    budget: u32,
}

impl<'t> Search<'t> {
    pub(super) fn new(types: &'t Types) -> Search<'t> {
        Search { types, budget: BUDGET }
    }

    /// Tests whether `row` fits a value of the type that none of `rows` fits; [`GaveUp`] if that takes too long.
    pub(super) fn useful(&mut self, rows: &[&Row], row: &Row, ty: TypeId) -> Result<bool, GaveUp> {
        let lines = rows.iter().map(|&row| vec![row]).collect();
        self.line_useful(lines, vec![row], vec![ty], 0)
    }

    /// A value that none of the rows fits.
    pub(super) fn missing(&mut self, rows: &[&Row], ty: TypeId) -> Result<Option<Row>, GaveUp> {
        let lines = rows.iter().map(|&row| vec![row]).collect();
        let found = self.missing_line(lines, vec![ty], 0)?;
        Ok(found.and_then(|mut line| line.pop()))
    }

    fn spend(&mut self, lines: usize, depth: u32) -> Result<(), GaveUp> {
        self.budget = self.budget.saturating_sub(1 + lines as u32);
        if self.budget == 0 || depth > DEEPEST { Err(GaveUp) } else { Ok(()) }
    }

    fn line_useful(
        &mut self,
        lines: Vec<Line<'_>>,
        line: Line<'_>,
        types: Vec<TypeId>,
        depth: u32,
    ) -> Result<bool, GaveUp> {
        self.spend(lines.len(), depth)?;
        let Some((&ty, rest)) = types.split_first() else { return Ok(lines.is_empty()) };
        let lines = flatten(lines);
        match line[0] {
            Row::Or(all) => {
                for one in all {
                    let line = [&[one], &line[1..]].concat();
                    if self.line_useful(lines.clone(), line, types.clone(), depth + 1)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Row::Of(constructor, _) => self.useful_at(&lines, &line, constructor, ty, rest, depth),
            Row::Any => match self.complete(&lines, ty) {
                Some(all) => {
                    for constructor in all {
                        if self.useful_at(&lines, &line, &constructor, ty, rest, depth)? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
                None => self.line_useful(default(&lines), line[1..].to_vec(), rest.to_vec(), depth + 1),
            },
        }
    }

    fn useful_at(
        &mut self,
        lines: &[Line<'_>],
        line: &Line<'_>,
        constructor: &Constructor,
        ty: TypeId,
        rest: &[TypeId],
        depth: u32,
    ) -> Result<bool, GaveUp> {
        let fields = self.fields(constructor, ty);
        let lines = lines.iter().filter_map(|line| specialise(line, constructor, fields.len())).collect();
        match specialise(line, constructor, fields.len()) {
            Some(line) => self.line_useful(lines, line, [&fields, rest].concat(), depth + 1),
            None => Ok(false),
        }
    }

    fn missing_line(
        &mut self,
        lines: Vec<Line<'_>>,
        types: Vec<TypeId>,
        depth: u32,
    ) -> Result<Option<Vec<Row>>, GaveUp> {
        self.spend(lines.len(), depth)?;
        let Some((&ty, rest)) = types.split_first() else { return Ok(lines.is_empty().then(Vec::new)) };
        let lines = flatten(lines);
        let Some(all) = self.complete(&lines, ty) else {
            let first = self.absent(&lines, ty);
            let found = self.missing_line(default(&lines), rest.to_vec(), depth + 1)?;
            return Ok(found.map(|line| [vec![first], line].concat()));
        };
        for constructor in all {
            let fields = self.fields(&constructor, ty);
            let special = lines.iter().filter_map(|line| specialise(line, &constructor, fields.len())).collect();
            if let Some(mut line) = self.missing_line(special, [&fields, rest].concat(), depth + 1)? {
                let rest = line.split_off(fields.len());
                return Ok(Some([vec![Row::Of(constructor, line)], rest].concat()));
            }
        }
        Ok(None)
    }

    /// All constructors of the type, if each is at the head of a line.
    fn complete(&self, lines: &[Line<'_>], ty: TypeId) -> Option<Vec<Constructor>> {
        let all = self.constructors(ty)?;
        all.iter().all(|constructor| first_constructors(lines).any(|head| head == constructor)).then_some(all)
    }

    /// A pattern whose constructor is at the head of no line.
    fn absent(&self, lines: &[Line<'_>], ty: TypeId) -> Row {
        if first_constructors(lines).next().is_none() {
            return Row::Any;
        }
        let all = self.constructors(ty).unwrap_or_default();
        match all.into_iter().find(|constructor| first_constructors(lines).all(|head| head != constructor)) {
            Some(constructor) => {
                let fields = self.fields(&constructor, ty).len();
                Row::Of(constructor, vec![Row::Any; fields])
            }
            None => Row::Any,
        }
    }

    /// All constructors of a type; none where they are too many to name.
    fn constructors(&self, ty: TypeId) -> Option<Vec<Constructor>> {
        match self.types.get(ty) {
            Type::Bool => Some(vec![Constructor::Bool(false), Constructor::Bool(true)]),
            Type::Option(_) => Some(vec![Constructor::Variant(0), Constructor::Variant(1)]),
            Type::Enum(index) => {
                let variants = self.types.enums[*index as usize].variants.len() as u32;
                Some((0..variants).map(Constructor::Variant).collect())
            }
            Type::List(_) => Some(vec![Constructor::Nil, Constructor::Cons]),
            Type::Tuple(_) | Type::Struct(_) => Some(vec![Constructor::Only]),
            Type::Int | Type::Str | Type::Bytes | Type::Unit | Type::Client | Type::Json | Type::Token(_) => None,
            Type::Set(_) | Type::Map(..) | Type::Error => None,
        }
    }

    fn fields(&self, constructor: &Constructor, ty: TypeId) -> Vec<TypeId> {
        match (constructor, self.types.get(ty)) {
            (Constructor::Cons, Type::List(of)) => vec![*of, ty],
            (Constructor::Variant(index), _) => types_of(self.types.fields(ty, *index)),
            (Constructor::Only, _) => types_of(self.types.fields(ty, 0)),
            (Constructor::Cons | Constructor::Nil | Constructor::Bool(_), _) => Vec::new(),
            (Constructor::Int(_) | Constructor::Text(_), _) => Vec::new(),
        }
    }

    /// A pattern as it is written.
    pub(super) fn show(&self, row: &Row, ty: TypeId) -> String {
        let Row::Of(constructor, parts) = row else { return "_".into() };
        match constructor {
            Constructor::Variant(index) => self.show_variant(*index, parts, ty),
            Constructor::Only => match self.types.get(ty) {
                Type::Struct(index) => self.show_record(&self.types.structs[*index as usize].name, parts, 0, ty),
                _ => format!("({})", self.show_all(parts, &self.fields(constructor, ty))),
            },
            Constructor::Bool(known) => known.to_string(),
            Constructor::Int(known) => known.to_string(),
            Constructor::Text(octets) => format!("{:?}", String::from_utf8_lossy(octets)),
            Constructor::Nil => "[]".into(),
            Constructor::Cons => self.show_list(row, ty),
        }
    }

    fn show_all(&self, parts: &[Row], types: &[TypeId]) -> String {
        parts.iter().zip(types).map(|(part, &ty)| self.show(part, ty)).collect::<Vec<_>>().join(", ")
    }

    fn show_variant(&self, index: u32, parts: &[Row], ty: TypeId) -> String {
        let (name, record) = match self.types.get(ty) {
            Type::Enum(number) => {
                let variant = &self.types.enums[*number as usize].variants[index as usize];
                (variant.name.as_str(), variant.fields.first().is_some_and(|field| field.0.is_some()))
            }
            _ => (["None", "Some"][index as usize % 2], false),
        };
        let types = self.fields(&Constructor::Variant(index), ty);
        match (parts, record) {
            ([], _) => name.into(),
            (_, true) => self.show_record(name, parts, index, ty),
            (_, false) => format!("{name}({})", self.show_all(parts, &types)),
        }
    }

    /// Only the fields that matter.
    fn show_record(&self, name: &str, parts: &[Row], index: u32, ty: TypeId) -> String {
        let fields = self.types.fields(ty, index);
        let stated = parts.iter().zip(fields).filter(|(part, _)| !matches!(part, Row::Any));
        let stated: Vec<String> = stated
            .map(|(part, (field, ty))| format!("{}: {}, ", field.unwrap_or_default(), self.show(part, ty)))
            .collect();
        format!("{name} {{ {}.. }}", stated.concat())
    }

    fn show_list(&self, row: &Row, ty: TypeId) -> String {
        let mut elements = Vec::new();
        let mut row = row;
        while let Row::Of(Constructor::Cons, parts) = row {
            let of = self.fields(&Constructor::Cons, ty)[0];
            elements.push(self.show(&parts[0], of));
            row = &parts[1];
        }
        if matches!(row, Row::Any) {
            elements.push("..".into());
        }
        format!("[{}]", elements.join(", "))
    }
}

fn types_of<N>(fields: impl IntoIterator<Item = (N, TypeId)>) -> Vec<TypeId> {
    fields.into_iter().map(|field| field.1).collect()
}

fn first_constructors<'p>(lines: &[Line<'p>]) -> impl Iterator<Item = &'p Constructor> {
    lines.iter().filter_map(|line| match line[0] {
        Row::Of(constructor, _) => Some(constructor),
        Row::Any | Row::Or(_) => None,
    })
}

/// Lines without alternatives in the first column.
fn flatten(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let mut flat = Vec::with_capacity(lines.len());
    for line in lines {
        let mut todo = vec![line[0]];
        while let Some(row) = todo.pop() {
            match row {
                Row::Or(all) => todo.extend(all.iter().rev()),
                Row::Any | Row::Of(..) => flat.push([&[row], &line[1..]].concat()),
            }
        }
    }
    flat
}

/// The line without its first column where that fits anything.
fn default<'p>(lines: &[Line<'p>]) -> Vec<Line<'p>> {
    lines.iter().filter(|line| matches!(line[0], Row::Any)).map(|line| line[1..].to_vec()).collect()
}

/// The line with the fields of a constructor in place of its first column, if that fits it.
fn specialise<'p>(line: &Line<'p>, constructor: &Constructor, fields: usize) -> Option<Line<'p>> {
    let mut special: Line<'p> = match line[0] {
        Row::Any => vec![&ANY; fields],
        Row::Of(own, parts) if own == constructor && parts.len() == fields => parts.iter().collect(),
        Row::Of(..) | Row::Or(_) => return None,
    };
    special.extend(&line[1..]);
    Some(special)
}
