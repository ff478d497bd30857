//! Usefulness of patterns (L. Maranget, *Warnings for pattern matching*, JFP 2007): whether a row fits a value that no earlier row fits,
//! and an example of a value that no row fits.
//!
//! The rows `None` and `Some(0)` leave `Some(_)`; after `_` no row is useful. A list is `nil` or `cons`: `[p, ..rest]` is `cons(p, _)`. The
//! search has a budget; if it runs out, nothing is reported.

use crate::scalar::Int;
use crate::spec::types::{Type, TypeId, Types};

/// The constructor or literal at the root of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Constructor {
    /// A variant of an enum or option.
    Variant(u32),
    /// The only constructor of a tuple or struct.
    Only,
    Bool(bool),
    Int(Int),
    Text(Vec<u8>),
    Nil,
    Cons,
}

/// A pattern without names.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    Any,
    Of(Constructor, Vec<Row>),
    Or(Vec<Row>),
}

/// The row for a field that may have any value.
pub(crate) static ANY: Row = Row::Any;

/// The largest number of rows that one question may compare, so that no pattern makes the check slow.
const BUDGET: u32 = 200_000;
/// The largest number of columns that one question may go through, which bounds the depth of the recursion.
const DEEPEST: u32 = 600;

/// The search for an example exceeded its budget.
#[derive(Debug)]
pub(crate) struct GaveUp;

/// A line of the matrix: a pattern for each column.
type PatternVector<'p> = Vec<&'p Row>;

/// A value that fits `row` and none of `rows`; there is one if `row` is useful after `rows`.
pub(crate) fn example(types: &Types, rows: &[&Row], row: &Row, ty: TypeId) -> Result<Option<Row>, GaveUp> {
    let lines = rows.iter().map(|&row| vec![row]).collect();
    let found = Usefulness { types, budget: BUDGET }.example(lines, vec![row], vec![ty], 0)?;
    Ok(found.and_then(|mut line| line.pop()))
}

/// The search for an example, column by column:
///
/// ```text
/// lines  None      line  Some(_)    the line begins with Some: lines that can too stay, with its fields
///        Some(0)
/// lines  0         line  _          of integers no lines have all constructors: those that begin with `_` stay
/// lines  -         line             no line is left, so `Some(_)` is an example
/// ```
struct Usefulness<'t> {
    types: &'t Types,
    budget: u32,
}

impl Usefulness<'_> {
    fn example(
        &mut self,
        lines: Vec<PatternVector<'_>>,
        line: PatternVector<'_>,
        types: Vec<TypeId>,
        depth: u32,
    ) -> Result<Option<Vec<Row>>, GaveUp> {
        self.budget = self.budget.saturating_sub(1 + lines.len() as u32);
        if self.budget == 0 || depth > DEEPEST {
            return Err(GaveUp);
        }
        let Some((&ty, rest)) = types.split_first() else { return Ok(lines.is_empty().then(Vec::new)) };
        let lines = flatten(lines);
        let constructors = match line[0] {
            Row::Or(all) => {
                for one in all {
                    let line = [&[one], &line[1..]].concat();
                    let found = self.example(lines.clone(), line, types.clone(), depth + 1)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                return Ok(None);
            }
            Row::Of(constructor, _) => vec![constructor.clone()],
            Row::Any => match complete(self.types, &lines, ty) {
                Some(all) => all,
                None => {
                    let found = self.example(default(&lines), line[1..].to_vec(), rest.to_vec(), depth + 1)?;
                    return Ok(found.map(|line| prepend(absent(self.types, &lines, ty), line)));
                }
            },
        };
        for constructor in constructors {
            let fields = fields(self.types, &constructor, ty);
            let Some(line) = specialise(&line, &constructor, fields.len()) else { continue };
            let lines = lines.iter().filter_map(|line| specialise(line, &constructor, fields.len())).collect();
            if let Some(mut line) = self.example(lines, line, [&fields, rest].concat(), depth + 1)? {
                let rest = line.split_off(fields.len());
                return Ok(Some(prepend(Row::Of(constructor, line), rest)));
            }
        }
        Ok(None)
    }
}

fn prepend(first: Row, mut rest: Vec<Row>) -> Vec<Row> {
    rest.insert(0, first);
    rest
}

