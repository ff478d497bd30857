//! Handlers in which one way of judging faster has something to do, and what is near to it: a list for each.
//!
//! For example `o := either None or Some(choose)` is chosen at once, `o := either None or Some(3)` is not.

/// Handlers that append to lists of the state and take their first elements off.
pub const LISTS: [&str; 6] = [
    "var l: list<int> = []; on q { l := l + [q]; match l { [x, ..rest] => { if len(l) <= 1 { reply 0; } l := rest; reply x; } \
     [] => { reply 0; } } }",
    // What is left is kept elsewhere, too, and what was there before.
    "var l: list<int> = []; var old: list<int> = []; on q { old := l; l := l + [q, 1]; match l { [x, ..rest] => { \
     if q > 0 { old := rest; } l := rest; if len(old) > 2 { reply x; } reply len(old); } [] => { reply 9; } } }",
    // The list changes between a look at it and its use.
    "var l: list<int> = [1, 2]; on q { match l { [x, ..rest] => { l := l + [q]; if q > 0 { reply len(l); } l := rest; \
     reply x; } [] => { l := [q, 2]; reply 0; } } }",
    // Nothing is known of it at first.
    "var l: list<int> = choose; on q { l := l + [q]; match l { [x, ..rest] => { l := rest; reply x; } [] => { reply 0; } } }",
    // It has several lengths.
    "var l: list<int> = []; on q { l := either [q] or []; l := l + [1]; match l { [_, y, ..rest] => { l := rest; reply y; } \
     [x, ..rest] => { l := rest; reply x + len(l); } [] => { reply 0; } } }",
    // One way appends something else than the other.
    "var l: list<int> = []; on q { either { l := l + [q]; } or { l := l + [2]; } match l { [x, ..rest] => { \
     if q > 1 { l := rest; } reply x; } [] => { reply 0; } } }",
];

/// Handlers that write and remove entries of maps, and add to sets.
pub const MAPS: [&str; 10] = [
    "var m: map<int, int> = {}; on q { if m.contains(q) { m := m.remove(q); reply 1; } m[q] := choose; reply len(m); }",
    // What was there before is kept elsewhere, too.
    "var m: map<int, int> = {0: 1}; var old: map<int, int> = {}; on q { old := m; m := m.remove(q); m[q + 1] := len(old); \
     m := m.remove(1); reply len(old) - len(m); }",
    // Whether an entry is there is not known, nor which one is removed.
    "var m: map<int, int> = {0: 0, 1: 1, 2: 2}; on q { m := either m or m.remove(q); let k = choose n: int where 0 <= n && n < 3; \
     m := m.remove(k); reply m.get_or(q, len(m)); }",
    // Nothing is known of it at first.
    "var m: map<int, int> = choose; on q { let there = m.contains(q); m := m.remove(q); if there { reply 1; } \
     m[q] := 7; reply m.get_or(1, 0); }",
    // What it has is taken apart, or kept as an option.
    "var m: map<int, option<int>> = {0: None}; on q { let k = choose n: int where 0 <= n && n < 3; if m.get(k) is None { m[k] := either None or Some(q); reply 0; } \
     match m.get(q) { Some(Some(n)) => { reply n; } Some(None) => { m := m.remove(q); reply 1; } None => { reply 2; } } }",
    "var m: map<int, int> = choose; on q { let o = m.get(q); match o { None => { m[q] := q; reply 0; } Some(n) => { assume n >= 0 && n < 3; \
     let p = if n > 1 { m.get(1) } else { m.get(0) }; if p is Some(x) && x == n { reply 1; } if o == p { reply 2; } reply n; } } }",
    "var s: set<int> = {}; on q { let x = choose n: int where !(n in s) && n < 3; s := s + {x}; s := s + {q}; \
     if q in s { s := s - {q}; } reply x; }",
    // A set that is added to itself, to a smaller one, and to one of which not all need be there.
    "var s: set<int> = {}; on q { let more = either {q} or {}; s := s + more; s := s + s; s := s + {1, 2, 3, q}; \
     s := s - {q}; reply if 2 in s { len(s) } else { 0 }; }",
    // Left as it is on some paths, and written on where it is.
    "var m: map<int, int> = {0: 0}; on q { m := if m.get(q) is Some(n) && n > 0 { either m or m.remove(q) } else { m }; \
     let r = if q > 1 { m.get_or(0, 2) } else { 1 }; m := if q == 1 { m.remove(0) } else { m }; \
     m[q] := choose n: int where 0 <= n && n < 2; reply if r > 0 { m.get_or(0, r) } else { len(m) }; }",
    // An entry may go or stay, in one of two arms, either of which may be taken; and where it need not be there.
    "var m: map<int, int> = {0: 0, 1: 1}; on q { m := if choose && q > 0 { either m or m.remove(q) } else { m }; \
     m := either m or m.remove(q - 1); m := if q == 2 { either m or m.remove(0) } else { m }; m[2] := q; \
     reply m.get_or(0, m.get_or(q, 2)); }",
];

