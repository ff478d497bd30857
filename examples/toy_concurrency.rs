//! A toy concurrent language, interpreted over all of its schedules.
//!
//! A program is a list of classes, and a process runs the `main` of a class. A process runs all steps up to its next spawn, send
//! or receive at once. Then one of the blocked steps that can go is chosen. A receive can go if there is something in its
//! channel. `cargo run --example toy_concurrency [FILE]` prints the number of executions, and their outputs.
//! `examples/choices/toy.py` and `toy_threads.py` are two more implementations of the same language.

use mayhap::choice::{Chooser, Odometer, Report, explore};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// Three processes, two of which spawn another one: there are eight executions.
pub const SPAWNING: &str = "
class Main { spawn Foo; spawn Bar; spawn Baz; }
class Foo { spawn Baz; }
class Bar { spawn Baz; }
class Baz { print 1; }
";

/// An integer, or a variable of the process.
#[derive(Clone, Debug)]
enum Operand {
    Number(i64),
    Variable(String),
}

#[derive(Clone, Debug)]
enum Statement {
    Spawn(String),
    Send(String, Operand),
    Receive(String, String),
    Print(Operand),
}

/// The classes of a program, by name.
type Classes = HashMap<String, Rc<[Statement]>>;

/// Reads a program: `class NAME { … }` with `spawn NAME;`, `send(c, v);`, `x = receive(c);` and `print v;`.
fn parse(text: &str) -> Result<Classes, String> {
    let spaced = text.replace(['(', ')', ',', '='], " ");
    let mut classes = Classes::new();
    for class in spaced.split('}').filter(|class| !class.trim().is_empty()) {
        let (head, body) = class.split_once('{').ok_or("a class has a body in braces")?;
        let name =
            head.trim().strip_prefix("class ").ok_or_else(|| format!("expected `class NAME`, found `{head}`"))?;
        let statements = body.split(';').filter(|text| !text.trim().is_empty()).map(statement);
        classes.insert(name.trim().into(), statements.collect::<Result<_, _>>()?);
    }
    Ok(classes)
}

fn statement(text: &str) -> Result<Statement, String> {
    let operand = |word: &str| word.parse().map_or_else(|_| Operand::Variable(word.into()), Operand::Number);
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["spawn", class] => Ok(Statement::Spawn(class.into())),
        ["send", channel, value] => Ok(Statement::Send(channel.into(), operand(value))),
        [variable, "receive", channel] => Ok(Statement::Receive(variable.into(), channel.into())),
        ["print", value] => Ok(Statement::Print(operand(value))),
        _ => Err(format!("expected a statement, found `{}`", text.trim())),
    }
}

/// A process: its code, its position, and its variables.
struct Process {
    class: String,
    body: Rc<[Statement]>,
    at: usize,
    variables: HashMap<String, i64>,
}

struct World<'c> {
    classes: &'c Classes,
    processes: Vec<Process>,
    channels: HashMap<String, VecDeque<i64>>,
    output: String,
}

impl World<'_> {
    /// Starts a process and runs it up to its first blocked step.
    fn spawn(&mut self, class: &str) -> Result<(), String> {
        let body = self.classes.get(class).ok_or_else(|| format!("there is no class `{class}`"))?.clone();
        self.processes.push(Process { class: class.into(), body, at: 0, variables: HashMap::new() });
        self.run_on(self.processes.len() - 1)
    }

    /// Runs a process up to its next blocked step, and prints what it prints.
    fn run_on(&mut self, process: usize) -> Result<(), String> {
        while let Some(Statement::Print(value)) = self.next(process).cloned() {
            self.output += &format!("{}\n", self.value(process, &value)?);
            self.processes[process].at += 1;
        }
        Ok(())
    }

    fn next(&self, process: usize) -> Option<&Statement> {
        self.processes[process].body.get(self.processes[process].at)
    }

    fn value(&self, process: usize, operand: &Operand) -> Result<i64, String> {
        match operand {
            Operand::Number(number) => Ok(*number),
            Operand::Variable(name) => {
                let known = self.processes[process].variables.get(name);
                known.copied().ok_or_else(|| format!("`{name}` has no value yet"))
            }
        }
    }

    fn can_go(&self, process: usize) -> bool {
        match self.next(process) {
            None => false,
            Some(Statement::Receive(_, channel)) => self.channels.get(channel).is_some_and(|queue| !queue.is_empty()),
            Some(Statement::Spawn(_) | Statement::Send(..) | Statement::Print(_)) => true,
        }
    }

    /// Does the blocked step of a process, and then all steps that run at once after it.
    fn go(&mut self, process: usize) -> Result<(), String> {
        let Some(step) = self.next(process).cloned() else { return Ok(()) };
        self.processes[process].at += 1;
        match step {
            Statement::Spawn(class) => self.spawn(&class)?,
            Statement::Send(channel, value) => {
                let value = self.value(process, &value)?;
                self.channels.entry(channel).or_default().push_back(value);
            }
            Statement::Receive(variable, channel) => {
                if let Some(value) = self.channels.get_mut(&channel).and_then(VecDeque::pop_front) {
                    self.processes[process].variables.insert(variable, value);
                }
            }
            Statement::Print(_) => {}
        }
        self.run_on(process)
    }
}

/// Runs one execution, and returns its output.
fn execute(classes: &Classes, c: &mut Chooser) -> Result<String, String> {
    let mut world = World { classes, processes: Vec::new(), channels: HashMap::new(), output: String::new() };
    world.spawn("Main")?;
    loop {
        let ready: Vec<usize> = (0..world.processes.len()).filter(|&process| world.can_go(process)).collect();
        if ready.is_empty() {
            break;
        }
        world.go(*c.pick("process", &ready))?;
    }
    let stuck = (0..world.processes.len()).filter(|&process| world.next(process).is_some());
    let stuck: String = stuck.map(|process| format!("stuck: {}\n", world.processes[process].class)).collect();
    Ok(world.output + &stuck)
}

/// Runs all executions, and counts them by their outputs.
pub fn executions(text: &str) -> Result<(Report, BTreeMap<String, u64>), String> {
    let classes = parse(text)?;
    let mut outputs = BTreeMap::new();
    let report = explore(Odometer::new(), |c| {
        let output = execute(&classes, c)?;
        *outputs.entry(output).or_insert(0) += 1;
        Ok::<(), String>(())
    });
    Ok((report, outputs))
}

#[allow(dead_code, reason = "a program of its own; tests call the functions above")]
pub fn main() -> Result<(), String> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(&path).map_err(|cause| format!("{path}: {cause}"))?,
        None => SPAWNING.into(),
    };
    let (report, outputs) = executions(&text)?;
    println!("{report}");
    let lines: BTreeSet<String> =
        outputs.iter().map(|(output, runs)| format!("{runs} runs print {output:?}")).collect();
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}
