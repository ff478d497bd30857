//! Solved forms for texts, within a search: conditions on prefixes, suffixes, parts and concatenations become equations and
//! small case splits, which bindings and domains decide.
//!
//! For example `#1.starts_with("ab")` is `#1 = "ab" + y` for some y, and `#1 + #2 = "ab"` is one of three ways to cut `"ab"`. Each
//! rewriting is exact, up to fresh variables for the parts that a text is made of.

use crate::limits;
use crate::scalar::{Int, Scalar, Sort, text as known};
use crate::solve::facts::Facts;
use crate::solve::persistent::sorted_map::Set;
use crate::solve::residual::Id;
use crate::term::{Kind, Linear, Term, TextOp, Var};

/// The texts that are tried: repetitions of a separator, and those that constraints name.
const REPEATED: usize = 8;
/// A known text of at most this many characters is cut in all ways.
const CUTS: usize = 24;

/// Fresh variables have numbers above this one, so that they differ from all variables of a candidate.
const FRESH: u64 = 1 << 62;

/// A supply of fresh variables for parts of texts.
#[derive(Default)]
pub(crate) struct Pieces {
    next: u64,
}

impl Pieces {
    fn fresh(&mut self, sort: Sort) -> Term {
        self.next += 1;
        Term::var(Var { id: FRESH + self.next, sort })
    }
}

/// A rewriting step: constraints of the rest by their numbers, and conditions that say the same.
pub(crate) struct Rewriting {
    pub(crate) old: Vec<Id>,
    pub(crate) new: Vec<Term>,
}

/// A rewriting step for the rest, if some constraint has a simpler form.
pub(crate) fn rewritten(facts: &Facts, parts: &mut Pieces) -> Option<Rewriting> {
    let rest = facts.rest.as_ref()?;
    let one = |(id, new): (Id, Term)| Rewriting { old: vec![id], new: vec![new] };
    if let Some(cases) = rest.terms.iter().find_map(|(id, term)| Some((id, literal(term)?))) {
        return Some(one(cases));
    }
    if let Some(split) = rest.terms.values().find_map(|term| pieces(facts, term, parts)) {
        return Some(split);
    }
    let mut solve = |term: &Term| many_pieces(term, parts).or_else(|| solved(term, parts));
    rest.terms.iter().find_map(|(id, term)| Some(one((id, solve(term)?))))
}

fn literal(term: &Term) -> Option<Term> {
    if let Kind::Not(inner) = term.kind() { by_cases(inner).map(|cases| cases.not()) } else { by_cases(term) }
}

/// The cases of a condition on a concatenation, by the place where it cuts a known text: equations, prefixes, suffixes, parts.
fn by_cases(atom: &Term) -> Option<Term> {
    let (op, whole, part) = match atom.kind() {
        Kind::Eq(whole, part) => (None, whole, part),
        Kind::Text(op, args) => (Some(*op), args.first()?, args.get(1)?),
        _ => return None,
    };
    let (Kind::Text(TextOp::Concat, parts), Some(part)) = (whole.kind(), part.as_const()) else { return None };
    let n = known::len(part)?.to_usize().filter(|n| *n <= CUTS)?;
    let cut = |from: usize, to: usize| {
        known::slice(part, &Int::from(from), &Int::from(to)).map_or_else(Term::falsity, Term::constant)
    };
    let all = || cut(0, n);
    let ask = |op: TextOp, text: &Term, part: Term| Term::text(op, [text.clone(), part]);
    let (first, after) = (parts.first()?, join(&parts[1..]));
    let (last, before) = (parts.last()?, join(&parts[..parts.len() - 1]));
    Some(match op {
        None => Term::or_all((0..=n).map(|at| {
            let front = Term::eq(first, &cut(0, at));
            if front == Term::falsity() { front } else { Term::and(&front, &Term::eq(&after, &cut(at, n))) }
        })),
        Some(TextOp::StartsWith) => {
            let cases =
                (0..n).map(|at| Term::and(&Term::eq(first, &cut(0, at)), &ask(TextOp::StartsWith, &after, cut(at, n))));
            Term::or_all(cases.chain([ask(TextOp::StartsWith, first, all())]))
        }
        Some(TextOp::EndsWith) => {
            let cases =
                (1..=n).map(|at| Term::and(&Term::eq(last, &cut(at, n)), &ask(TextOp::EndsWith, &before, cut(0, at))));
            Term::or_all(cases.chain([ask(TextOp::EndsWith, last, all())]))
        }
        Some(TextOp::Contains) => {
            let across = (1..n).map(|at| {
                Term::and(&ask(TextOp::EndsWith, first, cut(0, at)), &ask(TextOp::StartsWith, &after, cut(at, n)))
            });
            let inside = [ask(TextOp::Contains, first, all()), ask(TextOp::Contains, &after, all())];
            Term::or_all(across.chain(inside))
        }
        Some(_) => return None,
    })
}

