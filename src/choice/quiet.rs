//! Catching what unwinds through a program under exploration, without the noise of a panic.
//!
//! A failing run is run again many times while it is made smaller; the process's panic hook is told about none of them.
//! Panics of other threads, and of this one outside explorations, go to the hook that was there before.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A panic that was caught.
pub(super) struct Caught {
    pub payload: Box<dyn Any + Send>,
    /// Where it was, and with which message; `None` for what unwinds without a panic.
    pub panic: Option<(String, String)>,
}

thread_local! {
    /// The last panic of this thread inside an exploration; `None` outside.
    static INSIDE: RefCell<Option<Option<(String, String)>>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

fn install() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
            let seen = INSIDE.with_borrow_mut(|inside| {
                inside.as_mut().map(|last| *last = Some((place.unwrap_or_default(), message(info.payload()))))
            });
            if seen.is_none() {
                before(info);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".into())
}

/// Runs the work with panics silenced on this thread.
pub(super) fn quietly<R>(work: impl FnOnce() -> R) -> R {
    install();
    let before = INSIDE.replace(Some(None));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    result.unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// Runs the work and catches what unwinds out of it; inside [`quietly`] a panic is silent and its place is known.
pub(super) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Caught> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let panic = INSIDE.with_borrow_mut(|inside| inside.as_mut().and_then(Option::take));
        Caught { payload, panic }
    })
}
