//! Replacing names in tokens: `Self`, `self`, and type parameters by their instances.

use proc_macro2::{Group, Spacing, TokenStream, TokenTree};
use quote::quote;
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
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.replaced(group.stream()));
                    inner.set_span(group.span());
                    made.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(ident) => match self.of(&ident) {
                    // `Set<u8>::new` is no path, and `<Set<u8>>::new` is.
                    Some(ty) if is_path(tokens.peek()) && ty.to_string().contains('<') => made.extend(quote!(<#ty>)),
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

/// Tests whether a path goes on.
fn is_path(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Punct(punct)) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}