fn join(parts: &[Term]) -> Term {
    Term::text(TextOp::Concat, parts.iter().cloned())
}

/// A rewriting step for a variable with a known number of pieces: it is their concatenation. No separator begins within a piece,
/// not even one that ends in the separator after it, so the separators between the pieces are the leftmost ones.
fn pieces(facts: &Facts, atom: &Term, parts: &mut Pieces) -> Option<Rewriting> {
    let (text, by, n) = number_of_pieces(atom)?;
    let var = text.as_var()?;
    let rest = facts.rest.as_ref()?;
    let old: Vec<Id> = rest.of_var.get(var)?.keys().collect();
    let pieces: Vec<Term> = (0..n).map(|_| parts.fresh(var.sort)).collect();
    let named = |node: &Term| match node.kind() {
        Kind::Text(TextOp::Pieces, args) if args[0] == *text && args[1] == *by => Some(Term::int(Int::from(n))),
        Kind::Text(TextOp::Piece, args) if args[0] == *text && args[1] == *by => {
            let at = args[2].as_int()?.to_usize()?;
            Some(pieces.get(at).cloned().unwrap_or_else(|| Term::constant(var.sort.simplest())))
        }
        _ => None,
    };
    let mut new: Vec<Term> = old.iter().filter_map(|id| rest.terms.get(id)).map(|term| term.replace(&named)).collect();
    let between = pieces
        .iter()
        .enumerate()
        .flat_map(|(at, piece)| (at > 0).then(|| by.clone()).into_iter().chain([piece.clone()]));
    new.push(Term::eq(text, &Term::text(TextOp::Concat, between)));
    let known = by.as_const()?;
    let almost = known::slice(known, &Int::ZERO, &known::len(known)?.sub(&Int::ONE)).map(Term::constant)?;
    for (at, piece) in pieces.iter().enumerate() {
        let followed =
            if at + 1 < n { Term::text(TextOp::Concat, [piece.clone(), almost.clone()]) } else { piece.clone() };
        new.push(Term::text(TextOp::Contains, [followed, by.clone()]).not());
    }
    Some(Rewriting { old, new })
}

/// The equation for a variable with at least n pieces: a concatenation with n − 1 separators at any places, since splitting from
/// the left finds as many as there can be.
fn many_pieces(atom: &Term, parts: &mut Pieces) -> Option<Term> {
    let Kind::Le0(linear) = atom.kind() else { return None };
    let (text, by, n) = count_of_pieces(linear, &Int::MINUS_ONE, linear.constant())?;
    let sort = text.as_var()?.sort;
    let mut made = vec![parts.fresh(sort)];
    for _ in 1..n {
        made.extend([by.clone(), parts.fresh(sort)]);
    }
    Some(Term::eq(text, &Term::text(TextOp::Concat, made)))
}

/// The text, the known separator and n, if an atom says that `text.split(by)` has n pieces.
fn number_of_pieces(atom: &Term) -> Option<(&Term, &Term, usize)> {
    let Kind::Eq0(linear) = atom.kind() else { return None };
    count_of_pieces(linear, &Int::ONE, &linear.constant().neg())
}

/// The text and the known separator, if the only summand is their number of pieces, with this factor; and n, if it is not too
/// large.
fn count_of_pieces<'t>(linear: &'t Linear, factor: &Int, n: &Int) -> Option<(&'t Term, &'t Term, usize)> {
    let [(count, known)] = linear.terms() else { return None };
    let Kind::Text(TextOp::Pieces, args) = count.kind() else { return None };
    let n = n.to_usize().filter(|n| known == factor && *n <= REPEATED + 1)?;
    (args.len() == 2 && args[1].as_const().is_some()).then(|| (&args[0], &args[1], n))
}

/// Tests whether `printed` is `to_string(to_int(text))`: it equals the text if and only if the text is a printed number.
fn is_canonical(text: &Term, printed: &Term) -> bool {
    let of = |op: TextOp, term: &Term| match term.kind() {
        Kind::Text(known, args) if *known == op => args.first().cloned(),
        _ => None,
    };
    let read = of(TextOp::FromInt, printed).and_then(|number| of(TextOp::ToInt, &number));
    text.as_var().is_some() && read.as_ref() == Some(text)
}

