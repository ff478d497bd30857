//! Instrumentation of a specification: each branch adds its number to a hidden variable, so that the state shows the branches a request
//! took.
//!
//! ```text
//! on Get { key } { if key in data { reply data[key]; } … }
//! on Get { key } { taken := {0}; if key in data { taken := taken + {1}; reply data[key]; } else { taken := taken + {2}; } … }
//! ```
//!
//! In a machine the variable is a cell, and the numbers are powers of two. A trail is a list of numbers, or in a machine their digits. A `reply if c { a } else { b };` has two branches, too.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Span;
use crate::scalar::Int;
use crate::spec::{Code, Spec};
use crate::syntax::ast::{
    Arm, BinaryOp, Block, Expr, ExprKind, ItemKind, Member, MemberKind, Name, NodeId, PlaceExpr, PlaceRoot, Spanned,
    Statement, StatementKind, Trigger, TypeExpr, TypeKind,
};

/// The name of the variable; only a name in backquotes can have a blank, so a clash is unlikely.
const VARIABLE: &str = "branches taken";
/// The cell of a machine that notes branches; its number is so large that a clash is unlikely.
const CELL: u32 = 1 << 20;
/// The digits of a trail in a cell are below this number.
pub(super) const DIGIT: i64 = 1 << 16;

/// The kinds of branches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BranchKind {
    /// A handler.
    Handler,
    /// The body of an `if`.
    If,
    /// The other side of an `if`, whether it is written or not.
    Else,
    /// An arm of a `match`.
    Arm,
    /// An alternative of an `either`.
    Either,
    /// The body of a `for` or `while`.
    Loop,
}

/// The place of a branch.
pub(super) struct BranchSpans {
    pub kind: BranchKind,
    /// The handler's head, the condition or the pattern.
    pub head: Span,
    /// The head and the body.
    pub whole: Span,
}

/// A specification that notes its branches.
pub(super) struct InstrumentedSpec {
    pub spec: Arc<Spec>,
    /// The branches, by number.
    pub branches: Vec<BranchSpans>,
    /// The slot of the variable with the numbers of the branches that the last request took.
    pub slot: usize,
    /// The nodes of the statement that notes each branch.
    pub marks: Vec<Range<u32>>,
}

/// The branches that the variable has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NotedBranches {
    /// Those of the last request.
    LastRequest,
    /// All of a run.
    Run,
    /// None, but the `reply` that gave the last answer, numbered in the order of the text.
    Reply,
    /// Those of the last request, in their order, each as often as it was taken.
    Trail,
}

/// The instrumented specification; none if instrumenting is not possible.
pub(super) fn instrumented(spec: &Spec, noted: NotedBranches) -> Option<InstrumentedSpec> {
    instrumented_as(spec, noted, Code::default())
}

/// The instrumented specification, compiled to code of this form; none if instrumenting is not possible.
pub(super) fn instrumented_as(spec: &Spec, noted: NotedBranches, code: Code) -> Option<InstrumentedSpec> {
    let mut trees = spec.trees().clone();
    let first = if noted == NotedBranches::Run { BranchMark::Further } else { BranchMark::First };
    let mut marks = Marking {
        next: trees.next,
        branches: Vec::new(),
        marks: Vec::new(),
        replies: (noted == NotedBranches::Reply).then_some(0),
        noting: Noting { of: noted, is_cell: false },
        first,
    };
    for item in trees.files.iter_mut().flat_map(|file| &mut file.items) {
        match &mut item.kind {
            ItemKind::Protocol { name, members, .. } if name.text == spec.program.name => {
                marks.protocol(members, name.span)
            }
            ItemKind::Machine { name, body } if name.text == spec.program.name => {
                marks.noting.is_cell = true;
                marks.branch(BranchKind::Handler, name.span, body, first);
            }
            _ => {}
        }
    }
    trees.next = marks.next;
    let noting = spec.of_other_trees_as(trees, code).ok()?;
    let noting = if noted == NotedBranches::Run { noting.for_networks() } else { noting };
    let cell = format!("!{CELL}");
    let slot = noting.program.slots.iter().position(|slot| slot.name == VARIABLE || slot.name == cell)?;
    Some(InstrumentedSpec { spec: noting, branches: marks.branches, slot, marks: marks.marks })
}

