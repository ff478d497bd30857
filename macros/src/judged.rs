//! Calls that a specification judges: the closure of a function whose type has `spec = "file.may"`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr};

use crate::emit::{Bound, Described, Fresh, Models};
use crate::shape::{ListKind, Shape};

impl Models {
    /// The shape by which a value is lent: a call changes what is known about a judged value, even if it does not change the value.
    pub fn lent(&self, shape: &Shape) -> Shape {
        match shape {
            Shape::Shared(of) if self.is_judged(of) => Shape::Exclusive(of.clone()),
            shape => shape.clone(),
        }
    }

    /// Tests whether a shape is a value that is judged.
    fn is_judged(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::Leaf(ty) if self.spec.is_some() && self.of(ty).is_some())
    }

    /// Tests whether calls of a function are requests of a specification: it makes no value, and copies none.
    pub fn is_asked(&self, described: &Described) -> bool {
        let own = described.parameters.first().map(|(_, shape)| shape);
        let is_copy = matches!(own, Some(Shape::Shared(_))) && self.is_judged(&described.result);
        let is_new = !own.is_some_and(|shape| self.holds_model(shape)) && self.is_judged(&described.result);
        self.spec.is_some() && !is_copy && !is_new
    }

    /// Checks that a specification can judge a function.
    pub fn check_judged(&self, described: &Described) -> syn::Result<()> {
        if self.spec.is_none() {
            return Ok(());
        }
        let error = |what: &str| Err(Error::new(described.name.span(), what));
        let Described { parameters, result, name, .. } = described;
        let own = parameters.iter().filter(|(_, shape)| self.holds_model(shape)).count();
        let is_receiver = |shape: &Shape| match shape {
            Shape::Shared(of) | Shape::Exclusive(of) => self.is_judged(of),
            shape => self.is_judged(shape),
        };
        if own > 1 || parameters.iter().skip(1).any(|(_, shape)| self.holds_model(shape)) {
            return error("a specification judges one value: `#[skip]` functions that take two of them");
        }
        if own == 1 && !is_receiver(&parameters[0].1) {
            return error("a specification judges a value that is `self`, `&self` or `&mut self`");
        }
        if parameters.iter().any(|(_, shape)| matches!(shape, Shape::Callback(..))) {
            return error("a callback is no value of a specification: `#[skip]` the function");
        }
        let copies = matches!(parameters.first(), Some((_, Shape::Shared(_)))) && name != "clone";
        if self.holds_model(result) && (!self.is_judged(result) || copies) {
            return error(
                "of a judged value, a function returns `Self`, as `new`, `clone` and functions that take `self` do, or none",
            );
        }
        Ok(())
    }

    /// The closure of a function.
    pub fn judged(&self, described: &Described, spec: &LitStr) -> TokenStream {
        let Described { name, parameters, result, .. } = described;
        let mut fresh = Fresh::default();
        let (mut bindings, mut backs, mut real, mut asked, mut own) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), None);
        for (parameter, shape) in parameters {
            let Bound { statements, real: value, model } = self.argument(&self.lent(shape), &mut fresh);
            let position = fresh.name("position");
            bindings.push(quote!(let #position = __arguments.position(); #statements));
            if self.holds_model(shape) {
                let twin = fresh.name("model");
                let lent = matches!(shape, Shape::Shared(_));
                let value = if lent { quote!(&*#value) } else { value };
                bindings.push(quote!(let mut #twin = #model; #[allow(unused_mut)] let mut #parameter = #value;));
                own = Some((twin.clone(), self.is_judged(shape)));
                if self.is_judged(shape) {
                    backs.push(
                        quote!(__made.back(#position, ::mayhap::interface::Twin { real: #parameter, model: #twin });),
                    );
                }
            } else {
                bindings.push(quote!(#[allow(unused_mut)] let mut #parameter = #value;));
                let field = parameter.to_string();
                asked.push(quote!((#field, ::mayhap::interface::text_of(&#parameter))));
                if let Shape::Leaf(ty) = shape {
                    backs.push(quote!(__made.back::<#ty>(#position, #parameter);));
                }
            }
            real.push(quote!(#parameter));
        }
        let condition = described.refused(&backs);
        let called = described.called(&real);
        let (returned, count) = (fresh.name("returned"), asked.len());
        let request = variant(&name.to_string());
        let judged =
            |twin: TokenStream, answer: TokenStream| quote!(__made.judged(#twin, #request, &__asked, #answer)?;);
        let text = text(spec);
        let new = quote!(::mayhap::interface::JudgedValue::by(#text));
        let mut number = 0;
        let taken = match (&own, self.is_judged(result)) {
            (None, true) => self.result(result, quote!(#returned), Some(new), &mut number, &mut fresh),
            (Some((twin, true)), true) => {
                let judged = judged(quote!(&mut #twin), quote!(::mayhap::interface::text_of(&())));
                let taken = self.result(result, quote!(#returned), Some(quote!(#twin)), &mut number, &mut fresh);
                quote!(#judged #taken)
            }
            (Some((twin, false)), true) => {
                self.result(result, quote!(#returned), Some(quote!(#twin.clone())), &mut number, &mut fresh)
            }
            (own, false) => {
                let twin = match own {
                    Some((twin, true)) => quote!(&mut #twin),
                    Some((twin, false)) => quote!(#twin),
                    None => quote!(&mut #new),
                };
                let collected = matches!(result, Shape::List(_, ListKind::Iterator))
                    .then(|| quote!(let #returned: ::std::vec::Vec<_> = #returned.into_iter().collect();));
                let judged = judged(twin, quote!(::mayhap::interface::text_of(&#returned)));
                let taken = self.result(result, quote!(#returned), None, &mut number, &mut fresh);
                quote!(#collected #judged #taken)
            }
        };
        quote! {
            |__arguments, __made| {
                #[allow(unused_imports)]
                use ::mayhap::interface::{CopiedLent as _, UncopiedLent as _};
                #(#bindings)*
                #condition
                let __asked: [(&'static str, ::std::string::String); #count] = [#(#asked),*];
                let #returned = #called;
                #taken
                ::std::result::Result::Ok(true)
            }
        }
    }
}

/// The arm of a function, for calls from several threads: the name of the request, and the call.
pub fn arm(described: &Described) -> syn::Result<TokenStream> {
    let Described { name, parameters, .. } = described;
    let Some(((_, Shape::Shared(_)), parameters)) = parameters.split_first() else {
        return Err(Error::new(name.span(), "several threads call functions of `&self` only: `#[skip]` this one"));
    };
    let (request, count) = (variant(&name.to_string()), parameters.len());
    let mut bindings = Vec::new();
    let mut arguments = vec![quote!(__value)];
    for (at, (parameter, shape)) in parameters.iter().enumerate() {
        let (ty, lent) = match shape {
            Shape::Text => (quote!(::std::string::String), quote!(&)),
            Shape::Shared(of) => (owned(of, name)?, quote!(&)),
            shape => (owned(shape, name)?, quote!()),
        };
        let field = parameter.to_string();
        bindings.push(quote!(let #parameter: #ty = __call.argument(#at, #count, #field)?;));
        arguments.push(quote!(#lent #parameter));
    }
    let called = described.called(&arguments);
    Ok(quote!(#request => { #(#bindings)* ::std::option::Option::Some(::mayhap::interface::text_of(&#called)) }))
}

/// The type of a value of a shape.
fn owned(shape: &Shape, name: &syn::Ident) -> syn::Result<TokenStream> {
    Ok(match shape {
        Shape::Unit => quote!(()),
        Shape::Leaf(ty) | Shape::Struct(ty, _) => quote!(#ty),
        Shape::Text => quote!(::std::string::String),
        Shape::Option(of) => {
            let of = owned(of, name)?;
            quote!(::std::option::Option<#of>)
        }
        Shape::List(of, ListKind::Vec | ListKind::Iterator) => {
            let of = owned(of, name)?;
            quote!(::std::vec::Vec<#of>)
        }
        Shape::Tuple(of) => {
            let of = of.iter().map(|of| owned(of, name)).collect::<syn::Result<Vec<_>>>()?;
            quote!((#(#of,)*))
        }
        _ => {
            return Err(Error::new(
                name.span(),
                "several threads do not call a function with such a parameter: `#[skip]` it",
            ));
        }
    })
}

/// The text of a specification, whose file is named from the directory of the crate.
pub fn text(spec: &LitStr) -> TokenStream {
    quote!(::std::include_str!(::std::concat!(::std::env!("CARGO_MANIFEST_DIR"), "/", #spec)))
}

/// The name of a request: `InsertAll` for `insert_all`.
pub fn variant(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    name.split('_').filter_map(word).collect()
}
