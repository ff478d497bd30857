//! Clients who wait for each other: each request is answered before the next one is sent, so that there is one order.
//!
//! `{"c": 1, "q": 5}`, `{"c": 1, "a": 1}`, `{"c": 2, "q": 3}`, `{"c": 2, "a": 0}` is a trace of two exchanges, each of which is a plain
//! step of the judge. Once two requests are under way at once, a search for an order begins from the judge's candidates.

use crate::judge::{Exchange, Judge, Observed};
use crate::network::Observation;
use crate::process::Port;
use crate::search::history::Building;
use crate::spec::Spec;
use crate::value::Value;

/// The observation of a server while at most one request is under way.
pub(crate) struct Alone {
    /// The judge, which has observed the answered requests.
    pub(crate) judge: Judge,
    /// The connections, with no history.
    pub(crate) building: Building,
    /// The request under way: its line and its connection.
    waiting: Option<(u64, u64, Value)>,
}

impl Alone {
    /// The observation of a server that goes on with a judge, and on open connections.
    pub(crate) fn new(judge: Judge, building: Building) -> Alone {
        Alone { judge, building, waiting: None }
    }

    /// Tests whether no request is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_none()
    }

    /// Adds an event on a line. If more than one request is under way then, or may be, nothing is added; the error is the request that was
    /// under way before, with its line.
    pub(crate) fn push(
        &mut self,
        spec: &Spec,
        line: u64,
        happened: &Observation,
    ) -> Result<(), Option<(u64, Observation)>> {
        match (happened, self.waiting.take()) {
            (Observation::Request(Port(connection), request), None) => {
                self.waiting = Some((line, *connection, request.clone()))
            }
            (Observation::Answer(Port(connection), answer), Some((_, own, request))) if *connection == own => {
                let client = self.building.client(own);
                let observed = answer.clone().map_or(Observed::Any, Observed::Answer);
                self.judge.observe_by(spec, &Exchange { line, client, request, observed });
            }
            (Observation::Lost(Port(connection)), waiting)
                if waiting.as_ref().is_none_or(|(_, own, _)| connection != own) =>
            {
                self.building.end(*connection);
                self.waiting = waiting;
            }
            (Observation::Restart, waiting) => {
                if let Some((line, own, request)) = waiting {
                    let client = self.building.client(own);
                    self.judge.observe_by(spec, &Exchange { line, client, request, observed: Observed::Lost });
                }
                self.building.end_all();
                self.judge.observe_by(spec, &Exchange::restart(line));
            }
            (_, waiting) => {
                return Err(
                    waiting.map(|(line, connection, request)| (line, Observation::Request(Port(connection), request)))
                );
            }
        }
        Ok(())
    }
}
