//! Catching what unwinds through a program under exploration, without the noise of a panic.
//!
//! A failing run is run again many times while it is made smaller; the process's panic hook is told about none of them.
//! Panics of other threads, and of this one outside explorations, go to the hook that was there before. The hook is installed
//! by the first exploration; if a program sets its own later, ours is put in front of it when a panic did not come by.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

/// A panic that was caught, or what else unwound.
pub(crate) struct Caught {
    pub payload: Box<dyn Any + Send>,
    pub message: String,
    /// The place of the panic; `None` if our hook noted none: outside an exploration, if another hook took its place,
    /// or if it was no panic.
    pub place: Option<String>,
}

thread_local! {
    /// The place and the message of the last panic of this thread inside an exploration; `None` outside.
    static INSIDE: RefCell<Option<Option<(String, String)>>> = const { RefCell::new(None) };
}

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// The hook that was installed last, as long as there is one, and where it is in memory.
static OURS: Mutex<(Weak<()>, usize)> = Mutex::new((Weak::new(), 0));

static FIRST: Once = Once::new();

fn address(hook: &Hook) -> usize {
    std::ptr::from_ref(hook).cast::<()>() as usize
}

/// Installs our hook in front of the one that is there, unless that is ours, or a panic is under way.
pub(crate) fn install() {
    if std::thread::panicking() {
        return;
    }
    let mut ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
    let before = panic::take_hook();
    if ours.0.strong_count() > 0 && ours.1 == address(&*before) {
        return panic::set_hook(before);
    }
    let alive = Arc::new(());
    let seen = Arc::downgrade(&alive);
    let hook: Box<Hook> = Box::new(move |info| {
        let _alive = &alive;
        if !noted(info) {
            before(info);
        }
    });
    *ours = (seen, address(&*hook));
    panic::set_hook(hook);
}

/// Notes a panic inside an exploration.
fn noted(info: &PanicHookInfo<'_>) -> bool {
    let place = info.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
    INSIDE.with_borrow_mut(|inside| {
        let last = inside.as_mut();
        last.map(|last| *last = Some((place.unwrap_or_default(), message(info.payload())))).is_some()
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".into())
}

/// Runs the work with panics silenced on this thread.
pub(crate) fn unreported<R>(work: impl FnOnce() -> R) -> R {
    FIRST.call_once(install);
    let before = INSIDE.replace(Some(None));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    result.unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// Runs the work and catches what unwinds out of it; inside [`unreported`] a panic is silent and its place is known, unless the
/// work has set a hook of its own.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Caught> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let noted = INSIDE.with_borrow_mut(|inside| inside.as_mut().and_then(Option::take));
        let message = message(&*payload);
        let place = noted.filter(|noted| noted.1 == message).map(|noted| noted.0);
        Caught { payload, message, place }
    })
}
