//! Tasks that are interleaved, by brute force: all orders of all sections, each with all of its choices.
//!
//! A task that is suspended is run again from its beginning, with the choices that it made, the states that it met and the answers
//! that peers gave, up to where its next section begins. Before each event all that the server may do is done.
//!
//! Example: of `on q { let m = n; yield; n := m + 1; reply n; }` two requests under way may both be answered 1.

use super::calls::{Called, Calls};
use super::*;
use num_traits::ToPrimitive;

/// Something that a client or a peer did or saw.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    Request(Json),
    Answer(Json),
    Hole,
    Lost,
    Closed,
    /// A peer sees a call: its key and request.
    Called(Json, Json),
    /// It answers; nothing where it fails.
    CallAnswered(Option<Json>),
    /// It has sent an answer, which arrives later.
    AnswerSent(Json),
    /// The server is killed and starts again; connections that come are others.
    Restart,
}

/// The events of a trace, each with its client; those of peers with the number of the call.
pub type Events = Vec<(u64, Event)>;

/// The order in which messages between the server and its clients arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wire {
    /// Each connection has its order.
    Tcp,
    /// All that goes one way has.
    Fifo,
    /// Nothing has.
    Udp,
    /// Nor does anything come just once.
    UdpAgain,
}

/// Something that a section does to a client.
#[derive(Clone, Debug)]
pub enum Effect {
    Send(Value, Value),
    Close(Value),
}

/// The beginning of a section: the state, and the answers of peers, where it begins with some.
pub type Begun = (State, Option<Value>);

/// A request that is being handled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Task {
    client: u64,
    request: Value,
    /// The values that its sections began with.
    begun: Vec<Begun>,
    /// Its choices so far.
    taken: Vec<usize>,
    /// The calls that it waits for.
    pub calls: Option<Calls>,
    /// The answers of the peers, once it waits no more.
    pub answer: Option<Value>,
}

/// A state of the server, and what is under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct World {
    pub state: State,
    pub arrived: Vec<(u64, Value)>,
    pub tasks: Vec<Task>,
    pub sent: Vec<(u64, Value)>,
    /// The connections that have begun and were not seen to end.
    pub there: BTreeSet<u64>,
    /// Those that the server has ended.
    pub closed: BTreeSet<u64>,
    /// Those that the server is to take notice of, when they begin and when they end.
    pub opening: BTreeSet<u64>,
    pub leaving: BTreeSet<u64>,
    /// Calls whose answers nobody waits for.
    pub unawaited: Vec<Called>,
}

/// The next thing that the server may do.
#[derive(Clone, Copy, Debug)]
enum Move {
    Receive(usize),
    Resume(usize),
    Step(usize),
    Open(u64),
    Leave(u64),
    /// An answer that a peer has sent arrives.
    Arrive(u64),
}

/// The wire, and the number of calls that peers will see.
#[derive(Clone, Copy)]
struct Way {
    wire: Wire,
    calls: usize,
}

/// The worlds that explain the events so far.
#[derive(Clone)]
pub struct Explained {
    worlds: BTreeSet<World>,
    unclean: Unclean,
    events: usize,
}

impl World {
    /// The places of the answers to a client that may be seen next.
    pub fn visible(&self, wire: Wire, client: u64) -> Vec<usize> {
        let mut places = (0..self.sent.len()).filter(|at| self.sent[*at].0 == client);
        match wire {
            Wire::Tcp => places.next().into_iter().collect(),
            Wire::Fifo => places.next().filter(|at| *at == 0).into_iter().collect(),
            Wire::Udp | Wire::UdpAgain => places.collect(),
        }
    }

    fn is_busy(&self, client: u64) -> bool {
        self.tasks.iter().any(|task| task.client == client)
    }

    /// The requests that may be read next.
    fn readable(&self, wire: Wire) -> Vec<usize> {
        let is_first = |at: usize| match wire {
            Wire::Tcp => !self.arrived[..at].iter().any(|(client, _)| *client == self.arrived[at].0),
            Wire::Fifo => at == 0,
            Wire::Udp | Wire::UdpAgain => true,
        };
        let may_be_read = |client: u64| !self.is_busy(client) && !self.opening.contains(&client);
        (0..self.arrived.len()).filter(|at| is_first(*at) && may_be_read(self.arrived[*at].0)).collect()
    }

    fn send(&mut self, wire: Wire, client: u64, message: Value) {
        let is_new = wire != Wire::UdpAgain || !self.sent.contains(&(client, message.clone()));
        if is_new && self.there.contains(&client) && !self.closed.contains(&client) {
            self.sent.push((client, message));
        }
    }

