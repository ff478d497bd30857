//! Statements and blocks.
//!
//! A block keeps the statements that it can parse: in `{ n := ; reply 0; }` the first one is reported, the second one kept.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Block, Expr, ExprKind, PlaceExpr, PlaceRoot, PlaceStep, Statement, StatementKind};
use crate::syntax::lexer::TokenKind;

use super::braces::{arm, clause};
use super::combine::ROUND;
use super::expressions::postfix;
use super::patterns::binder;
use super::report::recovery::{Level, sequence};
use super::{Mode, Parse, ParseResult, Parser};

impl Parse for Block {
    /// `block`
    fn parse(p: &mut Parser<'_>) -> ParseResult<Block> {
        let open = p.expect(TokenKind::LBrace, "`{`")?;
        p.in_mode(Mode::Free, |p| {
            let failed = |p: &mut Parser<'_>, start| Some(p.node(start, StatementKind::Error));
            let statements = sequence(p, Level::Statement, Some(open), failed);
            Ok(Block { statements, span: p.since(open.start) })
        })
    }
}

impl Parse for Statement {
    fn parse(p: &mut Parser<'_>) -> ParseResult<Statement> {
        p.spanned(statement)
    }
}

fn statement(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    match p.peek() {
        TokenKind::Let => {
            Ok(StatementKind::Let { pattern: p.then()?, ty: p.after(TokenKind::Colon)?, value: initial(p)? })
        }
        TokenKind::Var => {
            let name = p.named("the name of a variable")?;
            Ok(StatementKind::Var { name, ty: p.after(TokenKind::Colon)?, value: initial(p)? })
        }
        TokenKind::If => if_statement(p),
        TokenKind::Match => match_statement(p),
        TokenKind::For => {
            p.advance();
            let binder = binder(p)?;
            p.expect(TokenKind::In, "`in`")?;
            Ok(StatementKind::For { binder, over: p.head()?, body: p.parse()? })
        }
        TokenKind::While => {
            p.advance();
            Ok(StatementKind::While { condition: p.head()?, body: p.parse()? })
        }
        TokenKind::Either => either(p),
        TokenKind::Assume => one_expr(p, StatementKind::Assume),
        TokenKind::Expects => one_expr(p, StatementKind::Expects),
        TokenKind::Reply => {
            let answer = p.then()?;
            if p.eat_word("then").is_some() {
                return Ok(StatementKind::ReplyThen { answer, then: p.parse()? });
            }
            p.semicolon()?;
            Ok(StatementKind::Reply(answer))
        }
        TokenKind::Close => one_expr(p, StatementKind::Close),
        TokenKind::Send => {
            let to = p.then()?;
            p.expect(TokenKind::Comma, "`,` and the message")?;
            Ok(StatementKind::Send { to, message: p.ended()? })
        }
        TokenKind::Yield => bare(p, StatementKind::Yield),
        TokenKind::Return => return_statement(p),
        TokenKind::Call => right_side(p).map(StatementKind::PeerCall),
        TokenKind::Name | TokenKind::Quoted | TokenKind::Cell => assignment_or_call(p),
        _ => p.fail("a statement"),
    }
}

fn one_expr(p: &mut Parser<'_>, make: fn(Expr) -> StatementKind) -> ParseResult<StatementKind> {
    p.advance();
    p.ended().map(make)
}

fn bare(p: &mut Parser<'_>, kind: StatementKind) -> ParseResult<StatementKind> {
    p.advance();
    p.semicolon()?;
    Ok(kind)
}

/// Tests whether this token may begin a value; otherwise it begins the next statement.
fn begins_expression(kind: TokenKind) -> bool {
    use TokenKind::{Assume, Close, End, Expects, For, Let, RBrace, Reply, Return, Semi, Send, Var, While, Yield};
    !matches!(
        kind,
        Semi | RBrace | End | Let | Var | For | While | Assume | Expects | Reply | Send | Yield | Close | Return
    )
}

