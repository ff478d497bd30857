//! Terms as a table. Each row refers to earlier rows by their numbers, so a shared term is written once, and no row is deep.
//!
//! `#1 + 2 <= #2` has three rows: `#1`, `#2`, and the comparison, which contains the sum.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::scalar::{Int, Json, Scalar, Sort, Token};
use crate::term::{Column, Dictionary, KeySet, Kind, Linear, Term, TextOp, Var};

/// A known scalar.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum SavedScalar {
    Bool(bool),
    Int(String),
    Str(String),
    Bytes(Vec<u8>),
    Text(String),
    Number(String),
    Client(u64),
    Json(String),
}

/// A sum: its constant, and its terms with their coefficients.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedSum(String, Vec<(u32, String)>);

/// A term, in which other terms are the numbers of their rows.
#[derive(Serialize, Deserialize)]
pub(super) enum SavedTerm {
    Const(SavedScalar),
    Var(u64, Sort),
    Not(u32),
    And(Vec<u32>),
    Or(Vec<u32>),
    Eq(u32, u32),
    IsZero(SavedSum),
    AtMostZero(SavedSum),
    Less(u32, u32),
    Member(u32, Vec<SavedScalar>),
    Sum(SavedSum),
    Mul(u32, u32),
    Div(u32, u32),
    Rem(u32, u32),
    Ite(u32, u32, u32),
    Table(u32, Vec<SavedScalar>),
    Text(TextOp, Vec<u32>),
    Lookup(u32, Vec<(SavedScalar, SavedScalar)>, SavedScalar),
}

/// The table of terms while it is written.
#[derive(Default)]
pub(super) struct TermRows {
    pub(super) rows: Vec<SavedTerm>,
    numbers: FxHashMap<Term, u32>,
}

impl SavedScalar {
    pub(super) fn of(scalar: &Scalar) -> SavedScalar {
        match scalar {
            Scalar::Bool(known) => SavedScalar::Bool(*known),
            Scalar::Int(int) => SavedScalar::Int(int.to_string()),
            Scalar::Str(text) => SavedScalar::Str(text.to_string()),
            Scalar::Bytes(octets) => SavedScalar::Bytes(octets.to_vec()),
            Scalar::Token(Token::Text(text)) => SavedScalar::Text(text.to_string()),
            Scalar::Token(Token::Number(number)) => SavedScalar::Number(number.to_string()),
            Scalar::Client(number) => SavedScalar::Client(*number),
            Scalar::Json(json) => SavedScalar::Json(json.text().to_owned()),
        }
    }

    pub(super) fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            SavedScalar::Bool(known) => Scalar::Bool(*known),
            SavedScalar::Int(int) => Scalar::Int(Int::parse(int)?),
            SavedScalar::Str(text) => Scalar::str(text),
            SavedScalar::Bytes(octets) => Scalar::bytes(octets),
            SavedScalar::Text(text) => Scalar::token(text),
            SavedScalar::Number(number) => Scalar::Token(Token::Number(Int::parse(number)?)),
            SavedScalar::Client(number) => Scalar::Client(*number),
            SavedScalar::Json(text) => Scalar::Json(Json::of_canonical(text)),
        })
    }
}

impl TermRows {
    /// The number of the row of a term, which is added with all of its parts if need be.
    pub(super) fn number(&mut self, term: &Term) -> u32 {
        term.visit(&mut |node| self.add(node));
        self.known(term)
    }

    fn known(&self, term: &Term) -> u32 {
        self.numbers.get(term).copied().unwrap_or(u32::MAX)
    }

