//! Z3: the last tier, for questions that the others cannot decide. The only file that calls it.
//!
//! For example `#1 / -2 == 3` becomes `(= (div (- x) 2) 3)`. Integers are Z3's, with division encoded as Coq's (`x / 0 = 0`,
//! towards minus infinity). Tokens, clients, JSON values, octets, and strings that are only compared, are integers that stand for
//! distinct values, so that there are infinitely many. Other strings are Z3's; the backslash and everything outside printable
//! ASCII are written `\u{…}`. The context is created by the first question of a thread.

use super::theories::Theories;
use crate::limits;
use crate::scalar::{Int, Json, Scalar, Sort};
use crate::solve::model::Model;
use crate::solve::{Limits, Why};
use crate::term::{Kind, Linear, Term, TextOp, Var, without_tables};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};
use z3::ast::{self, Ast, Dynamic};

/// The members of a set in a question.
const MEMBERS: usize = 4_096;
/// The encoding of `split` tells this many pieces apart.
const PIECES: usize = limits::PIECES_LIMIT as usize + 2;
/// Uses of functions that Z3 can read, but that its interface does not offer.
const USES: &str = "(declare-const s String) (declare-const n Int) (assert (= n (str.to_int s)))
    (assert (= s (str.from_int n))) (assert (= n (str.indexof s s n)))";
/// Z3's strings know no code points above this one.
const LAST_CODE_POINT: u32 = 0x2_FFFF;
/// The last code point of known strings if strings are ordered. It is well below Z3's last one: an unknown string must have room
/// above.
const LAST_ORDERED: u32 = 0x2_F000;

/// The oldest version whose answers are trusted. 4.8.7 finds no solution of some equations of texts that have one.
const OLDEST: [u32; 3] = [4, 8, 12];

static SETTINGS: Once = Once::new();
/// The version of the loaded library, if it is older.
static UNSUPPORTED: LazyLock<Option<&'static str>> = LazyLock::new(|| {
    // Older libraries say "Z3 4.8.12.0", newer ones "4.13.4.0".
    let version = z3::full_version().rsplit(' ').next().unwrap_or_default();
    (numbers(version) < OLDEST).then_some(version)
});

/// The reason why the loaded library of Z3 is not used, if it is not.
#[must_use]
pub fn unsupported() -> Option<String> {
    let [major, minor, build] = OLDEST;
    let version = (*UNSUPPORTED)?;
    Some(format!(
        "the library of Z3 that is loaded is version {version}: {major}.{minor}.{build} or later is needed, as older ones answer wrongly at times"
    ))
}

/// The first three numbers of a version.
fn numbers(version: &str) -> [u32; 3] {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    [(); 3].map(|()| numbers.next().unwrap_or(0))
}

