//! Terms as users read them, in the notation of the language: `#2 >= 5`, `#1 != "a" || !#3`, `2 * #1 <= #4 - 3`.
//!
//! Variables are shown by number, or by name if they have one: `n >= 5`.

use std::fmt::{self, Display, Formatter};

use rustc_hash::FxHashMap;

use super::{Kind, Linear, Term, TextOp};
use crate::scalar::{Int, Scalar};

/// Parts deeper than this are shown as `…`: printing is recursive.
const SHOWN_DEPTH: u32 = 100;
/// A set of more values than this is shown as their number, a longer column as its first scalars.
const SHOWN: usize = 8;

/// The precedence of operators, loosest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Any,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Prefix,
}

/// The names of variables, by number. Number 12 without a name is shown as `#12`.
pub(crate) type VariableNames = FxHashMap<u64, String>;

/// A term that is displayed with names for its variables ([`Term::display_with`]).
#[derive(Clone, Copy)]
pub(crate) struct NamedTerm<'t> {
    term: &'t Term,
    names: &'t VariableNames,
    outer: Binding,
    depth: u32,
}

/// The opposite of a condition: that of `q <= n` is displayed as `n < q`.
pub(crate) struct Opposite<'t>(NamedTerm<'t>);

/// Terms in a row, with a text between them.
struct ListedTerms<'t>(NamedTerm<'t>, &'t [Term], &'static str, Binding);

/// A sum of atoms with their coefficients, and a constant.
struct WrittenSum<'t>(NamedTerm<'t>, &'t [(Term, Int)], &'t Int);

impl<'t> NamedTerm<'t> {
    pub(super) fn new(term: &'t Term, names: &'t VariableNames) -> NamedTerm<'t> {
        NamedTerm { term, names, outer: Binding::Any, depth: SHOWN_DEPTH }
    }

    /// The opposite of this condition.
    pub(crate) fn opposite(self) -> Opposite<'t> {
        Opposite(self)
    }

    /// A part of the term, as an operand of an operator with this precedence.
    fn part(self, term: &'t Term, outer: Binding) -> NamedTerm<'t> {
        NamedTerm { term, outer, depth: self.depth - 1, ..self }
    }

    fn binding(self) -> Binding {
        match self.term.kind() {
            Kind::Const(_) | Kind::Var(_) | Kind::Table(..) | Kind::Lookup(..) | Kind::Text(..) => Binding::Prefix,
            Kind::Not(inner) if matches!(inner.kind(), Kind::Eq(..) | Kind::Eq0(_)) => Binding::Compare,
            Kind::Not(_) => Binding::Prefix,
            Kind::And(_) => Binding::And,
            Kind::Or(_) => Binding::Or,
            Kind::Eq(..) | Kind::Eq0(_) | Kind::Le0(_) | Kind::Less(..) | Kind::Member(..) => Binding::Compare,
            Kind::Linear(_) => Binding::Sum,
            Kind::Mul(..) | Kind::Div(..) | Kind::Mod(..) => Binding::Product,
            Kind::Ite(..) => Binding::Any,
        }
    }

    fn open(self, f: &mut Formatter<'_>) -> fmt::Result {
        use Binding::{And, Any, Compare, Or, Prefix};
        let of = |term, outer| self.part(term, outer);
        let pair = |f: &mut Formatter<'_>, a, operator: &str, b, outer| {
            write!(f, "{} {operator} {}", self.part(a, outer), self.part(b, outer))
        };
        match self.term.kind() {
            Kind::Const(scalar) => scalar.fmt(f),
            Kind::Var(var) => match self.names.get(&var.id) {
                Some(name) => f.write_str(name),
                None => write!(f, "#{}", var.id),
            },
            Kind::Not(inner) => match inner.kind() {
                Kind::Eq(a, b) => pair(f, a, "!=", b, Binding::Sum),
                Kind::Eq0(linear) => self.comparison(f, linear, ["!="; 2]),
                _ => write!(f, "!{}", of(inner, Prefix)),
            },
            Kind::And(parts) => ListedTerms(self, parts, " && ", Compare).fmt(f),
            Kind::Or(parts) => ListedTerms(self, parts, " || ", And).fmt(f),
            Kind::Eq(a, b) => pair(f, a, "==", b, Binding::Sum),
            Kind::Eq0(linear) => self.comparison(f, linear, ["=="; 2]),
            Kind::Le0(linear) => self.comparison(f, linear, ["<=", ">="]),
            Kind::Less(a, b) => pair(f, a, "<", b, Binding::Sum),
            Kind::Member(a, set) if set.len() <= SHOWN => {
                write!(f, "{} in {{{}}}", of(a, Binding::Sum), listed(set.sorted().iter()))
            }
            Kind::Member(a, set) => write!(f, "{} in {{{} values}}", of(a, Binding::Sum), set.len()),
            Kind::Linear(linear) => WrittenSum(self, linear.terms(), linear.constant()).fmt(f),
            Kind::Mul(a, b) => pair(f, a, "*", b, Prefix),
            Kind::Div(a, b) => pair(f, a, "/", b, Prefix),
            Kind::Mod(a, b) => pair(f, a, "%", b, Prefix),
            Kind::Ite(c, a, b) => write!(f, "if {} {{ {} }} else {{ {} }}", of(c, Or), of(a, Any), of(b, Any)),
            Kind::Table(index, column) => {
                let more = if column.len() > SHOWN { ", …" } else { "" };
                write!(f, "[{}{more}][{}]", listed(column.iter().take(SHOWN)), of(index, Any))
            }
            Kind::Lookup(key, dictionary) => {
                let all = dictionary.sorted();
                let more = if all.len() > SHOWN { ", …" } else { "" };
                let pairs: Vec<String> =
                    all.iter().take(SHOWN).map(|(key, scalar)| format!("{key}: {scalar}")).collect();
                write!(f, "{{{}{more}}}.get_or({}, {})", pairs.join(", "), of(key, Any), dictionary.default())
            }
            Kind::Text(op, args) => self.text(f, *op, args),
        }
    }

    /// Writes a comparison of a sum with 0; the second operator is for exchanged sides.
    fn comparison(self, f: &mut Formatter<'_>, linear: &Linear, [operator, mirrored]: [&str; 2]) -> fmt::Result {
        let (left, right, are_exchanged) = sides(linear);
        let operator = if are_exchanged { mirrored } else { operator };
        write!(f, "{} {operator} {}", WrittenSum(self, &left.0, &left.1), WrittenSum(self, &right.0, &right.1))
    }

    fn text(self, f: &mut Formatter<'_>, op: TextOp, args: &[Term]) -> fmt::Result {
        let method = match op {
            TextOp::Concat => return write!(f, "({})", ListedTerms(self, args, " + ", Binding::Sum)),
            TextOp::Len => return write!(f, "len({})", ListedTerms(self, args, ", ", Binding::Any)),
            TextOp::Contains => "contains",
            TextOp::StartsWith => "starts_with",
            TextOp::EndsWith => "ends_with",
            TextOp::Lower => "lower",
            TextOp::ToInt => "to_int",
            TextOp::IsInt => "is_int",
            TextOp::FromInt => "to_string",
            TextOp::Slice => {
                let (text, ends) = args.split_at(args.len().min(1));
                let text = ListedTerms(self, text, ", ", Binding::Prefix);
                return write!(f, "{text}[{}]", ListedTerms(self, ends, "..", Binding::Sum));
            }
            TextOp::Pieces => {
                f.write_str("len(")?;
                self.call(f, "split", args)?;
                return f.write_str(")");
            }
            TextOp::Piece => {
                let (texts, position) = args.split_at(args.len().min(2));
                self.call(f, "split", texts)?;
                return write!(f, "[{}]", ListedTerms(self, position, ", ", Binding::Any));
            }
        };
        self.call(f, method, args)
    }

    fn call(self, f: &mut Formatter<'_>, method: &str, args: &[Term]) -> fmt::Result {
        let Some((first, rest)) = args.split_first() else { return f.write_str(method) };
        write!(f, "{}.{method}({})", self.part(first, Binding::Prefix), ListedTerms(self, rest, ", ", Binding::Any))
    }
}

