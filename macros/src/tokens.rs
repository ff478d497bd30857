//! Replacing names in tokens: `Self`, `self`, and type parameters by their instances.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::Ident;

/// Names with what stands for them.
#[derive(Clone, Default)]
pub struct Names(pub Vec<(String, TokenStream)>);

impl Names {
    /// Adds a name.
    #[must_use]
    pub fn with(mut self, name: &str, tokens: TokenStream) -> Names {
        self.0.push((name.to_owned(), tokens));
        self
    }

    /// The tokens with all names replaced, also inside of parentheses.
    pub fn replaced(&self, tokens: TokenStream) -> TokenStream {
        let mut made = TokenStream::new();
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.replaced(group.stream()));
                    inner.set_span(group.span());
                    made.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(ident) => match self.of(&ident) {
                    Some(tokens) => made.extend(tokens),
                    None => made.extend([TokenTree::Ident(ident)]),
                },
                other => made.extend([other]),
            }
        }
        made
    }

    fn of(&self, ident: &Ident) -> Option<TokenStream> {
        self.0.iter().find(|(name, _)| ident == name).map(|(_, tokens)| tokens.clone())
    }
}
