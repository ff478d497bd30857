//! Constraints beyond the store's own tiers: Z3 is asked at most once an exchange and candidate, and never again about what it
//! could not decide until more of it is known.
//!
//! Nobody decides here whether 33 is a sum of three cubes: that is asked once, and the verdict is unknown, however long the
//! trace goes on.

mod workloads;

use mayhap::scalar::Sort;
use mayhap::solve::{Answer, Solver, Store};
use mayhap::term::{Term, Var};
use mayhap::{Validator, Verdict};
use workloads::WORKLOADS;

/// Exchanges of a trace.
const EXCHANGES: u64 = 300;

#[test]
fn z3_is_asked_at_most_once_an_exchange() {
    for workload in WORKLOADS {
        let spec = workload.spec();
        let mut validator = Validator::new(&spec);
        for exchange in workload.exchanges(&spec, EXCHANGES.min(workload.exchanges)) {
            let before = validator.statistics().z3_checks;
            assert!(validator.observe_exchange(&exchange), "{}: {:?}", workload.name, validator.verdict());
            let asked = validator.statistics().z3_checks - before;
            assert!(asked <= 1, "{}: {asked} questions at {}", workload.name, exchange.line);
        }
        assert_eq!(validator.counts().candidates_max, 1, "{}", workload.name);
        let undecided = workload.name == "cubes";
        assert_eq!(validator.verdict().is_accept(), !undecided, "{}: {:?}", workload.name, validator.verdict());
        if undecided {
            assert!(matches!(validator.verdict(), Verdict::Unknown { .. }));
            assert_eq!(validator.statistics().z3_checks, 1);
        }
    }
}

#[test]
fn what_is_undecided_is_asked_again_when_more_is_known() {
    let mut solver = Solver::default();
    let [x, y, z, w] = [1, 2, 3, 4].map(|id| Term::var(Var { id, sort: Sort::Int }));
    let cube = |t: &Term| t.mul(t).mul(t);
    let sum = cube(&x).add(&cube(&y)).add(&cube(&z));
    let mut store = Store::default();
    assert!(matches!(store.assume(&Term::eq(&sum, &Term::int(33)), &mut solver), Answer::Unknown(_)));
    let asked = solver.statistics.z3_checks;
    for n in 0..50 {
        assert!(matches!(store.assume(&Term::ne(&x.add(&w), &y.add(&Term::int(n))), &mut solver), Answer::Unknown(_)));
    }
    assert_eq!(solver.statistics.z3_checks, asked, "nothing became known");
    let mut other = store.clone();
    let known = Term::and_all([Term::eq(&x, &Term::int(1)), Term::eq(&y, &Term::int(2))]);
    let decided = store.assume(&Term::and(&known, &Term::eq(&z, &Term::int(3))), &mut solver);
    assert_eq!(decided, Answer::Unsat);
    // What contradicts it by itself needs no question.
    let (low, high) = (Term::le(&x, &Term::int(3)), Term::le(&Term::int(4), &x));
    assert!(matches!(other.assume(&low, &mut solver), Answer::Unknown(_)));
    assert_eq!(other.assume(&high, &mut solver), Answer::Unsat);
}
