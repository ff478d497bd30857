//! Random expressions and patterns, well-typed by construction.
//!
//! An expression stands where its type is known (`checked`), or gives its type itself (`known`: variables and paths from
//! them). Every compound form is in brackets, so that no head of a statement sees a brace. Choices are bounded and drawn
//! from a budget; what may fault is guarded, but now and then it is not.
//!
//! Example, of type `option<int>`: `(if (v3 is Some(v4) && (v4 > 1)) { Some((v4 - 1)) } else { m1.get("a") })`.

use super::Rng;
use super::declarations::{Declarations, Payload, STRINGS, Ty};

/// A function that expressions may call.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
    /// How many choices a call makes.
    pub choices: usize,
}

/// Writes expressions over what is in scope.
pub struct Writer<'r> {
    pub rng: &'r mut Rng,
    pub declarations: Declarations,
    pub functions: Vec<Function>,
    pub scope: Vec<(String, Ty)>,
    /// How many choices may still be written here.
    pub choices: usize,
    /// How likely a partial operation stands without its guard, in percent.
    pub faults: usize,
    /// Whether `choose int` may stand without bounds.
    pub unbounded: Unbounded,
    pub names: usize,
}

/// Whether choices of integers may be unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    Allowed,
    Forbidden,
}

impl Writer<'_> {
    pub fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Runs `write` without choices and faults (guards, `where`, quantifiers).
    pub fn pure<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (std::mem::take(&mut self.choices), std::mem::take(&mut self.faults));
        let written = write(self);
        (self.choices, self.faults) = outer;
        written
    }

    /// Runs `write` with no choices allowed.
    pub fn unchoosing<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.choices);
        let written = write(self);
        self.choices = outer;
        written
    }

    /// Runs `write` with more in scope.
    pub fn within<T>(&mut self, more: Vec<(String, Ty)>, write: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.len();
        self.scope.extend(more);
        let written = write(self);
        self.scope.truncate(mark);
        written
    }

    /// A variable, or a field of one.
    pub fn path(&mut self, ty: &Ty) -> Option<String> {
        let mut paths = Vec::new();
        for (name, t) in &self.scope {
            paths.extend((t == ty).then(|| name.clone()));
            if let Ty::Struct(i) = t {
                let fields = self.declarations.structs[*i].fields.iter().filter(|(_, t)| t == ty);
                paths.extend(fields.map(|(field, _)| format!("{name}.{field}")));
            }
        }
        (!paths.is_empty()).then(|| self.rng.pick(&paths).clone())
    }

    /// A variable whose type passes.
    pub fn variable(&mut self, wanted: impl Fn(&Ty) -> bool) -> Option<(String, Ty)> {
        let all: Vec<_> = self.scope.iter().filter(|(_, ty)| wanted(ty)).cloned().collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    /// An expression of the type where the type is known; nothing where none can be made (a token out of nothing).
    pub fn checked(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        for _ in 0..4 {
            if let Some(e) = self.attempt(ty, depth) {
                return Some(e);
            }
        }
        self.leaf(ty)
    }

    pub fn attempt(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if depth == 0 {
            return if self.rng.percent(60) { self.path(ty) } else { self.leaf(ty) };
        }
        match self.rng.below(12) {
            0 | 1 => self.path(ty),
            2 => self.conditional(ty, depth - 1),
            3 => self.matching(ty, depth - 1),
            4 => self.call(ty, depth - 1),
            5 => self.lookup(ty, depth - 1),
            6 | 7 => self.choice(ty, depth - 1),
            8 => self.element(ty, depth - 1),
            _ => self.operation(ty, depth - 1),
        }
    }

    /// The smallest expressions of a type.
    pub fn leaf(&mut self, ty: &Ty) -> Option<String> {
        Some(match ty {
            Ty::Int if self.rng.percent(20) => format!("(-{})", self.rng.between(1, 2)),
            Ty::Int => self.rng.between(0, 4).to_string(),
            Ty::Bool => self.rng.percent(50).to_string(),
            Ty::Str => format!("\"{}\"", self.rng.pick(&STRINGS)),
            Ty::Token(_) => return self.path(ty),
            Ty::Enum(i) => {
                let name = self.declarations.enums[*i].variants[0].0.clone();
                format!("{}{name}", self.qualifier(*i))
            }
            Ty::Tree => "Leaf".to_owned(),
            Ty::Struct(_) | Ty::Tuple(_) => return self.construct(ty, 0).or_else(|| self.path(ty)),
            Ty::Option(_) => "None".to_owned(),
            Ty::List(_) => "[]".to_owned(),
            Ty::Set(_) | Ty::Map(..) => "{}".to_owned(),
        })
    }

    /// A literal, record or variant with parts.
    pub fn construct(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        match ty {
            Ty::Int | Ty::Bool | Ty::Str | Ty::Token(_) => self.leaf(ty),
            Ty::Enum(i) => {
                let (name, payload) = self.rng.pick(&self.declarations.enums[*i].variants).clone();
                let name = format!("{}{name}", self.qualifier(*i));
                match payload {
                    Payload::Unit => Some(name),
                    Payload::Tuple(types) => Some(format!("{name}({})", self.all(&types, depth)?)),
                    Payload::Record(fields) => self.record(&name, &fields, depth),
                }
            }
            Ty::Struct(i) => {
                let declared = self.declarations.structs[*i].clone();
                self.record(&declared.name, &declared.fields, depth)
            }
            Ty::Option(inner) => Some(format!("Some({})", self.checked(inner, depth)?)),
            Ty::List(inner) if depth > 0 && self.rng.percent(30) => {
                Some(format!("[{}, {}]", self.part(inner, None, depth - 1)?, self.part(inner, None, depth - 1)?))
            }
            Ty::Set(inner) if depth > 0 && self.rng.percent(30) => {
                Some(format!("({{{}, {}}})", self.part(inner, None, depth - 1)?, self.part(inner, None, depth - 1)?))
            }
            Ty::Map(key, value) if depth > 0 && self.rng.percent(40) => {
                let [first, second] = [(); 2].map(|()| self.part(key, Some(value), depth - 1));
                Some(format!("({{{}, {}}})", first?, second?))
            }
            Ty::List(inner) => Some(format!("[{}]", self.checked(inner, depth)?)),
            Ty::Set(inner) => Some(format!("({{{}}})", self.checked(inner, depth)?)),
            Ty::Map(key, value) => {
                Some(format!("({{{}: {}}})", self.checked(key, depth)?, self.checked(value, depth)?))
            }
            Ty::Tuple(types) => Some(format!("({})", self.all(types, depth)?)),
            Ty::Tree => Some(format!("Node({})", self.all(&[Ty::Tree, Ty::Int, Ty::Tree], depth.saturating_sub(1))?)),
        }
    }

    /// A part of a literal, most often with a condition, which may bind names.
    fn part(&mut self, element: &Ty, value: Option<&Ty>, depth: usize) -> Option<String> {
        let has_condition = self.rng.percent(70);
        let (condition, bound) = if has_condition { self.pure(|w| w.condition(1)) } else { Default::default() };
        let condition = if has_condition { format!(" if {condition}") } else { String::new() };
        let written = self.within(bound, |w| {
            let element = w.checked(element, depth)?;
            Some(match value {
                Some(value) => format!("{element}: {}", w.checked(value, depth)?),
                None => element,
            })
        });
        Some(format!("{}{condition}", written?))
    }

    /// `E0.` now and then.
    pub fn qualifier(&mut self, i: usize) -> String {
        if self.rng.percent(20) { format!("{}.", self.declarations.enums[i].name) } else { String::new() }
    }

    pub fn all(&mut self, types: &[Ty], depth: usize) -> Option<String> {
        let parts: Option<Vec<String>> = types.iter().map(|ty| self.checked(ty, depth)).collect();
        Some(parts?.join(", "))
    }

    pub fn record(&mut self, name: &str, fields: &[(String, Ty)], depth: usize) -> Option<String> {
        if fields.len() > 1 && self.choices > 0 && fields[1..].iter().all(|(_, ty)| self.size(ty) <= 6) {
            self.choices -= 1;
            return Some(format!("({name} {{ {}: {}, ..choose }})", fields[0].0, self.checked(&fields[0].1, depth)?));
        }
        let field = |w: &mut Self, (f, ty): &(String, Ty)| Some(format!("{f}: {}", w.checked(ty, depth)?));
        let inits: Option<Vec<String>> = fields.iter().map(|f| field(self, f)).collect();
        Some(format!("({name} {{ {} }})", inits?.join(", ")))
    }

    pub fn conditional(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let (condition, bound) = self.condition(depth);
        let then = self.within(bound, |w| w.checked(ty, depth))?;
        Some(format!("(if {condition} {{ {then} }} else {{ {} }})", self.checked(ty, depth)?))
    }

    pub fn matching(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let compound = |ty: &Ty| !matches!(ty, Ty::Token(_) | Ty::Set(_) | Ty::Map(..));
        let (subject, subject_ty) = self.variable(compound)?;
        let (pattern, bound) = self.pattern(&subject_ty, 2);
        let (guard, body) = self.within(bound, |w| {
            let guard = w.rng.percent(20).then(|| w.pure(|w| w.boolean(1)));
            (guard, w.checked(ty, depth))
        });
        let guard = guard.map_or(String::new(), |guard| format!(" if {guard}"));
        let otherwise = if self.rng.below(100) < self.faults { None } else { Some(self.checked(ty, depth)?) };
        let otherwise = otherwise.map_or(String::new(), |e| format!(", _ => {e}"));
        Some(format!("(match {subject} {{ {pattern}{guard} => {}{otherwise} }})", body?))
    }

    pub fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fitting = |f: &&Function| f.result == *ty && f.choices <= self.choices;
        let functions: Vec<Function> = self.functions.iter().filter(fitting).cloned().collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.rng.pick(&functions).clone();
        self.choices -= function.choices;
        Some(format!("{}({})", function.name, self.all(&function.params, depth)?))
    }

    /// The value at a key.
    pub fn lookup(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let option_of = if let Ty::Option(inner) = ty { Some(inner.clone()) } else { None };
        let fits = |t: &Ty| matches!(t, Ty::Map(_, value) if **value == *ty || Some(value) == option_of.as_ref());
        let (map, Ty::Map(key_ty, value)) = self.variable(fits)? else { return None };
        let key = self.pure(|w| w.checked(&key_ty, 0))?;
        if Some(&value) == option_of.as_ref() {
            return Some(format!("{map}.get({key})"));
        }
        if self.rng.below(100) < self.faults {
            return Some(format!("{map}[{key}]"));
        }
        let default = self.checked(ty, depth)?;
        Some(match self.rng.below(2) {
            0 => format!("{map}.get_or({key}, {default})"),
            _ => format!("(if {map}.contains({key}) {{ {map}[{key}] }} else {{ {default} }})"),
        })
    }

    /// An element of a list, or the value of an option.
    pub fn element(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if self.rng.percent(30) {
            let (option, _) = self.variable(|t| matches!(t, Ty::Option(inner) if **inner == *ty))?;
            return Some(format!("{option}.or({})", self.checked(ty, depth)?));
        }
        let (list, _) = self.variable(|t| matches!(t, Ty::List(inner) if **inner == *ty))?;
        if self.rng.below(100) < self.faults {
            let index = self.pure(|w| w.checked(&Ty::Int, 0))?;
            return Some(format!("{list}[{index}]"));
        }
        let name = self.fresh();
        Some(match self.rng.below(2) {
            0 => format!("(if (len({list}) > 0) {{ {list}[0] }} else {{ {} }})", self.checked(ty, depth)?),
            _ => format!("(match {list} {{ [] => {}, [{name}, ..] => {name} }})", self.checked(ty, depth)?),
        })
    }
}
