//! Lists some of whose elements may or may not be there, against the known lists that they stand for.
//!
//! `[1, 2?p, 3]` stands for `[1, 2, 3]` and `[1, 3]`. Every operation on a random list, and every small program run over one, is
//! compared with the same on each of those: where it asks for a decision, that is made as the assignment says.

use std::collections::BTreeSet;

use mayhap::process::{Choice, Event, Process};
use mayhap::scalar::{Scalar, Sort};
use mayhap::spec::Spec;
use mayhap::term::{Term, Var};
use mayhap::value::{self, Conditions, Lifted, OpenItem, OpenList, Split, Substitution, Truth, Value};

use crate::random::Rng;

/// An integer of which nothing is known; booleans with the numbers below say what is there.
const OPEN: u64 = 5;
/// Ways to give values to all of them.
const ASSIGNMENTS: u64 = 32;

fn var(id: u64, sort: Sort) -> Term {
    Term::var(Var { id, sort })
}

fn assigned(assignment: u64, var: Var) -> Scalar {
    let bit = assignment >> (var.id - 1) & 1 == 1;
    if var.sort == Sort::Bool { Scalar::Bool(bit) } else { Scalar::int(i64::from(bit)) }
}

fn eval(term: &Term, assignment: u64) -> Scalar {
    term.eval(&mut |var| Some(assigned(assignment, var))).unwrap_or_else(|| panic!("{term} has a value"))
}

fn holds(truth: &Truth, assignment: u64) -> bool {
    match truth {
        Truth::Known(known) => *known,
        Truth::Term(term) => eval(term, assignment).as_bool().expect("a condition"),
    }
}

/// What a value stands for under an assignment.
fn under(value: &Value, assignment: u64) -> Value {
    let mut evaluate = |term: &Term| Some(Term::constant(eval(term, assignment)));
    Substitution::everywhere(&mut evaluate).apply(value).unwrap_or_else(|| value.clone())
}

fn presence(rng: &mut Rng) -> Term {
    let mut literal = || {
        let var = var(1 + rng.below(4) as u64, Sort::Bool);
        if rng.percent(30) { Term::not(&var) } else { var }
    };
    let (a, b) = (literal(), literal());
    match rng.below(8) {
        0 => Term::and(&a, &b),
        1 => Term::or(&a, &b),
        _ => a,
    }
}

fn element(rng: &mut Rng) -> Value {
    if rng.percent(12) { Value::Term(var(OPEN, Sort::Int)) } else { Value::from(rng.between(0, 2)) }
}

fn items(rng: &mut Rng) -> OpenList {
    let mut items = OpenList::new();
    for _ in 0..rng.below(6) {
        let there = if rng.percent(60) { Truth::of(presence(rng)) } else { Truth::Known(true) };
        items.extend(OpenItem::under(there, element(rng)));
    }
    items
}

fn list(rng: &mut Rng) -> Value {
    Value::sequence(items(rng))
}

/// Does an operation, and makes the decisions that it asks for as an assignment says.
fn decided<T>(values: &[&Value], assignment: u64, operate: impl Fn(&[Value]) -> Lifted<T>) -> T {
    let mut values: Vec<Value> = values.iter().map(|value| (*value).clone()).collect();
    loop {
        match operate(&values) {
            Ok(result) => return result,
            Err(Split::On(condition)) => {
                let holds = holds(&Truth::of(condition.clone()), assignment);
                let after: Vec<Value> = values.iter().map(|value| value.decide(&condition, holds)).collect();
                assert_ne!(after, values, "{condition} changes nothing");
                values = after;
            }
            Err(other) => panic!("{other:?} of {values:?}"),
        }
    }
}

/// A list under each assignment is the operation on the list that it stands for.
fn compare<T>(values: &[&Value], operate: impl Fn(&[Value]) -> Lifted<T>, known: impl Fn(T, u64) -> Value, name: &str) {
    for assignment in 0..ASSIGNMENTS {
        let of: Vec<Value> = values.iter().map(|value| under(value, assignment)).collect();
        let expected = known(operate(&of).unwrap_or_else(|_| panic!("{name} of {of:?}")), assignment);
        let got = known(decided(values, assignment, &operate), assignment);
        assert_eq!(got, expected, "{name} of {values:?} where {assignment:b}, which is {of:?}");
    }
}

