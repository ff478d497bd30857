//! Tasks that are interleaved, by brute force: all orders of all sections, each with all of its choices.
//!
//! A task that yields is run again from its beginning, with the choices that it made and the states that it met, up to where
//! its next section begins.
//!
//! Example: of `on q { let m = n; yield; n := m + 1; reply n; }` two requests under way may both be answered 1.

use super::*;

/// Something that a client did or saw.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    Request(Json),
    Answer(Json),
    Hole,
}

/// The events of a trace, each with its client.
pub type Events = Vec<(u64, Event)>;

/// A request that is being handled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Task {
    client: u64,
    request: Value,
    /// The states in which its sections began.
    states: Vec<State>,
    /// Its choices so far.
    taken: Vec<usize>,
}

/// A state of the server, and what is under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct World {
    pub state: State,
    pub arrived: Vec<(u64, Value)>,
    pub tasks: Vec<Task>,
    pub sent: Vec<(u64, Value)>,
}

/// The next thing that the server may do.
#[derive(Clone, Copy, Debug)]
enum Move {
    Receive(usize),
    Resume(usize),
    Step,
}

impl World {
    fn moves(&self) -> Vec<Move> {
        let is_busy = |client: u64| self.tasks.iter().any(|task| task.client == client);
        let is_first = |at: usize| !self.arrived[..at].iter().any(|(client, _)| *client == self.arrived[at].0);
        let received = (0..self.arrived.len()).filter(|at| is_first(*at) && !is_busy(self.arrived[*at].0));
        received.map(Move::Receive).chain((0..self.tasks.len()).map(Move::Resume)).chain([Move::Step]).collect()
    }

    /// The first answer to a client that nobody has seen.
    fn first_sent(&self, client: u64) -> Option<usize> {
        self.sent.iter().position(|(to, _)| *to == client)
    }
}