/// Handlers whose answers show choices, of an answer that is `A(n)`, `B { x, y }` or `C`, and of one that is a number.
pub const SHOWN: [&str; 9] = [
    // Shown by one answer, and not by the others.
    "var n: int = 0; on q { let x = choose x: int where x > n; let y = choose y: int where y != x; \
     either { n := x; reply A(x); } or { n := y; reply B { x: y, y: x }; } or { reply C; } }",
    // By one answer in two ways.
    "var n: int = 0; on q { let x: int = choose; let y: int = choose; assume x < y && y < x + 3; \
     if n > q { n := x; reply A(y); } n := x; reply A(x); }",
    // In a variable, on one way to the answer.
    "var n: int = 0; on q { let x = choose x: int where 0 <= x && x < 3; var r = x; if q > 1 { r := n; } n := x; reply A(r); }",
    // As two fields at once, and together with what it does not show.
    "var n: int = 0; on q { let x = choose x: int where x >= n && x < n + 3; let z: int = choose; n := x + z; \
     assume z < 2 && 0 <= z; reply B { x, y: x }; }",
    // What is faulty, or breaks the duty, is told whatever is answered.
    "var m: map<int, int> = {0: 1}; on q { let x: int = choose; m[q] := m[x] + 1; reply A(x); }",
    "var n: int = 0; on q { let x = choose x: int where x < 3; expects x < 2 || q < 2; n := x; reply A(n); }",
    // What is written is read again; what is shown was chosen last.
    "var s: set<int> = {}; on q { let x = choose x: int where !(x in s); s := s + {x}; reply if len(s) > 2 { C } else { A(x) }; }",
    "var n: int = 0; on q { var x: int = choose; for i in 0..q { x := choose; n := n + i; } assume x >= n; n := x; reply A(x); }",
    "var n: int = 0; on q { let x = if q > 0 { choose int } else { n }; either { reply A(x); } or { n := x; reply B { x, y: n }; } }",
];

/// Handlers that fork where one side cannot show what is observed, sooner or later, or is faulty before that.
pub const AHEAD: [&str; 7] = [
    "var m: map<int, int> = {}; on q { m := either m or m.remove(q); if !m.contains(q) { m[q] := choose x: int where x > 0; \
     reply A(m[q]); } m[q] := m[q] + 1; let x: int = choose; m[1] := x; reply B { x: m[q], y: x }; }",
    // Each side is faulty, or breaks the duty, where the condition does not exclude it.
    "var m: map<int, int> = {0: 1}; on q { m := either m or m.remove(0); if m.contains(0) { let y = m[0]; m[q] := y; \
     m[1] := choose; reply A(y); } if q > 2 { reply A(m[0]); } reply C; }",
    "var n: int = 0; on q { n := either n or n + 1; if n > 1 { expects n > 0; let x: int = choose; n := x; reply A(0); } \
     expects n + q < 4; reply C; }",
    // The lists and numbers that the sides answer.
    "var n: int = 0; on q { let x = choose x: int where 0 <= x && x < 3; if x > q { n := x; reply B { x: 1, y: 0 }; } \
     if x == n { reply B { x: 1, y: n }; } n := x + q; reply A(len([y for y in [1, 2, 3] if y > x])); }",
    // A conditional expression and another fork behind the first one.
    "var n: int = 0; on q { let p: bool = choose; if p { n := if q > n { choose int } else { n }; assume n < 3; reply A(q); } \
     let r: bool = choose; n := if r { q } else { n }; if r { let x: int = choose; n := x; reply C; } reply A(n); }",
    // Sides that go on for ever, or do not answer.
    "var n: int = 0; on q { let p: bool = choose; if p { n := q; reply C; } let l = [x for x in 0..q if x != n]; \
     for x in l { n := n + x; } let x: int = choose; n := x; reply B { x: len(l), y: 0 }; }",
    // What a fork decides is read again.
    "var m: map<int, int> = {0: 0, 1: 1}; on q { let k = choose k: int where 0 <= k && k < 2; m := m.remove(k); \
     if m.get(q) is Some(x) { m[k] := choose; reply A(x); } m[0] := k; m[1] := choose; reply B { x: k, y: len(m) }; }",
];