fn truth(truth: Truth, assignment: u64) -> Value {
    Value::from(holds(&truth, assignment))
}

fn found((there, value): (Truth, Value), assignment: u64) -> Value {
    if holds(&there, assignment) { Value::some(under(&value, assignment)) } else { Value::NONE }
}

fn elements(elements: value::Elements, assignment: u64) -> Value {
    let there = elements.into_iter().filter(|(presence, _)| holds(&presence.truth(), assignment));
    Value::list(there.map(|(_, element)| under(&element, assignment)))
}

#[test]
fn operations_are_those_on_the_lists_that_it_stands_for() {
    let mut rng = Rng::new(1);
    for _ in 0..700 {
        let (a, b) = (list(&mut rng), list(&mut rng));
        let (x, at, to) = (element(&mut rng), Value::from(rng.between(-1, 5)), Value::from(rng.between(0, 5)));
        compare(&[&a], |v| value::len(&v[0]), |len, s| under(&len, s), "len");
        compare(&[&a], |v| value::elements(&v[0]), elements, "elements");
        compare(&[&a, &x], |v| value::member(&v[1], &v[0]), truth, "in");
        compare(&[&a, &b], |v| value::equal(&v[0], &v[1]), truth, "==");
        compare(&[&a, &b], |v| value::add(&v[0], &v[1]), |sum, s| under(&sum, s), "+");
        compare(&[&a, &at], |v| value::index(&v[0], &v[1]), found, "index");
        compare(&[&a, &at, &to], |v| value::slice(&v[0], &v[1], &v[2]), found, "slice");
        let condition = presence(&mut rng);
        let merged = value::merge(&condition, a.clone(), b.clone());
        let negated = value::merge(&Term::not(&condition), b.clone(), a.clone());
        for s in 0..ASSIGNMENTS {
            let expected = if holds(&Truth::of(condition.clone()), s) { under(&a, s) } else { under(&b, s) };
            assert_eq!(under(&merged, s), expected, "{a:?} where {condition}, else {b:?}");
            assert_eq!(under(&negated, s), expected, "{a:?} where {condition}, else {b:?}");
        }
    }
}

#[test]
fn lengths_are_compared_without_decisions() {
    let mut rng = Rng::new(2);
    let mut compared = 0;
    for _ in 0..2_000 {
        let elements = &items(&mut rng);
        let open = Value::sequence(elements.clone());
        for wanted in 0..7 {
            let (least, exactly) = (value::has_at_least(elements, wanted), value::has_exactly(elements, wanted));
            compared += u32::from(least.is_some()) + u32::from(exactly.is_some());
            for s in 0..ASSIGNMENTS {
                let Value::List(known) = under(&open, s) else { panic!("{open:?} stands for known lists") };
                assert!(least.as_ref().is_none_or(|least| holds(least, s) == (known.len() >= wanted)), "{open:?}");
                assert!(exactly.as_ref().is_none_or(|same| holds(same, s) == (known.len() == wanted)), "{open:?}");
            }
        }
    }
    assert!(compared > 10_000, "{compared} comparisons");
}

#[test]
fn a_comparison_with_an_answer_is_a_condition() {
    let mut rng = Rng::new(3);
    let (mut possible, mut never) = (0, 0);
    for _ in 0..3_000 {
        let open = list(&mut rng);
        let answer = if rng.percent(60) { under(&open, rng.next() % ASSIGNMENTS) } else { under(&list(&mut rng), 31) };
        let mut parts = Conditions::default();
        let may = value::equal_where(&open, &answer, &mut parts).expect("short lists need no decision");
        let all = |s| may && parts.iter().all(|part| holds(&Truth::of(part.clone()), s));
        assert!((0..ASSIGNMENTS).all(|s| all(s) == (under(&open, s) == answer)), "{open:?} and {answer:?}: {parts:?}");
        possible += u32::from(may);
        never += u32::from(!may);
    }
    assert!(possible > 500 && never > 500, "{possible} may be equal, {never} never are");
}

