//! The types of `idgen`, as `mayhap types` prints them. Requests are of type `Request`, answers of type `Response`.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    New,
    Known(Id),
}

pub type Id = u64;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Response {
    Fresh(Id),
    Yes,
    No,
}
