//! A test of a store in the same program, which finds a race: two clients append to one value, and one of the additions is lost.
//!
//! `cargo run --example racy_store` prints the report on a store with the race.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::yield_now;

use mayhap::{Answer, Spec, Sut};
use serde::{Deserialize, Serialize};

/// The requests of `specs/kv.may`.
#[derive(Deserialize)]
pub enum Request {
    Get(String),
    Put(String, String),
    Append(String, String),
}

/// The answers to these requests, each of which repeats its request.
#[derive(Serialize)]
pub enum Response {
    Get(String, String),
    Put(String, String),
    Append(String, String),
}

/// The way in which a store appends.
#[derive(Clone, Copy)]
pub enum Appending {
    /// The store reads and writes under one lock.
    Locked,
    /// The store reads a value, and later writes it back with the addition.
    Racy,
}

/// A key-value store of strings.
pub struct Store {
    appending: Appending,
    data: Mutex<HashMap<String, String>>,
}

impl Store {
    /// An empty store.
    pub fn new(appending: Appending) -> Store {
        Store { appending, data: Mutex::default() }
    }

    fn get(&self, key: &str) -> String {
        self.data.lock().unwrap().get(key).cloned().unwrap_or_default()
    }

    fn put(&self, key: &str, value: String) {
        self.data.lock().unwrap().insert(key.to_owned(), value);
    }

    fn append(&self, key: &str, more: &str) {
        match self.appending {
            Appending::Locked => self.data.lock().unwrap().entry(key.to_owned()).or_default().push_str(more),
            Appending::Racy => {
                let before = self.get(key);
                yield_now();
                self.put(key, before + more);
            }
        }
    }
}

impl Sut for Store {
    type Request = Request;
    type Response = Response;

    fn ask(&self, _client: u64, request: Request) -> Answer<Response> {
        Answer::Is(match request {
            Request::Get(key) => {
                let value = self.get(&key);
                Response::Get(key, value)
            }
            Request::Put(key, value) => {
                self.put(&key, value.clone());
                Response::Put(key, value)
            }
            Request::Append(key, more) => {
                self.append(&key, &more);
                Response::Append(key, more)
            }
        })
    }
}

/// Tests such stores with three clients. Panics with the report if one does something that no store may do.
pub fn test(appending: Appending) {
    let spec = Spec::from_text(include_str!("../specs/kv.may")).unwrap();
    mayhap::test(&spec).clients(3).requests(3000).run(move || Store::new(appending));
}

pub fn main() {
    test(Appending::Locked);
    test(Appending::Racy);
}
