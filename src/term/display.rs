//! Terms as users read them, in the notation of the language; `#12` is a variable.
//!
//! For example `#2 >= 5`, `#1 != "a" || !#3`, `2 * #1 + 3 <= #4`. Variables may have names: `n >= 5`.

use std::fmt::{self, Write};

use rustc_hash::FxHashMap;

use super::{Column, Kind, Linear, Term, Terms, TextOp};
use crate::scalar::{Int, Scalar};

/// Deeper parts are shown as `…`.
const SHOWN_DEPTH: u32 = 100;
/// A set with more values is shown as their number.
const SHOWN: usize = 8;

/// The strength with which the surroundings bind, loosest first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Any,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Prefix,
}

/// The names of variables, by their numbers.
pub(crate) type VariableNames = FxHashMap<u64, String>;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, Level::Any, SHOWN_DEPTH, &mut Out { text: f, names: None })
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_term().fmt(f)
    }
}

impl Term {
    /// Writes the term with variables under their names, and others as `#12`.
    ///
    /// # Errors
    ///
    /// Those of the text that is written to.
    pub(crate) fn write_named(&self, names: &VariableNames, text: &mut dyn Write) -> fmt::Result {
        show(self, Level::Any, SHOWN_DEPTH, &mut Out { text, names: Some(names) })
    }
}

/// The text so far, and the names of variables.
struct Out<'o> {
    text: &'o mut dyn Write,
    names: Option<&'o VariableNames>,
}

impl Write for Out<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.text.write_str(part)
    }
}

fn level(kind: &Kind) -> Level {
    match kind {
        Kind::Const(_) | Kind::Var(_) | Kind::Table(..) | Kind::Text(..) => Level::Prefix,
        Kind::Not(inner) => {
            if matches!(inner.kind(), Kind::Eq(..) | Kind::Eq0(_)) {
                Level::Compare
            } else {
                Level::Prefix
            }
        }
        Kind::And(_) => Level::And,
        Kind::Or(_) => Level::Or,
        Kind::Eq(..) | Kind::Eq0(_) | Kind::Le0(_) | Kind::Less(..) | Kind::Member(..) => Level::Compare,
        Kind::Linear(_) => Level::Sum,
        Kind::Mul(..) | Kind::Div(..) | Kind::Mod(..) => Level::Product,
        Kind::Ite(..) => Level::Any,
    }
}

fn show(term: &Term, outer: Level, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    if depth == 0 {
        return f.write_str("…");
    }
    let own = level(term.kind());
    if own >= outer || outer == Level::Any {
        return show_open(term.kind(), depth - 1, f);
    }
    f.write_str("(")?;
    show_open(term.kind(), depth - 1, f)?;
    f.write_str(")")
}

fn show_open(kind: &Kind, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    match kind {
        Kind::Const(scalar) => write!(f, "{scalar}"),
        Kind::Var(var) => match f.names.and_then(|names| names.get(&var.id)) {
            Some(name) => f.write_str(name),
            None => write!(f, "#{}", var.id),
        },
        Kind::Not(inner) => show_not(inner, depth, f),
        Kind::And(parts) => show_list(parts, " && ", Level::Compare, depth, f),
        Kind::Or(parts) => show_list(parts, " || ", Level::And, depth, f),
        Kind::Eq(a, b) => show_pair(a, " == ", b, Level::Sum, depth, f),
        Kind::Eq0(linear) => show_comparison(linear, "==", "==", depth, f),
        Kind::Le0(linear) => show_comparison(linear, "<=", ">=", depth, f),
        Kind::Less(a, b) => show_pair(a, " < ", b, Level::Sum, depth, f),
        Kind::Member(a, set) => {
            show(a, Level::Sum, depth, f)?;
            f.write_str(" in {")?;
            match set.len() {
                ..=SHOWN => f.write_str(&set.sorted().iter().map(Scalar::to_string).collect::<Vec<_>>().join(", "))?,
                many => write!(f, "{many} values")?,
            }
            f.write_str("}")
        }
        Kind::Linear(linear) => show_sum(linear.terms(), linear.constant(), depth, f),
        Kind::Mul(a, b) => show_pair(a, " * ", b, Level::Prefix, depth, f),
        Kind::Div(a, b) => show_pair(a, " / ", b, Level::Prefix, depth, f),
        Kind::Mod(a, b) => show_pair(a, " % ", b, Level::Prefix, depth, f),
        Kind::Ite(c, a, b) => {
            f.write_str("if ")?;
            show(c, Level::Or, depth, f)?;
            f.write_str(" { ")?;
            show(a, Level::Any, depth, f)?;
            f.write_str(" } else { ")?;
            show(b, Level::Any, depth, f)?;
            f.write_str(" }")
        }
        Kind::Table(index, column) => show_table(index, column, depth, f),
        Kind::Text(op, args) => show_text(*op, args, depth, f),
    }
}

