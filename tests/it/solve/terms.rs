//! Smart constructors against evaluation by definition: whatever is simplified, the value under every assignment stays.
//!
//! Expressions are built twice: as a naive tree that is evaluated by the definitions, and as a `Term`.

use std::collections::BTreeMap;
use std::sync::Arc;

use mayhap::scalar::{Int, Scalar, Sort, Token, text};
use mayhap::term::{Column, Dictionary, KeySet, Term, TextOp, Var, without_tables};
use proptest::prelude::*;

/// A naive expression.
#[derive(Clone, Debug)]
enum Raw {
    Known(Scalar),
    Var(u64, Sort),
    Not(Box<Raw>),
    And(Vec<Raw>),
    Or(Vec<Raw>),
    Ite(Box<Raw>, Box<Raw>, Box<Raw>),
    Eq(Box<Raw>, Box<Raw>),
    Less(Box<Raw>, Box<Raw>),
    Le(Box<Raw>, Box<Raw>),
    Member(Box<Raw>, Vec<Scalar>),
    Table(Box<Raw>, Vec<Scalar>),
    Lookup(Box<Raw>, BTreeMap<Scalar, Scalar>, Scalar),
    Arith(char, Box<Raw>, Box<Raw>),
    Text(TextOp, Vec<Raw>),
}

fn build(raw: &Raw) -> Term {
    match raw {
        Raw::Known(scalar) => Term::constant(scalar.clone()),
        Raw::Var(id, sort) => Term::var(Var { id: *id, sort: *sort }),
        Raw::Not(a) => build(a).not(),
        Raw::And(parts) => Term::and_all(parts.iter().map(build)),
        Raw::Or(parts) => Term::or_all(parts.iter().map(build)),
        Raw::Ite(c, a, b) => Term::ite(&build(c), &build(a), &build(b)),
        Raw::Eq(a, b) => Term::eq(&build(a), &build(b)),
        Raw::Less(a, b) => Term::less(&build(a), &build(b)),
        Raw::Le(a, b) => Term::le(&build(a), &build(b)),
        Raw::Member(a, set) => Term::member(&build(a), &KeySet::of(set.iter().cloned())),
        Raw::Table(at, scalars) => Term::table(&build(at), &Column::new(scalars.clone()).unwrap()),
        Raw::Lookup(key, known, default) => {
            Term::lookup(&build(key), &Dictionary::new(Arc::new(known.clone()), default.clone()))
        }
        Raw::Arith(op, a, b) => {
            let (a, b) = (build(a), build(b));
            match op {
                '+' => a.add(&b),
                '-' => a.sub(&b),
                '*' => a.mul(&b),
                '/' => a.div(&b),
                _ => a.rem(&b),
            }
        }
        Raw::Text(op, args) => Term::text(*op, args.iter().map(build)),
    }
}

fn eval(raw: &Raw, world: &[Scalar]) -> Scalar {
    let truth = |raw: &Raw| eval(raw, world).as_bool().unwrap();
    let int = |raw: &Raw| eval(raw, world).as_int().unwrap().clone();
    match raw {
        Raw::Known(scalar) => scalar.clone(),
        Raw::Var(id, _) => world[*id as usize].clone(),
        Raw::Not(a) => Scalar::Bool(!truth(a)),
        Raw::And(parts) => Scalar::Bool(parts.iter().all(truth)),
        Raw::Or(parts) => Scalar::Bool(parts.iter().any(truth)),
        Raw::Ite(c, a, b) => eval(if truth(c) { a } else { b }, world),
        Raw::Eq(a, b) => Scalar::Bool(eval(a, world) == eval(b, world)),
        Raw::Less(a, b) => Scalar::Bool(eval(a, world) < eval(b, world)),
        Raw::Le(a, b) => Scalar::Bool(int(a) <= int(b)),
        Raw::Member(a, set) => Scalar::Bool(set.contains(&eval(a, world))),
        Raw::Table(at, scalars) => {
            int(at).to_usize().and_then(|at| scalars.get(at)).or(scalars.last()).unwrap().clone()
        }
        Raw::Lookup(key, known, default) => known.get(&eval(key, world)).unwrap_or(default).clone(),
        Raw::Arith(op, a, b) => Scalar::Int(arith(*op, &int(a), &int(b))),
        Raw::Text(op, args) => text_value(*op, &args.iter().map(|arg| eval(arg, world)).collect::<Vec<_>>()),
    }
}