/// Handlers that choose an optional value, before and behind other choices.
pub const OPTIONAL: [&str; 6] = [
    "var m: map<int, option<int>> = {}; on q { let old = m.get(q); m[q] := either None or Some(choose); \
     if old is Some(Some(x)) { reply A(x); } if m[q] is Some(x) && x > q { reply B { x, y: len(m) }; } reply C; }",
    // The other way round, and of an enum of the same form.
    "var o: option<int> = None; on q { let old = o; o := either Some(choose) or None; if old == Some(q) { reply C; } \
     match o { Some(x) => { assume x < 2; reply A(x); } None => { reply B { x: q, y: 1 }; } } }",
    "var e: option<Answer> = None; on q { let old = either C or A(choose); if e == Some(old) { reply C; } e := Some(old); \
     if q > 1 { e := None; } reply old; }",
    // A set is chosen, and an alternative under a condition.
    "var o: option<bool> = None; on q { let old = o; o := if q > 0 { either None or Some(choose) } else { old }; \
     match o { Some(true) => { reply A(q); } Some(false) => { reply C; } None => { reply B { x: 0, y: q }; } } }",
    "var n: int = 0; on q { let o: option<(int, bool)> = either None or Some(choose); \
     match o { Some((x, true)) => { n := n + x; assume x in [0, 1]; reply A(n); } Some((x, false)) => { reply A(x); } None => { reply C; } } }",
    // Twice in one expression, and what is no such choice.
    "var n: int = 0; on q { let o = [either None or Some(choose int), either Some(choose int) or None, either None or Some(q)]; \
     let l = [x for x in o if x is Some(y) && y > n]; n := len(l); if l == [Some(q)] { reply A(q); } reply B { x: n, y: q }; }",
];

/// Optional values that stand at several places, are compared, joined, counted or told by answers.
pub const SEVERAL: [&str; 14] = [
    "var o: option<int> = None; on q { let old = o; if q > 0 { o := either None or Some(choose); } if q == 1 { reply C; } \
     if q == 2 { reply B { x: old, y: o }; } reply A(o); }",
    // Copies: of several variables, of entries of a map, in a list.
    "var a: option<int> = None; var m: map<int, option<int>> = {}; on q { if q == 0 { a := either None or Some(choose); m[0] := a; m[1] := a; reply C; } \
     if q == 1 { reply A(a); } match m.get(3 - q) { Some(o) => { reply B { x: o, y: o }; } None => { reply C; } } }",
    "var l: list<option<int>> = []; on q { if q == 0 { let o: option<int> = either Some(choose) or None; l := l + [o, o]; reply C; } \
     match l { [x, ..rest] => { if q == 1 { reply B { x, y: l[len(l) - 1] }; } l := rest; reply A(x); } [] => { reply C; } } }",
    // One of several states was asked for it.
    "var o: option<int> = None; var p: option<int> = Some(1); on q { if q == 0 { o := either None or Some(choose); p := o; reply C; } \
     either { reply A(o); } or { o := p; p := None; reply A(o); } or { reply B { x: o, y: p }; } }",
    "var o: option<int> = None; on q { either { o := either None or Some(choose); } or { o := either None or Some(choose); if q > 1 { reply A(o); } } \
     or { reply A(o); } reply C; }",
    // In the map of one state and not of the other.
    "var m: map<int, (int, option<int>)> = {}; on q { if q < 2 { m[q] := (q, either None or Some(choose)); reply C; } either { m := m.remove(0); } or { } \
     match m.get(q - 2) { Some((n, o)) => { if n == 1 { reply B { x: o, y: None }; } reply A(o); } None => { reply C; } } }",
    // Compared before it is told, or in the same answer.
    "var o: option<int> = None; var p: option<int> = None; on q { if q == 0 { o := either None or Some(choose); reply C; } let y = if o is Some(1) { o } else { p }; \
     p := o; if q == 1 { reply B { x: o, y }; } reply B { x: y, y: o }; }",
    "var o: option<int> = None; on q { let old = o; o := either None or Some(choose); if old == o { reply C; } if q > 1 { reply B { x: old, y: o }; } reply A(old); }",
    "var s: set<option<int>> = {}; on q { let o: option<int> = either None or Some(choose); if o in s { reply C; } if q == 0 { s := s + {o}; } \
     if q == 1 { reply B { x: o, y: Some(len(s)) }; } reply A(o); }",
    // What is chosen is no number, and what is told is restricted otherwise.
    "var e: option<Answer> = None; var t: option<(bool, option<int>)> = None; on q { if q == 0 { t := either None or Some(choose); e := Some(either C or A(choose)); reply C; } \
     match t { Some((b, o)) => { if b { reply A(o); } if e is Some(old) { reply old; } reply C; } None => { reply B { x: None, y: Some(q) }; } } }",
    // An enum that has more constructors than are chosen from.
    "var e: E = Off; on q { if q < 2 { e := either Off or On(choose); } if q == 1 { reply C; } reply D(e); }",
    "var e: (int, E) = (0, Off); on q { if q == 0 { e := (1, either On(choose) or Off); reply C; } match e { (n, a) => { if n == q { e := (0, Broken(q)); } reply D(a); } } }",
    "var o: option<int> = None; on q { if q == 0 { o := either None or Some(choose); reply C; } if q == 1 { assume o != Some(2); } expects o != Some(3); \
     if q == 2 { let n = match o { Some(x) => x, None => 0 }; o := Some(n + 1); } reply A(o); }",
    "var o: option<int> = None; var n: int = 0; on q { let p: option<int> = either None or Some(choose); if q > n { o := p; n := q; reply B { x: p, y: None }; } \
     if n > 1 { n := 0; reply A(o); } n := n + 1; reply B { x: None, y: o }; }",
];