/// The way in which branches are noted: in a cell, or in a variable.
#[derive(Clone, Copy)]
struct Noting {
    of: NotedBranches,
    is_cell: bool,
}

/// The effect of a mark: the first one of a request may set the variable, others add to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BranchMark {
    First,
    Further,
}

struct Marking {
    next: NodeId,
    branches: Vec<BranchSpans>,
    /// The nodes of the statement that notes each branch.
    marks: Vec<Range<u32>>,
    /// The number of replies, if these are marked instead of branches.
    replies: Option<usize>,
    noting: Noting,
    /// The mark of a handler.
    first: BranchMark,
}

impl Marking {
    fn protocol(&mut self, members: &mut Vec<Member>, span: Span) {
        for member in members.iter_mut() {
            match &mut member.kind {
                MemberKind::On { trigger: Trigger::Request(_), body, .. } => {
                    let head = Span { end: body.span.start, ..member.span };
                    self.branch(BranchKind::Handler, head, body, self.first);
                }
                MemberKind::On { trigger: Trigger::Open(_) | Trigger::Close(_), body, .. } => {
                    let head = Span { end: body.span.start, ..member.span };
                    self.branch(BranchKind::Handler, head, body, BranchMark::Further);
                }
                MemberKind::Proc { body, .. } => self.block(body),
                MemberKind::On { .. } | MemberKind::Step(_) | MemberKind::Request(_) | MemberKind::Response(_) => {}
                MemberKind::Var { .. } | MemberKind::Peer { .. } | MemberKind::Http(_) | MemberKind::Generate(_) => {}
            }
        }
        let int = self.name("int", span);
        let int: TypeExpr = self.node(TypeKind::Name(int), span);
        let (ty, value) = match self.noting.of {
            NotedBranches::Trail => (TypeKind::List(Box::new(int)), ExprKind::List(Vec::new())),
            NotedBranches::LastRequest | NotedBranches::Run | NotedBranches::Reply => {
                (TypeKind::Set(Box::new(int)), ExprKind::EmptyBraces)
            }
        };
        let (ty, value) = (self.node(ty, span), self.node(value, span));
        let name = self.name(VARIABLE, span);
        let variable = self.node(MemberKind::Var { name, ty, value }, span);
        members.push(variable);
    }

    fn id(&mut self) -> NodeId {
        let id = self.next;
        self.next = NodeId(id.0 + 1);
        id
    }

    fn node<Kind>(&mut self, kind: Kind, span: Span) -> Spanned<Kind> {
        Spanned { kind, span, id: self.id() }
    }

    fn name(&mut self, text: &str, span: Span) -> Name {
        Name { text: text.to_owned(), span, id: self.id() }
    }

    /// Marks a block as a branch.
    fn branch(&mut self, kind: BranchKind, span: Span, block: &mut Block, mark: BranchMark) {
        if self.replies.is_some() {
            return self.block(block);
        }
        let number = self.branches.len();
        let whole = Span { end: span.end.max(block.span.end), ..span };
        self.branches.push(BranchSpans { kind, head: span, whole });
        let from = self.next.0;
        let noted = self.noted(number, mark, span);
        self.marks.push(from..self.next.0);
        self.block(block);
        block.statements.insert(0, noted);
    }

    /// The statement that marks a branch.
    fn noted(&mut self, number: usize, mark: BranchMark, span: Span) -> Statement {
        let is_trail = self.noting.of == NotedBranches::Trail;
        let (root, before, own) = if self.noting.is_cell {
            let own = match is_trail {
                true => Int::small(number as i64 + 1),
                false => (0..number).fold(Int::ONE, |bit, _| bit.add(&bit)),
            };
            (PlaceRoot::Cell(CELL, span), ExprKind::Cell(CELL), self.node(ExprKind::Int(own), span))
        } else {
            let number: Expr = self.node(ExprKind::Int(Int::small(number as i64)), span);
            let own = if is_trail { ExprKind::List(vec![number]) } else { ExprKind::Set(vec![number]) };
            let before = ExprKind::Name(self.name(VARIABLE, span));
            (PlaceRoot::Name(self.name(VARIABLE, span)), before, self.node(own, span))
        };
        let value = match mark {
            BranchMark::First => own,
            BranchMark::Further => {
                let before = self.node(before, span);
                let before = if is_trail && self.noting.is_cell { self.shifted(before, span) } else { before };
                self.node(ExprKind::Binary(BinaryOp::Add, Box::new(before), Box::new(own)), span)
            }
        };
        let place = PlaceExpr { root, path: Vec::new(), span };
        self.node(StatementKind::Assign { place, value }, span)
    }

