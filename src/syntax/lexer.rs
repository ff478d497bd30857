//! The lexer: text to tokens and comments, generated from the definitions below by `logos`.
//!
//! It never fails: what is no token becomes [`TokenKind::Unknown`] with a diagnostic, and the last token is always
//! [`TokenKind::End`]. For example `n := !1; // set` gives a name, `:=`, a cell, `;`, the end, and one comment.

use logos::Logos;

use crate::diagnostic::{Diagnostic, FileId, Span};

use super::ast::Comment;

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    /// The kind of the token.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
}

/// The kinds of tokens. The words from `if` to `false` are reserved: they cannot be names.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
#[rustfmt::skip]
pub(super) enum TokenKind {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    #[regex(r"/\*([^*]|\*+[^*/])*\**", priority = 1)]
    Enclosed,
    #[regex(r"[0-9]+")]
    Int,
    #[regex(r"![0-9]+")]
    Cell,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#, priority = 1)]
    OpenText,
    #[regex(r"[\p{L}_][\p{L}\p{Nd}_]*", priority = 1)]
    Name,
    #[regex(r"`[^`\n]*`")]
    Quoted,
    #[regex(r"`[^`\n]*", priority = 1)]
    OpenQuoted,
    #[token("{")] LBrace,
    #[token("}")] RBrace,
    #[token("(")] LParen,
    #[token(")")] RParen,
    #[token("[")] LBracket,
    #[token("]")] RBracket,
    #[token(";")] Semi,
    #[token(",")] Comma,
    #[token(":")] Colon,
    #[token(":=")] Assign,
    #[token("=")] Equals,
    #[token("==")] EqEq,
    #[token("!=")] NotEq,
    #[token("<")] Less,
    #[token("<=")] LessEq,
    #[token(">")] Greater,
    #[token(">=")] GreaterEq,
    #[token("=>")] FatArrow,
    #[token("->")] Arrow,
    #[token(".")] Dot,
    #[token("..")] DotDot,
    #[token("+")] Plus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("!")] Bang,
    #[token("&")] Ampersand,
    #[token("&&")] AndAnd,
    #[token("||")] OrOr,
    #[token("|")] Bar,
    #[token("if")] If,
    #[token("else")] Else,
    #[token("match")] Match,
    #[token("for")] For,
    #[token("in")] In,
    #[token("while")] While,
    #[token("let")] Let,
    #[token("var")] Var,
    #[token("either")] Either,
    #[token("or")] Or,
    #[token("assume")] Assume,
    #[token("expects")] Expects,
    #[token("reply")] Reply,
    #[token("send")] Send,
    #[token("yield")] Yield,
    #[token("close")] Close,
    #[token("return")] Return,
    #[token("choose")] Choose,
    #[token("where")] Where,
    #[token("pick")] Pick,
    #[token("is")] Is,
    #[token("any")] Any,
    #[token("all")] All,
    #[token("with")] With,
    #[token("call")] Call,
    #[token("true")] True,
    #[token("false")] False,
    /// No token at all; reported already.
    Unknown,
    /// After the last token.
    End,
}

impl TokenKind {
    /// Tests whether this is a name, in backquotes or not.
    pub(super) fn is_name(self) -> bool {
        matches!(self, TokenKind::Name | TokenKind::Quoted)
    }

    /// Tests whether this is one of the words that cannot be names.
    pub(super) fn is_reserved(self) -> bool {
        (TokenKind::If as u8..=TokenKind::False as u8).contains(&(self as u8))
    }
}

/// Tests whether a text is one token of this kind.
pub(super) fn is_one(kind: TokenKind, text: &str) -> bool {
    let mut tokens = TokenKind::lexer(text);
    tokens.next() == Some(Ok(kind)) && tokens.span() == (0..text.len())
}

/// Tests whether a text is one of the words that cannot be names.
pub(super) fn is_word(text: &str) -> bool {
    let mut tokens = TokenKind::lexer(text);
    matches!(tokens.next(), Some(Ok(kind)) if kind.is_reserved()) && tokens.span() == (0..text.len())
}

/// All tokens of a text, [`TokenKind::End`] last, with its comments and what is wrong on this level.
pub(super) struct Lexed {
    pub tokens: Vec<Lexeme>,
    pub comments: Vec<Comment>,
    /// At most [`MANY`] and one more; the last counts the others if `more` is not 0.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of errors for which there was no place among the diagnostics: if there are any, the text is no
    /// specification.
    pub more: usize,
}