/// A list of numbers each of which is there under a condition of its own.
fn optional(numbers: impl IntoIterator<Item = i64>) -> Value {
    let own = |(at, number): (usize, i64)| {
        OpenItem::under(Truth::Term(var(100 + at as u64, Sort::Bool)), Value::from(number)).expect("an element")
    };
    Value::sequence(numbers.into_iter().enumerate().map(own).collect())
}

#[test]
fn only_elements_that_may_be_those_of_an_answer_leave_a_choice() {
    // Different elements: there is one way, and it says of each whether it is there.
    let known = Value::list((0..300).filter(|n| n % 3 == 0).map(Value::from));
    let mut parts = Conditions::default();
    assert_eq!(value::equal_where(&optional(0..300), &known, &mut parts), Ok(true));
    let decided = |at: u64| {
        let own = var(100 + at, Sort::Bool);
        if at.is_multiple_of(3) { own } else { Term::not(&own) }
    };
    assert_eq!(parts.to_vec(), [Term::and_all((0..300).map(decided))]);
    // An element that is not among them: there is none.
    let other = Value::list([5, 301].map(Value::from));
    assert_eq!(value::equal(&optional(0..300), &other), Ok(Truth::Known(false)));
    // Two equal ones next to each other: one of both.
    let both = value::equal(&optional([1, 7, 7, 2]), &Value::list([7].map(Value::from))).expect("no decision");
    let [a, b, c, d] = [100, 101, 102, 103].map(|id| var(id, Sort::Bool));
    let one = Term::or(&Term::and(&b, &Term::not(&c)), &Term::and(&Term::not(&b), &c));
    for s in 0..16 {
        let eval = |term: &Term| term.eval(&mut |var| Some(Scalar::Bool(s >> (var.id - 100) & 1 == 1)));
        let expected = Term::and_all([Term::not(&a), one.clone(), Term::not(&d)]);
        assert_eq!(eval(&both.clone().term()), eval(&expected), "{both:?}");
    }
    // Many ways: a condition still, which is no larger than the grid of both.
    let many = value::equal(&optional((0..40).map(|n| n % 2)), &Value::list((0..20).map(|n| Value::from(n % 2))));
    let Ok(Truth::Term(condition)) = many else { panic!("{many:?}") };
    assert!(condition.size() > 0);
    // What certainly stands at the end needs no grid.
    let long = |last: OpenItem| {
        let many = || (0..20_000).map(Value::from).map(OpenItem::One);
        Value::sequence(many().chain([last]).chain(many()).collect())
    };
    let last = OpenItem::under(Truth::Term(a.clone()), Value::from(7)).expect("an element");
    assert_eq!(value::equal(&long(last), &long(OpenItem::One(Value::from(7)))), Ok(Truth::Term(a)));
}

#[test]
fn a_list_is_made_of_two_and_taken_apart_again() {
    let mut rng = Rng::new(4);
    let fresh = var(99, Sort::Bool);
    let mut made = 0;
    for _ in 0..3_000 {
        let more = items(&mut rng);
        let longer = Value::sequence(more.clone());
        let shorter = if !more.is_empty() && rng.percent(80) {
            let mut fewer = more.clone();
            fewer.remove(rng.below(more.len()));
            Value::sequence(fewer)
        } else {
            list(&mut rng)
        };
        let Some(both) = value::with_optional(&longer, &shorter, &Truth::Term(fresh.clone())) else {
            assert!(longer != shorter || longer.breadth() == shorter.breadth(), "{longer:?} and {shorter:?}");
            continue;
        };
        made += 1;
        assert!(both.decide(&fresh, true) == longer && both.decide(&fresh, false) == shorter, "{both:?}");
        assert_eq!(value::with_optional(&longer, &shorter, &Truth::Known(true)), Some(longer.clone()));
        assert_eq!(value::with_optional(&longer, &shorter, &Truth::Known(false)), Some(shorter.clone()));
        let mut vars = BTreeSet::new();
        both.visit_variables(&mut |var| {
            vars.insert(var.id);
        });
        assert!(vars.contains(&99) && !both.is_known());
    }
    assert!(made > 1_500, "{made} lists");
}

