//! The types of `sync`, as `mayhap types` prints them. Requests are of type `Request`, answers of type `Response`.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    Read(Side, Vec<String>),
    Write {
        side: Side,
        path: Vec<String>,
        text: String,
        same_time: bool,
    },
    Mkdir(Side, Vec<String>),
    Ls(Side, Vec<String>),
    Rm(Side, Vec<String>),
    Tree(Side),
    Sync,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    A,
    B,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Response {
    Done,
    Failed,
    Content(String),
    Entries(std::collections::BTreeSet<String>),
    Replica(Node),
    Exit(i64),
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    File(String),
    Dir(std::collections::BTreeMap<String, Node>),
}
