//! The types of `names`, as `mayhap types` prints them. Requests are of type `Request`, answers of type `Option`.

use serde::{Deserialize, Serialize};

/// Octets: their text if they are UTF-8, else their base64.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(untagged)]
pub enum Bytes {
    Text(std::string::String),
    Base64 {
        #[serde(rename = "$bytes")]
        base64: std::string::String,
    },
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Request {
    #[serde(rename = "Self")]
    Self_,
    Blob(Bytes),
    Match(Vec, bool),
    Keyed(std::vec::Vec<(i128, String)>, std::collections::BTreeSet<(i128, bool)>, Tree),
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vec {
    pub r#type: i128,
    #[serde(rename = "super")]
    pub super_: std::option::Option<self_>,
    pub String: std::vec::Vec<std::option::Option<i128>>,
}

pub type self_ = String;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tree {
    Leaf,
    Fork {
        left: Box<Tree>,
        right: std::option::Option<Box<Tree>>,
        more: std::vec::Vec<Tree>,
    },
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Option {
    None,
    Some(String),
}