/// The equation for a variable with a known prefix, suffix or part: it is a concatenation with that. A variable that is a printed
/// number equals `to_string` of a fresh one.
fn solved(atom: &Term, parts: &mut Pieces) -> Option<Term> {
    if let Kind::Eq(a, b) = atom.kind() {
        return [(a, b), (b, a)]
            .into_iter()
            .find(|(text, printed)| is_canonical(text, printed))
            .map(|(text, _)| Term::eq(text, &Term::text(TextOp::FromInt, [parts.fresh(Sort::Int)])));
    }
    let Kind::Text(op, args) = atom.kind() else { return None };
    let [whole, part] = &args[..] else { return None };
    let var = whole.as_var()?;
    let _: &Scalar = part.as_const()?;
    let mut fresh = || parts.fresh(var.sort);
    let made = match op {
        TextOp::StartsWith => vec![part.clone(), fresh()],
        TextOp::EndsWith => vec![fresh(), part.clone()],
        TextOp::Contains => vec![fresh(), part.clone(), fresh()],
        _ => return None,
    };
    Some(Term::eq(whole, &Term::text(TextOp::Concat, made)))
}

/// Texts worth trying for a variable: the known texts in its constraints. If these look inside texts, also the empty text, all
/// known texts in a row, texts of the lengths that are asked for, the next text after each known one, and a very large text.
pub(crate) fn candidates(facts: &Facts, var: Var) -> Vec<Scalar> {
    let Some(rest) = &facts.rest else { return Vec::new() };
    let ids: Vec<Id> = rest.of_var.get(var).into_iter().flat_map(Set::keys).take(REPEATED).collect();
    let mut found = Found::default();
    for term in ids.iter().filter_map(|id| rest.terms.get(id)) {
        term.visit(&mut |node| found.note(node, var));
    }
    if !found.inside {
        return found.known;
    }
    let mut list = vec![var.sort.simplest()];
    list.extend(found.known.iter().cloned());
    list.extend(TextOp::Concat.apply(&found.known));
    let filled = |letter: char| found.lengths.iter().map(move |n| repeated(letter, *n, var.sort));
    if found.numbers {
        // Numerals as they are printed, and as they are not.
        list.extend(filled('1').chain(filled('0')).chain([repeated('0', 2, var.sort)]));
    }
    list.extend(filled('a'));
    list.extend(found.known.iter().filter_map(|text| known::concat(text, &repeated('\0', 1, var.sort))));
    list.push(greatest(var.sort));
    list
}

/// The contents of the constraints of a variable from which texts to try are made.
#[derive(Default)]
struct Found {
    inside: bool,
    /// Set if a text in the constraints is read as a number, or asked whether it is one.
    numbers: bool,
    known: Vec<Scalar>,
    lengths: Vec<usize>,
}

impl Found {
    fn note(&mut self, node: &Term, var: Var) {
        match node.kind() {
            Kind::Text(op, args) => {
                self.inside = true;
                self.numbers |= matches!(op, TextOp::IsInt | TextOp::ToInt);
                if *op == TextOp::Pieces {
                    self.known.extend(args.get(1).and_then(Term::as_const).into_iter().flat_map(separators));
                }
            }
            Kind::Less(..) => self.inside = true,
            Kind::Eq0(linear) | Kind::Le0(linear) | Kind::Linear(linear) => self.number(&linear.constant().abs(), var),
            Kind::Const(Scalar::Int(n)) => self.number(n, var),
            Kind::Const(text) if text.sort() == var.sort && !self.known.contains(text) => self.known.push(text.clone()),
            _ => {}
        }
    }

    fn number(&mut self, n: &Int, var: Var) {
        self.lengths.extend(n.to_usize().filter(|n| *n <= limits::TEXT_LENGTH));
        if var.sort == Sort::Str {
            self.known.extend([n.clone(), n.neg()].map(|n| Scalar::str(&n.to_string())));
        }
    }
}

/// The texts that are the separator once, twice and so on.
fn separators(by: &Scalar) -> Vec<Scalar> {
    (1..=REPEATED).filter_map(|n| TextOp::Concat.apply(&vec![by.clone(); n])).collect()
}

fn repeated(letter: char, n: usize, sort: Sort) -> Scalar {
    let text: String = std::iter::repeat_n(letter, n).collect();
    if sort == Sort::Bytes { Scalar::bytes(text.as_bytes()) } else { Scalar::str(&text) }
}

/// A text that comes after most others.
fn greatest(sort: Sort) -> Scalar {
    if sort == Sort::Bytes { Scalar::bytes(&[0xff; 4]) } else { Scalar::str("\u{10ffff}") }
}
