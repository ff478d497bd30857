//! Help for slips from other languages: a guess at what the writer of an unexpected token meant.
//!
//! At the `+` of `n += 1;` the help is "there is no `+=`: write `x := x + …`".

use crate::syntax::lexer::TokenKind;

use crate::syntax::parser::Parser;

/// Words of other languages between or before operands, each with the help.
const WORDS: [(&str, &str); 4] = [
    ("and", "`&&` is the logical and"),
    ("or", "`||` is the logical or"),
    ("not", "`!` negates, as in `!b` and `!(x in s)`"),
    ("then", "both branches need braces: `if c { a } else { b }`"),
];

/// Words of other languages that begin a statement, each with the help.
const STATEMENTS: [(&str, &str); 6] =
    [("elif", ELSE_IF), ("elseif", ELSE_IF), ("elsif", ELSE_IF), ("foreach", FOR), ("switch", MATCH), ("case", MATCH)];

const ELSE_IF: &str = "write `else if`";
const FOR: &str = "write `for x in xs { … }`";
const MATCH: &str = "write `match e { P => { … } Q => { … } }`";
const FUNCTION: &str = "write `fn f(x: int): int = x + 1;`";
const PROC: &str = "write `proc p(x: int): int { … }`";

const INCREMENT: &str = "there is no `++`: write `x := x + 1`";
const DECREMENT: &str = "there is no `--`: write `x := x - 1`";

fn find(table: &[(&str, &'static str)], word: &str) -> Option<String> {
    table.iter().find(|(slip, _)| *slip == word).map(|(_, help)| (*help).to_owned())
}

/// The help for an unexpected token, if it is a known slip.
pub(crate) fn slip(p: &Parser<'_>, what: &str) -> Option<String> {
    match p.peek() {
        kind if kind.is_reserved() && (what.contains("name") || what == "a pattern") => {
            let word = p.text_of(p.token());
            Some(format!("`{word}` is a reserved word; in backquotes it is a name: `` `{word}` ``"))
        }
        TokenKind::Equals if ["`;`", "`{`", "`,` or `)`"].contains(&what) => Some("`==` compares, `:=` assigns".into()),
        TokenKind::Where if what == "`;`" => {
            Some("a value with a condition needs a name: `choose x: int where x > 0`".into())
        }
        _ => operator_slip(p).or_else(|| word_slip(p, what)),
    }
}

/// The help for an operator of other languages that is two tokens here: the next token, with the one after or before it.
fn operator_slip(p: &Parser<'_>) -> Option<String> {
    use TokenKind::{Bang, Bar, EqEq, Equals, Greater, In, Less, Minus, NotEq, Percent, Plus, Semi, Slash, Star};
    let (before, token, next) = (p.previous(), p.token(), p.peek_at(1));
    let joined = if before.end == token.start { before.kind } else { TokenKind::End };
    let help = match (joined, token.kind, next) {
        (_, Plus | Minus | Star | Slash | Percent, Equals) => {
            let sign = p.text_of(token);
            return Some(format!("there is no `{sign}=`: write `x := x {sign} …`"));
        }
        (_, Plus, Plus) | (Plus, Plus, Semi) => INCREMENT,
        (_, Minus, Minus) => DECREMENT,
        (_, Bang, In) => "write `!(x in s)`",
        (EqEq, Equals, _) => "`==` compares",
        (NotEq, Equals, _) | (Less, Greater, _) => "use `!=` to compare for inequality",
        (Star, Star, _) => "there is no power operator: multiply",
        (_, Bar, _) => "`||` is the logical or",
        _ => return None,
    };
    Some(help.to_owned())
}

/// The help for a word of another language: the next token, or the one before it.
fn word_slip(p: &Parser<'_>, what: &str) -> Option<String> {
    let (token, last) = (p.token(), p.previous());
    let (word, before) = (p.text_of(token), p.text_of(last));
    let help = match (last.kind, token.kind) {
        (_, TokenKind::Name) if word == "not" && p.peek_at(1) == TokenKind::In => "write `!(x in s)`",
        (TokenKind::Int, TokenKind::Name) if last.end == token.start => {
            "integers consist of decimal digits only, as in `1000`"
        }
        (TokenKind::Name, TokenKind::Call) if before == "await" => "`call` waits for the answer by itself",
        (_, TokenKind::In) if what.contains("`)`") && is_loop_in_parentheses(p) => {
            "write `for x in xs { … }`, without parentheses"
        }
        (_, TokenKind::Arrow) if what.starts_with("`{`") => PROC,
        (_, TokenKind::Arrow) if what.contains("the type of the result") => FUNCTION,
        (TokenKind::Name, TokenKind::Name)
            if what == "`:=`" && ["int", "bool", "string", "bytes"].contains(&before) =>
        {
            return Some(format!("write `let {word}: {before} = …;`, or `var` if it changes"));
        }
        (_, TokenKind::Name) if what == "an item" && ["function", "func", "fun"].contains(&word) => FUNCTION,
        (_, TokenKind::Let) if what == "a member of the protocol" => {
            "the state of the server is in variables: `var x: T = e;`"
        }
        (_, TokenKind::Name | TokenKind::Or) => return find(&WORDS, word).or_else(|| slip_before(p)),
        _ => return slip_before(p),
    };
    Some(help.to_owned())
}

/// The help for a word of another language that was parsed as a name.
fn slip_before(p: &Parser<'_>) -> Option<String> {
    let last = p.previous();
    let word = if last.kind == TokenKind::Name { p.text_of(last) } else { "" };
    find(&STATEMENTS, word).or_else(|| find(&WORDS, word).filter(|_| word == "not"))
}

fn is_loop_in_parentheses(p: &Parser<'_>) -> bool {
    let kinds = p.at.checked_sub(3).and_then(|from| p.tokens.get(from..p.at));
    let opening = [TokenKind::For, TokenKind::LParen, TokenKind::Name];
    kinds.is_some_and(|tokens| tokens.iter().map(|token| token.kind).eq(opening))
}
