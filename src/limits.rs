//! The limits that a user meets, that trade verdicts for work, or on which several places agree, each with its reason.
//!
//! Example: a variable with at most [`CASES`] values is split into one case for each value, by the solver as by the judge; a
//! variable with more stays symbolic. A number that only one place needs stands there, with its reason.
//!
//! A limit never makes a verdict wrong. Beyond it something is left out that might have decided more: a state stays more
//! general, a question goes to the next tier, or the verdict is *unknown*. Sizes of data structures stay where the structure is.

pub mod end;

// Limits that a user may meet: messages and documents name them.

/// The instructions of a section. A section of more counts as one that never ends; an instruction on a large value counts as several.
pub const SECTION_LIMIT: u32 = 10_000_000;
/// The depth of nested calls. A path that calls deeper is cut off, as it may be a recursion without end.
pub const CALL_LIMIT: usize = 20_000;
/// The nodes of unknown recursive values that one section expands. More are cut off, since each node is a fork.
pub const NODE_LIMIT: u32 = 256;
/// The nodes of one value that are expanded under guards, fewer as the condition on a node includes those on the nodes above. The
/// nodes inside a node share the rest of the number evenly, so that a tree is expanded to the same depth everywhere.
pub const GUARDED_NODE_LIMIT: u32 = 64;
/// The elements of unknown stretches that one section takes, if nothing else bounds them. Each is a guess; more are cut off.
pub const STRETCH_LIMIT: u32 = 8;
/// The pieces of an unknown text that is split. Each number of pieces is a fork; more are cut off.
pub const PIECES_LIMIT: i64 = 8;
/// The integers of a range of unknown length. Each length is a fork; longer ranges are cut off.
pub const RANGE_LIMIT: i64 = 256;
/// The depth of nested symbolic guards. Deeper conditionals fork, which limits the unrolling of a recursive function.
pub const GUARD_LIMIT: usize = 64;
/// The alternatives of a value under one node. A value with more is forced by forking.
pub const UNION_LIMIT: usize = 8;
/// The paths of one request. The judge gives up on the others, so that a request takes bounded time.
pub const PATH_LIMIT: u32 = 20_000;
/// The values that the paths of one request copy together. The judge gives up on further paths, so that a request takes bounded
/// time.
pub const COPY_LIMIT: usize = 20_000_000;
/// The candidates to which the server's own steps, or its sections over a network, lead before an event. No more are followed, as
/// a step that counts leads to new ones for ever.
pub const CLOSURE_LIMIT: usize = 4_096;
/// The states with variables to which the server's own steps lead before a request. There may be fewer than others, as comparing
/// them is costly.
pub const SYMBOLIC_LIMIT: usize = 256;
/// The candidates of a judge. More would rather exhaust the memory than explain an answer.
pub const CANDIDATE_LIMIT: usize = 100_000;
/// The work on one exchange, in made terms: about a second. Beyond it the judge gives up on further explanations.
pub const EFFORT_LIMIT: u64 = 3_000_000;
/// The share of [`EFFORT_LIMIT`], one in N, that each exchange adds to what the exchanges after it may take. So a trace of hard
/// exchanges takes no more than a hundredth of a second for each in the long run.
pub const STEADY_SHARE: u64 = 100;
/// The factor by which the work on a history of concurrent clients may exceed that on one exchange: a history has many orders.
pub const HISTORY_EFFORT: u64 = 24;
/// The requests that nobody waits for in a history whose reason is looked for. One with more is not searched, as each of them is under
/// way up to its end.
pub const UNSEEN_LIMIT: usize = 1_024;

// What is split, listed and tried.

