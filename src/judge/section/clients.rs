//! Operations on the connection of a client that may not be known: one path for each client that it may be.
//!
//! `let c = choose client; send c, Hello;` sends to one of the connected clients, or to nobody. After `close c;` nothing more is read from
//! c, even if c has given up.

use super::{OpenPath, Section};
use crate::judge::candidate::Candidate;
use crate::process::Port;
use crate::scalar::Scalar;
use crate::symbolic::Infeasible;
use crate::value::{self, Value};

/// Applies an operation to the connection of a client, if the client is one of these ports, and goes on.
pub(crate) fn to_each(
    section: &mut Section<'_>,
    candidate: &mut Candidate,
    (client, ports): (&Value, &[Port]),
    act: &dyn Fn(&mut Candidate, Port),
) -> Result<(), Infeasible> {
    candidate.process.proceed();
    if let Some(port) = Port::of(client) {
        if ports.contains(&port) {
            act(candidate, port);
        }
        return Ok(());
    }
    for port in ports.iter().copied() {
        let Ok(is_it) = value::equal(client, &Value::Scalar(Scalar::Client(port.0))) else { continue };
        section.pay(candidate)?;
        let mut other = section.context.spares.copy(candidate);
        if other.require(is_it.clone(), None, &mut section.context.solver).is_ok() {
            act(&mut other, port);
            section.open.push(OpenPath::Running(other));
        }
        candidate.require(is_it.not(), None, &mut section.context.solver)?;
    }
    Ok(())
}
