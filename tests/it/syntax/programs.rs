//! Random programs: derivations of the grammar, as lists of tokens, drawn by a list of numbers.
//!
//! An expression that reaches as far right as it can (`either …`) stands only where nothing can follow it, else in
//! parentheses. When the numbers are used up every choice is the first, so programs shrink with their numbers.

mod expressions;

/// What may stand at an expression's end.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// A bracket, comma or semicolon follows: anything.
    Closed,
    /// Something else follows.
    Open,
    /// A block follows: no records either.
    Head,
}

/// Draws programs.
pub struct Programs {
    numbers: Vec<u16>,
    at: usize,
    depth: u32,
    tokens: Vec<String>,
}

const NAMES: [&str; 12] =
    ["x", "n", "type", "from", "key", "on", "open", "step", "`content-type`", "`if`", "list", "Ünïcode_9"];
const VARIANTS: [&str; 5] = ["None", "Some", "Ok", "NotFound", "`V 1`"];
const TYPES: [&str; 6] = ["int", "bool", "string", "Tag", "client", "`map`"];

/// The tokens of a program.
pub fn program(numbers: Vec<u16>) -> Vec<String> {
    let mut programs = Programs { numbers, at: 0, depth: 0, tokens: Vec::new() };
    for _ in 0..=programs.draw(4) {
        programs.item();
    }
    programs.tokens
}

impl Programs {
    fn draw(&mut self, below: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number as usize % below
    }

    /// One of `count` alternatives, of which only the first `leaves` do not nest.
    fn alternative(&mut self, count: usize, leaves: usize) -> usize {
        if self.depth > 12 || self.at >= self.numbers.len() { self.draw(leaves) } else { self.draw(count) }
    }

    fn put(&mut self, tokens: &str) {
        self.tokens.extend(tokens.split(' ').map(str::to_owned));
    }

    fn name(&mut self) {
        let name = NAMES[self.draw(NAMES.len())];
        self.tokens.push(name.to_owned());
    }

    fn variant_name(&mut self) {
        let name = VARIANTS[self.draw(VARIANTS.len())];
        self.tokens.push(name.to_owned());
    }

    /// `list(element)`, at least so many.
    fn list(&mut self, least: usize, mut element: impl FnMut(&mut Self)) {
        let count = least + self.alternative(4, 1);
        for index in 0..count {
            element(self);
            if index + 1 < count || self.draw(4) == 1 {
                self.put(",");
            }
        }
    }

    fn nested(&mut self, production: impl FnOnce(&mut Self)) {
        self.depth += 1;
        production(self);
        self.depth -= 1;
    }

    fn item(&mut self) {
        match self.draw(10) {
            0 => self.put("use other ;"),
            1 => {
                self.put("const N :");
                self.ty();
                self.put("=");
                self.expr(End::Closed);
                self.put(";");
            }
            2 => {
                self.put("type T =");
                self.ty();
                self.put(";");
            }
            3 => self.put("token Id ;"),
            4 => {
                self.put("struct");
                self.name();
                self.fields();
            }
            5 => {
                self.put("enum E {");
                self.list(0, Self::variant);
                self.put("}");
            }
            6 => {
                let word = ["fn", "def"][self.draw(2)];
                self.put(word);
                self.name();
                self.params();
                self.put(":");
                self.ty();
                self.put("=");
                self.expr(End::Closed);
                self.put(";");
            }
            7 => {
                self.put("machine m");
                self.block();
            }
            _ => {
                let words = ["protocol p {", "serial protocol p {"][self.draw(2)];
                self.put(words);
                for _ in 0..self.draw(6) {
                    self.member();
                }
                self.put("}");
            }
        }
    }

    fn fields(&mut self) {
        self.put("{");
        let count = self.draw(3);
        for _ in 0..count {
            self.field();
            self.put(",");
        }
        if self.draw(3) == 1 {
            self.put("..");
        }
        self.put("}");
    }

    fn field(&mut self) {
        self.name();
        self.put(":");
        self.ty();
    }

    fn params(&mut self) {
        self.put("(");
        self.list(0, Self::field);
        self.put(")");
    }

    fn variant(&mut self) {
        self.variant_name();
        match self.draw(3) {
            0 => {}
            1 => {
                self.put("(");
                self.list(0, Self::ty);
                self.put(")");
            }
            _ => self.fields(),
        }
    }

    fn ty(&mut self) {
        self.nested(|p| match p.alternative(6, 2) {
            0 | 1 => {
                let name = TYPES[p.draw(TYPES.len())];
                p.tokens.push(name.to_owned());
            }
            2 | 3 => {
                let word = ["option <", "list <", "set <"][p.draw(3)];
                p.put(word);
                p.ty();
                p.put(">");
            }
            4 => {
                p.put("map <");
                p.ty();
                p.put(",");
                p.ty();
                p.put(">");
            }
            _ => {
                p.put("(");
                p.list(2, Self::ty);
                p.put(")");
            }
        });
    }

    fn member(&mut self) {
        match self.draw(8) {
            0 => {
                let word = ["request", "response"][self.draw(2)];
                self.put(word);
                self.ty();
                self.put(";");
            }
            1 => {
                self.put("var");
                self.field();
                self.put("=");
                self.expr(End::Closed);
                self.put(";");
            }
            2 => {
                self.put("proc");
                self.name();
                self.params();
                self.block();
            }
            3 => {
                self.put("step");
                self.block();
            }
            4 => {
                self.put("peer");
                self.name();
                self.put("(");
                self.field();
                self.put(") :");
                self.ty();
                self.put("->");
                self.ty();
                self.put(";");
            }
            _ => self.handler(),
        }
    }