fn arith(op: char, a: &Int, b: &Int) -> Int {
    match op {
        '+' => a.add(b),
        '-' => a.sub(b),
        '*' => a.mul(b),
        '/' => a.floor_div(b),
        _ => a.modulo(b),
    }
}

fn text_value(op: TextOp, args: &[Scalar]) -> Scalar {
    let int = |i: usize| args[i].as_int().unwrap().clone();
    match op {
        TextOp::Concat => args.iter().skip(1).fold(args[0].clone(), |s, t| text::concat(&s, t).unwrap()),
        TextOp::Len => Scalar::Int(text::len(&args[0]).unwrap()),
        TextOp::Contains => Scalar::Bool(text::contains(&args[0], &args[1]).unwrap()),
        TextOp::StartsWith => Scalar::Bool(text::starts_with(&args[0], &args[1]).unwrap()),
        TextOp::EndsWith => Scalar::Bool(text::ends_with(&args[0], &args[1]).unwrap()),
        TextOp::Lower => text::lower(&args[0]).unwrap(),
        TextOp::ToInt => Scalar::Int(text::to_int(args[0].as_str().unwrap()).unwrap_or_default()),
        TextOp::IsInt => Scalar::Bool(text::to_int(args[0].as_str().unwrap()).is_some()),
        TextOp::FromInt => Scalar::str(&int(0).to_string()),
        TextOp::Slice => text::slice(&args[0], &int(1), &int(2)).unwrap(),
        TextOp::Pieces => Scalar::int(text::split(&args[0], &args[1]).unwrap().len() as i64),
        TextOp::Piece => {
            let piece = int(2).to_usize().and_then(|at| text::split(&args[0], &args[1]).unwrap().get(at).cloned());
            piece.unwrap_or_else(|| Scalar::str(""))
        }
    }
}

const STRINGS: [&str; 8] = ["", "a", "b", "ab", "Ab", "aba", "7", "-07"];

fn token(n: i64) -> Scalar {
    if n == 0 { Scalar::token("0") } else { Scalar::Token(Token::Number(Int::from(n - 1))) }
}

/// Variables 0–2 are bool, 3–5 int, 6–8 string, 9–11 token.
fn world() -> impl Strategy<Value = Vec<Scalar>> {
    (
        prop::array::uniform3(any::<bool>()),
        prop::array::uniform3(-4i64..5),
        prop::array::uniform3(0usize..8),
        prop::array::uniform3(0i64..3),
    )
        .prop_map(|(bools, ints, strings, tokens)| {
            let mut world: Vec<Scalar> = bools.into_iter().map(Scalar::Bool).collect();
            world.extend(ints.into_iter().map(Scalar::int));
            world.extend(strings.into_iter().map(|i| Scalar::str(STRINGS[i])));
            world.extend(tokens.into_iter().map(token));
            world
        })
}

fn leaf(sort: Sort) -> BoxedStrategy<Raw> {
    let (known, first): (BoxedStrategy<Scalar>, u64) = match sort {
        Sort::Bool => (any::<bool>().prop_map(Scalar::Bool).boxed(), 0),
        Sort::Int => ((-4i64..5).prop_map(Scalar::int).boxed(), 3),
        Sort::Str => ((0usize..8).prop_map(|i| Scalar::str(STRINGS[i])).boxed(), 6),
        _ => ((0i64..3).prop_map(token).boxed(), 9),
    };
    prop_oneof![known.prop_map(Raw::Known), (first..first + 3).prop_map(move |id| Raw::Var(id, sort))].boxed()
}