/// The alternatives that are followed each by itself in any case, as that is cheaper than one thing with variables.
pub const FEWEST: usize = 2;
/// The values or constraints that each become a case, which is simplified and solved by itself. More stay symbolic.
pub const CASES: usize = 16;
/// The rows of a normal form of many candidates. More candidates stay apart, as rows are compared pair by pair.
pub const ROWS: usize = 512;
/// The steps in a row of what descends or doubles: nested terms that are looked into by recursion, bounds that follow from each
/// other, requests that set the state for the next one. Deeper parts count as unknown.
pub const DEPTH: u32 = 12;
/// The depth of a condition for Z3. A deeper one is not encoded, as the encoding is recursive and each level takes stack.
pub const Z3_DEPTH: u32 = 400;
/// The integers of a zone. Closing its matrix takes the cube of their number, and sums of as many bounds must not overflow.
pub const ZONE: usize = 64;
/// The length of a text that is made to a given length, or read from a model position by position: each position is a question.
pub const TEXT_LENGTH: usize = 1_000;
/// The values that are tried of a domain: an unbounded one has infinitely many.
pub const PICKS: u64 = 100_000;
/// The values from which an integer without bounds on both sides is drawn. Small ones are more likely to meet what a server
/// distinguishes.
pub const DRAWN: usize = 200;
/// The answers that a reason names one by one although it was not found out whether they are needed. If there are more, it names all
/// answers since the first of them: no reader follows more.
pub const NAMED_ANSWERS: usize = 6;

// What is followed and kept along a trace.

/// The candidates that a cheap judgement follows, before one that follows all of them.
pub const FOLLOWED_BRIEFLY: usize = 256;
/// The states or candidates that a judgement follows if it needs only some run, or that are put into one normal form.
pub const FOLLOWED: usize = 4_096;
/// The exchanges or answers that count as near an event, and are tried first or alone. Farther ones matter less often.
pub const NEARBY: usize = 256;
/// The exchanges that are held and explained in one go. More exchanges are read again, or divided, so that memory stays bounded.
pub const SEGMENT: usize = 1_024;
/// The events, or values of states, that are kept for evidence: they are what a long session takes of memory.
pub const KEPT: usize = 1 << 18;

// Shares of a budget or a limit of work, one in N.

/// The share of one of a few searches that follow each other.
pub const MAIN_SHARE: u64 = 4;
/// The share of a search beside the main ones.
pub const SIDE_SHARE: u64 = 8;
/// The share of a brief judgement, or of one that is likely to be in vain.
pub const BRIEF_SHARE: u64 = 16;
/// The share of one of many tries.
pub const TRIAL_SHARE: u64 = 64;

// Work, in made terms if nothing else is said.

/// The work of one attempt that may be in vain. Another way is taken after it, so it is a small part of [`EFFORT_LIMIT`].
pub const ATTEMPT: u64 = 20_000;
/// The work that is too little to be counted, or to begin something costly.
pub const SMALL_WORK: u64 = 2_000;
/// The turns, each an [`ATTEMPT`], of a search deepest first once judging event by event has ended *unknown*: a few seconds.
pub const TURNS: usize = 1_000;
/// The conditions that one search by cases adds: a clause costs one or two. A question that needs more goes to Z3.
pub const SEARCH_LIMIT: u32 = 2_000;
/// Z3's own limit of effort for one question: about half a second, which only systems of thousands of inequalities need.
pub const Z3_EFFORT: u32 = 500_000;

// Prices, by which work that makes no terms is counted.

/// The values that are compared in the time of making one term, or compared or copied in that of one instruction.
pub const VALUES_PER_TERM: usize = 8;
/// The values of a path that are copied, or the messages that are compared, in the time of making one term: most are shared.
pub const COPIES_PER_TERM: u64 = 10;
/// The transitions between states, or pairs of requests, that are looked up in the time of making one term.
pub const LOOKUPS_PER_TERM: u64 = 4;
/// The least work on an exchange or a section, in terms or walked values: looking at it takes some, whatever it does.
pub const EXCHANGE_WORK: usize = 8;
/// The made terms that a question to Z3 counts as.
pub const Z3_QUESTION: u64 = 50_000;
/// The units of work on evidence that take about a second; unoptimized code does about a fifth of them.
pub const SECOND: u64 = if cfg!(debug_assertions) { 300_000 } else { 1_400_000 };
/// The seconds of work, at [`SECOND`] units, for judging evidence once more. A check that takes longer is given up.
pub const CHECK_SECONDS: f64 = 10.0;
