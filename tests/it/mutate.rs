//! Mutants of specifications: listed, compiled, told apart, and found by testing.

use mayhap::mutate::mutants;

use crate::judge::shipped;

#[test]
fn print_them() {
    for (name, spec) in shipped() {
        let begun = std::time::Instant::now();
        let mutants = mutants(&spec);
        println!("== {name} {} in {:?}", mutants.len(), begun.elapsed());
        mutants.iter().for_each(|mutant| println!("{mutant}"));
    }
}
