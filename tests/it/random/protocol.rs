//! Random protocols as text: state of every type, functions, procs, handlers, all statements that this crate executes.
//!
//! Example of a handler: `on R1(v3, v4) { either { s0["a"] := v3; } or { } assume (v4 > 0); reply X0(len(s0)); }`.

use super::declarations::{Declarations, Enum, Payload, Ty, random_key};
use super::expressions::{Function, Unbounded, Writer};
use super::operations::{is_sorted, item};
use super::{Lines, Rng};

/// A program, with the types by which traces for it are drawn.
pub struct Program {
    pub text: String,
    pub declarations: Declarations,
    pub request: Ty,
    pub response: Ty,
}

/// How many choices a handler may contain; brute force is exponential in it.
const CHOICES: usize = 2;

/// What writes statements: expressions, and where the lines go.
struct Body<'r> {
    writer: Writer<'r>,
    lines: Lines,
    /// Variables of the protocol: always assignable.
    state: Vec<(String, Ty)>,
    /// Local variables in scope: assignable too.
    locals: Vec<(String, Ty)>,
    procs: Vec<(String, Vec<Ty>, Option<Ty>)>,
    response: Enum,
    place: Place,
}

/// What a statement stands in.
#[derive(Clone, PartialEq)]
enum Place {
    Handler,
    Proc,
    /// A proc that returns a value.
    Returning(Ty),
}

/// A protocol called `p`.
pub fn random(rng: &mut Rng, unbounded: Unbounded) -> Program {
    let mut declarations = Declarations::random(rng);
    let state = random_state(&declarations, rng);
    let request = random_request(&declarations, &state, rng);
    let response = random_response(&declarations, &state, rng);
    declarations.enums.extend([request.clone(), response.clone()]);
    let (q, a) = (declarations.enums.len() - 2, declarations.enums.len() - 1);
    let faults = *rng.pick(&[0, 0, 3, 10]);
    let writer =
        Writer { rng, declarations, functions: Vec::new(), scope: Vec::new(), choices: 0, faults, unbounded, names: 0 };
    let (locals, procs) = (Vec::new(), Vec::new());
    let lines = Lines::default();
    let mut body = Body { writer, lines, state: Vec::new(), locals, procs, response, place: Place::Handler };
    body.file(&request, state);
    let Body { writer, lines, .. } = body;
    Program { text: lines.finish(), declarations: writer.declarations, request: Ty::Enum(q), response: Ty::Enum(a) }
}

fn random_state(declarations: &Declarations, rng: &mut Rng) -> Vec<Ty> {
    let map = Ty::Map(Box::new(random_key(rng)), Box::new(declarations.random_type(rng, 1)));
    let more = (0..1 + rng.below(3)).map(|_| declarations.random_type(rng, 2));
    [Ty::Int, map].into_iter().chain(more).collect()
}

/// A type of the state, or of something in it, or any.
fn near(declarations: &Declarations, state: &[Ty], rng: &mut Rng) -> Ty {
    match rng.pick(state).clone() {
        _ if rng.percent(30) => declarations.random_type(rng, 2),
        Ty::Map(key, value) => rng.pick(&[*key, *value]).clone(),
        Ty::List(inner) | Ty::Set(inner) | Ty::Option(inner) if rng.percent(70) => *inner,
        ty => ty,
    }
}

fn random_request(declarations: &Declarations, state: &[Ty], rng: &mut Rng) -> Enum {
    let mut variants = vec![("R0".to_owned(), Payload::Unit), ("R1".to_owned(), Payload::Tuple(vec![Ty::Int]))];
    for i in 2..3 + rng.below(3) {
        let payload = match rng.below(3) {
            0 => Payload::Tuple(vec![near(declarations, state, rng)]),
            1 => Payload::Tuple(vec![near(declarations, state, rng), near(declarations, state, rng)]),
            _ => {
                let (key, value) = (random_key(rng), near(declarations, state, rng));
                Payload::Record(vec![(format!("q{i}_k"), key), (format!("q{i}_v"), value)])
            }
        };
        variants.push((format!("R{i}"), payload));
    }
    Enum { name: "Request".to_owned(), variants }
}

fn random_response(declarations: &Declarations, state: &[Ty], rng: &mut Rng) -> Enum {
    let mut variants = vec![("Done".to_owned(), Payload::Unit), ("X1".to_owned(), Payload::Tuple(vec![Ty::Int]))];
    for i in 2..4 + rng.below(3) {
        let ty = if rng.percent(50) { rng.pick(state).clone() } else { near(declarations, state, rng) };
        variants.push((format!("X{i}"), Payload::Tuple(vec![ty])));
    }
    Enum { name: "Response".to_owned(), variants }
}