fn pair(a: BoxedStrategy<Raw>, b: BoxedStrategy<Raw>) -> impl Strategy<Value = (Box<Raw>, Box<Raw>)> {
    (a, b).prop_map(|(a, b)| (Box::new(a), Box::new(b)))
}

fn ite(sort: Sort, depth: u32) -> impl Strategy<Value = Raw> {
    (expr(Sort::Bool, depth), expr(sort, depth), expr(sort, depth))
        .prop_map(|(c, a, b)| Raw::Ite(Box::new(c), Box::new(a), Box::new(b)))
}

/// One of several known scalars of a sort, few of them different: by one of two variables or a sum, or by a key.
fn table(sort: Sort) -> BoxedStrategy<Raw> {
    let scalar = match sort {
        Sort::Bool => any::<bool>().prop_map(Scalar::Bool).boxed(),
        Sort::Int => (-2i64..3).prop_map(Scalar::int).boxed(),
        Sort::Str => (0usize..8).prop_map(|i| Scalar::str(STRINGS[i])).boxed(),
        _ => (0i64..2).prop_map(token).boxed(),
    };
    let var = || (3u64..5).prop_map(|id| Raw::Var(id, Sort::Int));
    let moved = (prop::sample::select(vec!['+', '-', '*']), any::<bool>(), -2i64..3).prop_map(|(op, first, n)| {
        let (var, known) = (Box::new(Raw::Var(3, Sort::Int)), Box::new(Raw::Known(Scalar::int(n))));
        if first { Raw::Arith(op, var, known) } else { Raw::Arith(op, known, var) }
    });
    let inner = (var(), prop::collection::vec((-1i64..5).prop_map(Scalar::int), 1..6))
        .prop_map(|(at, scalars)| Raw::Table(Box::new(at), scalars));
    let index = prop_oneof![6 => var(), 2 => moved, 1 => inner, 1 => expr(Sort::Int, 1)];
    let by_position = (index.clone(), prop::collection::vec(scalar.clone(), 1..7))
        .prop_map(|(at, scalars)| Raw::Table(Box::new(at), scalars));
    let known = |keys: BoxedStrategy<Scalar>| prop::collection::btree_map(keys, scalar.clone(), 0..6);
    let texts = known((0usize..8).prop_map(|i| Scalar::str(STRINGS[i])).boxed());
    let text = prop_oneof![3 => Just(Raw::Var(6, Sort::Str)), 1 => expr(Sort::Str, 1)];
    let by_key = prop_oneof![(index, known((-4i64..5).prop_map(Scalar::int).boxed())), (text, texts)];
    let by_key =
        (by_key, scalar.clone()).prop_map(|((key, known), default)| Raw::Lookup(Box::new(key), known, default));
    prop_oneof![by_position, by_key].boxed()
}

/// Comparisons and other operations on tables.
fn tabular() -> BoxedStrategy<Raw> {
    let int = || {
        let sum = (
            prop::sample::select(vec!['+', '-', '*', '/', '%']),
            pair(table(Sort::Int), prop_oneof![table(Sort::Int), leaf(Sort::Int)].boxed()),
        );
        prop_oneof![2 => table(Sort::Int), 1 => leaf(Sort::Int), 1 => sum.prop_map(|(op, (a, b))| Raw::Arith(op, a, b))]
            .boxed()
    };
    let text = || {
        let joined = prop::collection::vec(prop_oneof![table(Sort::Str), leaf(Sort::Str)], 1..3);
        prop_oneof![2 => table(Sort::Str), 1 => leaf(Sort::Str), 1 => joined.prop_map(|args| Raw::Text(TextOp::Concat, args))].boxed()
    };
    let atom = prop_oneof![
        1 => table(Sort::Bool),
        2 => pair(int(), int()).prop_map(|(a, b)| Raw::Eq(a, b)),
        2 => pair(int(), int()).prop_map(|(a, b)| Raw::Le(a, b)),
        2 => pair(text(), text()).prop_map(|(a, b)| Raw::Eq(a, b)),
        1 => pair(text(), text()).prop_map(|(a, b)| Raw::Less(a, b)),
        1 => pair(text(), text()).prop_map(|(a, b)| Raw::Text(TextOp::StartsWith, vec![*a, *b])),
        1 => pair(table(Sort::Token(1)), prop_oneof![table(Sort::Token(1)), leaf(Sort::Token(1))].boxed()).prop_map(|(a, b)| Raw::Eq(a, b)),
        1 => (int(), prop::collection::vec((-2i64..3).prop_map(Scalar::int), 0..4)).prop_map(|(a, set)| Raw::Member(Box::new(a), set)),
    ]
    .boxed();
    let negated = (atom, any::<bool>()).prop_map(|(atom, not)| if not { Raw::Not(Box::new(atom)) } else { atom });
    prop_oneof![
        2 => negated.clone(),
        1 => prop::collection::vec(negated.clone(), 0..4).prop_map(Raw::And),
        1 => prop::collection::vec(negated, 0..4).prop_map(Raw::Or)
    ]
    .boxed()
}

