//! The finer rules of the semantics, each by the smallest program that shows it, judged by the oracle and by the product.
//!
//! A case is a line `verdict [event]`, the handlers of a protocol with `var n: int = 0; var m: map<int, int> = {};`, and its
//! trace. Example: in `on q { expects q > 0; reply 1; }` a query 0 is the client's fault: outside.

use crate::oracle::json::read_trace;
use crate::oracle::{self, Domains};
use crate::random::judge::{Exactness, Kind, Tally, errors, expected};

/// Verdict, event (0: none), members, trace.
type Case = (&'static str, usize, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    // The client's duty: a run that breaks it explains everything later; a clean run that explains the trace wins.
    ("outside", 0, "on q { expects q > 0; reply 1; }", &[r#"{"q":0,"a":7}"#, r#"{"q":1,"a":7}"#]),
    ("reject", 2, "on q { expects q > 0; reply 1; }", &[r#"{"q":1,"a":1}"#, r#"{"q":1,"a":7}"#]),
    ("accept", 0, "on q { either { expects q > 0; } or {} reply 1; }", &[r#"{"q":0,"a":1}"#]),
    ("outside", 0, "on 1 { reply 1; }", &[r#"{"q":2,"a":1}"#]),
    ("outside", 0, "on q if q > 2 { reply 1; }", &[r#"{"q":2,"a":1}"#]),
    // Handlers are tried in order, patterns before guards; what a guard's `is` binds is there in the handler.
    (
        "accept",
        0,
        "on 1 { reply 10; } on q if q > 2 { reply 20; } on _ { reply 30; }",
        &[r#"{"q":1,"a":10}"#, r#"{"q":3,"a":20}"#, r#"{"q":2,"a":30}"#],
    ),
    (
        "accept",
        0,
        "on q if m.get(q) is Some(x) { reply x; } on q { m[q] := q + 1; reply 0; }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":1,"a":2}"#],
    ),
    // No answer is not an answer; a hole is one.
    ("accept", 0, "on q { if q > 0 { reply 1; } }", &[r#"{"q":0}"#, r#"{"q":1,"a":1}"#]),
    ("reject", 1, "on q { if q > 0 { reply 1; } }", &[r#"{"q":1}"#]),
    ("reject", 1, "on q { if q > 0 { reply 1; } }", &[r#"{"q":0,"a":{"$any":null}}"#]),
    ("accept", 0, "on q { if q > 0 { reply 1; } }", &[r#"{"q":1,"a":{"$any":null}}"#]),
    // A request that was given up took effect or did not; what it would have answered is not seen.
    ("accept", 0, "on q { n := n + q; reply n; }", &[r#"{"q":1,"lost":true}"#, r#"{"q":2,"a":3}"#]),
    ("accept", 0, "on q { n := n + q; reply n; }", &[r#"{"q":1,"lost":true}"#, r#"{"q":2,"a":2}"#]),
    ("reject", 2, "on q { n := n + q; reply n; }", &[r#"{"q":1,"lost":true}"#, r#"{"q":2,"a":1}"#]),
    ("reject", 3, "on q { n := n + q; reply n; }", &[r#"{"q":1,"lost":true}"#, r#"{"q":0,"a":1}"#, r#"{"q":0,"a":0}"#]),
    // A fault counts as giving every reply, explains nothing, and matters only where no clean run is left.
    ("fault", 1, "on q { reply m[q]; }", &[r#"{"q":1,"a":7}"#]),
    ("accept", 0, "on q { either { reply m[q]; } or { reply 7; } }", &[r#"{"q":1,"a":7}"#]),
    ("fault", 1, "on q { either { reply m[q]; } or { reply 7; } }", &[r#"{"q":1,"a":7}"#, r#"{"q":1,"a":8}"#]),
    ("fault", 1, "on q { let l: list<int> = [1]; reply l[q]; }", &[r#"{"q":-1,"a":1}"#]),
    ("fault", 1, "on q { let l: list<int> = [1]; reply len(l[0..q]); }", &[r#"{"q":2,"a":1}"#]),
    ("fault", 1, "on q { reply match q { 1 => 2 }; }", &[r#"{"q":2,"a":2}"#]),
    ("reject", 1, "on q { reply if m.contains(q) && m[q] > 0 { 1 } else { 0 }; }", &[r#"{"q":2,"a":1}"#]),
    // A run that cannot be is no run, before its fault or its breach of duty; after, it is too late.
    ("reject", 1, "on q { assume q > 0; reply m[q]; }", &[r#"{"q":0,"a":1}"#]),
    ("fault", 1, "on q { let x = m[q]; assume q > 0; reply x; }", &[r#"{"q":0,"a":1}"#]),
    ("reject", 1, "on q { reply pick 0..q; }", &[r#"{"q":0,"a":0}"#]),
    ("reject", 1, "on q { reply choose x: int where x > 0 && x < 1; }", &[r#"{"q":0,"a":0}"#]),
    // Each evaluation chooses anew; a choice that was stored does not change.
    ("accept", 0, "on q { reply len({either 0 or 1 or 2 for i in 0..q}); }", &[r#"{"q":3,"a":3}"#]),
    ("reject", 1, "on q { let x = either 0 or 1 or 2; reply len({x for i in 0..q}); }", &[r#"{"q":3,"a":3}"#]),
    ("accept", 0, "on q { reply 1 + either 2 or 3 * 4; }", &[r#"{"q":0,"a":3}"#, r#"{"q":0,"a":13}"#]),
    // A set has an element once, so it is chosen once for it, also where it is hidden that two of its elements are one.
    (
        "reject",
        3,
        "var s: set<int> = {}; on 1 { n := either 0 or 1; s := {0} + {n}; reply 0; } on 2 { reply n; }
         on _ { s := {either 5 or 6 for x in s}; reply len(s); }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":3,"a":2}"#, r#"{"q":2,"a":0}"#],
    ),
    (
        "accept",
        0,
        "var s: set<int> = {}; on 1 { n := either 0 or 1; s := {0} + {n}; reply 0; } on 2 { reply n; }
         on _ { s := {either 5 or 6 for x in s}; reply len(s); }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":3,"a":2}"#, r#"{"q":2,"a":1}"#],
    ),
    // A list of which only the elements matter, some of which are known in one state and not in another.
    (
        "accept",
        0,
        "var l: list<int> = []; on q if q > 0 { either {} or { if l == [] { n := 0; } }
         either { if q in l { n := 1; } } or { l := l + [q, n]; } reply n; } on _ { n := -1; reply 0; }",
        &[r#"{"q":0,"a":0}"#, r#"{"q":2,"lost":true}"#, r#"{"q":-1,"a":0}"#, r#"{"q":2,"a":0}"#],
    ),
    // Division rounds towards minus infinity; by zero it gives zero, and the remainder is what is left.
    (
        "accept",
        0,
        "on q { reply (0 - 7) / q * 100 + (0 - 7) % q; }",
        &[r#"{"q":2,"a":-399}"#, r#"{"q":-2,"a":299}"#, r#"{"q":0,"a":-7}"#],
    ),
    // `:=` reads before it writes; what nests must be there.
    ("accept", 0, "on q { m[q] := len(m); reply m[q]; }", &[r#"{"q":4,"a":0}"#, r#"{"q":5,"a":1}"#]),
    ("fault", 1, "var l: list<list<int>> = []; on q { l[q][0] := 1; reply 0; }", &[r#"{"q":0,"a":0}"#]),
    // Two sets with a member that may equal another one: each comparison is decided for itself.
    (
        "accept",
        0,
        "on q { let x = pick [0, 1]; let y = pick [0, 1]; reply x * 100 + y * 10 + len({0, x} - {0, y}); }",
        &[r#"{"q":0,"a":101}"#, r#"{"q":0,"a":10}"#, r#"{"q":0,"a":110}"#],
    ),
    (
        "reject",
        1,
        "on q { let x = pick [0, 1]; let y = pick [0, 1]; reply x * 100 + y * 10 + len({0, x} - {0, y}); }",
        &[r#"{"q":0,"a":11}"#],
    ),
    (
        "reject",
        2,
        "on q { let x = pick [0, 1]; let y = pick [0, 1]; reply if {0: 1, x: 2} == {0: 1, y: 2} { x - y } else { 5 }; }",
        &[r#"{"q":0,"a":5}"#, r#"{"q":0,"a":1}"#],
    ),
    (
        "accept",
        0,
        "on q { let x = pick [0, 1, 2]; let l = [{0, x}, {1, x}]; reply x * 10 + len(l[0] + l[1]); }",
        &[r#"{"q":0,"a":2}"#, r#"{"q":0,"a":12}"#, r#"{"q":0,"a":23}"#],
    ),
    (
        "reject",
        1,
        "on q { let x = pick [0, 1]; let y = pick [0, 1]; reply if {1: {0, x}} == {1: {0, y}} { x - y } else { 5 }; }",
        &[r#"{"q":0,"a":1}"#],
    ),
    // A fault for an element that need not be there says nothing of the others.
    (
        "accept",
        0,
        "on q { m[2] := 5; let s = either {1, 2} or {2}; if any x in s: m[x] > 0 { reply 1; } reply 0; }",
        &[r#"{"q":0,"a":1}"#],
    ),
    (
        "accept",
        0,
        "on q { m[2] := 5; let s = either {1, 2} or {2}; reply len({m[x] for x in s if m[x] > 0}); }",
        &[r#"{"q":0,"a":1}"#],
    ),
    // A quantifier is evaluated up to the first element that decides it: a fault behind that is none.
    (
        "accept",
        0,
        "on q { if q > 0 { reply n; } n := either 1 or 2; m[1] := 0; \
         reply if any x in [1, 2]: x == n || m[x] > 0 { 1 } else { 0 }; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":1,"a":1}"#],
    ),
    (
        "fault",
        1,
        "on q { if q > 0 { reply n; } n := either 1 or 3; m[1] := 0; \
         reply if all x in [1, 2]: x != n && m[x] == 0 { 0 } else { 1 }; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":1,"a":3}"#],
    ),
    // A list of one of several lengths is looked at length by length.
    (
        "reject",
        2,
        "on q { let l = either [] or [1] or [1, 2]; reply len([x for x in l if x > 0]); }",
        &[r#"{"q":0,"a":2}"#, r#"{"q":0,"a":3}"#],
    ),
    (
        "accept",
        0,
        "on q { let l = either [] or [1] or [1, 2] or [1, 2, 3] or [4, 5, 6, 7] or [1, 1, 1, 1, 1] or [0, 0, 0, 0, 0, 0] \
         or [0, 0, 0, 0, 0, 0, 0] or [0, 0, 0, 0, 0, 0, 0, 8] or [0, 0, 0, 0, 0, 0, 0, 0, 9]; reply l[len(l) - 1]; }",
        &[r#"{"q":0,"a":9}"#, r#"{"q":0,"a":7}"#, r#"{"q":0,"a":8}"#],
    ),
    // What is picked in an arm that is not taken is not picked.
    (
        "accept",
        0,
        "on q { let (a, b) = if (choose bool) { pick [(1, 2), (3, 4)] } else { (0, 7) }; reply a + b; }",
        &[r#"{"q":0,"a":7}"#, r#"{"q":0,"a":3}"#],
    ),
    // A step happens any number of times between two requests, also before the first one; never after an answer it denies.
    ("accept", 0, "step { n := 1; } on q { reply n; }", &[r#"{"q":0,"a":0}"#, r#"{"q":0,"a":1}"#, r#"{"q":0,"a":1}"#]),
    ("accept", 0, "step { n := 1; } on q { reply n; }", &[r#"{"q":0,"a":1}"#]),
    ("reject", 2, "step { n := 1; } on q { reply n; }", &[r#"{"q":0,"a":1}"#, r#"{"q":0,"a":0}"#]),
    ("accept", 0, "step { if n < 5 { n := n + 2; } } on q { reply n; }", &[r#"{"q":0,"a":2}"#, r#"{"q":0,"a":6}"#]),
    ("reject", 1, "step { if n < 5 { n := n + 2; } } on q { reply n; }", &[r#"{"q":0,"a":8}"#]),
    (
        "reject",
        2,
        "step { assume n < 4; n := n + (either 1 or 2); } on q { reply n; }",
        &[r#"{"q":0,"a":5}"#, r#"{"q":0,"a":6}"#],
    ),
    // Several steps take turns; one may be possible only after another one.
    (
        "accept",
        0,
        "step { assume n == 0; n := 1; } step { assume n == 1; m[7] := 3; n := 2; } on q { reply m.get_or(7, 0); }",
        &[r#"{"q":0,"a":0}"#, r#"{"q":0,"a":3}"#],
    ),
    (
        "reject",
        2,
        "step { assume n == 0; n := 1; } step { assume n == 1; m[7] := 3; n := 2; } on q { let b = n; n := 9; reply b; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":0,"a":2}"#],
    ),
    // A condition that a step changes decides which arm is taken, in statements and in expressions.
    (
        "reject",
        2,
        "var b: bool = false; step { b := true; } on q { let x = if b { 1 } else { 0 }; if b { n := 1; } reply x + n; }",
        &[r#"{"q":0,"a":2}"#, r#"{"q":0,"a":0}"#],
    ),
    (
        "accept",
        0,
        "var b: bool = false; step { b := either true or false; } on q { reply if b { 1 } else { m.get_or(q, 3) }; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":0,"a":3}"#, r#"{"q":0,"a":1}"#],
    ),
    // A step without a run does not happen, one that does nothing makes no difference, and `return` ends it.
    ("reject", 1, "step { n := pick [x for x in [1] if x > 1]; } on q { reply n; }", &[r#"{"q":0,"a":1}"#]),
    ("reject", 1, "step { n := n; } step { if n == 0 { return; } n := 1; } on q { reply n; }", &[r#"{"q":0,"a":1}"#]),
    // What chooses anew each time is one state of many values.
    (
        "accept",
        0,
        "step { n := choose t: int where t >= n; } on q { assume q <= n; reply n - q; }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":2,"a":1}"#, r#"{"q":3,"a":0}"#],
    ),
    (
        "reject",
        2,
        "step { n := choose t: int where t >= n; } on q { assume q <= n; reply n - q; }",
        &[r#"{"q":1,"a":2}"#, r#"{"q":3,"a":-1}"#],
    ),
    // What is in a collection may go, one after the other, and does not come back.
    (
        "accept",
        0,
        "step { let k = pick m.keys(); m := m.remove(k); } on q { if q > 0 { m[q] := q; } reply len(m); }",
        &[r#"{"q":1,"a":1}"#, r#"{"q":2,"a":2}"#, r#"{"q":3,"a":3}"#, r#"{"q":0,"a":1}"#],
    ),
    (
        "reject",
        3,
        "step { let k = pick m.keys(); m := m.remove(k); } on q { if q > 0 { m[q] := q; } reply len(m); }",
        &[r#"{"q":1,"a":1}"#, r#"{"q":2,"a":1}"#, r#"{"q":0,"a":2}"#],
    ),
    // A fault in a step explains nothing; it is told where nothing clean is left, at the request after it.
    ("accept", 0, "step { n := m[1]; } on q { reply n; }", &[r#"{"q":0,"a":0}"#]),
    ("fault", 1, "step { n := m[1]; } on q { reply n; }", &[r#"{"q":0,"a":1}"#]),
    (
        "fault",
        2,
        "step { if n == 1 { n := m[1]; } } on q { n := q; reply 0; }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":1,"a":1}"#],
    ),
    // A request that was given up takes effect before the next one or never; steps may come before and after it.
    (
        "accept",
        0,
        "step { if n == 3 { n := 4; } } on q { n := n + q; reply n; }",
        &[r#"{"q":3,"lost":true}"#, r#"{"q":0,"a":4}"#],
    ),
    (
        "accept",
        0,
        "step { if n == 3 { n := 4; } } on q { n := n + q; reply n; }",
        &[r#"{"q":3,"a":3}"#, r#"{"q":1,"lost":true}"#, r#"{"q":0,"a":5}"#],
    ),
    (
        "reject",
        3,
        "step { if n == 3 { n := 4; } } on q { n := n + q; reply n; }",
        &[r#"{"q":3,"lost":true}"#, r#"{"q":0,"a":0}"#, r#"{"q":0,"a":4}"#],
    ),
    // So does one that is owed no answer, and one whose answer is not known.
    (
        "reject",
        3,
        "step { if n == 3 { n := 4; } } on q { n := n + q; if q < 5 { reply n; } }",
        &[r#"{"q":5}"#, r#"{"q":-2,"a":{"$any":null}}"#, r#"{"q":0,"a":5}"#],
    ),
    (
        "accept",
        0,
        "step { if n == 3 { n := 4; } } on q { n := n + q; if q < 5 { reply n; } }",
        &[r#"{"q":5}"#, r#"{"q":-2,"a":{"$any":null}}"#, r#"{"q":0,"a":4}"#],
    ),
    // Whether an unknown map has other keys than those of a map on it is a question of its own for each such map.
    (
        "accept",
        0,
        "var u: map<int, int> = choose; var k: int = choose; on 0 { reply if (either u or u.remove(k)) == {} { 1 } else { 0 }; } \
         on q { reply if u.contains(k) { 2 } else { 3 }; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":1,"a":2}"#],
    ),
    // What was asked of an unknown map under a key is not there any more once the key proves to be a removed one.
    (
        "accept",
        0,
        "var u: map<int, int> = choose; var k: int = choose; on 0 { reply if u == {-3: -2} { 1 } else { 0 }; } \
         on q { reply if u.remove(k) == {} { 1 } else { 0 }; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":1,"a":1}"#],
    ),
    (
        "accept",
        0,
        "var u: map<int, int> = choose; var k: int = choose; on 0 { reply u.get_or(k, 0); } \
         on q { u := u.remove(q); reply if u == {} { 1 } else { 0 }; }",
        &[r#"{"q":0,"a":-2}"#, r#"{"q":-3,"a":1}"#],
    ),
    // What the server does by itself any number of times comes to an end: the same write again changes nothing.
    (
        "accept",
        0,
        "var u: map<int, int> = choose; var k: int = choose; on q { reply u.get_or(k, 0); } step { u[k] := 2; }",
        &[r#"{"q":1,"a":-3}"#, r#"{"q":1,"a":2}"#, r#"{"q":1,"a":2}"#],
    ),
    (
        "reject",
        3,
        "var u: map<int, int> = choose; var k: int = choose; on q { reply u.get_or(k, 0); } step { u := u.remove(k); }",
        &[r#"{"q":1,"a":-3}"#, r#"{"q":1,"a":0}"#, r#"{"q":1,"a":-3}"#],
    ),
    // A fault in a step is reported at the request that follows, not at the one that makes it possible.
    (
        "fault",
        3,
        "var r: map<int, int> = {0: 1}; on q if q < 2 { m[q] := q; reply 1; } on q { reply 1; } \
         step { let k = pick m.keys(); let v = r[k]; m := m.remove(k); r[k] := v; }",
        &[r#"{"q":0,"a":1}"#, r#"{"q":1,"a":1}"#, r#"{"q":2,"a":3}"#],
    ),
    // Each evaluation in a step is a choice of its own: in a loop, and in a proc that is called twice.
    (
        "accept",
        0,
        "on q { reply n; } step { assume n == 0; for y in 0..2 { let p = pick [1, 10]; n := n + p; } }",
        &[r#"{"q":0,"a":11}"#],
    ),
    (
        "accept",
        0,
        "proc p() { n := n + pick [1, 10]; } on q { reply n; } step { assume n == 0; p(); p(); }",
        &[r#"{"q":0,"a":11}"#],
    ),
    (
        "accept",
        0,
        "on q if q > 0 { m[q] := q; reply 0; } on _ { reply n; } \
         step { for y in 0..2 { let x = pick m.keys(); m := m.remove(x); n := n + x; } }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":2,"a":0}"#, r#"{"q":0,"a":3}"#],
    ),
    // What the handler chooses for a witness is told apart from what steps chose before it.
    (
        "accept",
        0,
        "var l: list<int> = [1, 0];
         step {
             let g = pick l;
             n := (n + 1) % 4;
             if !(2 in l) { if !(g in l) { l := l + [g]; } } else { l := [x for x in l if x > g]; }
         }
         proc act(a: int) {
             if a > 0 { assume n < 2; l := [x for x in l if a != x]; } else { assume a != 1; assume a > 0; }
         }
         on q if q > 3 {
             let k = q % 3;
             let j = (q / 3) % 3;
             let c = pick x in 0..3 where n < 2;
             l := [x for x in l if c != x];
             if c in l {
                 l := [x for x in l if x > c];
                 n := (n + 1) % 4;
             } else {
                 n := (n + 1) % 4;
                 n := (either j or 1) % 4;
             }
             reply k;
         }
         on q {
             let k = q % 3;
             l := [x for x in l if x > k];
             if k > 0 {
                 l := [x for x in l if x != k];
                 if k in l {
                     l := [x for x in l if x != 1];
                 } else {
                     n := (n + 1) % 4;
                     if !(k in l) { l := l + [k]; }
                 }
             } else {
                 n := (n + 1) % 4;
                 l := [x for x in l if x > k];
             }
             if k > 0 { if k in l { assume k > 0; } else { act(k); } } else { n := len(l) % 4; }
             reply k;
         }",
        &[r#"{"q":7,"a":1}"#, r#"{"q":0,"a":0}"#],
    ),
    // Of a variable that a step writes to, a conditional may take the value, or leave another variable as it is.
    (
        "accept",
        0,
        "var r: int = 5; step { r := 6; } on q if q > 1 { reply n; } \
         on q { let b = choose bool; n := if b { r } else { n }; reply n; }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":1,"a":5}"#, r#"{"q":2,"a":5}"#, r#"{"q":1,"a":6}"#],
    ),
    (
        "reject",
        3,
        "var r: int = 5; step { r := 6; } on q if q > 1 { reply n; } \
         on q { let b = choose bool; n := if b { r } else { n }; reply n; }",
        &[r#"{"q":1,"a":0}"#, r#"{"q":1,"a":6}"#, r#"{"q":1,"a":5}"#],
    ),
    // What a step does wrong after one request is wrong before the next one.
    (
        "fault",
        2,
        "var l: list<int> = []; var r: map<int, int> = {0: 1, 2: 0};
         step { if !(0 in l) { l := l + [0]; } r[0] := r[2] % 3; }
         step { let g = pick r.keys(); r[g] := 0; }
         on q { let j = (q / 3) % 3; let c = pick x in 0..3 where x != q % 3; r := r.remove(j); reply c; }",
        &[r#"{"q":8,"a":1}"#, r#"{"q":5,"a":4}"#],
    ),
    // A variable that may hold a copy of an unknown one is no unknown by itself.
    (
        "accept",
        0,
        "var u: set<int> = choose; var c: set<int> = {};
         on 0 { either { c := u; } or {} reply 0; }
         on 1 { reply if -3 in c { 3 } else { 0 }; }
         on _ { reply if -3 in u { 3 } else { 0 }; }",
        &[r#"{"q":0,"a":0}"#, r#"{"q":1,"a":0}"#, r#"{"q":2,"a":3}"#, r#"{"q":1,"a":0}"#],
    ),
    (
        "accept",
        0,
        "var u: map<int, int> = choose; var c: map<int, int> = {}; var r: int = choose x: int where 0 <= x && x < 2;
         on 0 { if c.contains(-3) { reply 3; } reply r; }
         step { c := u; }",
        &[r#"{"q":0,"a":0}"#, r#"{"q":0,"a":3}"#, r#"{"q":0,"a":3}"#],
    ),
    // `return` ends the proc, `reply` the handler.
    (
        "accept",
        0,
        "proc p(x: int) { if x == 0 { return; } if x == 1 { reply 10; } n := 5; } on q { p(q); reply n; }",
        &[r#"{"q":0,"a":0}"#, r#"{"q":1,"a":10}"#, r#"{"q":2,"a":5}"#],
    ),
];

fn text(members: &str) -> String {
    let state = "var n: int = 0; var m: map<int, int> = {};";
    format!("protocol p {{ request int; response int; {state} {members} }}")
}

fn domains() -> Domains {
    Domains { inside: 2, ..Domains::of(-3..=3, &[]) }
}

#[test]
fn the_oracle_keeps_the_rules() {
    for &(verdict, event, members, trace) in CASES {
        let outcome = expected(&oracle::load(&text(members)), &read_trace(&trace.join("\n")), domains());
        let known = (verdict.to_owned(), (event > 0).then_some(event));
        assert_eq!(outcome, Some(known), "{members}\n{trace:?}");
        assert_eq!(errors(&text(members)), [""; 0]);
    }
}

#[test]
fn the_validator_keeps_the_rules() {
    let kind = Kind { name: "rules", exactness: Exactness::Exact, domains };
    let mut tally = Tally::new();
    for (_, _, members, trace) in CASES {
        kind.compare(&text(members), [&read_trace(&trace.join("\n"))], &mut tally);
    }
    assert_eq!(tally.get("unknown by the validator"), None, "{tally:?}");
}