/// `[0, 5, 3][#1]`; of a long column its first scalars.
fn show_table(index: &Term, column: &Column, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    let first: Vec<String> = column.iter().take(SHOWN).map(Scalar::to_string).collect();
    let more = if column.len() > SHOWN { ", …" } else { "" };
    write!(f, "[{}{more}][", first.join(", "))?;
    show(index, Level::Any, depth, f)?;
    f.write_str("]")
}

fn show_not(inner: &Term, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    match inner.kind() {
        Kind::Eq(a, b) => show_pair(a, " != ", b, Level::Sum, depth, f),
        Kind::Eq0(linear) => show_comparison(linear, "!=", "!=", depth, f),
        _ => {
            f.write_str("!")?;
            show(inner, Level::Prefix, depth, f)
        }
    }
}

fn show_pair(a: &Term, operator: &str, b: &Term, inner: Level, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    show(a, inner, depth, f)?;
    f.write_str(operator)?;
    show(b, inner, depth, f)
}

fn show_list(parts: &Terms, between: &str, inner: Level, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { between })?;
        show(part, inner, depth, f)?;
    }
    Ok(())
}

/// Positive coefficients stand on the left, negative ones on the right; a lone constant stands on the right.
fn show_comparison(linear: &Linear, operator: &str, mirrored: &str, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    let (left, right): (Vec<_>, Vec<_>) = linear.terms().iter().cloned().partition(|(_, c)| c.signum() > 0);
    let right: Vec<(Term, Int)> = right.into_iter().map(|(atom, c)| (atom, c.neg())).collect();
    if left.is_empty() {
        show_sum(&right, &Int::ZERO, depth, f)?;
        return write!(f, " {mirrored} {}", linear.constant());
    }
    show_sum(&left, &Int::ZERO, depth, f)?;
    write!(f, " {operator} ")?;
    show_sum(&right, &linear.constant().neg(), depth, f)
}

fn show_sum(terms: &[(Term, Int)], constant: &Int, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    for (i, (atom, coefficient)) in terms.iter().enumerate() {
        let sign = match (i, coefficient.signum() < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        f.write_str(sign)?;
        if coefficient.abs() == Int::ONE {
            show(atom, Level::Product, depth, f)?;
        } else {
            write!(f, "{} * ", coefficient.abs())?;
            show(atom, Level::Prefix, depth, f)?;
        }
    }
    match (terms.is_empty(), constant.signum()) {
        (true, _) => write!(f, "{constant}"),
        (false, 0) => Ok(()),
        (false, sign) => write!(f, " {} {}", if sign < 0 { "-" } else { "+" }, constant.abs()),
    }
}

fn show_text(op: TextOp, args: &Terms, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    let method = match op {
        TextOp::Concat => {
            f.write_str("(")?;
            show_list(args, " + ", Level::Sum, depth, f)?;
            return f.write_str(")");
        }
        TextOp::Len => {
            f.write_str("len(")?;
            show_list(args, ", ", Level::Any, depth, f)?;
            return f.write_str(")");
        }
        TextOp::Contains => "contains",
        TextOp::StartsWith => "starts_with",
        TextOp::EndsWith => "ends_with",
        TextOp::Lower => "lower",
        TextOp::ToInt => "to_int",
        TextOp::IsInt => "is_int",
        TextOp::FromInt => "to_string",
        TextOp::Slice => "slice",
        TextOp::Pieces => {
            f.write_str("len(")?;
            show_call("split", args, depth, f)?;
            return f.write_str(")");
        }
        TextOp::Piece => {
            show_call("split", &args.iter().take(2).cloned().collect(), depth, f)?;
            f.write_str("[")?;
            show_list(&args.iter().skip(2).cloned().collect(), ", ", Level::Any, depth, f)?;
            return f.write_str("]");
        }
    };
    show_call(method, args, depth, f)
}

fn show_call(method: &str, args: &Terms, depth: u32, f: &mut Out<'_>) -> fmt::Result {
    let Some((first, rest)) = args.split_first() else { return f.write_str(method) };
    show(first, Level::Prefix, depth, f)?;
    write!(f, ".{method}(")?;
    show_list(&rest.iter().cloned().collect(), ", ", Level::Any, depth, f)?;
    f.write_str(")")
}