fn return_statement(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    p.advance();
    if begins_expression(p.peek()) {
        return Ok(StatementKind::Return(Some(p.ended()?)));
    }
    p.semicolon()?;
    Ok(StatementKind::Return(None))
}

/// `"=" rhs ";"`
fn initial(p: &mut Parser<'_>) -> ParseResult<Expr> {
    if p.at(TokenKind::Assign) {
        let finding = Diagnostic::error(p.here(), "expected `=`, found `:=`");
        p.diagnostics.push(finding.help("`=` declares, `:=` assigns"));
        p.advance();
    } else {
        p.expect(TokenKind::Equals, "`=`")?;
    }
    right_side(p)
}

/// `rhs ";"`
fn right_side(p: &mut Parser<'_>) -> ParseResult<Expr> {
    if !p.at(TokenKind::Call) {
        return p.ended();
    }
    let call = p.spanned(peer_call)?;
    p.semicolon()?;
    Ok(call)
}

/// `call`
fn peer_call(p: &mut Parser<'_>) -> ParseResult<ExprKind> {
    p.advance();
    if p.eat(TokenKind::All).is_some() {
        return peer_calls(p, None);
    }
    if p.eat(TokenKind::Any).is_some() {
        let least = p.parse()?;
        if p.eat_word("of").is_none() {
            const ANY: &str = "say how many answers to wait for: `call any 1 of p(k) for k in ks, …`";
            return p.fail_with(p.unexpected("`of`").help(ANY));
        }
        return peer_calls(p, Some(least));
    }
    if p.at(TokenKind::Int) {
        let help = "to wait for n answers, write `call any n of p(k) for k in ks, …`";
        return p.fail_with(p.unexpected("the name of a peer, `all` or `any`").help(help));
    }
    let peer = p.name("the name of a peer, `all` or `any`")?;
    let args = if p.at(TokenKind::LParen) { p.bracketed(ROUND)? } else { Vec::new() };
    if p.at(TokenKind::For) || p.at_name() {
        return p.fail_with(p.unexpected("`,` and the request").help(SEVERAL));
    }
    p.expect(TokenKind::Comma, "`,` and the request")?;
    Ok(ExprKind::PeerCall { peer, args, message: p.parse()? })
}

/// The help for a call of several peers in a wrong form.
const SEVERAL: &str = "to call several at once, write `call all p(k) for k in ks, …`";

/// `call`, after `all` or `of`
fn peer_calls(p: &mut Parser<'_>, least: Option<Box<Expr>>) -> ParseResult<ExprKind> {
    let (peer, args) = (p.name("the name of a peer")?, p.bracketed(ROUND)?);
    if !p.at(TokenKind::For) {
        return p.fail_with(p.unexpected("`for`").help(SEVERAL));
    }
    let mut clauses = Vec::new();
    while let Some(clause) = clause(p)? {
        clauses.push(clause);
    }
    p.expect(TokenKind::Comma, "`for`, `if`, or `,` and the request")?;
    Ok(ExprKind::PeerCalls { least, peer, args, clauses, message: p.parse()? })
}

/// `if`
fn if_statement(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    p.advance();
    let condition = p.head()?;
    let then = p.parse()?;
    let otherwise = match p.eat(TokenKind::Else) {
        Some(_) if p.at(TokenKind::If) => Some(else_if(p)?),
        Some(_) => Some(p.parse()?),
        None => None,
    };
    Ok(StatementKind::If { condition, then, otherwise })
}

/// `else if`, as a block with one `if`
fn else_if(p: &mut Parser<'_>) -> ParseResult<Block> {
    let only = p.nested(Statement::parse)?;
    let span = only.span;
    Ok(Block { statements: vec![only], span })
}