impl Body<'_> {
    fn file(&mut self, request: &Enum, state: Vec<Ty>) {
        for line in self.writer.declarations.lines() {
            self.lines.line(line);
        }
        self.lines.line("const K: int = 1 + 1;");
        self.writer.scope.push(("K".to_owned(), Ty::Int));
        self.functions();
        self.lines.line("protocol p {");
        self.lines.line("request Request;");
        self.lines.line("response Response;");
        self.variables(state);
        self.proc_definitions();
        for (name, payload) in &request.variants {
            // Now and then a request has no handler, or only a guarded one: it is outside the specification.
            if !self.writer.rng.percent(4) {
                self.handler(name, payload);
            }
        }
        self.lines.line("}");
    }

    /// A recursive function always, and some random ones, pure or choosing.
    fn functions(&mut self) {
        self.lines.line("fn sum(l: list<int>): int = match l { [] => 0, [x, ..r] => x + sum(r) };");
        self.lines.line("def walk(n: int): int = if (n <= 0) { 0 } else { walk((if (n > 4) { 2 } else { (n - 2) })) + either 0 or 1 };");
        self.lines.line("fn total(t: Tree): int = match t { Leaf => 0, Node(l, n, r) => total(l) + n + total(r) };");
        self.lines
            .line("def leftmost(t: Tree): int = match t { Leaf => 0, Node(l, n, _) => either n or leftmost(l) };");
        let known = |name: &str, param: Ty, choices: usize| Function {
            name: name.to_owned(),
            params: vec![param],
            result: Ty::Int,
            choices,
        };
        self.writer.functions.push(known("sum", Ty::List(Box::new(Ty::Int)), 0));
        self.writer.functions.push(known("total", Ty::Tree, 0));
        for i in 0..self.writer.rng.below(3) {
            self.function(["f0", "F1", "f2"][i]);
        }
        self.writer.functions.extend([known("walk", Ty::Int, 2), known("leftmost", Ty::Tree, 2)]);
    }

    fn function(&mut self, name: &str) {
        let writer = &mut self.writer;
        let params = writer.random_params();
        let result = writer.declarations.random_type(writer.rng, 1);
        let choices = writer.rng.below(2);
        writer.choices = choices;
        let body = writer.within(params.clone(), |w| w.checked(&result, 2));
        writer.choices = 0;
        let Some(body) = body else { return };
        let (keyword, written) = (["fn", "def"][choices], writer.declarations.name(&result));
        let fields = writer.declarations.fields(&params);
        let params = params.into_iter().map(|(_, ty)| ty).collect();
        writer.functions.push(Function { name: name.to_owned(), params, result, choices });
        self.lines.line(format!("{keyword} {name}({fields}): {written} = {body};"));
    }

    fn variables(&mut self, types: Vec<Ty>) {
        for (i, ty) in types.into_iter().enumerate() {
            let writer = &mut self.writer;
            writer.choices = usize::from(writer.rng.percent(30));
            let Some(value) = writer.checked(&ty, 1) else { continue };
            let written = writer.declarations.name(&ty);
            self.lines.line(format!("var m{i}: {written} = {value};"));
            self.state.push((format!("m{i}"), ty));
        }
        self.writer.scope.extend(self.state.clone());
    }

    fn proc_definitions(&mut self) {
        for i in 0..self.writer.rng.below(3) {
            let params = self.writer.random_params();
            let result = self.writer.rng.percent(60).then(|| self.writer.declarations.random_type(self.writer.rng, 1));
            let fields = self.writer.declarations.fields(&params);
            let ty = result.as_ref().map_or_else(String::new, |ty| format!(": {}", self.writer.declarations.name(ty)));
            self.lines.line(format!("proc p{i}({fields}){ty} {{"));
            self.writer.choices = 1;
            self.place = result.clone().map_or(Place::Proc, Place::Returning);
            self.scoped(params.clone(), |body| {
                body.statements(2);
                body.give_back();
            });
            self.lines.line("}");
            self.procs.push((format!("p{i}"), params.into_iter().map(|(_, ty)| ty).collect(), result));
        }
        self.place = Place::Handler;
    }

    /// The value that a proc returns, if it does.
    fn give_back(&mut self) {
        let Place::Returning(ty) = self.place.clone() else { return };
        let choice = if self.writer.rng.percent(30) { self.writer.choice(&ty, 1) } else { None };
        match choice.or_else(|| self.writer.checked(&ty, 2)) {
            Some(value) => self.lines.line(format!("return {value};")),
            None => self.reply(),
        }
    }

    fn handler(&mut self, name: &str, payload: &Payload) {
        let bind = |w: &mut Writer<'_>, types: Vec<Ty>| -> Vec<(String, Ty)> {
            types.into_iter().map(|ty| (w.fresh(), ty)).collect()
        };
        let (pattern, bound) = match payload {
            Payload::Unit => (name.to_owned(), Vec::new()),
            Payload::Tuple(types) => {
                let bound = bind(&mut self.writer, types.clone());
                let names: Vec<&str> = bound.iter().map(|(name, _)| name.as_str()).collect();
                (format!("{name}({})", names.join(", ")), bound)
            }
            Payload::Record(fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                (format!("{name} {{ {} }}", names.join(", ")), fields.clone())
            }
        };
        if self.writer.rng.percent(25) {
            let (guard, more) = self.writer.within(bound.clone(), |w| w.pure(|w| w.condition(1)));
            self.one_handler(&format!("on {pattern} if {guard} {{"), [bound.clone(), more].concat());
        }
        self.one_handler(&format!("on {pattern} {{"), bound);
    }

    fn one_handler(&mut self, head: &str, bound: Vec<(String, Ty)>) {
        self.lines.line(head);
        self.writer.choices = CHOICES;
        self.scoped(bound, |body| {
            body.statements(3);
            if body.writer.rng.percent(95) {
                body.reply();
            }
        });
        self.lines.line("}");
    }

    /// Runs `write` with more in scope, and forgets what it declared.
    fn scoped(&mut self, more: Vec<(String, Ty)>, write: impl FnOnce(&mut Self)) {
        let (scope, locals) = (self.writer.scope.len(), self.locals.len());
        self.writer.scope.extend(more);
        write(self);
        self.writer.scope.truncate(scope);
        self.locals.truncate(locals);
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..self.writer.rng.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.writer.rng.below(if depth == 0 { 9 } else { 16 }) {
            0 | 1 => self.declare(),
            2..=4 => self.assign(),
            5 => self.assign_inside(),
            6 => self.assume(),
            7 => self.expects(),
            8 => self.call_proc(),
            9 | 10 => self.conditional(depth - 1),
            11 => self.matching(depth - 1),
            12 => self.either(depth - 1),
            13 => self.loop_over(depth - 1),
            14 => self.loop_while(depth - 1),
            _ => self.early_end(depth - 1),
        }
    }

    fn declare(&mut self) {
        let writer = &mut self.writer;
        let ty = writer.declarations.random_type(writer.rng, 2);
        let Some(value) = writer.checked(&ty, 2) else { return };
        if matches!(ty, Ty::Tuple(_)) && writer.rng.percent(40) {
            let (binder, bound) = writer.binder(&ty);
            let written = writer.declarations.name(&ty);
            self.writer.scope.extend(bound);
            return self.lines.line(format!("let {binder}: {written} = {value};"));
        }
        let (name, written) = (writer.fresh(), writer.declarations.name(&ty));
        writer.scope.push((name.clone(), ty.clone()));
        if self.writer.rng.percent(40) {
            self.lines.line(format!("var {name}: {written} = {value};"));
            self.locals.push((name, ty));
        } else {
            self.lines.line(format!("let {name}: {written} = {value};"));
        }
    }

    fn assign(&mut self) {
        let places = [&self.state[..], &self.locals[..]].concat();
        let (name, ty) = self.writer.rng.pick(&places).clone();
        let inside = self.writer.rng.percent(70);
        let (place, ty) = match &ty {
            Ty::Map(key, value) if inside => {
                let Some(key) = self.writer.pure(|w| w.checked(key, 1)) else { return };
                (format!("{name}[{key}]"), (**value).clone())
            }
            Ty::Struct(i) if inside => {
                let (field, ty) = self.writer.rng.pick(&self.writer.declarations.structs[*i].fields).clone();
                (format!("{name}.{field}"), ty)
            }
            _ => (name, ty),
        };
        let choice = if self.writer.rng.percent(40) { self.writer.choice(&ty, 1) } else { None };
        if let Some(value) = choice.or_else(|| self.writer.checked(&ty, 2)) {
            self.lines.line(format!("{place} := {value};"));
        }
    }

    /// An assignment to a part that must be there: most are guarded.
    fn assign_inside(&mut self) {
        let places = [&self.state[..], &self.locals[..]].concat();
        let (name, ty) = self.writer.rng.pick(&places).clone();
        let (guard, place, ty) = match ty {
            Ty::List(inner) => (format!("len({name}) > 1"), format!("{name}[1]"), *inner),
            Ty::Map(key, value) => {
                let Some(key) = self.writer.pure(|w| w.checked(&key, 0)) else { return };
                (format!("{name}.contains({key})"), format!("{name}[{key}]"), *value)
            }
            _ => return,
        };
        let (place, ty) = match &ty {
            Ty::Struct(i) => {
                let (field, ty) = self.writer.rng.pick(&self.writer.declarations.structs[*i].fields).clone();
                (format!("{place}.{field}"), ty)
            }
            _ => (place, ty),
        };
        let Some(value) = self.writer.checked(&ty, 2) else { return };
        if self.writer.rng.below(100) < self.writer.faults {
            return self.lines.line(format!("{place} := {value};"));
        }
        self.lines.line(format!("if {guard} {{"));
        self.lines.line(format!("{place} := {value};"));
        self.lines.line("}");
    }

    fn assume(&mut self) {
        if self.writer.rng.percent(50) {
            let condition = self.writer.boolean(2);
            self.lines.line(format!("assume {condition};"));
        }
    }

    fn expects(&mut self) {
        if self.writer.rng.percent(15) {
            let condition = self.writer.boolean(1);
            self.lines.line(format!("expects {condition};"));
        }
    }

    fn call_proc(&mut self) {
        if self.procs.is_empty() || self.writer.choices == 0 {
            return;
        }
        let (name, params, result) = self.writer.rng.pick(&self.procs).clone();
        let args: Option<Vec<String>> = params.iter().map(|ty| self.writer.checked(ty, 1)).collect();
        let Some(args) = args else { return };
        self.writer.choices = self.writer.choices.saturating_sub(1);
        let call = format!("{name}({})", args.join(", "));
        match result {
            None => self.lines.line(format!("{call};")),
            Some(ty) => self.take_value(&call, ty),
        }
    }

    /// What may stand to the left of a call of a proc that returns a value.
    fn take_value(&mut self, call: &str, ty: Ty) {
        let places = [&self.state[..], &self.locals[..]].concat();
        let fitting: Vec<&String> = places.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name).collect();
        let writer = &mut self.writer;
        if !fitting.is_empty() && writer.rng.percent(50) {
            return self.lines.line(format!("{} := {call};", writer.rng.pick(&fitting)));
        }
        if writer.rng.percent(20) {
            return self.lines.line(format!("let _ = {call};"));
        }
        let (name, written) = (writer.fresh(), writer.declarations.name(&ty));
        writer.scope.push((name.clone(), ty.clone()));
        if writer.rng.percent(40) {
            self.lines.line(format!("var {name}: {written} = {call};"));
            self.locals.push((name, ty));
        } else {
            self.lines.line(format!("let {name}: {written} = {call};"));
        }
    }

    fn conditional(&mut self, depth: usize) {
        let (condition, bound) = self.writer.condition(2);
        self.lines.line(format!("if {condition} {{"));
        self.scoped(bound, |body| body.statements(depth));
        if self.writer.rng.percent(50) {
            self.lines.line("}");
            let (head, bound) = match self.writer.rng.below(4) {
                0 => {
                    let (condition, bound) = self.writer.condition(1);
                    (format!("else if {condition} {{"), bound)
                }
                _ => ("else {".to_owned(), Vec::new()),
            };
            self.lines.line(head);
            self.scoped(bound, |body| body.statements(depth));
        }
        self.lines.line("}");
    }

    fn matching(&mut self, depth: usize) {
        let compound = |ty: &Ty| !matches!(ty, Ty::Token(_) | Ty::Set(_) | Ty::Map(..));
        let Some((subject, ty)) = self.writer.variable(compound) else { return };
        self.lines.line(format!("match {subject} {{"));
        for _ in 0..1 + self.writer.rng.below(2) {
            let (pattern, bound) = self.writer.pattern(&ty, 2);
            let guard = self.writer.rng.percent(20);
            let guard = guard.then(|| self.writer.within(bound.clone(), |w| w.pure(|w| w.boolean(1))));
            let guard = guard.map_or(String::new(), |guard| format!(" if {guard}"));
            self.lines.line(format!("{pattern}{guard} => {{"));
            self.scoped(bound, |body| body.statements(depth));
            self.lines.line("}");
        }
        if self.writer.rng.below(100) >= self.writer.faults {
            self.lines.line("_ => {");
            self.scoped(Vec::new(), |body| body.statements(depth));
            self.lines.line("}");
        }
        self.lines.line("}");
    }

    fn either(&mut self, depth: usize) {
        if self.writer.choices == 0 {
            return;
        }
        self.writer.choices -= 1;
        self.lines.line("either {");
        self.scoped(Vec::new(), |body| body.statements(depth));
        for _ in 0..1 + self.writer.rng.below(2) {
            self.lines.line("}");
            self.lines.line("or {");
            self.scoped(Vec::new(), |body| body.statements(depth));
        }
        self.lines.line("}");
    }

    fn loop_over(&mut self, depth: usize) {
        let Some((list, ty)) = self.writer.variable(is_sorted) else { return };
        let Some(item) = item(&ty) else { return };
        let (name, bound) = self.writer.binder(&item);
        let choices = std::mem::take(&mut self.writer.choices);
        self.lines.line(format!("for {name} in {list} {{"));
        self.scoped(bound, |body| body.statements(depth));
        self.lines.line("}");
        self.writer.choices = choices;
    }

    fn loop_while(&mut self, depth: usize) {
        let (counter, times) = (self.writer.fresh(), 1 + self.writer.rng.below(2));
        self.lines.line(format!("var {counter}: int = 0;"));
        self.writer.scope.push((counter.clone(), Ty::Int));
        let condition = self.writer.pure(|w| w.boolean(1));
        self.lines.line(format!("while ({counter} < {times}) && {condition} {{"));
        self.lines.line(format!("{counter} := ({counter} + 1);"));
        let choices = self.writer.choices.min(1);
        let outer = std::mem::replace(&mut self.writer.choices, choices);
        self.scoped(Vec::new(), |body| body.statements(depth));
        self.writer.choices = outer.saturating_sub(1);
        self.lines.line("}");
    }

    fn early_end(&mut self, depth: usize) {
        let (condition, bound) = self.writer.condition(2);
        self.lines.line(format!("if {condition} {{"));
        self.scoped(bound, |body| {
            body.statements(depth.min(1));
            match body.place {
                Place::Proc if body.writer.rng.percent(50) => body.lines.line("return;"),
                Place::Returning(_) if body.writer.rng.percent(70) => body.give_back(),
                Place::Handler | Place::Proc | Place::Returning(_) => body.reply(),
            }
        });
        self.lines.line("}");
    }

    /// An answer, and what is said of it once it is known.
    fn reply_then(&mut self, variant: &str, ty: &Ty) {
        let choice = if self.writer.rng.percent(60) { self.writer.choice(ty, 1) } else { None };
        let Some(value) = choice.or_else(|| self.writer.checked(ty, 1)) else { return self.lines.line("reply Done;") };
        let (name, written) = (self.writer.fresh(), self.writer.declarations.name(ty));
        self.lines.line(format!("let {name}: {written} = {value};"));
        self.lines.line(format!("reply {variant}({name}) then {{"));
        self.scoped(vec![(name.clone(), ty.clone())], |body| {
            for _ in 0..2 {
                body.assume();
                body.assign();
            }
            if let Some(item) = item(ty).filter(|_| is_sorted(ty)) {
                let (bound, names) = body.writer.binder(&item);
                body.lines.line(format!("for {bound} in {name} {{"));
                body.scoped(names, |body| body.assume());
                body.lines.line("}");
            }
        });
        self.lines.line("}");
    }

    fn reply(&mut self) {
        let (name, payload) = self.writer.rng.pick(&self.response.variants).clone();
        let Payload::Tuple(types) = payload else { return self.lines.line(format!("reply {name};")) };
        if self.writer.rng.percent(20) {
            return self.reply_then(&name, &types[0]);
        }
        let path = if self.writer.rng.percent(50) { self.writer.path(&types[0]) } else { None };
        match path.or_else(|| self.writer.checked(&types[0], 2)) {
            Some(value) => self.lines.line(format!("reply {name}({value});")),
            None => self.lines.line("reply Done;"),
        }
    }
}

impl Writer<'_> {
    fn random_params(&mut self) -> Vec<(String, Ty)> {
        (0..1 + self.rng.below(2)).map(|_| (self.fresh(), self.declarations.random_type(self.rng, 1))).collect()
    }
}