/// The number of errors that are reported one by one; one more is, too, if it is the last.
const MANY: usize = 10;

/// Cuts a text into tokens.
pub(super) fn lex(text: &str, file: FileId) -> Lexed {
    let tokens = Vec::with_capacity(text.len() / 3);
    let mut lexed = Lexed { tokens, comments: Vec::new(), diagnostics: Vec::new(), more: 0 };
    let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for (result, range) in TokenKind::lexer(&text[skipped..]).spanned() {
        let span = Span { file, start: (range.start + skipped) as u32, end: (range.end + skipped) as u32 };
        lexed.take(result.unwrap_or(TokenKind::Unknown), span, &text[span.start as usize..span.end as usize]);
    }
    let end = text.len() as u32;
    lexed.tokens.push(Lexeme { kind: TokenKind::End, start: end, end });
    if let (1.., Some(last)) = (lexed.more, lexed.diagnostics.last_mut()) {
        last.message = format!("and {} more errors like these", lexed.more + 1);
        last.primary.text.clear();
        if last.help.is_empty() {
            last.help.push("is this file a specification?".to_owned());
        }
    }
    lexed
}

impl Lexed {
    fn take(&mut self, kind: TokenKind, span: Span, text: &str) {
        let kind = match kind {
            TokenKind::Comment => {
                let text = text.trim_end();
                let end = span.start + text.len() as u32;
                return self.comments.push(Comment { text: text.to_owned(), span: Span { end, ..span } });
            }
            TokenKind::Enclosed => return self.enclosed(span),
            TokenKind::Unknown => return self.unknown(span, text),
            TokenKind::OpenText => self.unterminated(span, "string", "quote", TokenKind::Text),
            TokenKind::OpenQuoted => self.unterminated(span, "name", "backquote", TokenKind::Quoted),
            kind => kind,
        };
        self.tokens.push(Lexeme { kind, start: span.start, end: span.end });
    }

    /// A comment of another language is reported, and passed over.
    fn enclosed(&mut self, span: Span) {
        let place = Span { end: span.start + 2, ..span };
        let finding = Diagnostic::error(place, "`/*` does not start a comment");
        self.report(finding.help("comments start with `//` and end with the line"));
    }

    fn unterminated(&mut self, span: Span, what: &str, quote: &str, kind: TokenKind) -> TokenKind {
        let finding = Diagnostic::error(span, format!("unterminated {what}"));
        self.report(finding.label(format!("expected a closing {quote} on this line")));
        kind
    }

    /// Adjoining unknown characters make one token and one diagnostic.
    fn unknown(&mut self, span: Span, text: &str) {
        if let (Some(token), Some(finding)) = (self.tokens.last_mut(), self.diagnostics.last_mut())
            && token.kind == TokenKind::Unknown
            && token.end == span.start
        {
            token.end = span.end;
            if finding.primary.span.end == span.start {
                finding.primary.span.end = span.end;
            }
            return;
        }
        self.tokens.push(Lexeme { kind: TokenKind::Unknown, start: span.start, end: span.end });
        let first = text.chars().next().unwrap_or_default();
        let hidden = first.is_control() || first.is_whitespace();
        let shown = if hidden { first.escape_debug().to_string() } else { first.to_string() };
        let mut finding = Diagnostic::error(span, format!("unexpected character `{shown}`"));
        finding.help.extend(help_for(text).map(str::to_owned));
        self.report(finding);
    }

    fn report(&mut self, finding: Diagnostic) {
        match self.diagnostics.len() {
            0..=MANY => self.diagnostics.push(finding),
            _ => self.more += 1,
        }
    }
}

/// The help for an unknown character: what someone who wrote it probably meant.
fn help_for(text: &str) -> Option<&'static str> {
    match text.chars().next()? {
        '?' => Some("`if c { a } else { b }` is `a` if `c` is true, and `b` otherwise"),
        '\'' => Some("strings are written in double quotes: \"…\""),
        '#' => Some("comments start with `//` and end with the line"),
        '“' | '”' | '„' => Some("strings are written in plain double quotes: \"…\""),
        '≤' => Some("write `<=`"),
        '≥' => Some("write `>=`"),
        '≠' => Some("write `!=`"),
        '∈' => Some("write `in`"),
        '\u{a0}' => Some("this is a no-break space; use a plain space"),
        _ => None,
    }
}