    /// In one order of what has none.
    fn ordered(mut self, wire: Wire) -> World {
        match wire {
            Wire::Tcp => {
                self.arrived.sort_by_key(|(client, _)| *client);
                self.sent.sort_by_key(|(client, _)| *client);
            }
            Wire::Fifo => {}
            Wire::Udp | Wire::UdpAgain => {
                self.arrived.sort();
                self.sent.sort();
            }
        }
        self.tasks.sort();
        self
    }
}

impl<'a> Oracle<'a> {
    /// Judges a trace of several clients by keeping every world.
    pub fn brute_force_tasks(&mut self, wire: Wire, trace: &Events) -> Outcome {
        self.mention(trace);
        let mut explained = self.begun();
        for at in 0..trace.len() {
            if let Some(outcome) = self.explain_event(&mut explained, wire, &trace[at..]) {
                return outcome;
            }
        }
        explained.accept()
    }

    /// Counts the runs from here on, and forgets what was listed in those before.
    pub fn begin_counting(&self) {
        self.runs.set(0);
        self.listed.borrow_mut().clear();
    }

    /// The worlds before the first event.
    pub fn begun(&self) -> Explained {
        let mut unclean = Unclean::default();
        let begun = unclean.sift(self.initial(), 1);
        let worlds = begun.map(|(state, _)| World { state, ..World::default() }).collect();
        Explained { worlds, unclean, events: 0 }
    }

    /// Goes on to the worlds behind the first of the events that are left; the outcome, where there is none, or it is too much work.
    pub fn explain_event(&self, explained: &mut Explained, wire: Wire, left: &[(u64, Event)]) -> Option<Outcome> {
        let (number, event) = &left[0];
        let calls = left.iter().filter(|(_, event)| matches!(event, Event::Called(..))).count();
        let way = Way { wire, calls };
        let Explained { worlds, unclean, events } = explained;
        *events += 1;
        let begin = |world| self.with_connection(world, (*number, event));
        *worlds = std::mem::take(worlds).into_iter().map(begin).collect();
        let is_behind = worlds.iter().any(|world| !world.sent_answers().is_empty());
        let waits = match event {
            Event::Request(_) | Event::Lost | Event::AnswerSent(_) => false,
            Event::CallAnswered(_) => is_behind,
            _ => true,
        };
        if waits {
            // Behind the first answer on a connection another one is not the one that is seen.
            let is_there = |world: &World| match event {
                Event::Answer(_) | Event::Hole => wire == Wire::Tcp && !world.visible(wire, *number).is_empty(),
                _ => false,
            };
            *worlds = self.closure(std::mem::take(worlds), way, &is_there, (unclean, *events));
        }
        unclean.follow(|sent| self.after_failure(sent, wire, (*number, event)));
        *worlds = match event {
            Event::Restart => self.restarted(worlds, (unclean, *events)),
            _ => worlds.iter().flat_map(|world| self.observed(world, wire, (*number, event))).collect(),
        };
        match self.runs.get() > self.domains.runs {
            true => Some(Outcome::TooLarge),
            // A run that has failed may still be contradicted.
            false => (worlds.is_empty() && unclean.0.is_empty()).then(|| unclean.verdict(*events)),
        }
    }

    /// The world in which the connection of an event has begun.
    pub fn with_connection(&self, mut world: World, (client, event): (u64, &Event)) -> World {
        let is_peers =
            matches!(event, Event::Called(..) | Event::CallAnswered(_) | Event::AnswerSent(_) | Event::Restart);
        if !is_peers && world.there.insert(client) && self.has_handler(&|trigger| matches!(trigger, Trigger::Open(_))) {
            world.opening.insert(client);
        }
        world
    }