    /// Adds the row of a term whose parts have rows already.
    fn add(&mut self, term: &Term) {
        if self.numbers.contains_key(term) {
            return;
        }
        let at = |term: &Term| self.known(term);
        let all = |terms: &[Term]| terms.iter().map(at).collect::<Vec<u32>>();
        let sum = |linear: &Linear| {
            let terms = linear.terms().iter().map(|(atom, coefficient)| (at(atom), coefficient.to_string()));
            SavedSum(linear.constant().to_string(), terms.collect())
        };
        let row = match term.kind() {
            Kind::Const(scalar) => SavedTerm::Const(SavedScalar::of(scalar)),
            Kind::Var(Var { id, sort }) => SavedTerm::Var(*id, *sort),
            Kind::Not(inner) => SavedTerm::Not(at(inner)),
            Kind::And(parts) => SavedTerm::And(all(parts)),
            Kind::Or(parts) => SavedTerm::Or(all(parts)),
            Kind::Eq(a, b) => SavedTerm::Eq(at(a), at(b)),
            Kind::Eq0(linear) => SavedTerm::IsZero(sum(linear)),
            Kind::Le0(linear) => SavedTerm::AtMostZero(sum(linear)),
            Kind::Less(a, b) => SavedTerm::Less(at(a), at(b)),
            Kind::Member(term, set) => SavedTerm::Member(at(term), set.sorted().iter().map(SavedScalar::of).collect()),
            Kind::Linear(linear) => SavedTerm::Sum(sum(linear)),
            Kind::Mul(a, b) => SavedTerm::Mul(at(a), at(b)),
            Kind::Div(a, b) => SavedTerm::Div(at(a), at(b)),
            Kind::Mod(a, b) => SavedTerm::Rem(at(a), at(b)),
            Kind::Ite(condition, yes, no) => SavedTerm::Ite(at(condition), at(yes), at(no)),
            Kind::Table(index, column) => SavedTerm::Table(at(index), column.iter().map(SavedScalar::of).collect()),
            Kind::Lookup(key, dictionary) => {
                let saved = |(key, scalar): &(Scalar, Scalar)| (SavedScalar::of(key), SavedScalar::of(scalar));
                let pairs = dictionary.sorted().iter().map(saved).collect();
                SavedTerm::Lookup(at(key), pairs, SavedScalar::of(dictionary.default()))
            }
            Kind::Text(op, terms) => SavedTerm::Text(*op, all(terms)),
        };
        self.numbers.insert(term.clone(), self.rows.len() as u32);
        self.rows.push(row);
    }
}

/// The terms of a table; `None` if a row refers to a later one.
pub(super) fn read_terms(rows: &[SavedTerm]) -> Option<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::with_capacity(rows.len());
    for row in rows {
        let term = read(row, &terms)?;
        terms.push(term);
    }
    Some(terms)
}

fn read(row: &SavedTerm, terms: &[Term]) -> Option<Term> {
    let at = |number: &u32| terms.get(*number as usize);
    let all = |numbers: &[u32]| numbers.iter().map(|number| at(number).cloned()).collect::<Option<Vec<Term>>>();
    let known = |scalars: &[SavedScalar]| scalars.iter().map(SavedScalar::scalar).collect::<Option<Vec<Scalar>>>();
    let sum = |SavedSum(constant, parts): &SavedSum| {
        parts.iter().try_fold(Term::int(Int::parse(constant)?), |sum, (atom, coefficient)| {
            Some(sum.add(&at(atom)?.mul(&Term::int(Int::parse(coefficient)?))))
        })
    };
    Some(match row {
        SavedTerm::Const(scalar) => Term::constant(scalar.scalar()?),
        SavedTerm::Var(id, sort) => Term::var(Var { id: *id, sort: *sort }),
        SavedTerm::Not(inner) => at(inner)?.not(),
        SavedTerm::And(parts) => Term::and_all(all(parts)?),
        SavedTerm::Or(parts) => Term::or_all(all(parts)?),
        SavedTerm::Eq(a, b) => Term::eq(at(a)?, at(b)?),
        SavedTerm::IsZero(linear) => Term::eq0(Linear::of(&sum(linear)?)),
        SavedTerm::AtMostZero(linear) => Term::le0(Linear::of(&sum(linear)?)),
        SavedTerm::Less(a, b) => Term::less(at(a)?, at(b)?),
        SavedTerm::Member(term, scalars) => Term::member(at(term)?, &KeySet::of(known(scalars)?)),
        SavedTerm::Sum(linear) => sum(linear)?,
        SavedTerm::Mul(a, b) => at(a)?.mul(at(b)?),
        SavedTerm::Div(a, b) => at(a)?.div(at(b)?),
        SavedTerm::Rem(a, b) => at(a)?.rem(at(b)?),
        SavedTerm::Ite(condition, yes, no) => Term::ite(at(condition)?, at(yes)?, at(no)?),
        SavedTerm::Table(index, scalars) => Term::table(at(index)?, &Column::new(known(scalars)?)?),
        SavedTerm::Text(op, terms) => Term::text(*op, all(terms)?),
        SavedTerm::Lookup(key, pairs, default) => {
            let known = |(key, scalar): &(SavedScalar, SavedScalar)| Some((key.scalar()?, scalar.scalar()?));
            let pairs = pairs.iter().map(known).collect::<Option<BTreeMap<Scalar, Scalar>>>()?;
            Term::lookup(at(key)?, &Dictionary::new(Arc::new(pairs), default.scalar()?))
        }
    })
}