/// All constructors of the type, if each of them begins a line.
fn complete(types: &Types, lines: &[PatternVector<'_>], ty: TypeId) -> Option<Vec<Constructor>> {
    let all = constructors(types, ty)?;
    all.iter().all(|constructor| first_constructors(lines).any(|head| head == constructor)).then_some(all)
}

/// A pattern whose constructor begins no line.
fn absent(types: &Types, lines: &[PatternVector<'_>], ty: TypeId) -> Row {
    if first_constructors(lines).next().is_none() {
        return Row::Any;
    }
    let all = constructors(types, ty).unwrap_or_default();
    match all.into_iter().find(|constructor| first_constructors(lines).all(|head| head != constructor)) {
        Some(constructor) => {
            let fields = fields(types, &constructor, ty).len();
            Row::Of(constructor, vec![Row::Any; fields])
        }
        None => Row::Any,
    }
}

/// All constructors of a type; none if there are too many to list.
fn constructors(types: &Types, ty: TypeId) -> Option<Vec<Constructor>> {
    match types.get(ty) {
        Type::Bool => Some(vec![Constructor::Bool(false), Constructor::Bool(true)]),
        Type::Option(_) => Some(vec![Constructor::Variant(0), Constructor::Variant(1)]),
        Type::Enum(index) => {
            let variants = types.enums[*index as usize].variants.len() as u32;
            Some((0..variants).map(Constructor::Variant).collect())
        }
        Type::List(_) => Some(vec![Constructor::Nil, Constructor::Cons]),
        Type::Tuple(_) | Type::Struct(_) => Some(vec![Constructor::Only]),
        Type::Int | Type::Str | Type::Bytes | Type::Unit | Type::Client | Type::Json | Type::Token(_) => None,
        Type::Set(_) | Type::Map(..) | Type::Error => None,
    }
}

fn fields(types: &Types, constructor: &Constructor, ty: TypeId) -> Vec<TypeId> {
    match (constructor, types.get(ty)) {
        (Constructor::Cons, Type::List(of)) => vec![*of, ty],
        (Constructor::Variant(index), _) => types.fields(ty, *index).into_iter().map(|field| field.1).collect(),
        (Constructor::Only, _) => types.fields(ty, 0).into_iter().map(|field| field.1).collect(),
        (Constructor::Cons | Constructor::Nil | Constructor::Bool(_), _) => Vec::new(),
        (Constructor::Int(_) | Constructor::Text(_), _) => Vec::new(),
    }
}

/// A pattern as it is written in a specification.
pub(crate) fn show(types: &Types, row: &Row, ty: TypeId) -> String {
    let Row::Of(constructor, parts) = row else { return "_".into() };
    match constructor {
        Constructor::Variant(index) => show_data(types, *index, parts, ty),
        Constructor::Only => show_data(types, 0, parts, ty),
        Constructor::Bool(known) => known.to_string(),
        Constructor::Int(known) => known.to_string(),
        Constructor::Text(octets) => format!("{:?}", String::from_utf8_lossy(octets)),
        Constructor::Nil => "[]".into(),
        Constructor::Cons => show_list(types, row, ty),
    }
}

/// A variant, struct or tuple; only the named fields that matter are shown.
fn show_data(types: &Types, index: u32, parts: &[Row], ty: TypeId) -> String {
    let fields = types.fields(ty, index);
    let (name, record) = match types.get(ty) {
        Type::Struct(number) => (types.structs[*number as usize].name.as_str(), true),
        Type::Enum(number) => {
            let variant = &types.enums[*number as usize].variants[index as usize];
            (variant.name.as_str(), fields.first().is_some_and(|field| field.0.is_some()))
        }
        Type::Option(_) => (["None", "Some"][index as usize % 2], false),
        _ => ("", false),
    };
    let fields = parts.iter().zip(&fields);
    if record {
        let stated = fields.filter(|(part, _)| !matches!(part, Row::Any));
        let show = |(part, &(field, ty)): (&Row, &(Option<&str>, TypeId))| {
            format!("{}: {}, ", field.unwrap_or_default(), show(types, part, ty))
        };
        return format!("{name} {{ {}.. }}", stated.map(show).collect::<String>());
    }
    let parts: Vec<String> = fields.map(|(part, field)| show(types, part, field.1)).collect();
    if parts.is_empty() { name.into() } else { format!("{name}({})", parts.join(", ")) }
}

fn show_list(types: &Types, row: &Row, ty: TypeId) -> String {
    let mut elements = Vec::new();
    let mut row = row;
    while let Row::Of(Constructor::Cons, parts) = row {
        let of = fields(types, &Constructor::Cons, ty)[0];
        elements.push(show(types, &parts[0], of));
        row = &parts[1];
    }
    if matches!(row, Row::Any) {
        elements.push("..".into());
    }
    format!("[{}]", elements.join(", "))
}

fn first_constructors<'p>(lines: &[PatternVector<'p>]) -> impl Iterator<Item = &'p Constructor> {
    lines.iter().filter_map(|line| match line[0] {
        Row::Of(constructor, _) => Some(constructor),
        Row::Any | Row::Or(_) => None,
    })
}

/// The lines, with one line for each alternative in the first column.
fn flatten(lines: Vec<PatternVector<'_>>) -> Vec<PatternVector<'_>> {
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

/// The default matrix: the lines whose first column fits anything, without this column.
fn default<'p>(lines: &[PatternVector<'p>]) -> Vec<PatternVector<'p>> {
    lines.iter().filter(|line| matches!(line[0], Row::Any)).map(|line| line[1..].to_vec()).collect()
}

/// The line specialised to a constructor: the fields of the constructor replace the first column; none if it does not fit.
fn specialise<'p>(line: &PatternVector<'p>, constructor: &Constructor, fields: usize) -> Option<PatternVector<'p>> {
    let mut special: PatternVector<'p> = match line[0] {
        Row::Any => vec![&ANY; fields],
        Row::Of(own, parts) if own == constructor && parts.len() == fields => parts.iter().collect(),
        Row::Of(..) | Row::Or(_) => return None,
    };
    special.extend(&line[1..]);
    Some(special)
}