    /// The worlds behind an event.
    fn observed(&self, world: &World, wire: Wire, (number, event): (u64, &Event)) -> Vec<World> {
        match event {
            Event::Request(request) => {
                let request = self.decode(request, self.request());
                vec![world.clone().with_arrived(number, request, wire)]
            }
            Event::Answer(answer) => {
                let answer = self.decode(answer, self.response());
                world.shown(wire, number, &|sent| sent.shows(&answer))
            }
            Event::Hole => world.shown(wire, number, &|_| true),
            Event::Lost => self.ended(world.clone(), number).with_first_read(wire, number),
            Event::Closed => {
                let is_last = wire >= Wire::Udp || !world.sent.iter().any(|(to, _)| *to == number);
                let is_seen = is_last && world.closed.contains(&number);
                is_seen.then(|| world.clone().without(number)).into_iter().collect()
            }
            Event::Called(key, request) => {
                let (key_type, request_type) = self.peer_types();
                let wanted = [self.decode(key, Some(key_type)), self.decode(request, Some(request_type))];
                world.called(number, &wanted)
            }
            Event::CallAnswered(answer) => {
                let answer = answer.as_ref().map(|answer| self.decode(answer, Some(self.peer_response())));
                world.answered(number, answer.as_ref()).into_iter().collect()
            }
            Event::AnswerSent(answer) => {
                let answer = self.decode(answer, Some(self.peer_response()));
                world.sent_answer(number, &answer).into_iter().collect()
            }
            Event::Restart => unreachable!("it has several worlds behind it"),
        }
    }

    /// The messages of a failed run that may be under way after an event. They are seen before anything else is on their connection, or in
    /// their queue.
    fn after_failure(&self, sent: Vec<SentTo>, wire: Wire, (number, event): (u64, &Event)) -> Vec<Vec<SentTo>> {
        let world = World { sent, ..World::default() };
        let is_certain = wire != Wire::UdpAgain;
        let is_awaited = is_certain && world.sent.iter().any(|(to, _)| *to == number || wire == Wire::Fifo);
        let after = match event {
            Event::Restart => vec![World::default()],
            Event::Lost => vec![world.without(number)],
            Event::Closed if is_awaited && wire <= Wire::Fifo => Vec::new(),
            Event::Closed => vec![world.without(number)],
            Event::Answer(_) | Event::Hole if is_awaited => {
                let answer =
                    if let Event::Answer(answer) = event { Some(self.decode(answer, self.response())) } else { None };
                let fits = |sent: &Value| answer.as_ref().is_none_or(|answer| sent.shows(answer));
                world.shown(wire, number, &fits)
            }
            _ => vec![world],
        };
        after.into_iter().map(|world| world.sent).collect()
    }

    /// The worlds behind a restart: nothing is under way in them.
    fn restarted(&self, worlds: &BTreeSet<World>, (unclean, event): (&mut Unclean, usize)) -> BTreeSet<World> {
        let states: BTreeSet<&State> = worlds.iter().map(|world| &world.state).collect();
        let ends: Vec<End> = states.into_iter().flat_map(|state| self.restarts(state)).collect();
        unclean.sift(ends, event).map(|(state, _)| World { state, ..World::default() }).collect()
    }

    pub fn ended(&self, mut world: World, client: u64) -> World {
        let was_closed = world.closed.contains(&client);
        if !was_closed && self.has_handler(&|trigger| matches!(trigger, Trigger::Close(_))) {
            world.leaving.insert(client);
        }
        world.without(client)
    }

    fn has_handler(&self, is_it: &dyn Fn(&Trigger) -> bool) -> bool {
        self.members.iter().any(|member| matches!(&member.kind, MemberKind::On { trigger, .. } if is_it(trigger)))
    }

    pub fn peer_types(&self) -> (&'a TypeExpr, &'a TypeExpr) {
        let found = self.find_member(|member| match member {
            MemberKind::Peer { key: Some(key), request, .. } => Some((&key.ty, request)),
            _ => None,
        });
        found.expect("the protocol has no peer")
    }

