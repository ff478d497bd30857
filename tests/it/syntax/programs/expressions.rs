//! Random expressions.

use super::{End, Programs};

impl Programs {
    pub(super) fn text(&mut self) {
        let text = [r#""""#, r#""aé\n\u00e9""#, r#""\x00\xff""#, r#""a//b""#, r#""\ud83d\ude00日本""#][self.draw(5)];
        self.tokens.push(text.to_owned());
    }

    /// `expr`
    pub(super) fn expr(&mut self, end: End) {
        self.nested(|p| {
            let wider = if end == End::Closed { p.alternative(5, 1) } else { 0 };
            match wider {
                1 => p.far(),
                _ => p.level(0, end),
            }
        });
    }

    /// Operators of this level or tighter ones.
    fn level(&mut self, level: usize, end: End) {
        const OPERATORS: [&[&str]; 6] =
            [&["||"], &["&&"], &["==", "!=", "<", "<=", ">", ">=", "in", "is"], &[".."], &["+", "-"], &["*", "/", "%"]];
        if level == OPERATORS.len() {
            return self.unary(end);
        }
        let chains = level != 2 && level != 3;
        let inner = if end == End::Closed { End::Open } else { end };
        let mut operands = self.alternative(6, 4) / 4;
        if chains && operands == 1 {
            operands += self.draw(3);
        }
        self.level(level + 1, if operands == 0 { end } else { inner });
        for _ in 0..operands {
            let operator = OPERATORS[level][self.draw(OPERATORS[level].len())];
            self.put(operator);
            if operator == "is" { self.pattern(inner) } else { self.level(level + 1, inner) }
        }
    }

    fn unary(&mut self, end: End) {
        match self.alternative(8, 6) {
            6 => {
                self.put("!");
                self.nested(|p| p.unary(end));
            }
            7 => {
                self.put("-");
                self.nested(|p| p.unary(end));
            }
            _ => self.postfix(end),
        }
    }

    fn postfix(&mut self, end: End) {
        self.atom(end);
        while self.alternative(4, 2) >= 2 {
            if self.draw(3) == 0 {
                self.put("[");
                self.expr(End::Closed);
                self.put("]");
                continue;
            }
            self.put(".");
            self.name();
            if self.draw(2) == 1 {
                self.put("(");
                self.list(0, |p| p.expr(End::Closed));
                self.put(")");
            }
        }
    }

    /// What reaches as far right as it can.
    fn far(&mut self) {
        match self.draw(7) {
            0 => self.put("choose"),
            1 => {
                self.put("choose");
                self.ty();
            }
            2 => {
                self.put("choose x :");
                self.ty();
                self.put("where");
                self.expr(End::Closed);
            }
            3 => {
                self.put("pick");
                self.level(4, End::Open);
            }
            4 => {
                self.put("pick x in");
                self.expr(End::Open);
                self.put("where");
                self.expr(End::Closed);
            }
            5 => {
                self.put("either");
                self.expr(End::Open);
                self.put("or");
                self.expr(End::Closed);
            }
            _ => {
                let word = ["any", "all"][self.draw(2)];
                self.put(word);
                self.binder();
                self.put("in");
                self.expr(End::Open);
                self.put(":");
                self.expr(End::Closed);
            }
        }
    }

    fn atom(&mut self, end: End) {
        match self.alternative(22, 6) {
            0 | 1 => self.name(),
            2 => {
                let number = ["0", "7", "123456789012345678901234567890"][self.draw(3)];
                self.put(number);
            }
            3 => self.text(),
            4 => {
                let word = ["true", "false", "!3"][self.draw(3)];
                self.put(word);
            }
            5 => self.variant_name(),
            6 | 7 => {
                self.name();
                self.put("(");
                self.list(0, |p| p.expr(End::Closed));
                self.put(")");
            }
            8 if end != End::Head => self.record(),
            9 => self.wrapped("(", 2, ")"),
            10 => self.wrapped("[", 0, "]"),
            11 => self.wrapped("{", 1, "}"),
            12 => self.put("{ }"),
            13 => {
                self.put("{");
                self.list(1, |p| {
                    p.level(4, End::Open);
                    p.put(":");
                    p.expr(End::Closed);
                });
                self.put("}");
            }
            14 => {
                self.put("{");
                self.expr(End::Open);
                self.put("with");
                self.list(0, Self::init);
                self.put("}");
            }
            15 => self.comprehension(),
            16 => self.let_in(),
            17 | 18 => self.if_expr(),
            19 => {
                self.put("match");
                self.expr(End::Head);
                self.put("{");
                self.list(0, |p| {
                    p.arm_head();
                    p.expr(End::Closed);
                });
                self.put("}");
            }
            _ => {
                self.put("(");
                self.expr(End::Closed);
                self.put(")");
            }
        }
    }

    fn wrapped(&mut self, open: &str, least: usize, close: &str) {
        self.put(open);
        self.list(least, |p| p.expr(End::Closed));
        self.put(close);
    }

    fn record(&mut self) {
        if self.draw(3) == 1 {
            self.put("Enum .");
        }
        self.variant_name();
        self.put("{");
        for _ in 0..self.draw(3) {
            self.init();
            self.put(",");
        }
        let end = ["}", "..choose }"][self.draw(2)];
        self.put(end);
    }

    fn init(&mut self) {
        self.name();
        if self.draw(2) == 1 {
            self.put(":");
            self.expr(End::Closed);
        }
    }

    fn comprehension(&mut self) {
        let (open, close) = [("[", "]"), ("{", "}"), ("{ key :", "}")][self.draw(3)];
        self.put(open);
        self.expr(End::Open);
        self.put("for");
        self.binder();
        self.put("in");
        self.expr(End::Open);
        for _ in 0..self.draw(3) {
            self.put("if");
            self.expr(End::Open);
        }
        self.put(close);
    }

    fn let_in(&mut self) {
        self.put("{");
        for _ in 0..=self.draw(2) {
            self.put("let");
            self.pattern(End::Closed);
            self.put("=");
            self.expr(End::Closed);
            self.put(";");
        }
        self.expr(End::Closed);
        self.put("}");
    }

    fn if_expr(&mut self) {
        self.put("if");
        self.expr(End::Head);
        self.branch();
        self.put("else");
        if self.alternative(3, 2) == 2 { self.nested(Self::if_expr) } else { self.branch() }
    }

    fn branch(&mut self) {
        if self.draw(4) == 1 {
            return self.let_in();
        }
        self.put("{");
        self.expr(End::Closed);
        self.put("}");
    }
}
