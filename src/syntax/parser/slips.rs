//! Slips of those who know other languages: where a token cannot stand, what its writer probably meant.
//!
//! At the `+` of `n += 1;` the help is "there is no `+=`: write `x := x + …`".

use crate::syntax::lexer::Kind;

use super::Parser;

/// Words of other languages that stand between operands or before them, and what is written here.
const WORDS: [(&str, &str); 4] = [
    ("and", "`&&` is the logical and"),
    ("or", "`||` is the logical or"),
    ("not", "`!` negates, as in `!b` and `!(x in s)`"),
    ("then", "both branches need braces: `if c { a } else { b }`"),
];

/// Words of other languages that begin a statement, and what is written here.
const STATEMENTS: [(&str, &str); 6] =
    [("elif", ELSE_IF), ("elseif", ELSE_IF), ("elsif", ELSE_IF), ("foreach", FOR), ("switch", MATCH), ("case", MATCH)];

const ELSE_IF: &str = "write `else if`";
const FOR: &str = "write `for x in xs { … }`";
const MATCH: &str = "write `match e { P => { … } Q => { … } }`";
const FUNCTION: &str = "write `fn f(x: int): int = x + 1;`";

fn find(table: &[(&str, &'static str)], word: &str) -> Option<String> {
    table.iter().find(|(slip, _)| *slip == word).map(|(_, help)| (*help).to_owned())
}

impl Parser<'_> {
    /// The help that says what is probably meant by the next token, which is not what was expected here.
    pub(super) fn slip(&self, what: &str) -> Option<String> {
        self.operator_slip().or_else(|| self.word_slip(what))
    }

    /// A sign that two tokens make elsewhere: the next one with the one behind or before it.
    fn operator_slip(&self) -> Option<String> {
        let (token, next) = (self.token(), self.peek_at(1));
        let joined = |before: Kind| self.kind_before() == before && self.previous_end() == token.start;
        let help = match (token.kind, next) {
            (Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash | Kind::Percent, Kind::Equals) => {
                let sign = self.text_of(token);
                return Some(format!("there is no `{sign}=`: write `x := x {sign} …`"));
            }
            (Kind::Plus, Kind::Plus | Kind::Semi) if next == Kind::Plus || joined(Kind::Plus) => INCREMENT,
            (Kind::Minus, Kind::Minus) => DECREMENT,
            (Kind::Bang, Kind::In) => "write `!(x in s)`",
            (Kind::Equals, _) if joined(Kind::EqEq) => "`==` compares",
            (Kind::Equals, _) if joined(Kind::NotEq) => "use `!=` to compare for inequality",
            (Kind::Greater, _) if joined(Kind::Less) => "use `!=` to compare for inequality",
            (Kind::Star, _) if joined(Kind::Star) => "there is no power operator: multiply",
            (Kind::Bar, _) => "`||` is the logical or",
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// A word of another language: the next token, or the one before it.
    fn word_slip(&self, what: &str) -> Option<String> {
        let (word, before) = (self.text_of(self.token()), self.text_before());
        match (self.kind_before(), self.peek()) {
            (_, Kind::Name) if word == "not" && self.peek_at(1) == Kind::In => Some("write `!(x in s)`".into()),
            (Kind::Return, _) => Some("`reply e;` answers the request; `return;` has no value".into()),
            (Kind::Int, Kind::Name) if self.previous_end() == self.token().start => {
                Some("integers consist of decimal digits only, as in `1000`".into())
            }
            (_, Kind::In) if what.contains("`)`") && self.is_loop_in_parentheses() => {
                Some("write `for x in xs { … }`, without parentheses".into())
            }
            (_, Kind::Arrow) if what.contains("the type of the result") => Some(FUNCTION.to_owned()),
            (Kind::Name, Kind::Name) if what == "`:=`" && ["int", "bool", "string", "bytes"].contains(&before) => {
                Some(format!("write `let {word}: {before} = …;`, or `var` if it changes"))
            }
            (_, Kind::Name) if what == "an item" && ["function", "func", "fun"].contains(&word) => {
                Some(FUNCTION.to_owned())
            }
            (_, Kind::Let) if what == "a member of the protocol" => {
                Some("the state of the server is in variables: `var x: T = e;`".into())
            }
            (_, Kind::Name | Kind::Or) => find(&WORDS, word).or_else(|| self.slip_before()),
            _ => self.slip_before(),
        }
    }

    /// A word of another language that was read as a name.
    fn slip_before(&self) -> Option<String> {
        let word = self.text_before();
        let is_name = self.kind_before() == Kind::Name;
        let found = || find(&STATEMENTS, word).or_else(|| find(&WORDS, word).filter(|_| word == "not"));
        is_name.then(found).flatten()
    }

    fn is_loop_in_parentheses(&self) -> bool {
        let kinds = self.at.checked_sub(3).and_then(|from| self.tokens.get(from..self.at));
        kinds.is_some_and(|tokens| tokens.iter().map(|token| token.kind).eq([Kind::For, Kind::LParen, Kind::Name]))
    }

    fn kind_before(&self) -> Kind {
        self.at.checked_sub(1).map_or(Kind::End, |at| self.tokens[at].kind)
    }

    fn text_before(&self) -> &str {
        self.at.checked_sub(1).map_or("", |at| self.text_of(self.tokens[at]))
    }
}

const INCREMENT: &str = "there is no `++`: write `x := x + 1`";
const DECREMENT: &str = "there is no `--`: write `x := x - 1`";