impl Oracle<'_> {
    /// Judges a trace of several clients by keeping every world.
    pub fn brute_force_tasks(&mut self, trace: &Events) -> Outcome {
        let mut unclean = Unclean::default();
        let begun = unclean.sift(self.initial(), 1);
        let mut worlds: BTreeSet<World> = begun.map(|(state, _)| World { state, ..World::default() }).collect();
        for (at, (client, event)) in (1..).zip(trace) {
            worlds = match event {
                Event::Request(request) => {
                    let request = self.decode(request, self.request());
                    worlds.into_iter().map(|world| world.with_arrived(*client, request.clone())).collect()
                }
                Event::Answer(answer) => {
                    let answer = self.decode(answer, self.response());
                    self.shown(worlds, *client, &|sent| sent.shows(&answer), (&mut unclean, at))
                }
                Event::Hole => self.shown(worlds, *client, &|_| true, (&mut unclean, at)),
            };
            if self.runs.get() > self.domains.runs {
                return Outcome::TooLarge;
            }
            if worlds.is_empty() {
                return unclean.verdict(at);
            }
        }
        Outcome::Accept { states: worlds.into_iter().map(|world| world.state).collect() }
    }

    /// The worlds in which a client sees an answer that fits: the server did before what it may do up to where one is sent.
    fn shown(
        &self,
        worlds: BTreeSet<World>,
        client: u64,
        fits: &dyn Fn(&Value) -> bool,
        (unclean, event): (&mut Unclean, usize),
    ) -> BTreeSet<World> {
        let (mut met, mut shown) = (worlds.clone(), BTreeSet::new());
        let mut open: Vec<World> = worlds.into_iter().collect();
        while let Some(mut world) = open.pop() {
            if let Some(at) = world.first_sent(client) {
                if fits(&world.sent.remove(at).1) {
                    shown.insert(world);
                }
                continue;
            }
            for next in world.moves().into_iter().flat_map(|next| self.led_to(&world, next, (unclean, event))) {
                if met.insert(next.clone()) {
                    open.push(next);
                }
            }
            if self.runs.get() > self.domains.runs {
                break;
            }
        }
        shown
    }

    /// All worlds that a move leads to.
    fn led_to(&self, world: &World, next: Move, (unclean, event): (&mut Unclean, usize)) -> Vec<World> {
        let Some((rest, task)) = world.begin(next) else {
            let ends = unclean.sift(self.steps(&world.state), event);
            return ends.map(|(state, _)| World { state, ..world.clone() }).collect();
        };
        let (mut choices, mut found) = (Choices::default(), Vec::new());
        loop {
            let end = self.section(&rest, task.clone(), &mut |n| choices.choose(n));
            self.runs.set(self.runs.get() + 1);
            match end {
                Ok(world) => found.push(world),
                Err(stop) => _ = unclean.sift(vec![Err(stop)], event).count(),
            }
            if !choices.advance() || self.runs.get() > self.domains.runs {
                return found;
            }
        }
    }

    /// One world that something the server may do leads to, drawn by `draw(alternatives)`; nothing where there is none.
    pub fn draw_move(&self, world: &World, draw: &mut dyn FnMut(usize) -> usize) -> Option<World> {
        let moves = world.moves();
        let next = moves[draw(moves.len())];
        match world.begin(next) {
            Some((rest, task)) => self.section(&rest, task, draw).ok(),
            None if self.has_steps() => {
                self.draw_step(&world.state, draw).ok().map(|(state, _)| World { state, ..world.clone() })
            }
            None => None,
        }
    }

    /// The world after the next section of a task.
    fn section(&self, world: &World, mut task: Task, draw: &mut dyn FnMut(usize) -> usize) -> Run<World> {
        task.states.push(world.state.clone());
        let mut at = 0;
        let mut taken = task.taken.clone();
        let mut recorded = |n: usize| {
            if at == taken.len() {
                taken.push(draw(n));
            }
            at += 1;
            taken[at - 1]
        };
        let mut frame = Frame {
            oracle: self,
            state: task.states[0].clone(),
            locals: Vec::new(),
            draw: &mut recorded,
            tokens: self.tokens.clone(),
            fuel: 1_000_000,
            client: task.client,
            later: Some(task.states[1..].to_vec()),
            result: None,
        };
        let ended = frame.exchange(&task.request);
        let mut after = World { state: frame.state, ..world.clone() };
        match ended {
            Ok(Some(reply)) => after.sent.push((task.client, reply)),
            Ok(None) => {}
            Err(Stop::Yielded) => {
                task.taken = taken;
                after.tasks.push(task);
                after.tasks.sort();
            }
            Err(stop) => return Err(stop),
        }
        Ok(after)
    }
}

impl World {
    pub fn with_arrived(mut self, client: u64, request: Value) -> World {
        self.arrived.push((client, request));
        self
    }

    /// The number of requests of a client that are under way, and answers to it.
    pub fn pending(&self, client: u64) -> usize {
        let arrived = self.arrived.iter().filter(|(from, _)| *from == client).count();
        let tasks = self.tasks.iter().filter(|task| task.client == client).count();
        arrived + tasks + self.sent.iter().filter(|(to, _)| *to == client).count()
    }

    /// Takes an answer that was sent, drawn by `draw(alternatives)`.
    pub fn draw_answer(&mut self, draw: &mut dyn FnMut(usize) -> usize) -> Option<(u64, Value)> {
        let firsts: Vec<usize> =
            (0..self.sent.len()).filter(|at| self.first_sent(self.sent[*at].0) == Some(*at)).collect();
        (!firsts.is_empty()).then(|| self.sent.remove(firsts[draw(firsts.len())]))
    }

    /// The task whose section a move begins, and the world without it; nothing for a step.
    fn begin(&self, next: Move) -> Option<(World, Task)> {
        let mut rest = self.clone();
        let task = match next {
            Move::Receive(at) => {
                let (client, request) = rest.arrived.remove(at);
                Task { client, request, states: Vec::new(), taken: Vec::new() }
            }
            Move::Resume(at) => rest.tasks.remove(at),
            Move::Step => return None,
        };
        Some((rest, task))
    }
}