    pub fn peer_response(&self) -> &'a TypeExpr {
        let found = self.find_member(|member| match member {
            MemberKind::Peer { response, .. } => Some(response),
            _ => None,
        });
        found.expect("the protocol has no peer")
    }

    fn is_serial(&self) -> bool {
        let is_it = |item: &Item| matches!(&item.kind, ItemKind::Protocol { scheduling: Scheduling::Serial, .. });
        self.file.items.iter().any(is_it)
    }

    fn moves(&self, world: &World, wire: Wire) -> Vec<Move> {
        let steps = (0..self.step_blocks().count()).map(Move::Step);
        let can_go_on = |at: &usize| world.tasks[*at].calls.is_none();
        let resumed = (0..world.tasks.len()).filter(can_go_on).map(Move::Resume);
        let arrived = world.sent_answers().into_iter().map(|(exchange, _)| Move::Arrive(exchange));
        let mut moves: Vec<Move> = steps.chain(resumed).chain(arrived).collect();
        if !self.is_serial() || world.tasks.is_empty() {
            moves.extend(world.readable(wire).into_iter().map(Move::Receive));
            moves.extend(world.opening.iter().map(|client| Move::Open(*client)));
            let has_left = |client: &&u64| !world.is_busy(**client) && !world.opening.contains(client);
            moves.extend(world.leaving.iter().filter(has_left).map(|client| Move::Leave(*client)));
        }
        moves
    }

    /// All worlds that the server may come to; it stops where that is enough.
    fn closure(
        &self,
        worlds: BTreeSet<World>,
        Way { wire, calls }: Way,
        is_enough: &dyn Fn(&World) -> bool,
        (unclean, event): (&mut Unclean, usize),
    ) -> BTreeSet<World> {
        let mut met = worlds.clone();
        let mut open: Vec<World> = worlds.into_iter().collect();
        while let Some(world) = open.pop() {
            if is_enough(&world) {
                continue;
            }
            for next in self.moves(&world, wire) {
                for mut next in self.successors_after(&world, (next, wire), (unclean, event)) {
                    next.drop_unseen_calls(calls);
                    if met.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            if self.runs.get() > self.domains.runs {
                break;
            }
        }
        met
    }

    /// All worlds that a move leads to.
    fn successors_after(
        &self,
        world: &World,
        next: (Move, Wire),
        (unclean, event): (&mut Unclean, usize),
    ) -> Vec<World> {
        let (mut choices, mut found) = (Choices::default(), Vec::new());
        loop {
            let end = self.section(world, next, &mut |n| choices.choose(n));
            self.runs.set(self.runs.get() + 1);
            match end {
                Ok(world) => found.push(world),
                Err(stop) => unclean.note(stop, event, &world.sent),
            }
            if !choices.advance() || self.runs.get() > self.domains.runs {
                return found;
            }
        }
    }

    /// One world that something the server may do leads to, drawn by `draw(alternatives)`; nothing where there is none.
    pub fn draw_move(&self, world: &World, wire: Wire, draw: &mut dyn FnMut(usize) -> usize) -> Option<World> {
        let moves = self.moves(world, wire);
        if moves.is_empty() {
            return None;
        }
        let next = moves[draw(moves.len())];
        self.section(world, (next, wire), draw).ok()
    }

    /// The world after a section.
    fn section(&self, world: &World, (next, wire): (Move, Wire), draw: &mut dyn FnMut(usize) -> usize) -> Run<World> {
        let mut rest = world.clone();
        let task = match next {
            Move::Receive(at) => {
                let (client, request) = match wire {
                    Wire::UdpAgain => rest.arrived[at].clone(),
                    Wire::Tcp | Wire::Fifo | Wire::Udp => rest.arrived.remove(at),
                };
                Task { client, request, begun: Vec::new(), taken: Vec::new(), calls: None, answer: None }
            }
            Move::Resume(at) => rest.tasks.remove(at),
            Move::Arrive(exchange) => {
                let sent = world.sent_answers().into_iter().find(|(own, _)| *own == exchange);
                let answer = sent.map(|(_, answer)| answer);
                return Ok(rest.answered(exchange, answer.as_ref()).expect("a call").ordered(wire));
            }
            Move::Step(number) => {
                let block = self.step_blocks().nth(number).expect("a step");
                return self.other(rest, wire, 0, draw, &|frame| frame.block(block).map(|_| ()));
            }
            Move::Open(client) => {
                rest.opening.remove(&client);
                let is_open = |trigger: &Trigger| matches!(trigger, Trigger::Open(_));
                return self.other(rest, wire, client, draw, &|frame| frame.notice(&is_open));
            }
            Move::Leave(client) => {
                rest.leaving.remove(&client);
                rest.arrived.retain(|(from, _)| *from != client);
                let is_close = |trigger: &Trigger| matches!(trigger, Trigger::Close(_));
                return self.other(rest, wire, client, draw, &|frame| frame.notice(&is_close));
            }
        };
        self.handled(rest, wire, task, draw)
    }

    /// The world after the next section of a task.
    fn handled(&self, world: World, wire: Wire, mut task: Task, draw: &mut dyn FnMut(usize) -> usize) -> Run<World> {
        task.begun.push((world.state.clone(), task.answer.take()));
        let (mut at, mut taken) = (0, task.taken.clone());
        let mut recorded = |n: usize| {
            if at == taken.len() {
                taken.push(draw(n));
            }
            at += 1;
            taken[at - 1]
        };
        let mut frame = self.frame(&task.begun[0].0, task.client, &mut recorded);
        frame.later = Some(task.begun[1..].to_vec());
        let ended = frame.exchange(&task.request);
        let (effects, called) = (frame.effects, frame.called);
        let mut after = self.affected(World { state: frame.state, ..world }, wire, effects);
        match ended {
            Ok(Some(reply)) => after.send(wire, task.client, reply),
            Ok(None) => {}
            Err(Stop::Yielded) => {
                (task.taken, task.calls) = (taken, called);
                after.tasks.push(task);
                after.settle_calls();
            }
            Err(stop) => return Err(stop),
        }
        Ok(after.ordered(wire))
    }

    /// The world after a section that no request began.
    fn other(
        &self,
        world: World,
        wire: Wire,
        client: u64,
        draw: &mut dyn FnMut(usize) -> usize,
        run: &dyn Fn(&mut Frame<'a, '_>) -> Run<()>,
    ) -> Run<World> {
        let mut frame = self.frame(&world.state, client, draw);
        run(&mut frame)?;
        let effects = frame.effects;
        Ok(self.affected(World { state: frame.state, ..world }, wire, effects).ordered(wire))
    }

    fn frame<'r>(&'r self, state: &State, client: u64, draw: &'r mut dyn FnMut(usize) -> usize) -> Frame<'a, 'r> {
        let mut frame = Frame {
            oracle: self,
            state: state.clone(),
            locals: Vec::new(),
            draw,
            tokens: self.tokens.clone(),
            fuel: 1_000_000,
            client,
            later: None,
            result: None,
            effects: Vec::new(),
            called: None,
        };
        state.values().for_each(|value| value.tokens(&mut frame.tokens));
        frame
    }

    fn affected(&self, mut world: World, wire: Wire, effects: Vec<Effect>) -> World {
        let number = |client: &Value| match client {
            Value::Int(number) => number.to_u64().expect("a client"),
            client => panic!("{client:?} is no client"),
        };
        for effect in effects {
            match effect {
                Effect::Send(to, message) => world.send(wire, number(&to), message),
                Effect::Close(client) => {
                    let client = number(&client);
                    world.arrived.retain(|(from, _)| *from != client);
                    world.opening.remove(&client);
                    if !world.there.contains(&client) {
                        continue;
                    }
                    let is_new = world.closed.insert(client);
                    if is_new && self.has_handler(&|trigger| matches!(trigger, Trigger::Close(_))) {
                        world.leaving.insert(client);
                    }
                }
            }
        }
        world
    }
}