#[test]
fn a_decision_drops_elements_or_makes_them_certain() {
    let mut rng = Rng::new(5);
    for _ in 0..2_000 {
        let (open, condition) = (list(&mut rng), presence(&mut rng));
        for s in 0..ASSIGNMENTS {
            let truth = holds(&Truth::of(condition.clone()), s);
            let decided = open.decide(&condition, truth);
            assert_eq!(under(&decided, s), under(&open, s), "{open:?} where {condition} is {truth}");
            let literal = condition.as_var().or(Term::not(&condition).as_var());
            let mut left = false;
            decided.visit_terms(&mut |term| left |= literal.is_some_and(|var| term.mentions(var)));
            assert!(!left, "{decided:?} where {condition} is {truth}");
        }
    }
}

/// The lists that one stands for whose presences are its own.
fn lists(value: &Value, count: usize) -> BTreeSet<Value> {
    let all = |s: u64| {
        let mut bit =
            |term: &Term| term.eval(&mut |var| Some(Scalar::Bool(s >> (var.id - 100) & 1 == 1))).map(Term::constant);
        Substitution::everywhere(&mut bit).apply(value).unwrap_or_else(|| value.clone())
    };
    (0..1 << count).map(all).collect()
}

#[test]
fn what_is_included_is_one_of_the_lists() {
    let mut rng = Rng::new(6);
    let (mut included, mut exact) = (0, 0);
    for _ in 0..6_000 {
        let mut own = |values: i64| {
            let count = rng.below(6);
            let elements: Vec<OpenItem> = (0..count)
                .filter_map(|at| {
                    let there = if rng.percent(65) {
                        Truth::Term(var(100 + at as u64, Sort::Bool))
                    } else {
                        Truth::Known(true)
                    };
                    OpenItem::under(there, Value::from(rng.between(0, values)))
                })
                .collect();
            (Value::sequence(elements.clone().into_iter().collect()), elements)
        };
        let ((general, places), (special, _)) = (own(3), own(2));
        let really = lists(&special, 5).is_subset(&lists(&general, 5));
        let said = value::includes(&general, &special);
        assert!(really || !said, "{general:?} does not include {special:?}");
        let certain = |place: &&OpenItem| place.look().presence().is_none();
        let once = places
            .iter()
            .filter(certain)
            .all(|place| places.iter().filter(|other| other.look().value() == place.look().value()).count() == 1);
        assert!(said || !really || !once, "{general:?} includes {special:?}");
        included += u32::from(said);
        exact += u32::from(once && !said);
    }
    assert!(included > 150 && exact > 150, "{included} included, {exact} certainly not");
}

const PROGRAM: &str = include_str!("../../data/optional_elements.may");

const SORTED: Value = Value::unit(23);

/// What each request carries, by its constructor.
const CARRIES: [&str; 30] = [
    "", "", "", "", "i", "ii", "i", "l", "i", "i", "", "i", "", "", "", "", "i", "", "", "", "i", "", "", "", "i", "b",
    "", "1", "", "",
];

fn requests(rng: &mut Rng) -> Vec<Value> {
    let mut small = || Value::from(rng.between(-1, 4));
    let mut field = |kind: char| match kind {
        'i' => small(),
        'l' => Value::list([small(), small()]),
        'b' => Value::from(small() <= Value::from(1)),
        _ => Value::from(1),
    };
    (0..)
        .zip(CARRIES)
        .map(|(tag, fields)| Value::data(tag, fields.chars().map(&mut field).collect::<Vec<_>>()))
        .collect()
}