fn expr(sort: Sort, depth: u32) -> BoxedStrategy<Raw> {
    if depth == 0 {
        return leaf(sort);
    }
    let d = depth - 1;
    match sort {
        Sort::Bool => condition(d),
        Sort::Int => prop_oneof![
            2 => leaf(Sort::Int),
            4 => (prop::sample::select(vec!['+', '-', '*', '/', '%']), pair(expr(Sort::Int, d), expr(Sort::Int, d)))
                .prop_map(|(op, (a, b))| Raw::Arith(op, a, b)),
            1 => ite(Sort::Int, d),
            1 => (prop::sample::select(vec![TextOp::Len, TextOp::ToInt]), expr(Sort::Str, d)).prop_map(|(op, s)| Raw::Text(op, vec![s])),
        ]
        .boxed(),
        Sort::Str => prop_oneof![
            2 => leaf(Sort::Str),
            2 => prop::collection::vec(expr(Sort::Str, d), 1..4).prop_map(|args| Raw::Text(TextOp::Concat, args)),
            1 => expr(Sort::Str, d).prop_map(|s| Raw::Text(TextOp::Lower, vec![s])),
            1 => expr(Sort::Int, d).prop_map(|n| Raw::Text(TextOp::FromInt, vec![n])),
            1 => (expr(Sort::Str, d), leaf(Sort::Int), leaf(Sort::Int)).prop_map(|(s, a, b)| Raw::Text(TextOp::Slice, vec![s, a, b])),
            1 => ite(Sort::Str, d),
        ]
        .boxed(),
        sort => prop_oneof![2 => leaf(sort), 1 => ite(sort, d)].boxed(),
    }
}

fn condition(d: u32) -> BoxedStrategy<Raw> {
    let sorts = || prop::sample::select(vec![Sort::Bool, Sort::Int, Sort::Str, Sort::Token(1)]);
    prop_oneof![
        1 => leaf(Sort::Bool),
        2 => expr(Sort::Bool, d).prop_map(|a| Raw::Not(Box::new(a))),
        2 => prop::collection::vec(expr(Sort::Bool, d), 0..5).prop_map(Raw::And),
        2 => prop::collection::vec(expr(Sort::Bool, d), 0..5).prop_map(Raw::Or),
        1 => ite(Sort::Bool, d),
        3 => sorts().prop_flat_map(move |sort| pair(expr(sort, d), expr(sort, d))).prop_map(|(a, b)| Raw::Eq(a, b)),
        3 => pair(expr(Sort::Int, d), expr(Sort::Int, d)).prop_map(|(a, b)| Raw::Le(a, b)),
        1 => pair(expr(Sort::Str, d), expr(Sort::Str, d)).prop_map(|(a, b)| Raw::Less(a, b)),
        1 => (expr(Sort::Int, d), prop::collection::vec((-4i64..5).prop_map(Scalar::int), 0..4))
            .prop_map(|(a, set)| Raw::Member(Box::new(a), set)),
        1 => (expr(Sort::Token(1), d), prop::collection::vec((0i64..3).prop_map(token), 0..3))
            .prop_map(|(a, set)| Raw::Member(Box::new(a), set)),
        1 => (prop::sample::select(vec![TextOp::Contains, TextOp::StartsWith, TextOp::EndsWith]), expr(Sort::Str, d), expr(Sort::Str, d))
            .prop_map(|(op, s, t)| Raw::Text(op, vec![s, t])),
        1 => expr(Sort::Str, d).prop_map(|s| Raw::Text(TextOp::IsInt, vec![s])),
    ]
    .boxed()
}