fn match_statement(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    p.advance();
    let subject = p.head()?;
    let open = p.expect(TokenKind::LBrace, "`{`")?;
    let mut arms = Vec::new();
    while !p.at(TokenKind::RBrace) {
        if p.at(TokenKind::End) {
            return p.close(TokenKind::RBrace, open, "a pattern or `}`").and_then(|_| p.fail("`}`"));
        }
        arms.push(p.in_mode(Mode::Free, |p| arm(p, arm_block))?);
        p.eat(TokenKind::Comma);
    }
    p.advance();
    Ok(StatementKind::Match { subject, arms })
}

fn arm_block(p: &mut Parser<'_>) -> ParseResult<Block> {
    if !p.at(TokenKind::LBrace) {
        return p.fail_with(p.unexpected("`{`").help("in a statement each arm is a block: `P => { … }`"));
    }
    p.parse()
}

fn either(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    let mut blocks = vec![p.then()?];
    if !p.at(TokenKind::Or) {
        return p.fail("`or` and another block");
    }
    while p.at(TokenKind::Or) {
        blocks.push(p.then()?);
    }
    Ok(StatementKind::Either(blocks))
}

/// Parses a statement that begins with a name or a cell: `place := rhs;` or `p(..);`
fn assignment_or_call(p: &mut Parser<'_>) -> ParseResult<StatementKind> {
    let left = postfix(p)?;
    if p.at(TokenKind::Equals) {
        let finding = p.unexpected("`:=`").help("`:=` assigns; `=` is for declarations");
        p.diagnostics.push(finding);
        p.advance();
        return assign(p, left);
    }
    if p.eat(TokenKind::Assign).is_some() {
        return assign(p, left);
    }
    if let ExprKind::Call { name, args } = left.kind {
        p.semicolon()?;
        return Ok(StatementKind::ProcCall { name, args });
    }
    if p.at(TokenKind::RBrace) {
        let help = "a block has no value: a handler answers with `reply e;`, a procedure returns `return e;`";
        return p.fail_with(p.unexpected("`:=`").help(help));
    }
    p.expect(TokenKind::Semi, "`:=`")?;
    p.diagnostics.push(dropped(&left));
    Ok(StatementKind::Error)
}

fn assign(p: &mut Parser<'_>, left: Expr) -> ParseResult<StatementKind> {
    let span = left.span;
    let value = right_side(p)?;
    if let Some(place) = place_of(left) {
        return Ok(StatementKind::Assign { place, value });
    }
    let finding = Diagnostic::error(span, "this cannot be assigned to");
    p.diagnostics.push(finding.label("expected a variable, then `.field` or `[key]`"));
    Ok(StatementKind::Error)
}

fn dropped(value: &Expr) -> Diagnostic {
    if let ExprKind::Name(name) = &value.kind
        && matches!(name.text.as_str(), "break" | "continue")
    {
        let finding = Diagnostic::error(value.span, format!("there is no `{}`", name.text));
        return finding
            .label("expected a statement")
            .help("put the condition that ends the loop in its head: `while c { … }`");
    }
    let finding = Diagnostic::error(value.span, "the value of this expression is not used");
    finding.label("this changes nothing").help("only `:=` changes anything, as in `m := m.remove(k);` and `m[k] := v;`")
}

/// The place that an expression denotes, if it has the form of one. (The loop needs no recursion: the expression nests to its left.)
fn place_of(left: Expr) -> Option<PlaceExpr> {
    let span = left.span;
    let mut path = Vec::new();
    let mut rest = left;
    let root = loop {
        match rest.kind {
            ExprKind::Name(name) => break PlaceRoot::Name(name),
            ExprKind::Cell(number) if path.is_empty() => break PlaceRoot::Cell(number, rest.span),
            ExprKind::Field(base, name) => {
                path.push(PlaceStep::Field(name));
                rest = *base;
            }
            ExprKind::Index(base, index) => {
                path.push(PlaceStep::Index(*index));
                rest = *base;
            }
            _ => return None,
        }
    };
    path.reverse();
    Some(PlaceExpr { root, path, span })
}
