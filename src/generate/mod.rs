//! The next requests of a test, from what is known: the domain, the state, the trace, the solver and the corpus.