/// Literals over few atoms, so that simplification has something to do.
fn dense_literal() -> BoxedStrategy<Raw> {
    let x = || Box::new(Raw::Var(3, Sort::Int));
    let sum = || Box::new(Raw::Arith('+', Box::new(Raw::Var(3, Sort::Int)), Box::new(Raw::Var(4, Sort::Int))));
    let k = || (-3i64..4).prop_map(|n| Box::new(Raw::Known(Scalar::int(n))));
    let token_var = || Box::new(Raw::Var(9, Sort::Token(1)));
    let some_set = |range: std::ops::Range<i64>| prop::collection::vec(range, 0..3);
    let positive = prop_oneof![
        (0u64..3).prop_map(|id| Raw::Var(id, Sort::Bool)),
        k().prop_map(move |k| Raw::Eq(x(), k)),
        k().prop_map(move |k| Raw::Le(x(), k)),
        k().prop_map(move |k| Raw::Le(k, sum())),
        k().prop_map(move |k| Raw::Eq(k, sum())),
        (0i64..3).prop_map(move |t| Raw::Eq(token_var(), Box::new(Raw::Known(token(t))))),
        some_set(0..3).prop_map(move |set| Raw::Member(token_var(), set.into_iter().map(token).collect())),
        some_set(-3..4).prop_map(move |set| Raw::Member(x(), set.into_iter().map(Scalar::int).collect())),
    ];
    (positive, any::<bool>()).prop_map(|(raw, negate)| if negate { Raw::Not(Box::new(raw)) } else { raw }).boxed()
}

fn dense() -> BoxedStrategy<Raw> {
    let layer = |inner: BoxedStrategy<Raw>| {
        prop_oneof![
            inner.clone(),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Raw::And),
            prop::collection::vec(inner, 0..4).prop_map(Raw::Or)
        ]
        .boxed()
    };
    layer(layer(layer(dense_literal())))
}

fn check(raw: &Raw, worlds: &[Vec<Scalar>]) -> Result<(), TestCaseError> {
    let term = build(raw);
    for world in worlds {
        let want = eval(raw, world);
        let got = term.eval(&mut |var| Some(world[var.id as usize].clone()));
        prop_assert_eq!(got.as_ref(), Some(&want), "{} in {:?}", term, world);
        let ground = term.substitute(&mut |var| Some(Term::constant(world[var.id as usize].clone())));
        prop_assert_eq!(ground.as_const(), Some(&want), "{} in {:?}", term, world);
        let partly =
            term.substitute(&mut |var| (var.id % 2 == 0).then(|| Term::constant(world[var.id as usize].clone())));
        let rest = partly.eval(&mut |var| Some(world[var.id as usize].clone()));
        prop_assert_eq!(rest.as_ref(), Some(&want), "{} as {} in {:?}", term, partly, world);
    }
    let again = term.substitute(&mut |var| Some(Term::var(var)));
    prop_assert!(again == term, "normal forms are stable: {} / {}", term, again);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conditions_keep_their_value(raw in expr(Sort::Bool, 3), worlds in prop::collection::vec(world(), 6)) {
        check(&raw, &worlds)?;
    }

    #[test]
    fn tables_keep_their_value(raw in tabular(), worlds in prop::collection::vec(world(), 24)) {
        check(&raw, &worlds)?;
        let term = build(&raw);
        for world in worlds {
            let value = |term: &Term| term.eval(&mut |var| Some(world[var.id as usize].clone()));
            prop_assert_eq!(value(&without_tables(&term)), value(&term), "{} in {:?}", term, world);
        }
    }

    #[test]
    fn integers_keep_their_value(raw in expr(Sort::Int, 3), worlds in prop::collection::vec(world(), 6)) {
        check(&raw, &worlds)?;
    }

    #[test]
    fn strings_keep_their_value(raw in expr(Sort::Str, 3), worlds in prop::collection::vec(world(), 6)) {
        check(&raw, &worlds)?;
    }

    #[test]
    fn connectives_keep_their_value(raw in dense(), worlds in prop::collection::vec(world(), 12)) {
        check(&raw, &worlds)?;
    }
}

