//! A history that is judged event by event, at a moment when nothing is under way: the states from which it goes on.
//!
//! ```text
//! c1 ├── Put a ──┤     ├── Get a ──┤  │        one state, or a few; if keys have histories of their own,
//! c2      ├── Put b ──┤               │        the states of each key that was asked for
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::online_history::{AtOnce, OnlineClients, OnlineHistory};
use super::sequential::Alone;
use super::{OnlineOptions, OnlinePart};
use crate::judge::{Judge, Options, Verdict};
use crate::search::history::{Building, Connection};
use crate::spec::Spec;
use crate::value::Value;

/// The state of judging at a moment when nothing is under way.
#[derive(Clone, Debug)]
pub struct IdleHistory {
    /// The judge of all keys; if requests were ever under way at once, as it was before the first of these.
    pub judge: Judge,
    /// The judges of the single keys since then; `None` if each request was answered before the next was sent.
    pub keys: Option<Vec<(Option<Value>, Judge)>>,
    /// The open connections, each with the number of its client.
    pub clients: Vec<(u64, u64)>,
    /// The number of the last client.
    pub last_client: u64,
}

impl OnlineHistory {
    /// The state of judging; `None` if a request is under way, or the server may be in many states.
    #[must_use]
    pub fn idle(&self) -> Option<IdleHistory> {
        if self.verdict != (Verdict::Accept { warning: None }) {
            return None;
        }
        match &self.clients {
            OnlineClients::Alone(alone) => {
                let open = alone.is_idle().then_some(&alone.building)?;
                let clients = open.open.iter().map(|(number, connection)| (*number, connection.client));
                let clients = sorted(clients.collect());
                Some(IdleHistory { judge: alone.judge.clone(), keys: None, clients, last_client: open.clients })
            }
            OnlineClients::AtOnce(at_once) if self.keys.is_some() && at_once.under_way.is_empty() => {
                let part = |(key, part): (&Option<Value>, &OnlinePart)| Some((key.clone(), part.at_rest()?));
                let keys: Option<Vec<(Option<Value>, Judge)>> = at_once.parts.iter().map(part).collect();
                let judge = at_once.start.clone();
                Some(IdleHistory { judge, keys: Some(keys?), clients: Vec::new(), last_client: u64::MAX })
            }
            OnlineClients::AtOnce(_) | OnlineClients::TooHard(..) => None,
        }
    }

    /// A history that goes on from such a state, with the same specification.
    #[must_use]
    pub fn from_idle(spec: &Arc<Spec>, options: Options, idle: IdleHistory) -> OnlineHistory {
        let IdleHistory { judge, keys, clients, last_client } = idle;
        let mut history = OnlineHistory::new(spec, options);
        history.line = judge.event();
        history.clients = match keys {
            None => {
                let connection = |(number, client)| (number, Connection { client, ..Connection::default() });
                let open = clients.into_iter().map(connection).collect();
                let building = Building { open, clients: last_client, ..Building::new(spec.program.names_clients) };
                OnlineClients::Alone(Box::new(Alone::new(judge, building)))
            }
            Some(keys) => {
                let by = OnlineOptions { options: &history.options, kept: history.remembered() };
                let part = |(key, judge)| (key, OnlinePart::new(judge, Building::new(false), by));
                let parts = keys.into_iter().map(part).collect();
                OnlineClients::AtOnce(Box::new(AtOnce { start: judge, parts, under_way: FxHashMap::default() }))
            }
        };
        history
    }
}

fn sorted(mut clients: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    clients.sort_unstable();
    clients
}