/// What a request can lead to under an assignment: answers, each with the list after it.
fn runs(spec: &Spec, list: &Value, request: &Value, assignment: u64) -> BTreeSet<(Value, Value)> {
    let mut process = Process::new(&spec.program);
    process.boot(&spec.program);
    assert!(matches!(process.advance(&spec.program), Event::End));
    process.memory[0] = list.clone();
    process.receive(&spec.program, request, 1);
    let (mut open, mut ends) = (vec![process], BTreeSet::new());
    while let Some(mut process) = open.pop() {
        loop {
            let lives = match process.advance(&spec.program) {
                Event::Branch { condition, .. } => {
                    process.branch(holds(&Truth::of(condition.term()), assignment));
                    true
                }
                Event::Guard { .. } => {
                    process.guard(None);
                    true
                }
                Event::Or { ways, .. } => {
                    open.extend((1..ways).map(|way| {
                        let mut other = process.clone();
                        other.select(way);
                        other
                    }));
                    process.select(0);
                    true
                }
                Event::Choose { choice: Choice::Element(over, _), guard, .. } => {
                    let made = guard.is_none_or(|guard| holds(&Truth::of(guard), assignment));
                    for chosen in (-1..=9).map(Value::from) {
                        let there = value::member(&chosen, &over).expect("a condition");
                        let mut other = process.clone();
                        other.resume(chosen);
                        open.extend((!made || holds(&there, assignment)).then_some(other));
                    }
                    false
                }
                Event::Assume(condition, _) => {
                    process.proceed();
                    holds(&condition, assignment)
                }
                Event::Fault(condition, fault) => {
                    process.proceed();
                    assert!(!holds(&condition, assignment), "{fault:?}: {request:?} of {list:?} where {assignment:b}");
                    true
                }
                Event::Send(answer, _) => {
                    ends.insert((under(&answer, assignment), under(&process.memory[0], assignment)));
                    false
                }
                other => panic!("{other:?}: {request:?} of {list:?}"),
            };
            if !lives {
                break;
            }
        }
    }
    ends
}

#[test]
fn programs_do_what_they_do_with_the_lists_that_it_stands_for() {
    let spec = Spec::from_text(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let mut rng = Rng::new(7);
    for _ in 0..25 {
        let open = list(&mut rng);
        let mut vars = BTreeSet::new();
        open.visit_variables(&mut |var| {
            vars.insert(var.id);
        });
        for request in requests(&mut rng) {
            // What is not known cannot be sorted.
            if request == SORTED && vars.contains(&OPEN) {
                continue;
            }
            for assignment in 0..ASSIGNMENTS {
                let known = under(&open, assignment);
                let expected = runs(&spec, &known, &under(&request, assignment), assignment);
                let got = runs(&spec, &open, &request, assignment);
                assert_eq!(got, expected, "{request:?} of {open:?} where {assignment:b}, which is {known:?}");
            }
        }
    }
}

/// How many decisions a request asks for over a list each element of which is there under a condition of its own.
fn decisions(spec: &Spec, request: &Value, there: &dyn Fn(&Term) -> bool) -> (usize, Value, Value) {
    let mut process = Process::new(&spec.program);
    process.boot(&spec.program);
    process.advance(&spec.program);
    process.memory[0] = optional(1..=8);
    process.receive(&spec.program, request, 1);
    let mut count = 0;
    loop {
        match process.advance(&spec.program) {
            Event::Branch { condition, sides, .. } => {
                count += usize::from(sides.is_none());
                process.branch(there(&condition.term()));
            }
            Event::Guard { .. } => process.guard(None),
            Event::Send(answer, _) => return (count, answer, process.memory[0].clone()),
            other => panic!("{other:?}: {request:?}"),
        }
    }
}

#[test]
fn what_goes_from_element_to_element_asks_for_no_decision() {
    let spec = Spec::from_text(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let mut rng = Rng::new(8);
    // Len, In, Equal, Any, All, Without, Pairs, Set, Push and PushMore.
    for tag in [0, 6, 7, 8, 9, 11, 13, 14, 16, 17] {
        let request = requests(&mut rng).into_iter().nth(tag).expect("a request");
        let (count, ..) = decisions(&spec, &request, &|condition| panic!("{condition} for {request:?}"));
        assert_eq!(count, 0, "{request:?}");
    }
}

#[test]
fn a_position_asks_for_the_elements_up_to_it() {
    let spec = Spec::from_text(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let third = var(102, Sort::Bool);
    // The first that is there is the third element; nothing is decided of those after it.
    let (count, answer, rest) =
        decisions(&spec, &Value::unit(1), &|condition| *condition == third || condition.as_var().is_none());
    let behind = optional(1..=8).decide(&var(100, Sort::Bool), false).decide(&var(101, Sort::Bool), false);
    let Value::Open(behind) = behind.decide(&third, false) else { panic!("{behind:?}") };
    assert_eq!((count, answer, rest), (3, Value::data(0, [Value::from(3)]), Value::Open(behind)));
}