impl Display for NamedTerm<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.depth == 0 {
            return f.write_str("…");
        }
        if self.binding() >= self.outer || self.outer == Binding::Any {
            return self.open(f);
        }
        f.write_str("(")?;
        self.open(f)?;
        f.write_str(")")
    }
}

impl Display for Opposite<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let NamedTerm { term, names, .. } = self.0;
        let Kind::Le0(linear) = term.kind() else { return term.not().display_with(names).fmt(f) };
        let (left, right, are_exchanged) = sides(linear);
        let (low, high) = if are_exchanged { (left, right) } else { (right, left) };
        write!(f, "{} < {}", WrittenSum(self.0, &low.0, &low.1), WrittenSum(self.0, &high.0, &high.1))
    }
}

impl Display for ListedTerms<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ListedTerms(whole, parts, between, outer) = *self;
        for (i, part) in parts.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { between }, whole.part(part, outer))?;
        }
        Ok(())
    }
}

impl Display for WrittenSum<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let WrittenSum(whole, terms, constant) = *self;
        for (i, (atom, coefficient)) in terms.iter().enumerate() {
            let sign = match (i, coefficient.signum() < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            match coefficient.abs() {
                Int::ONE => write!(f, "{sign}{}", whole.part(atom, Binding::Product))?,
                factor => write!(f, "{sign}{factor} * {}", whole.part(atom, Binding::Prefix))?,
            }
        }
        match (terms.is_empty(), constant.signum()) {
            (true, _) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, sign) => write!(f, " {} {}", if sign < 0 { "-" } else { "+" }, constant.abs()),
        }
    }
}

impl Display for Linear {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.clone().into_term().fmt(f)
    }
}

/// The two sides of a comparison with 0, and whether they are exchanged. Positive coefficients stand on the left, negative ones on
/// the right. If none is positive the sides are exchanged, so that a lone constant stands on the right.
fn sides(linear: &Linear) -> (Addends, Addends, bool) {
    let (left, right): (Vec<_>, Vec<_>) = linear.terms().iter().cloned().partition(|(_, c)| c.signum() > 0);
    let right = right.into_iter().map(|(atom, c)| (atom, c.neg())).collect();
    match left.is_empty() {
        true => ((right, Int::ZERO), (left, linear.constant().clone()), true),
        false => ((left, Int::ZERO), (right, linear.constant().neg()), false),
    }
}

/// Atoms with their coefficients, and a constant.
type Addends = (Vec<(Term, Int)>, Int);

fn listed<'s>(scalars: impl Iterator<Item = &'s Scalar>) -> String {
    scalars.map(Scalar::to_string).collect::<Vec<_>>().join(", ")
}
