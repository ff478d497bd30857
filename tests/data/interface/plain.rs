//! A type of which a law does not hold after it has passed through results of all shapes.
#[derive(Clone)]
pub struct Token<T>(pub u32, pub T);

impl Token<u8> {
    pub fn start() -> Token<u8> {
        Token(0, 0)
    }

    pub fn optional(self) -> Option<Token<u8>> {
        Some(Token(self.0 | 1, 0))
    }

    pub fn checked(&self) -> Result<Token<u8>, String> {
        if self.1 == 0 { Ok(Token(self.0 | 2, 0)) } else { Err("no".to_owned()) }
    }

    pub fn listed(&self) -> Vec<(char, Token<u8>)> {
        vec![('a', Token(0, 1)), ('b', Token(self.0 | 4, 0))]
    }

    pub fn paired(self, x: i8) -> (i8, Option<Token<u8>>) {
        if x < 0 { (x, Some(Token(self.0 | 8, 0))) } else { (x, None) }
    }

    pub fn lent(&mut self) -> &Token<u8> {
        self.0 |= 16;
        self
    }

    pub fn asked(&mut self, f: impl Fn(u8) -> bool) {
        if f(3) != f(4) {
            self.0 |= 32;
        }
    }

    pub fn labelled(&mut self, text: &str, name: String) {
        if text == "ab" && name == "ba" {
            self.0 |= 64;
        }
    }

    pub fn joined(self, others: Vec<Token<u8>>) -> Token<u8> {
        if others.is_empty() { self } else { Token(self.0 | 128, 0) }
    }

    pub fn sliced(&mut self, numbers: &[i8]) {
        if numbers.len() > 1 {
            self.0 |= 256;
        }
    }

    pub fn holds(&self) -> bool {
        self.0 != 511
    }
}
