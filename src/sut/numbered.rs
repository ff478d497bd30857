//! Tokens as numbers, for a program that holds its ids as numbers: `t7` is sent as 7.
//!
//! The judge sees the number, too, so it is the token that the system was sent.

use crate::scalar::{Int, Scalar, Token};
use crate::value::{Map, Value};

/// The numbers for tokens that are not called `t1`, `t2` …: at most this, which a signed byte holds.
const GREATEST: u64 = 127;

/// The value with a number in the place of each drawn token.
#[must_use]
pub fn numbered(value: &Value) -> Value {
    match value {
        Value::Scalar(Scalar::Token(Token::Text(text))) => Value::Scalar(Scalar::Token(Token::Number(number(text)))),
        Value::Data { tag, fields: Some(fields), .. } => {
            Value::data(*tag, fields.iter().map(numbered).collect::<Vec<_>>())
        }
        Value::List(list) => Value::list(list.iter().map(numbered)),
        Value::Map(map) => {
            let entries = map.entries().unwrap_or_default();
            Value::Map(Map::of(entries.iter().map(|(key, entry)| (numbered(key), numbered(&entry.value)))))
        }
        other => other.clone(),
    }
}

/// The number of a token: that in its name, or one that follows from its octets.
fn number(name: &str) -> Int {
    let own = name.strip_prefix('t').and_then(|digits| digits.parse::<i64>().ok());
    own.filter(|number| *number >= 0).map_or_else(
        || Int::from((name.bytes().fold(7, |sum, octet| (sum * 31 + u64::from(octet)) & 0xffff) % GREATEST) as i64),
        Int::from,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_numbers_everywhere_and_nothing_else_does() {
        let [token, known] = ["t7", "other3"].map(|name| Value::Scalar(Scalar::token(name)));
        let seven = Value::Scalar(Scalar::Token(Token::Number(Int::from(7))));
        let text = Value::str("t7");
        let map = Value::Map(Map::of([(token.clone(), Value::some(token.clone()))]));
        let all = Value::data(1, vec![Value::list([token.clone(), text.clone()]), map]);
        let expected = Value::Map(Map::of([(seven.clone(), Value::some(seven.clone()))]));
        assert_eq!(numbered(&all), Value::data(1, vec![Value::list([seven, text]), expected]));
        let Value::Scalar(Scalar::Token(Token::Number(number))) = numbered(&known) else { panic!("{known:?}") };
        assert!((0..=127).contains(&number.to_i64().unwrap()));
    }
}
