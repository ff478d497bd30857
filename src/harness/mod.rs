//! The loop of a test: it keeps clients busy, feeds the session, stops and resets; it has no policy of its own.