fn var(id: u64, sort: Sort) -> Term {
    Term::var(Var { id, sort })
}

/// Literals of which some imply each other, some exclude each other, and some cover everything.
fn related_literals() -> Vec<Raw> {
    let equal = |id, sort, scalar| Raw::Eq(Box::new(Raw::Var(id, sort)), Box::new(Raw::Known(scalar)));
    let at_most = |k| Raw::Le(Box::new(Raw::Var(3, Sort::Int)), Box::new(Raw::Known(Scalar::int(k))));
    let not = |raw| Raw::Not(Box::new(raw));
    let token_is = |n| equal(9, Sort::Token(1), token(n));
    let other_is = |n| equal(10, Sort::Token(1), token(n));
    vec![
        Raw::Var(0, Sort::Bool),
        not(Raw::Var(0, Sort::Bool)),
        token_is(0),
        token_is(1),
        not(token_is(1)),
        other_is(0),
        other_is(1),
        at_most(0),
        not(at_most(0)),
        not(at_most(1)),
        equal(3, Sort::Int, Scalar::int(1)),
    ]
}

/// All worlds that tell these literals apart.
fn related_worlds() -> Vec<Vec<Scalar>> {
    let mut worlds = Vec::new();
    for world in 0..2 * 3 * 3 * 3 {
        let (truth, first, second, number) = (world % 2, world / 2 % 3, world / 6 % 3, world / 18);
        let mut scalars = vec![Scalar::Bool(false); 12];
        scalars[0] = Scalar::Bool(truth == 1);
        (scalars[3], scalars[9], scalars[10]) = (Scalar::int(number), token(first), token(second));
        worlds.push(scalars);
    }
    worlds
}

/// Every set of at most `size` of these.
fn subsets(literals: &[Raw], size: usize) -> Vec<Vec<Raw>> {
    let Some((first, others)) = literals.split_first().filter(|_| size > 0) else { return vec![Vec::new()] };
    let mut all = subsets(others, size);
    all.extend(subsets(others, size - 1).into_iter().map(|mut set| {
        set.push(first.clone());
        set
    }));
    all
}

/// Conjunctions of clauses, and disjunctions of cubes: all pairs of up to three literals, all triples of up to two.
#[test]
fn small_connectives_keep_their_value_in_every_world() {
    let (literals, worlds) = (related_literals(), related_worlds());
    let check = |parts: &[&Vec<Raw>]| {
        let clauses = Raw::And(parts.iter().map(|part| Raw::Or(part.to_vec())).collect());
        let cubes = Raw::Or(parts.iter().map(|part| Raw::And(part.to_vec())).collect());
        for raw in [clauses, cubes] {
            let term = build(&raw);
            for world in &worlds {
                let got = term.eval(&mut |var| Some(world[var.id as usize].clone()));
                assert_eq!(got, Some(eval(&raw, world)), "{raw:?} became {term}");
            }
        }
    };
    let (large, small) = (subsets(&literals, 3), subsets(&literals, 2));
    for (at, a) in large.iter().enumerate() {
        large[at..].iter().for_each(|b| check(&[a, b]));
    }
    for (at, a) in small.iter().enumerate() {
        for (next, b) in small.iter().enumerate().skip(at) {
            small[next..].iter().for_each(|c| check(&[a, b, c]));
        }
    }
}