/// Handlers that do not read what they chose on every path.
pub const LATE: [&str; 8] = [
    "var n: int = 0; on q { let x: int = choose; if q <= n { reply C; } n := x; assume x < 4; reply B { x: q, y: q }; }",
    // Read on each side of a fork, somewhere, or behind it.
    "var n: int = 0; on q { let x: int = choose; let p: bool = choose; if n > q { if q > 1 { n := x; assume x > 1; reply A(x); } \
     reply A(q); } else { if p { n := 2; reply C; } n := q; } reply B { x, y: n }; }",
    // In one of several ways, and in one round of a loop.
    "var n: int = 0; on q { let x: int = choose; either { n := 3; } or { n := x; reply A(n); } or { reply A(n); } \
     for i in 0..q { let y: int = choose; if i > 1 { n := n + y; } } reply B { x: n, y: q }; }",
    // Another value comes to where it would go on.
    "var n: int = 0; on q { var x: int = 1; if q > 1 { x := choose; } n := n + 1; if n > 2 { reply C; } reply A(x); }",
    // Under a condition, and in an arm of which the value is not needed.
    "var n: int = 0; on q { let x: int = choose; let y = if q > n { let z = choose int; if q > 2 { z } else { 1 } } else { n }; \
     if q == 2 && x > 1 { n := y; reply A(x); } n := y; reply A(y); }",
    // What is faulty, or breaks the duty, is told whatever is answered.
    "var m: map<int, int> = {0: 1}; on q { let x: int = choose; let y = m[q]; if y > 0 { m[1] := x; reply A(y); } \
     expects y < 0; m[q] := x; reply C; }",
    // What may not be possible: nothing to pick from, and nothing that meets the condition.
    "var s: set<int> = {0, 1}; on q { let x = pick s; if q > 2 { reply C; } s := s - {x}; if q == 1 { reply A(len(s)); } reply A(x); }",
    "var n: int = 0; on q { let x = choose x: int where x > n && x < 3; if q == 0 { reply C; } n := x; reply A(n); }",
];

/// Machines that keep cells of which some are written before they are read, on every path or on some.
pub const CELLS: [&str; 6] = [
    "if !1 <= !2 { !1 := 0; } else { !1 := 1; !2 := !0; }",
    // Cells that are written twice, or on each side.
    "!3 := !1; if !3 > !2 { !3 := !3 - !2; } else { !3 := !2; !2 := !0; } !1 := !3;",
    "!0 := !0 % 3; if !0 == !1 { !4 := !0; } else { !4 := !2; } !2 := !4 + 1; if !1 > 1 { !1 := !4; }",
    // On some ways only: what was there before counts.
    "if !1 > 1 { !3 := !0; } !1 := !3 - !2; if !1 > 0 { !2 := 1; }",
    "if !1 == 0 { !3 := !2; return; } if !1 == 1 { !3 := !0; } !2 := !3; !1 := !2;",
    // Each becomes the other one.
    "!4 := !2; !2 := !3; !3 := !4 + !1; if !1 > 1 || !0 == !2 { !3 := !0; } !1 := !2;",
];
