//! Systems whose requests are futures, on an executor of the program's choice.
//!
//! ```
//! use mayhap::sut::{AsyncSut, Awaiting, OwnThread, Sut, SutAnswer};
//!
//! struct Echo;
//!
//! impl AsyncSut for Echo {
//!     type Request = String;
//!     type Response = String;
//!
//!     async fn ask(&self, _client: u64, request: String) -> SutAnswer<String> {
//!         SutAnswer::Is(request)
//!     }
//! }
//! let echo = Awaiting::new(Echo, OwnThread);
//! assert_eq!(echo.ask(1, "hello".to_owned()), SutAnswer::Is("hello".to_owned()));
//! ```
//!
//! An executor for tokio has three lines:
//! `impl Executor for Tokio { fn block_on<F: Future>(&self, f: F) -> F::Output { self.0.block_on(f) } }`. Here `Tokio` holds a
//! `tokio::runtime::Handle`. The whole program is `examples/async_store.rs`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ask::{Sut, SutAnswer};

/// A system under test whose requests are futures.
pub trait AsyncSut: Send + Sync + 'static {
    /// The type of requests, which are read from the JSON of the specification's requests.
    type Request: DeserializeOwned;
    /// The type of answers, which are written as the JSON of the specification's answers.
    type Response: Serialize;

    /// Sends a request to the system. A client sends its next request only after this one has its answer.
    fn ask(&self, client: u64, request: Self::Request) -> impl Future<Output = SutAnswer<Self::Response>>;

    /// Tells the system that a client gives up its connection.
    fn close(&self, client: u64) -> impl Future<Output = ()> {
        let _ = client;
        async {}
    }
}

/// A way to wait for a future, on a thread that has nothing else to do.
pub trait Executor: Send + Sync + 'static {
    /// Runs a future to its end.
    fn block_on<F: Future>(&self, future: F) -> F::Output;
}

/// The executor that runs a future on the thread of its client, without a runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OwnThread;

impl Executor for OwnThread {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let waker = Waker::from(Arc::new(Unparked(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                // A wake-up that came earlier is not lost.
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// The thread to be woken by a future.
struct Unparked(Thread);

impl Wake for Unparked {
    fn wake(self: Arc<Unparked>) {
        self.0.unpark();
    }
}

/// A system whose requests are awaited, each client on a thread of its own.
#[derive(Clone, Debug)]
pub struct Awaiting<A, E> {
    sut: A,
    executor: E,
}

impl<A: AsyncSut, E: Executor> Awaiting<A, E> {
    /// The system with this executor.
    #[must_use]
    pub fn new(sut: A, executor: E) -> Awaiting<A, E> {
        Awaiting { sut, executor }
    }
}

impl<A: AsyncSut, E: Executor> Sut for Awaiting<A, E> {
    type Request = A::Request;
    type Response = A::Response;

    fn ask(&self, client: u64, request: A::Request) -> SutAnswer<A::Response> {
        self.executor.block_on(self.sut.ask(client, request))
    }

    fn close(&self, client: u64) {
        self.executor.block_on(self.sut.close(client));
    }
}
