//! Catching panics of a program under exploration without reporting them.
//!
//! While a failing run is shrunk it fails many times; the process's panic hook does not hear of these panics. Panics of other threads, and
//! of this thread outside of explorations, go to the previous hook. The first exploration installs the hook. If a program sets its own hook
//! later, ours is installed before it once a panic did not reach ours.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

/// A caught panic, or another payload that unwound.
pub struct Caught {
    pub payload: Box<dyn Any + Send>,
    pub message: String,
    /// The place of the panic; `None` if our hook did not see it: outside of an exploration, if another hook replaced ours, or if the
    /// payload was no panic.
    pub place: Option<String>,
}

thread_local! {
    /// The place and the message of the last panic of this thread inside of an exploration; the outer `None` stands for outside.
    static INSIDE: RefCell<Option<Option<(String, String)>>> = const { RefCell::new(None) };
}

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// The hook that was installed last, as long as it exists, and its address.
static OURS: Mutex<(Weak<()>, usize)> = Mutex::new((Weak::new(), 0));

static FIRST: Once = Once::new();

fn address(hook: &Hook) -> usize {
    std::ptr::from_ref(hook).cast::<()>() as usize
}

/// Installs our hook before the present one, unless that is ours, or the thread is panicking.
pub fn install() {
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

/// Notes a panic inside of an exploration; returns whether there is one.
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

/// Runs `work` without reports of panics on this thread.
pub fn unreported<R>(work: impl FnOnce() -> R) -> R {
    FIRST.call_once(install);
    let before = INSIDE.replace(Some(None));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    result.unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// Runs `work` and catches a panic in it. Inside of [`unreported`] the panic is not reported and its place is known, unless `work` has set
/// a hook of its own.
pub fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Caught> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let noted = INSIDE.with_borrow_mut(|inside| inside.as_mut().and_then(Option::take));
        let message = message(&*payload);
        let place = noted.filter(|noted| noted.1 == message).map(|noted| noted.0);
        Caught { payload, message, place }
    })
}