/// A model of the conditions, not yet checked, or `None` if there is none; an error says why that was not decided.
pub(crate) fn check(conditions: &[Term], limits: &Limits) -> Result<Option<Model>, Why> {
    if UNSUPPORTED.is_some() {
        return Err(Why::OldZ3);
    }
    SETTINGS.call_once(settings);
    let conditions = &conditions.iter().map(without_tables).collect::<Vec<Term>>()[..];
    let theories = Theories::of(conditions)?;
    let mut encoder = Encoder { theories, ..Encoder::default() };
    let solver = z3::Tactic::new("smt").solver();
    for condition in conditions {
        solver.assert(encoder.bool(condition)?);
    }
    encoder.besides.iter().for_each(|condition| solver.assert(condition));
    let (effort, time) = encoder.theories.budget(limits);
    let time = limits::end::at_most(time).max(Duration::from_millis(1));
    let mut params = z3::Params::new();
    params.set_u32("rlimit", effort);
    params.set_u32("timeout", u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
    solver.set_params(&params);
    let start = Instant::now();
    match solver.check() {
        z3::SatResult::Unsat => Ok(None),
        z3::SatResult::Unknown if start.elapsed() >= time => Err(Why::Time),
        z3::SatResult::Unknown => Err(encoder.theories.reason()),
        z3::SatResult::Sat => {
            let model = solver.get_model().ok_or(encoder.theories.reason())?;
            encoder.read(&model).map(Some).ok_or(encoder.theories.reason())
        }
    }
}

/// Switches off the parts of Z3 that do not count their effort, or too little of it: they would run into the wall-clock limit.
fn settings() {
    z3::set_global_param("smt.arith.nl.nra", "false");
    z3::set_global_param("smt.arith.nl.grobner", "false");
}

/// The encoding of the scalars of a sort.
#[derive(Clone, Copy, PartialEq)]
enum Writing {
    Bool,
    Int,
    Str,
    /// An integer that stands for the value.
    Name,
}

#[derive(Default)]
struct Encoder {
    theories: Theories,
    vars: BTreeMap<Var, Dynamic>,
    /// The integers that stand for known values.
    known: BTreeMap<Scalar, i64>,
    done: FxHashMap<usize, Dynamic>,
    /// The constants that stand for terms of which Z3 is given less than their definition.
    names: FxHashMap<Term, Dynamic>,
    /// The conditions on `names` that Z3 is given in place of the definitions. They are weaker, so a model may be none: evaluation
    /// finds that out.
    besides: Vec<ast::Bool>,
}

impl Encoder {
    fn writing(&self, sort: Sort) -> Writing {
        match sort {
            Sort::Bool => Writing::Bool,
            Sort::Int => Writing::Int,
            Sort::Str if self.theories.text => Writing::Str,
            Sort::Str | Sort::Bytes | Sort::Token(_) | Sort::Client | Sort::Json => Writing::Name,
        }
    }

    fn encode(&mut self, term: &Term) -> Result<Dynamic, Why> {
        if let Some(scalar) = term.as_const() {
            return self.constant(scalar);
        }
        // Nodes are remembered by address: the conditions outlive the encoder, so no address is used twice.
        if let Some(done) = self.done.get(&term.address()) {
            return Ok(done.clone());
        }
        let encoded = self.encode_new(term)?;
        self.done.insert(term.address(), encoded.clone());
        Ok(encoded)
    }

    fn encode_new(&mut self, term: &Term) -> Result<Dynamic, Why> {
        Ok(match term.kind() {
            Kind::Const(scalar) => self.constant(scalar)?,
            Kind::Var(var) => self.variable(*var),
            Kind::Not(inner) => self.bool(inner)?.not().into(),
            Kind::And(parts) => ast::Bool::and(&self.bools(parts)?).into(),
            Kind::Or(parts) => ast::Bool::or(&self.bools(parts)?).into(),
            Kind::Eq(a, b) => self.equal(a, b)?.into(),
            Kind::Eq0(linear) => self.sum(linear)?.eq(ast::Int::from_i64(0)).into(),
            Kind::Le0(linear) => self.sum(linear)?.le(ast::Int::from_i64(0)).into(),
            Kind::Less(a, b) => self.str(a)?.str_lt(&self.str(b)?).into(),
            Kind::Member(subject, set) => self.member(subject, set)?,
            Kind::Linear(linear) => self.sum(linear)?.into(),
            Kind::Mul(a, b) => ast::Int::mul(&[self.int(a)?, self.int(b)?]).into(),
            Kind::Div(a, b) => quotient(&self.int(a)?, &self.int(b)?).into(),
            Kind::Mod(a, b) => remainder(&self.int(a)?, &self.int(b)?).into(),
            Kind::Ite(c, a, b) => self.choice(c, a, b)?,
            Kind::Table(..) | Kind::Lookup(..) => return Err(Why::Effort),
            Kind::Text(op, args) => self.text(term, *op, args)?,
        })
    }

    fn bool(&mut self, term: &Term) -> Result<ast::Bool, Why> {
        self.encode(term)?.as_bool().ok_or(Why::Effort)
    }

    fn int(&mut self, term: &Term) -> Result<ast::Int, Why> {
        self.encode(term)?.as_int().ok_or(Why::Effort)
    }

    /// The term as a string of Z3's; an error for octets, which are encoded as numbers and have no inside.
    fn str(&mut self, term: &Term) -> Result<ast::String, Why> {
        self.encode(term)?.as_string().ok_or(Why::Text)
    }

    fn bools(&mut self, parts: &[Term]) -> Result<Vec<ast::Bool>, Why> {
        parts.iter().map(|part| self.bool(part)).collect()
    }

    fn constant(&mut self, scalar: &Scalar) -> Result<Dynamic, Why> {
        Ok(match (scalar, self.writing(scalar.sort())) {
            (Scalar::Bool(value), _) => ast::Bool::from_bool(*value).into(),
            (Scalar::Int(value), _) => integer(value)?.into(),
            (Scalar::Str(text), Writing::Str) => self.string(text)?.into(),
            _ => {
                let next = self.known.len() as i64;
                ast::Int::from_i64(*self.known.entry(scalar.clone()).or_insert(next)).into()
            }
        })
    }

    fn string(&self, text: &str) -> Result<ast::String, Why> {
        let last = if self.theories.order { LAST_ORDERED } else { LAST_CODE_POINT };
        if text.chars().any(|c| c as u32 > last) {
            return Err(Why::Text);
        }
        ast::String::from_str(&escaped(text)).map_err(|_| Why::Text)
    }

    fn variable(&mut self, var: Var) -> Dynamic {
        let writing = self.writing(var.sort);
        let name = format!("{}{}", var.sort, var.id);
        let fresh = || match writing {
            Writing::Bool => ast::Bool::new_const(name).into(),
            Writing::Int | Writing::Name => ast::Int::new_const(name).into(),
            Writing::Str => ast::String::new_const(name).into(),
        };
        self.vars.entry(var).or_insert_with(fresh).clone()
    }

    fn equal(&mut self, a: &Term, b: &Term) -> Result<ast::Bool, Why> {
        if let (Some(text), Some(known)) = (lowered(a), b.as_const().and_then(Scalar::as_str)) {
            return Ok(self.str(text)?.regex_matches(&any_case(known)));
        }
        self.encode(a)?.safe_eq(self.encode(b)?).map_err(|_| Why::Effort)
    }

    fn sum(&mut self, linear: &Linear) -> Result<ast::Int, Why> {
        let mut parts = vec![integer(linear.constant())?];
        for (atom, coefficient) in linear.terms() {
            parts.push(ast::Int::mul(&[integer(coefficient)?, self.int(atom)?]));
        }
        Ok(ast::Int::add(&parts))
    }

    fn member(&mut self, subject: &Term, set: &crate::term::KeySet) -> Result<Dynamic, Why> {
        if set.len() > MEMBERS {
            return Err(Why::Effort);
        }
        let values = set.sorted().into_iter().map(Term::constant);
        let equal: Result<Vec<ast::Bool>, Why> = values.map(|value| self.equal(subject, &value)).collect();
        Ok(ast::Bool::or(&equal?).into())
    }

    fn choice(&mut self, condition: &Term, yes: &Term, no: &Term) -> Result<Dynamic, Why> {
        let (condition, yes, no) = (self.bool(condition)?, self.encode(yes)?, self.encode(no)?);
        if yes.get_sort() == no.get_sort() { Ok(condition.ite(&yes, &no)) } else { Err(Why::Effort) }
    }

    fn text(&mut self, term: &Term, op: TextOp, args: &[Term]) -> Result<Dynamic, Why> {
        let arg = |at: usize| args.get(at).ok_or(Why::Text);
        Ok(match op {
            TextOp::Concat => {
                let parts: Result<Vec<ast::String>, Why> = args.iter().map(|part| self.str(part)).collect();
                ast::String::concat(&parts?).into()
            }
            TextOp::Len => self.str(arg(0)?)?.length().into(),
            TextOp::Contains | TextOp::StartsWith | TextOp::EndsWith => self.occurs(op, arg(0)?, arg(1)?)?.into(),
            TextOp::Slice => {
                let zero = ast::Int::from_i64(0);
                let (s, from, to) = (self.str(arg(0)?)?, self.int(arg(1)?)?, self.int(arg(2)?)?);
                let from = from.lt(&zero).ite(&zero, &from);
                s.substr(from.clone(), ast::Int::sub(&[to, from])).into()
            }
            TextOp::IsInt => self.str(arg(0)?)?.regex_matches(&number()).into(),
            TextOp::ToInt => value_of(&self.str(arg(0)?)?)?.into(),
            TextOp::FromInt => digits_of(&self.int(arg(0)?)?)?.into(),
            TextOp::Lower => self.lower(term, arg(0)?)?,
            TextOp::Pieces => self.pieces(term, arg(0)?, arg(1)?)?,
            TextOp::Piece => {
                let at = arg(2)?.as_int().and_then(Int::to_usize).ok_or(Why::Text)?;
                let (pieces, _) = self.split(arg(0)?, arg(1)?)?;
                pieces.get(at).cloned().ok_or(Why::Text)?.into()
            }
        })
    }

    fn occurs(&mut self, op: TextOp, s: &Term, t: &Term) -> Result<ast::Bool, Why> {
        if let (Some(text), Some(known)) = (lowered(s), t.as_const().and_then(Scalar::as_str)) {
            let (any, part) = (ast::Regexp::full(), any_case(known));
            let around = match op {
                TextOp::StartsWith => ast::Regexp::concat(&[&part, &any]),
                TextOp::EndsWith => ast::Regexp::concat(&[&any, &part]),
                _ => ast::Regexp::concat(&[&any, &part, &any]),
            };
            return Ok(self.str(text)?.regex_matches(&around));
        }
        let (s, t) = (self.str(s)?, self.str(t)?);
        Ok(match op {
            TextOp::StartsWith => t.prefix(&s),
            TextOp::EndsWith => t.suffix(&s),
            _ => s.contains(&t),
        })
    }

    /// The lower case of `s`, as a fresh string: it is as long as `s`, has no upper case, and is `s` itself if that has none.
    fn lower(&mut self, term: &Term, s: &Term) -> Result<Dynamic, Why> {
        if let Some(known) = self.names.get(term) {
            return Ok(known.clone());
        }
        let (s, lower) = (self.str(s)?, ast::String::fresh_const("lower"));
        self.besides.push(s.length().eq(lower.length()));
        self.besides.push(has_upper(&lower).not());
        self.besides.push(ast::Bool::or(&[has_upper(&s), s.eq(&lower)]));
        self.names.insert(term.clone(), lower.clone().into());
        Ok(lower.into())
    }

    /// The first pieces of a text that is split, and for each of them the condition that a separator follows it.
    fn split(&mut self, s: &Term, t: &Term) -> Result<(Vec<ast::String>, Vec<ast::Bool>), Why> {
        let by = t.as_const().and_then(Scalar::as_str).filter(|by| !by.is_empty()).ok_or(Why::Text)?;
        let (mut rest, by, width) = (self.str(s)?, self.string(by)?, by.chars().count() as i64);
        let (zero, nothing) = (ast::Int::from_i64(0), ast::String::from_str("").map_err(|_| Why::Text)?);
        let (mut pieces, mut more) = (Vec::new(), Vec::new());
        for _ in 0..PIECES {
            let at = call(2, &[&rest, &by, &zero])?.as_int().ok_or(Why::Text)?;
            let found = at.ge(&zero);
            pieces.push(found.ite(&rest.substr(zero.clone(), at.clone()), &rest));
            let after = rest.substr(ast::Int::add(&[at, ast::Int::from_i64(width)]), rest.length());
            rest = found.ite(&after, &nothing);
            more.push(found);
        }
        Ok((pieces, more))
    }

    /// The number of pieces, as a fresh integer that is exact as far as pieces are told apart.
    fn pieces(&mut self, term: &Term, s: &Term, t: &Term) -> Result<Dynamic, Why> {
        if let Some(known) = self.names.get(term) {
            return Ok(known.clone());
        }
        let count = ast::Int::fresh_const("pieces");
        self.besides.push(count.ge(ast::Int::from_i64(1)));
        let (_, more) = self.split(s, t)?;
        for (at, found) in more.iter().enumerate() {
            self.besides.push(count.ge(ast::Int::from_i64(at as i64 + 2)).iff(found));
        }
        self.names.insert(term.clone(), count.clone().into());
        Ok(count.into())
    }

    /// The values that Z3 gives to the variables.
    fn read(&self, model: &z3::Model) -> Option<Model> {
        let names: FxHashMap<i64, &Scalar> = self.known.iter().map(|(scalar, name)| (*name, scalar)).collect();
        let value = |var: &Var, encoded: &Dynamic| match self.writing(var.sort) {
            Writing::Bool => model.eval(&encoded.as_bool()?, true)?.as_bool().map(Scalar::Bool),
            Writing::Str => read_string(model, &encoded.as_string()?).map(|text| Scalar::str(&text)),
            writing => {
                let number = Int::parse(&model.eval(encoded, true)?.to_string().replace(['(', ')', ' '], ""))?;
                if writing == Writing::Int {
                    return Some(Scalar::Int(number));
                }
                let name = number.to_i64()?;
                names.get(&name).map_or_else(|| self.fresh(var.sort, name), |known| Some((*known).clone()))
            }
        };
        self.vars.iter().map(|(var, encoded)| Some((*var, value(var, encoded)?))).collect()
    }

    /// A value for a number that stands for no known value; different numbers get different values.
    fn fresh(&self, sort: Sort, name: i64) -> Option<Scalar> {
        let named = |prefix: &str| {
            let mut text = format!("{prefix}{name}");
            while alike(&text).iter().any(|scalar| self.known.contains_key(scalar)) {
                text.push('\'');
            }
            text
        };
        Some(match sort {
            Sort::Bool | Sort::Int => return None,
            Sort::Str => Scalar::str(&named("s")),
            Sort::Bytes => Scalar::bytes(named("b").as_bytes()),
            Sort::Token(_) => Scalar::token(&named("t")),
            Sort::Json => Scalar::Json(Json::word(&named("j"))),
            Sort::Client => Scalar::Client((1 << 40) + u64::from(name < 0) + name.unsigned_abs() * 2),
        })
    }
}

/// The values of all sorts that are made of these letters.
fn alike(text: &str) -> [Scalar; 4] {
    [Scalar::str(text), Scalar::bytes(text.as_bytes()), Scalar::token(text), Scalar::Json(Json::word(text))]
}

fn integer(value: &Int) -> Result<ast::Int, Why> {
    match value.to_i64() {
        Some(small) => Ok(ast::Int::from_i64(small)),
        None => ast::Int::from_str(&value.to_string()).map_err(|_| Why::Effort),
    }
}

/// The quotient towards minus infinity, 0 for a zero divisor; Z3 rounds so that the remainder is not negative.
fn quotient(x: &ast::Int, y: &ast::Int) -> ast::Int {
    let zero = ast::Int::from_i64(0);
    let negative = x.unary_minus().div(y.unary_minus());
    y.eq(&zero).ite(&zero, &y.gt(&zero).ite(&x.div(y), &negative))
}

/// The remainder that goes with [`quotient`].
fn remainder(x: &ast::Int, y: &ast::Int) -> ast::Int {
    let zero = ast::Int::from_i64(0);
    let negative = x.unary_minus().modulo(y.unary_minus()).unary_minus();
    y.eq(&zero).ite(x, &y.gt(&zero).ite(&x.modulo(y), &negative))
}

thread_local! {
    /// The functions of [`USES`], in order.
    static FUNCTIONS: Vec<z3::FuncDecl> = {
        let solver = z3::Tactic::new("smt").solver();
        solver.from_string(USES);
        let used = |equation: ast::Bool| equation.children().into_iter().find(|side| side.num_children() > 0);
        solver.get_assertions().into_iter().filter_map(|equation| used(equation)?.safe_decl().ok()).collect()
    };
}

/// The result of one of the functions of [`USES`].
fn call(at: usize, args: &[&dyn ast::Ast]) -> Result<ast::Dynamic, Why> {
    FUNCTIONS.with(|all| all.get(at).map(|function| function.apply(args))).ok_or(Why::Text)
}

/// The text t, if the term is `t.lower()`.
fn lowered(term: &Term) -> Option<&Term> {
    if let Kind::Text(TextOp::Lower, args) = term.kind() { args.first() } else { None }
}

/// The regular expression of the texts whose lower case is `lower`.
fn any_case(lower: &str) -> ast::Regexp {
    let literal = |c: char| ast::Regexp::literal(&escaped(&c.to_string()));
    let letters: Vec<ast::Regexp> = lower
        .chars()
        .map(|c| match c {
            'a'..='z' => ast::Regexp::union(&[&literal(c), &literal(c.to_ascii_uppercase())]),
            other => literal(other),
        })
        .collect();
    if let [only] = &letters[..] { only.clone() } else { ast::Regexp::concat(&letters.iter().collect::<Vec<_>>()) }
}

fn has_upper(text: &ast::String) -> ast::Bool {
    let any = ast::Regexp::full();
    text.regex_matches(&ast::Regexp::concat(&[&any, &ast::Regexp::range(&'A', &'Z'), &any]))
}

/// The regular expression of the texts that `to_int` accepts: digits, perhaps after a `-`.
fn number() -> ast::Regexp {
    let digits = ast::Regexp::range(&'0', &'9').plus();
    ast::Regexp::concat(&[&ast::Regexp::literal("-").option(), &digits])
}

/// The value of `to_int`, 0 if there is none. Z3's `str.to_int` knows no sign, and gives −1 for a text that is no number.
fn value_of(s: &ast::String) -> Result<ast::Int, Why> {
    let minus = ast::String::from_str("-").map_err(|_| Why::Text)?;
    let negative = minus.prefix(s);
    let rest = s.substr(ast::Int::from_i64(1), s.length());
    let value = call(0, &[&negative.ite(&rest, s)])?.as_int().ok_or(Why::Text)?;
    let (zero, opposite) = (ast::Int::from_i64(0), value.unary_minus());
    Ok(value.lt(&zero).ite(&zero, &negative.ite(&opposite, &value)))
}

/// The decimal digits of a number, after a `-` if it is negative. Z3's `str.from_int` gives no digits for negative numbers.
fn digits_of(n: &ast::Int) -> Result<ast::String, Why> {
    let minus = ast::String::from_str("-").map_err(|_| Why::Text)?;
    let digits = |n: &ast::Int| call(1, &[n])?.as_string().ok_or(Why::Text);
    let below = ast::String::concat(&[&minus, &digits(&n.unary_minus())?]);
    Ok(n.ge(ast::Int::from_i64(0)).ite(&digits(n)?, &below))
}

/// The text as Z3 reads it: printable ASCII other than the backslash stands for itself.
fn escaped(text: &str) -> String {
    let plain = |c: char| (c.is_ascii_graphic() || c == ' ') && c != '\\';
    text.chars().map(|c| if plain(c) { c.to_string() } else { format!("\\u{{{:x}}}", c as u32) }).collect()
}

/// The string in a model. Z3 escapes all but ASCII, and does not escape the backslash, so if one occurs each position is read
/// alone.
fn read_string(model: &z3::Model, string: &ast::String) -> Option<String> {
    let written = model.eval(string, true)?.as_string()?;
    if !written.contains('\\') {
        return Some(written);
    }
    let length = model.eval(&string.length(), true)?.as_i64().filter(|length| *length <= limits::TEXT_LENGTH as i64)?;
    (0..length).map(|i| code_point(&model.eval(&string.at(ast::Int::from_i64(i)), true)?.as_string()?)).collect()
}

/// The code point of a string of length one as Z3 writes it; `None` if it is no `char`.
fn code_point(written: &str) -> Option<char> {
    let mut chars = written.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => Some(only),
        _ => {
            let digits = written.strip_prefix("\\u{")?.strip_suffix('}')?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)
        }
    }
}
