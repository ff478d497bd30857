//! What stands in parentheses after the attribute: `#[interface(model = BTreeSet<u8>, T = u8)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitStr, Token, Type};

/// The options of an interface.
#[derive(Clone, Default)]
pub struct Options {
    /// The foreign type whose interface a trait describes.
    pub of: Option<Type>,
    /// The type that each function is compared with.
    pub model: Option<Type>,
    /// The file of a specification.
    pub spec: Option<LitStr>,
    /// The number of threads that call a value at once.
    pub concurrent: Option<syn::LitInt>,
    /// The instances of generic parameters.
    pub instances: Vec<(Ident, TokenStream)>,
}

impl Parse for Options {
    fn parse(input: ParseStream) -> syn::Result<Options> {
        let mut options = Options::default();
        let mut names = std::collections::BTreeSet::new();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            _ = input.parse::<Token![=]>()?;
            if !names.insert(name.to_string()) {
                return Err(Error::new(name.span(), format!("`{name}` is given twice")));
            }
            match name.to_string().as_str() {
                "of" => options.of = Some(input.parse()?),
                "model" => options.model = Some(input.parse()?),
                "spec" => options.spec = Some(input.parse()?),
                "concurrent" => options.concurrent = Some(input.parse()?),
                text if text.starts_with(|first: char| first.is_uppercase()) => {
                    options.instances.push((name, instance(input)?));
                }
                _ => {
                    let known = "expected `of = Type`, `model = Type`, `spec = \"file.may\"`, `concurrent = 3`, or an instance such as `T = u8`";
                    return Err(Error::new(name.span(), known));
                }
            }
            if !input.is_empty() {
                _ = input.parse::<Token![,]>()?;
            }
        }
        if let (Some(threads), None) = (&options.concurrent, &options.spec) {
            return Err(Error::new(
                threads.span(),
                "calls from several threads are judged by a specification: write `spec = \"file.may\"`, too",
            ));
        }
        if let (Some(spec), Some(_)) = (&options.spec, &options.model) {
            return Err(Error::new(spec.span(), "an interface has a model or a specification, not both"));
        }
        Ok(options)
    }
}

/// A type, or the value of a constant.
fn instance(input: ParseStream) -> syn::Result<TokenStream> {
    if input.peek(syn::Lit) {
        return Ok(quote::ToTokens::to_token_stream(&input.parse::<syn::Lit>()?));
    }
    Ok(quote::ToTokens::to_token_stream(&input.parse::<Type>()?))
}
