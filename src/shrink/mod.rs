//! Smaller scripts that still fail for the same cause, found by running them.