    fn handler(&mut self) {
        self.put("on");
        match self.draw(6) {
            0 => self.put("open"),
            1 => self.put("close"),
            _ => self.pattern(End::Closed),
        }
        if self.draw(4) == 1 {
            self.put("from c");
        }
        if self.draw(4) == 1 {
            self.put("if");
            self.expr(End::Head);
        }
        self.block();
    }

    fn block(&mut self) {
        self.put("{");
        self.nested(|p| {
            for _ in 0..p.alternative(4, 1) {
                p.statement();
            }
        });
        self.put("}");
    }

    fn statement(&mut self) {
        match self.alternative(17, 9) {
            0 => self.put("return ;"),
            1 => self.put("yield ;"),
            2 | 3 => {
                let word = ["reply", "assume", "expects", "close"][self.draw(4)];
                self.put(word);
                self.expr(End::Closed);
                self.put(";");
            }
            4 => {
                self.name();
                self.put("(");
                self.list(0, |p| p.expr(End::Closed));
                self.put(") ;");
            }
            5 => {
                self.put("send c ,");
                self.expr(End::Closed);
                self.put(";");
            }
            6 | 7 => self.assignment(),
            8 => {
                self.put("let");
                self.pattern(End::Closed);
                self.right_side();
            }
            9 => {
                self.put("var");
                self.name();
                self.right_side();
            }
            10 | 11 => self.if_statement(),
            12 => self.match_statement(),
            13 => {
                self.put("for");
                self.binder();
                self.put("in");
                self.expr(End::Head);
                self.block();
            }
            14 => {
                self.put("while");
                self.expr(End::Head);
                self.block();
            }
            _ => {
                self.put("either");
                self.block();
                for _ in 0..=self.draw(2) {
                    self.put("or");
                    self.block();
                }
            }
        }
    }

    fn assignment(&mut self) {
        if self.draw(4) == 1 {
            self.put("!12");
        } else {
            self.name();
            for _ in 0..self.draw(3) {
                if self.draw(2) == 0 {
                    self.put(".");
                    self.name();
                } else {
                    self.put("[");
                    self.expr(End::Closed);
                    self.put("]");
                }
            }
        }
        self.put(":=");
        self.rhs();
    }

    fn right_side(&mut self) {
        if self.draw(2) == 1 {
            self.put(":");
            self.ty();
        }
        self.put("=");
        self.rhs();
    }

    fn rhs(&mut self) {
        if self.draw(6) == 1 {
            self.put("call origin (");
            self.list(0, |p| p.expr(End::Closed));
            self.put(") ,");
        }
        self.expr(End::Closed);
        self.put(";");
    }

    fn if_statement(&mut self) {
        self.put("if");
        self.expr(End::Head);
        self.block();
        match self.draw(3) {
            0 => {}
            1 => {
                self.put("else");
                self.block();
            }
            _ => {
                self.put("else");
                self.nested(Self::if_statement);
            }
        }
    }

    fn match_statement(&mut self) {
        self.put("match");
        self.expr(End::Head);
        self.put("{");
        for _ in 0..self.draw(4) {
            self.arm_head();
            self.block();
            if self.draw(3) == 1 {
                self.put(",");
            }
        }
        self.put("}");
    }

    fn arm_head(&mut self) {
        self.pattern(End::Closed);
        if self.draw(4) == 1 {
            self.put("if");
            self.expr(End::Open);
        }
        self.put("=>");
    }

    fn binder(&mut self) {
        self.nested(|p| {
            if p.alternative(3, 2) < 2 {
                return p.name();
            }
            p.put("(");
            p.list(1, Self::binder);
            p.put(")");
        });
    }

    fn pattern(&mut self, end: End) {
        self.nested(|p| {
            p.one(end);
            while p.alternative(5, 1) == 1 {
                p.put("|");
                p.one(end);
            }
        });
    }

    fn one(&mut self, end: End) {
        match self.alternative(14, 8) {
            0 | 1 => self.name(),
            2 => self.put("_"),
            3 => self.put("17"),
            4 => self.put("- 5"),
            5 => {
                let word = ["true", "false"][self.draw(2)];
                self.put(word);
            }
            6 => self.text(),
            7 => self.variant_name(),
            8 => {
                self.put("Enum .");
                self.name();
            }
            9 => {
                self.variant_name();
                self.put("(");
                self.list(0, |p| p.pattern(End::Closed));
                self.put(")");
            }
            10 if end == End::Closed => {
                self.variant_name();
                self.put("{");
                self.list(1, |p| {
                    p.name();
                    if p.draw(2) == 1 {
                        p.put(":");
                        p.pattern(End::Closed);
                    }
                });
                self.put("}");
            }
            11 => {
                self.put("(");
                self.list(1, |p| p.pattern(End::Closed));
                self.put(")");
            }
            _ => {
                self.put("[");
                for _ in 0..self.draw(3) {
                    self.pattern(End::Closed);
                    self.put(",");
                }
                let rest = [".. ]", ".. rest ]", "]"][self.draw(3)];
                self.put(rest);
            }
        }
    }
}
