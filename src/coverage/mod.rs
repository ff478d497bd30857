//! The branches of a specification that the explanations of a run took.