    /// A trail in a cell with room for one more digit.
    fn shifted(&mut self, trail: Expr, span: Span) -> Expr {
        let digit = self.node(ExprKind::Int(Int::small(DIGIT)), span);
        self.node(ExprKind::Binary(BinaryOp::Mul, Box::new(trail), Box::new(digit)), span)
    }

    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.statements.len() {
            let statement = &mut block.statements[at];
            self.statement(statement);
            let replies = matches!(statement.kind, StatementKind::Reply(_) | StatementKind::ReplyThen { .. });
            if let Some(number) = self.replies.filter(|_| replies) {
                self.replies = Some(number + 1);
                let noted = self.noted(number, BranchMark::First, statement.span);
                block.statements.insert(at, noted);
                at += 1;
            }
            at += 1;
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        let span = statement.span;
        if let StatementKind::Reply(answer) = &mut statement.kind {
            if let Some(branching) = self.branching(answer) {
                statement.kind = branching;
            } else {
                return;
            }
        }
        match &mut statement.kind {
            StatementKind::If { condition, then, otherwise } => {
                self.branch(BranchKind::If, condition.span, then, BranchMark::Further);
                let other_span = otherwise.as_ref().map_or(condition.span, |block| block.span);
                let block = otherwise.get_or_insert_with(|| Block { statements: Vec::new(), span: other_span });
                self.branch(BranchKind::Else, other_span, block, BranchMark::Further);
            }
            StatementKind::Match { arms, .. } => {
                for arm in arms {
                    self.branch(BranchKind::Arm, arm.pattern.span, &mut arm.body, BranchMark::Further);
                }
            }
            StatementKind::Either(blocks) => {
                for block in blocks {
                    self.branch(BranchKind::Either, block.span, block, BranchMark::Further);
                }
            }
            StatementKind::For { body, .. } | StatementKind::While { body, .. } => {
                self.branch(BranchKind::Loop, span, body, BranchMark::Further);
            }
            StatementKind::Let { .. } | StatementKind::Var { .. } | StatementKind::Assign { .. } => {}
            StatementKind::ProcCall { .. } | StatementKind::PeerCall(_) | StatementKind::Assume(_) => {}
            StatementKind::Expects(_) | StatementKind::Reply(_) | StatementKind::Close(_) => {}
            StatementKind::ReplyThen { then, .. } => self.block(then),
            StatementKind::Send { .. } | StatementKind::Yield | StatementKind::Return(_) | StatementKind::Error => {}
        }
    }

    /// The `if` or `match` statement for an answer with branches.
    fn branching(&mut self, answer: &Expr) -> Option<StatementKind> {
        match &answer.kind {
            ExprKind::Paren(inner) => self.branching(inner),
            ExprKind::If { condition, then, otherwise } => Some(StatementKind::If {
                condition: (**condition).clone(),
                then: self.replying(then),
                otherwise: Some(self.replying(otherwise)),
            }),
            ExprKind::Match { subject, arms } => {
                let arms = arms.iter().map(|arm| Arm {
                    pattern: arm.pattern.clone(),
                    guard: arm.guard.clone(),
                    body: self.replying(&arm.body),
                    span: arm.span,
                });
                Some(StatementKind::Match { subject: (**subject).clone(), arms: arms.collect() })
            }
            _ => None,
        }
    }

    fn replying(&mut self, answer: &Expr) -> Block {
        let reply = self.node(StatementKind::Reply(answer.clone()), answer.span);
        Block { statements: vec![reply], span: answer.span }
    }
}