/// What users see, one term a line.
#[test]
fn display_and_normal_forms() {
    let (x, y) = (var(1, Sort::Int), var(2, Sort::Int));
    let (b, c) = (var(3, Sort::Bool), var(4, Sort::Bool));
    let s = var(5, Sort::Str);
    let k = |n: i64| Term::int(n);
    let cases = [
        (Term::le(&k(5), &x), "#1 >= 5"),
        (Term::lt(&x.add(&x), &k(5)), "#1 <= 2"),
        (Term::eq(&x.add(&x), &k(5)), "false"),
        (Term::le(&x, &y.add(&k(3))), "#1 <= #2 + 3"),
        (Term::ne(&x, &y), "#1 != #2"),
        (Term::and(&Term::eq(&x, &k(1)), &Term::eq(&x, &k(2))), "false"),
        (Term::and(&Term::eq(&x, &k(1)), &Term::ne(&x, &k(2))), "#1 == 1"),
        (Term::and(&b, &Term::or(&b.not(), &c)), "#3 && #4"),
        (Term::or(&b, &Term::and(&b, &c)), "#3"),
        (Term::or(&b, &b.not()), "true"),
        (Term::eq(&Term::ite(&b, &k(1), &k(2)), &k(1)), "#3"),
        (Term::eq(&b, &c.not()), "#3 != #4"),
        (Term::ite(&b, &c, &Term::falsity()), "#3 && #4"),
        (Term::text(TextOp::Len, [Term::text(TextOp::Concat, [Term::str("ab"), s.clone()])]), "len(#5) + 2"),
        (Term::eq(&Term::text(TextOp::Concat, [Term::str("k"), s.clone()]), &Term::str("key")), "#5 == \"ey\""),
        (x.mul(&k(4)).add(&k(7)).div(&k(2)), "2 * #1 + 3"),
        (x.mul(&k(4)).add(&k(7)).rem(&k(2)), "1"),
        (x.div(&k(0)), "0"),
        (x.mul(&y).mul(&k(3)), "3 * (#1 * #2)"),
    ];
    for (term, want) in cases {
        assert_eq!(term.to_string(), want);
    }
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut term = var(0, Sort::Token(0));
    for i in 1..200_000u64 {
        term = Term::ite(&var(2 * i, Sort::Bool), &term, &var(2 * i + 1, Sort::Token(0)));
    }
    let mut count = 0;
    term.vars(&mut |_| count += 1);
    assert_eq!(count, 399_999);
    let same = term.substitute(&mut |_| None);
    assert!(same.same(&term));
    let other = term.substitute(&mut |var| Some(Term::var(Var { id: var.id + 1, sort: var.sort })));
    assert!(other != term);
    assert!(other.substitute(&mut |var| Some(Term::var(Var { id: var.id - 1, sort: var.sort }))) == term);
    assert_eq!(
        term.eval(&mut |var| Some(if var.sort == Sort::Bool { Scalar::Bool(true) } else { token(1) })),
        Some(token(1))
    );
    assert!(term.to_string().len() < 10_000);
}

#[test]
fn terms_travel_between_threads() {
    let term = Term::le(&var(1, Sort::Int), &var(2, Sort::Int));
    let other = std::thread::spawn(|| Term::le(&var(1, Sort::Int), &var(2, Sort::Int))).join().unwrap();
    assert_eq!(term, other);
    assert_eq!(term.structural_hash(), other.structural_hash());
}

#[test]
fn a_remainder_of_a_sum_with_a_table_is_a_table() {
    let [x, y] = [3, 4].map(|id| Term::var(Var { id, sort: Sort::Int }));
    let table = Term::table(&x, &Column::new(vec![Scalar::int(0), Scalar::int(1)]).unwrap());
    let sum = table.mul(&Term::int(-2)).add(&y.mul(&Term::int(6)));
    assert_eq!(sum.rem(&Term::int(3)), table.rem(&Term::int(3)), "6 y falls, and what is left is the table");
    assert_eq!(sum.rem(&Term::int(3)), table.mul(&Term::int(-2)).rem(&Term::int(3)));
}
