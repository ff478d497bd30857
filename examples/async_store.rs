//! A test of a system with an `async fn`, whose futures run on tokio.
//!
//! `cargo run --example async_store`

use std::collections::HashMap;
use std::time::Duration;

use mayhap::sut::{Awaiting, Executor};
use mayhap::{Answer, AsyncSut, Spec};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Mutex;
use tokio::time::sleep;

/// The requests of `specs/kv.may`.
#[derive(Deserialize)]
enum Request {
    Get(String),
    Put(String, String),
    Append(String, String),
}

/// The answers to these requests, each of which repeats its request.
#[derive(Serialize)]
enum Response {
    Get(String, String),
    Put(String, String),
    Append(String, String),
}

/// A key-value store of strings that takes its time.
#[derive(Default)]
struct Store {
    data: Mutex<HashMap<String, String>>,
}

impl AsyncSut for Store {
    type Request = Request;
    type Response = Response;

    async fn ask(&self, _client: u64, request: Request) -> Answer<Response> {
        sleep(Duration::from_micros(50)).await;
        let mut data = self.data.lock().await;
        Answer::Is(match request {
            Request::Get(key) => {
                let value = data.get(&key).cloned().unwrap_or_default();
                Response::Get(key, value)
            }
            Request::Put(key, value) => {
                data.insert(key.clone(), value.clone());
                Response::Put(key, value)
            }
            Request::Append(key, more) => {
                data.entry(key.clone()).or_default().push_str(&more);
                Response::Append(key, more)
            }
        })
    }
}

/// The runtime that runs the futures.
struct Tokio(Handle);

impl Executor for Tokio {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }
}

pub fn main() {
    let spec = Spec::from_text(include_str!("../specs/kv.may")).unwrap();
    let runtime = Runtime::new().unwrap();
    let handle = runtime.handle().clone();
    mayhap::test(&spec).clients(3).requests(500).run(move || Awaiting::new(Store::default(), Tokio(handle.clone())));
}