impl Explained {
    /// The outcome if there are no more events.
    pub fn accept(self) -> Outcome {
        if self.worlds.is_empty() {
            return self.unclean.verdict(self.events);
        }
        Outcome::Accept { states: self.worlds.into_iter().map(|world| world.state).collect() }
    }
}

impl World {
    pub fn with_arrived(mut self, client: u64, request: Value, wire: Wire) -> World {
        let is_again = wire == Wire::UdpAgain && self.arrived.contains(&(client, request.clone()));
        if !is_again && !self.closed.contains(&client) {
            self.arrived.push((client, request));
        }
        self.ordered(wire)
    }

    /// The worlds in which some first requests of a client that is gone will be read: the others are in nobody's way.
    fn with_first_read(mut self, wire: Wire, client: u64) -> Vec<World> {
        let mut worlds = vec![self.clone()];
        while wire <= Wire::Fifo
            && let Some(last) = self.arrived.iter().rposition(|(from, _)| *from == client)
        {
            self.arrived.remove(last);
            worlds.push(self.clone());
        }
        worlds
    }

    /// The worlds in which a client has seen an answer that fits.
    fn shown(&self, wire: Wire, client: u64, fits: &dyn Fn(&Value) -> bool) -> Vec<World> {
        let seen = self.visible(wire, client).into_iter().filter(|at| fits(&self.sent[*at].1));
        seen.map(|at| self.clone().without_answer(at, wire)).collect()
    }

    pub fn without_answer(mut self, at: usize, wire: Wire) -> World {
        if wire != Wire::UdpAgain {
            self.sent.remove(at);
        }
        self
    }

    /// The world in which nothing more is seen on a connection.
    fn without(mut self, client: u64) -> World {
        self.sent.retain(|(to, _)| *to != client);
        self.closed.remove(&client);
        self.there.remove(&client);
        self
    }

    /// The number of requests of a client that are under way, and answers to it.
    pub fn pending(&self, client: u64) -> usize {
        let arrived = self.arrived.iter().filter(|(from, _)| *from == client).count();
        let tasks = self.tasks.iter().filter(|task| task.client == client).count();
        arrived + tasks + self.sent.iter().filter(|(to, _)| *to == client).count()
    }
}
