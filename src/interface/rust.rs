//! A program of calls as Rust, which compiles as it is printed.
//!
//! ```text
//! let mut set1 = Set::new();
//! set1.insert(3);
//! let (set2, set3) = set1.split(2);
//! let set4 = set3.union(&set2);
//! assert!(set4.is_sorted());
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use super::call::{Argument, ArgumentMode, InterfaceFinding};
use super::declared::{InterfaceFunction, Law, Prepared};
use super::programs::{CallProgram, RanProgram};
use super::shape::{ItemsForm, TypeShape};

/// A writer of a program.
struct WrittenProgram<'p> {
    interface: &'p Prepared,
    /// For each value, its name.
    names: Vec<String>,
    /// For each value: the numbers of calls that use it, with how they do.
    uses: Vec<Vec<(usize, ArgumentMode)>>,
    lines: Vec<String>,
}

/// A program that fails, as Rust.
pub(super) fn written(interface: &Prepared, program: &CallProgram, finding: &InterfaceFinding) -> Option<String> {
    let most = if *finding == InterfaceFinding::Endless { program.calls.len() - 1 } else { usize::MAX };
    let RanProgram { machine, .. } = program.run_until(interface, true, most)?;
    let calls = &machine.calls;
    let mut uses = vec![Vec::new(); machine.made()];
    for (at, call) in calls.iter().enumerate() {
        for argument in &call.arguments {
            if let Argument::Variable(value, mode) = *argument {
                uses[value].push((at, mode));
            }
        }
    }
    let last = calls.len().checked_sub(1)?;
    let law = interface
        .pools
        .iter()
        .flat_map(|pool| &pool.laws)
        .find(|law| matches!(finding, InterfaceFinding::Law { law: name, .. } if law.name == *name));
    let broken = law.and_then(|law| {
        let changed = calls[last].arguments.iter().filter_map(|argument| match argument {
            Argument::Variable(value, ArgumentMode::Exclusive) => Some(*value),
            _ => None,
        });
        let mut values = (machine.first[last]..machine.made()).chain(changed);
        Some((law, values.find(|value| machine.breaks(*value, law))?))
    });
    if let Some((_, value)) = broken {
        uses[value].push((calls.len(), ArgumentMode::Shared));
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut name = |value: usize| {
        let pool = machine.pool_of(value)?;
        let word = word(interface.pools[pool].ty.name);
        let count = counts.entry(word.clone()).or_default();
        *count += 1;
        Some(format!("{word}{count}"))
    };
    let names = (0..machine.made()).map(|value| name(value).unwrap_or_default()).collect();
    let mut written = WrittenProgram { interface, names, uses, lines: Vec::new() };
    for (at, call) in calls.iter().enumerate() {
        let function = &interface.functions[call.function];
        let text = written.call(at, function, &call.arguments);
        if at == last {
            written.last(&text, function, finding, &machine.variants, machine.first[at]);
        } else {
            let variants = machine.variants.get(at).map_or(&[][..], |variants| variants);
            written.result(&text, &function.result, variants, machine.first[at], &interface.kept[call.function]);
        }
    }
    if let Some((law, value)) = broken {
        written.law(law, value);
    }
    std::mem::forget(machine);
    Some(written.lines.join("\n") + "\n")
}

/// A text on one line, as a comment has to be.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of values of a type: `set` for `Set<u8>`, `x` for numbers.
fn word(ty: &str) -> String {
    let path = ty.split('<').next().unwrap_or(ty);
    let last = path.rsplit("::").next().unwrap_or(path);
    let mut word = String::new();
    for character in last.chars().filter(|character| character.is_alphanumeric()) {
        if character.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(character.to_lowercase());
    }
    let is_number = ["u", "i", "f"]
        .iter()
        .any(|first| word.strip_prefix(first).is_some_and(|rest| rest == "size" || rest.parse::<u32>().is_ok()));
    match &*word {
        _ if is_number => "x".to_owned(),
        "string" => "text".to_owned(),
        "" | "bool" | "char" => "value".to_owned(),
        _ => word,
    }
}

impl WrittenProgram<'_> {
    /// A call as an expression.
    fn call(&self, at: usize, function: &InterfaceFunction, arguments: &[Argument]) -> String {
        let mut left = arguments.iter();
        let mut parts: Vec<String> =
            function.parameters.iter().map(|shape| self.argument(at, shape, &mut left)).collect();
        if !function.is_method || parts.is_empty() {
            return format!("{}({})", function.path, parts.join(", "));
        }
        let receiver = parts.remove(0);
        let receiver = receiver.strip_prefix("&mut ").or_else(|| receiver.strip_prefix('&')).unwrap_or(&receiver);
        format!("{receiver}.{}({})", function.name, parts.join(", "))
    }

    fn argument<'a>(&self, at: usize, shape: &TypeShape, left: &mut impl Iterator<Item = &'a Argument>) -> String {
        let variant = |left: &mut dyn Iterator<Item = &'a Argument>| match left.next() {
            Some(Argument::Variant(variant)) => *variant,
            _ => 0,
        };
        match shape {
            TypeShape::Unit => "()".to_owned(),
            TypeShape::Leaf(_) => left.next().map_or(String::new(), |argument| self.leaf(at, argument)),
            TypeShape::Text(_) => match left.next() {
                Some(Argument::Literal { pool, at, .. }) => {
                    self.literal(*pool, *at).trim_end_matches(".to_owned()").to_owned()
                }
                Some(argument) => self.leaf(at, argument),
                None => String::new(),
            },
            TypeShape::Shared(of) | TypeShape::Exclusive(of) if matches!(**of, TypeShape::Leaf(_)) => {
                self.argument(at, of, left)
            }
            TypeShape::Shared(of) => format!("&{}", self.argument(at, of, left)),
            TypeShape::Exclusive(of) => format!("&mut {}", self.argument(at, of, left)),
            TypeShape::Option(of) => match variant(left) {
                0 => "None".to_owned(),
                _ => format!("Some({})", self.argument(at, of, left)),
            },
            TypeShape::Result(of) => {
                let variant = variant(left);
                format!("{}({})", ["Ok", "Err"][variant], self.argument(at, &of[variant], left))
            }
            TypeShape::Tuple(of) => {
                let parts: Vec<String> = of.iter().map(|of| self.argument(at, of, left)).collect();
                format!("({})", parts.join(", "))
            }
            TypeShape::List(of, form) => {
                let length = variant(left);
                let parts: Vec<String> = (0..length).map(|_| self.argument(at, of, left)).collect();
                let parts = parts.join(", ");
                match form {
                    ItemsForm::Vec => format!("vec![{parts}]"),
                    ItemsForm::Slice => format!("&[{parts}]"),
                    ItemsForm::Iterator => format!("vec![{parts}].into_iter()"),
                }
            }
            TypeShape::Struct(name, of) => {
                let parts: Vec<String> =
                    of.iter().map(|(field, of)| format!("{field}: {}", self.argument(at, of, left))).collect();
                format!("{name} {{ {} }}", parts.join(", "))
            }
            TypeShape::Callback(parameters, ty) => {
                let number = variant(left);
                _ = left.next();
                let literals: Vec<String> =
                    self.interface.pools[ty.pool].literals.as_ref().map_or_else(Vec::new, |of| of.shown.clone());
                if number < literals.len().min(2) {
                    return format!("|{}| {}", vec!["_"; *parameters].join(", "), literals[number]);
                }
                let names: Vec<String> = (0..*parameters).map(|number| format!("a{number}")).collect();
                let arguments = names.iter().map(|name| format!("{name}, ")).collect::<String>();
                format!(
                    "|{}| [{}][format!(\"{{:?}}\", ({arguments})).bytes().map(usize::from).sum::<usize>() % {}].clone()",
                    names.join(", "),
                    literals.join(", "),
                    literals.len(),
                )
            }
        }
    }

    fn literal(&self, pool: usize, at: usize) -> String {
        self.interface.pools[pool].literals.as_ref().map_or_else(String::new, |literals| literals.shown[at].clone())
    }

    fn leaf(&self, at: usize, argument: &Argument) -> String {
        match *argument {
            Argument::Literal { pool, at, mode: ArgumentMode::Owned } => self.literal(pool, at),
            Argument::Literal { pool, at, .. } => format!("&{}", self.literal(pool, at)),
            Argument::Variable(value, ArgumentMode::Shared) => format!("&{}", self.names[value]),
            Argument::Variable(value, ArgumentMode::Exclusive) => format!("&mut {}", self.names[value]),
            Argument::Variable(value, ArgumentMode::Owned) => {
                let is_used_later = self.uses[value].iter().filter(|(other, _)| *other >= at).count() > 1;
                let clone = if is_used_later { ".clone()" } else { "" };
                format!("{}{clone}", self.names[value])
            }
            Argument::Variant(_) | Argument::Table(_) => String::new(),
        }
    }

    /// Writes a call, with names for what is used of its result.
    fn result(&mut self, text: &str, shape: &TypeShape, variants: &[usize], first: usize, kept: &[Option<usize>]) {
        let mut taking = Taking { variants, next: first, leaf: 0, kept, after: Vec::new(), is_refutable: false };
        let pattern = self.pattern(shape, &mut taking);
        let Taking { after, is_refutable, .. } = taking;
        self.lines.push(match &*pattern {
            "_" if *shape == TypeShape::Unit => format!("{text};"),
            "_" => format!("_ = {text};"),
            _ if is_refutable => format!("let {pattern} = {text} else {{ unreachable!() }};"),
            _ => format!("let {pattern} = {text};"),
        });
        self.lines.extend(after);
    }

    /// The pattern for a result: `_` if nothing of it is used.
    fn pattern(&self, shape: &TypeShape, taking: &mut Taking<'_>) -> String {
        match shape {
            TypeShape::Unit | TypeShape::Callback(..) => "_".to_owned(),
            TypeShape::Leaf(_) | TypeShape::Text(_) => self.named(taking, false),
            TypeShape::Shared(of) | TypeShape::Exclusive(of) if matches!(**of, TypeShape::Leaf(_)) => {
                match taking.variant() {
                    0 => {
                        taking.leaf += 1;
                        "_".to_owned()
                    }
                    _ => self.named(taking, true),
                }
            }
            TypeShape::Shared(of) | TypeShape::Exclusive(of) => self.pattern(of, taking),
            TypeShape::Option(of) => match taking.variant() {
                0 => {
                    taking.skip(of);
                    "_".to_owned()
                }
                _ => taking.alternative("Some", |taking| self.pattern(of, taking)),
            },
            TypeShape::Result(of) => match taking.variant() {
                0 => {
                    let pattern = taking.alternative("Ok", |taking| self.pattern(&of[0], taking));
                    taking.skip(&of[1]);
                    pattern
                }
                _ => {
                    taking.skip(&of[0]);
                    taking.alternative("Err", |taking| self.pattern(&of[1], taking))
                }
            },
            TypeShape::Tuple(of) => {
                let parts: Vec<String> = of.iter().map(|of| self.pattern(of, taking)).collect();
                if parts.iter().all(|part| part == "_") { "_".to_owned() } else { format!("({})", parts.join(", ")) }
            }
            TypeShape::Struct(name, of) => {
                let parts: Vec<String> =
                    of.iter().map(|(field, of)| format!("{field}: {}", self.pattern(of, taking))).collect();
                if parts.iter().all(|part| part.ends_with(": _")) {
                    "_".to_owned()
                } else {
                    format!("{name} {{ {} }}", parts.join(", "))
                }
            }
            TypeShape::List(of, _) => self.list(of, taking),
        }
    }

    /// A list gets a name, and the lines after it take it apart.
    fn list(&self, of: &TypeShape, taking: &mut Taking<'_>) -> String {
        let (length, leaf, name) = (taking.variant(), taking.leaf, format!("list_{}", taking.next));
        let (mut lines, mut used) = (vec![format!("let mut {name} = {name}.into_iter();")], 0);
        for _ in 0..length {
            taking.leaf = leaf;
            let mut inner = Taking { after: Vec::new(), is_refutable: false, ..*taking };
            let pattern = self.pattern(of, &mut inner);
            (taking.variants, taking.next) = (inner.variants, inner.next);
            let otherwise = if inner.is_refutable { " else { unreachable!() }" } else { "" };
            let is_used = pattern != "_";
            let item = if is_used {
                format!("let {pattern} = {name}.next().unwrap(){otherwise};")
            } else {
                format!("_ = {name}.next();")
            };
            lines.push(item);
            lines.extend(inner.after);
            if is_used {
                used = lines.len();
            }
        }
        taking.leaf = leaf;
        taking.skip(of);
        if used == 0 {
            return "_".to_owned();
        }
        taking.after.extend(lines.into_iter().take(used));
        name
    }

    /// The name of the next leaf, if it is used later.
    fn named(&self, taking: &mut Taking<'_>, is_lent: bool) -> String {
        let is_kept = taking.kept.get(taking.leaf).is_some_and(Option::is_some);
        taking.leaf += 1;
        if !is_kept {
            return "_".to_owned();
        }
        let value = taking.next;
        taking.next += 1;
        let Some(uses) = self.uses.get(value).filter(|uses| !uses.is_empty()) else { return "_".to_owned() };
        let name = &self.names[value];
        let is_changed = uses.iter().any(|(_, mode)| *mode == ArgumentMode::Exclusive);
        let mutable = if is_changed { "mut " } else { "" };
        if is_lent {
            taking.after.push(format!("let {mutable}{name} = {name}.clone();"));
            return name.clone();
        }
        format!("{mutable}{name}")
    }

    /// Writes the last call with what is wrong.
    fn last(
        &mut self,
        text: &str,
        function: &InterfaceFunction,
        finding: &InterfaceFinding,
        variants: &[Vec<usize>],
        first: usize,
    ) {
        match finding {
            InterfaceFinding::Law { .. } => {
                let (at, number) = (self.lines.len(), variants.len());
                let kept: Vec<Option<usize>> = self.interface.kept[self.number(function)].clone();
                let noted = number.checked_sub(1).map_or(&[][..], |last| &variants[last]);
                self.result(text, &function.result, noted, first, &kept);
                debug_assert!(self.lines.len() > at, "a call is a line");
            }
            InterfaceFinding::Differs { returned, model } => {
                self.lines.push(one_line(&format!("{text}; // returned {returned}, and the model {model}")));
            }
            InterfaceFinding::Rejected { answer, .. } => self.lines.push(format!("_ = {text}; // answered {answer}")),
            InterfaceFinding::Panic { message, .. } => {
                let mut line = format!("_ = {text}; // panics: ");
                _ = write!(line, "{}", message.lines().next().unwrap_or_default());
                self.lines.push(line);
            }
            InterfaceFinding::Endless | InterfaceFinding::Race { .. } => {
                self.lines.push(format!("_ = {text}; // does not come back"));
            }
        }
    }

    fn number(&self, function: &InterfaceFunction) -> usize {
        self.interface.functions.iter().position(|other| std::ptr::eq(other, function)).expect("it is one of them")
    }

    fn law(&mut self, law: &Law, value: usize) {
        let name = &self.names[value];
        self.lines.push(if law.takes_model {
            format!("// `{}` does not hold of {name} and its model", law.path)
        } else {
            format!("assert!({}(&{name}));", law.path)
        });
    }
}

/// The place in a result that is taken apart.
struct Taking<'t> {
    variants: &'t [usize],
    /// The number of the next value.
    next: usize,
    /// The number of the next leaf of the result.
    leaf: usize,
    kept: &'t [Option<usize>],
    /// The lines after the call.
    after: Vec<String>,
    is_refutable: bool,
}

impl Taking<'_> {
    fn variant(&mut self) -> usize {
        let Some((first, rest)) = self.variants.split_first() else { return 0 };
        self.variants = rest;
        *first
    }

    /// Passes leaves that are not there.
    fn skip(&mut self, shape: &TypeShape) {
        let mut shape = shape.clone();
        let mut pools = Vec::new();
        shape.pools(&mut pools);
        self.leaf += pools.len();
    }

    fn alternative(&mut self, name: &str, inner: impl FnOnce(&mut Self) -> String) -> String {
        match &*inner(self) {
            "_" => "_".to_owned(),
            pattern => {
                self.is_refutable = true;
                format!("{name}({pattern})")
            }
        }
    }
}
