//! Small stores: `specs/kv.may` as a log that is compacted, `specs/bank.may`, `specs/sessions.may`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{Bug, Store, integer, text};

/// Puts after which the log is compacted.
const COMPACTED: usize = 20;

#[derive(Default)]
struct Written {
    values: HashMap<String, String>,
    put: HashSet<String>,
    puts: usize,
}

/// A key-value store.
pub struct Log {
    bug: Bug,
    written: Mutex<Written>,
}

impl Log {
    pub fn new(bug: Bug) -> Log {
        Log { bug, written: Mutex::default() }
    }
}

impl Store for Log {
    fn ask(&self, name: &str, q: &Value) -> Value {
        let mut written = self.written.lock().unwrap();
        let (key, value) = if name == "Get" { (text(q), "") } else { (text(&q[0]), text(&q[1])) };
        match name {
            "Get" => return json!({"Get": [key, written.values.get(key).map_or("", String::as_str)]}),
            "Append" => written.values.entry(key.to_owned()).or_default().push_str(value),
            _ => {
                written.values.insert(key.to_owned(), value.to_owned());
                written.put.insert(key.to_owned());
                written.puts += 1;
            }
        }
        if name == "Put" && written.puts.is_multiple_of(COMPACTED) && self.bug.is("compaction") {
            let Written { values, put, .. } = &mut *written;
            values.retain(|key, _| put.contains(key));
        }
        json!({ name: q })
    }
}

/// A bank that takes a fee of 1.
pub struct Bank {
    bug: Bug,
    balances: Mutex<BTreeMap<String, i128>>,
}

impl Bank {
    pub fn new(bug: Bug) -> Bank {
        Bank { bug, balances: Mutex::default() }
    }

    fn transfer(&self, from: &str, to: &str, amount: i128) -> &'static str {
        let mut balances = self.balances.lock().unwrap();
        if !balances.contains_key(from) || !balances.contains_key(to) {
            return "NoAccount";
        }
        if balances[from] < amount + 1 {
            return "Refused";
        }
        balances.entry(from.to_owned()).and_modify(|balance| *balance -= amount + 1);
        if self.bug.is("two-steps") {
            drop(balances);
            self.bug.switch("two-steps");
            balances = self.balances.lock().unwrap();
        }
        balances.entry(to.to_owned()).and_modify(|balance| *balance += amount);
        "Done"
    }
}

impl Store for Bank {
    fn ask(&self, name: &str, q: &Value) -> Value {
        if name == "Transfer" {
            return json!(self.transfer(text(&q["from"]), text(&q["to"]), integer(&q["amount"])));
        }
        let mut balances = self.balances.lock().unwrap();
        let account = text(&q["account"]);
        match (name, balances.get_mut(account)) {
            ("Open", Some(_)) => json!("Refused"),
            ("Open", None) => {
                balances.insert(account.to_owned(), 0);
                json!("Done")
            }
            (_, None) => json!("NoAccount"),
            ("Deposit", Some(balance)) => {
                *balance += integer(&q["amount"]);
                json!("Done")
            }
            (_, Some(balance)) => json!({"Balance": balance.to_string().parse::<serde_json::Number>().unwrap()}),
        }
    }
}

/// Sessions that last until they are logged out.
pub struct Sessions {
    bug: Bug,
    users: Mutex<HashMap<String, String>>,
    logins: Mutex<u64>,
}

impl Sessions {
    pub fn new(bug: Bug) -> Sessions {
        Sessions { bug, users: Mutex::default(), logins: Mutex::default() }
    }
}

impl Store for Sessions {
    fn ask(&self, name: &str, q: &Value) -> Value {
        let token = text(&q["token"]);
        match name {
            "Login" => {
                let mut logins = self.logins.lock().unwrap();
                *logins += 1;
                let token = format!("session-{logins}");
                self.users.lock().unwrap().insert(token.clone(), text(&q["user"]).to_owned());
                json!({"Welcome": {"token": token}})
            }
            "Use" => match self.users.lock().unwrap().get(token) {
                Some(user) => json!({"Hello": {"user": user}}),
                None => json!("Denied"),
            },
            _ => {
                let mut users = self.users.lock().unwrap();
                let mut there = users.contains_key(token);
                if self.bug.is("logged-out-twice") {
                    drop(users);
                    self.bug.switch("logged-out-twice");
                    users = self.users.lock().unwrap();
                    users.remove(token);
                } else {
                    there = users.remove(token).is_some();
                }
                json!(if there { "Goodbye" } else { "Denied" })
            }
        }
    }
}
