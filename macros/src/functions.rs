//! The functions of an interface: the public ones of an `impl` block or a module, or those of a trait that describes a foreign type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Fields, FnArg, Ident, ImplItem, Item, ItemImpl, ItemMod, ItemTrait, Pat, ReturnType, Signature,
    TraitItem, Type, Visibility, parse_quote,
};

use crate::emit::{Described, Models};
use crate::judged;
use crate::options::Options;
use crate::shape::{ListKind, Shape, Structs, shape};
use crate::tokens::Names;

/// The attributes of functions that belong to the description.
const OURS: [&str; 6] = ["law", "requires", "model", "list", "skip", "instance"];

/// The item with the description of its interface.
pub fn described(options: Options, item: Item) -> syn::Result<TokenStream> {
    match item {
        Item::Impl(block) => of_impl(options, block),
        Item::Trait(of) => of_trait(options, of),
        Item::Mod(module) => of_module(options, module),
        other => Err(Error::new(
            other.span(),
            "an interface is an `impl` block, a module, or a trait that describes a foreign type (`of = Type`)",
        )),
    }
}

/// An item without the attributes of a description; nothing if it is a trait that describes a foreign type.
pub fn plain(item: TokenStream) -> TokenStream {
    let Ok(mut item) = syn::parse2::<Item>(item) else { return TokenStream::new() };
    match &mut item {
        Item::Impl(block) => plain_block(block),
        Item::Mod(module) => module.content.iter_mut().for_each(|(_, items)| plain_items(items)),
        Item::Trait(_) => return TokenStream::new(),
        _ => {}
    }
    item.to_token_stream()
}

fn plain_items(items: &mut [Item]) {
    for item in items {
        match item {
            Item::Impl(block) => plain_block(block),
            Item::Fn(function) => strip(&mut function.attrs),
            _ => {}
        }
    }
}

fn plain_block(block: &mut ItemImpl) {
    block.attrs.retain(|attribute| !attribute.path().is_ident("model"));
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            strip(&mut function.attrs);
        }
    }
}

/// A function as it is written.
struct WrittenFunction<'f> {
    signature: &'f Signature,
    attributes: &'f [Attribute],
    /// The type of `self`.
    of: Option<&'f Type>,
    /// The names that stand for types.
    names: &'f Names,
    /// Its path, as an expression and as text.
    path: TokenStream,
    shown: String,
    /// True if it is called as a method.
    is_method: bool,
    /// True if it may be a method of a type that its own dereferences to.
    is_deref: bool,
}

/// The parts of a description.
struct Describing {
    models: Models,
    structs: Vec<(String, Vec<(Ident, Type)>)>,
    statements: Vec<TokenStream>,
    /// The requests of functions that a specification judges.
    requests: Vec<String>,
    /// The arms of functions for calls from several threads, and the function that makes values.
    concurrent: Option<Concurrent>,
}

/// The parts of a concurrent interface.
struct Concurrent {
    threads: syn::LitInt,
    spec: syn::LitStr,
    of: Type,
    make: Option<TokenStream>,
    arms: Vec<TokenStream>,
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "").replace(',', ", ")
}

/// The text of a path in which types have arguments: `Set::<u8>::new`.
fn path(ty: &Type, name: &Ident) -> String {
    format!("{}::{name}", text(ty).replacen('<', "::<", 1))
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

fn strip(attributes: &mut Vec<Attribute>) {
    attributes.retain(|attribute| !OURS.iter().any(|ours| attribute.path().is_ident(ours)));
}

fn instances(options: &Options) -> Names {
    options
        .instances
        .iter()
        .fold(Names::default(), |names, (name, tokens)| names.with(&name.to_string(), tokens.clone()))
}

/// Checks that each generic parameter has an instance.
fn check_generics(generics: &syn::Generics, names: &Names, place: &str) -> syn::Result<()> {
    for parameter in &generics.params {
        let (name, span) = match parameter {
            syn::GenericParam::Type(of) => (of.ident.to_string(), of.ident.span()),
            syn::GenericParam::Const(of) => (of.ident.to_string(), of.ident.span()),
            syn::GenericParam::Lifetime(_) => continue,
        };
        if !names.0.iter().any(|(known, _)| *known == name) {
            let what =
                format!("`{name}` has no instance: write `{place}`, with the type that it stands for in the test");
            return Err(Error::new(span, what));
        }
    }
    Ok(())
}

/// The value of `#[requires(…)]` and similar attributes.
fn tokens(attribute: &Attribute) -> syn::Result<TokenStream> {
    attribute.meta.require_list().map(|list| list.tokens.clone())
}

impl Describing {
    fn new(models: Models) -> Describing {
        Describing { models, structs: Vec::new(), statements: Vec::new(), requests: Vec::new(), concurrent: None }
    }

    fn names<'f>(&self, written: &WrittenFunction<'f>) -> syn::Result<Names> {
        let mut names = written.names.clone();
        if let Some(of) = written.of {
            names = names.with("Self", of.to_token_stream());
        }
        if let Some(attribute) = find(written.attributes, "instance") {
            let given = Options::parse_instances.parse2(tokens(attribute)?)?;
            for (name, instance) in given {
                names = names.with(&name.to_string(), instance);
            }
        }
        check_generics(&written.signature.generics, &names, "#[instance(T = u8)]")?;
        Ok(names)
    }

    fn function(&mut self, written: &WrittenFunction<'_>) -> syn::Result<()> {
        let WrittenFunction { signature, attributes, of, .. } = written;
        if find(attributes, "skip").is_some() {
            return Ok(());
        }
        if let Some(asynchronous) = signature.asyncness {
            return Err(Error::new(
                asynchronous.span(),
                "an async function is not called; describe one that waits for it, or `#[skip]` it",
            ));
        }
        if let Some(unsafety) = signature.unsafety {
            return Err(Error::new(unsafety.span(), "an unsafe function is not called; `#[skip]` it"));
        }
        let names = self.names(written)?;
        if find(attributes, "law").is_some() {
            return self.law(written, &names);
        }
        let structs: &Structs = &self.structs;
        let mut parameters = Vec::new();
        for parameter in &signature.inputs {
            parameters.push(match parameter {
                FnArg::Receiver(receiver) => {
                    let of = of.ok_or_else(|| Error::new(receiver.span(), "`self` has no type here"))?;
                    let shape = Box::new(Shape::Leaf(of.clone()));
                    let shape = match (&receiver.reference, &receiver.mutability) {
                        (Some(_), Some(_)) => Shape::Exclusive(shape),
                        (Some(_), None) => Shape::Shared(shape),
                        (None, _) if receiver.colon_token.is_some() => {
                            return Err(Error::new(
                                receiver.span(),
                                "write `self`, `&self` or `&mut self`, or `#[skip]` the function",
                            ));
                        }
                        (None, _) => *shape,
                    };
                    (Ident::new("__self", receiver.self_token.span), shape)
                }
                FnArg::Typed(typed) => {
                    let ty: Type = syn::parse2(names.replaced(typed.ty.to_token_stream()))?;
                    let name = match &*typed.pat {
                        Pat::Ident(name) => name.ident.clone(),
                        Pat::Wild(wild) => Ident::new(&format!("__unnamed{}", parameters.len()), wild.span()),
                        other => return Err(Error::new(other.span(), "a parameter of an interface has a name")),
                    };
                    (name, shape(&ty, structs)?)
                }
            });
        }
        let result = self.returned(signature, attributes, &names)?;
        let condition = |name| find(attributes, name).map(tokens).transpose();
        let myself = names.clone().with("self", quote!(__self));
        let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("requires"));
        let conditions = conditions.map(|attribute| tokens(attribute).map(|condition| myself.replaced(condition)));
        let conditions = conditions.collect::<syn::Result<Vec<_>>>()?;
        let requires = (!conditions.is_empty()).then(|| quote!(#((#conditions))&&*));
        let model = condition("model")?.map(|model| names.replaced(model));
        let described = Described {
            name: signature.ident.clone(),
            path: written.path.clone(),
            shown: written.shown.clone(),
            is_method: written.is_method,
            is_deref: written.is_deref,
            of: written.of.cloned(),
            parameters,
            result,
            requires,
            model,
        };
        self.models.check_judged(&described)?;
        if self.models.is_asked(&described) {
            self.requests.push(judged::variant(&described.name.to_string()));
        }
        if let (Some(_), Some(condition)) = (&self.concurrent, find(attributes, "requires")) {
            let what = "several threads make the requests of the specification: write the condition as `expects` there";
            return Err(Error::new(condition.span(), what));
        }
        if let Some(concurrent) = &mut self.concurrent {
            if described.parameters.is_empty() && concurrent.make.is_none() {
                concurrent.make = Some(described.path.clone());
            } else {
                concurrent.arms.push(judged::arm(&described)?);
            }
        }
        let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
        let statement = self.models.function(&described);
        self.statements.push(quote!(#(#conditions)* { #statement }));
        Ok(())
    }

    fn returned(&self, signature: &Signature, attributes: &[Attribute], names: &Names) -> syn::Result<Shape> {
        if let Some(list) = find(attributes, "list") {
            let item: Type = syn::parse2(names.replaced(tokens(list)?))?;
            return Ok(Shape::List(Box::new(shape(&item, &self.structs)?), ListKind::Iterator));
        }
        match &signature.output {
            ReturnType::Default => Ok(Shape::Unit),
            ReturnType::Type(_, ty) => {
                Ok(shape(&syn::parse2(names.replaced(ty.to_token_stream()))?, &self.structs)?.returned())
            }
        }
    }

    fn law(&mut self, written: &WrittenFunction<'_>, names: &Names) -> syn::Result<()> {
        if let Some(condition) = find(written.attributes, "requires") {
            return Err(Error::new(condition.span(), "a law holds of every value: write the condition into the law"));
        }
        let WrittenFunction { signature, path, shown, of, .. } = written;
        let of: Type = match (of, signature.inputs.first()) {
            (Some(of), Some(FnArg::Receiver(_))) => (*of).clone(),
            (_, Some(FnArg::Typed(typed))) => {
                let ty: Type = syn::parse2(names.replaced(typed.ty.to_token_stream()))?;
                match ty {
                    Type::Reference(lent) => *lent.elem,
                    other => return Err(Error::new(other.span(), "a law takes its value by `&`")),
                }
            }
            _ => return Err(Error::new(signature.span(), "a law takes a value, such as `&self`")),
        };
        let takes_model = signature.inputs.len() == 2;
        let has_model = self.models.held(&of).to_string() != quote!(#of).to_string();
        if signature.inputs.len() > 2 || takes_model && !has_model {
            return Err(Error::new(signature.inputs.span(), "a law takes a value, and its model if it has one"));
        }
        let (held, name, ty) = (self.models.held(&of), signature.ident.to_string(), text(&of));
        let arguments = match (has_model, takes_model) {
            (true, true) => quote!(&__value.real, &__value.model),
            (true, false) => quote!(&__value.real),
            (false, _) => quote!(__value),
        };
        self.statements.push(quote! {
            __description.law::<#of>(#ty, #name, #shown, #takes_model, |__value| {
                let __value = __value.downcast_ref::<#held>().expect("a value of its pool");
                ::mayhap::interface::Holds::complaint(#path(#arguments))
            });
        });
        Ok(())
    }

    /// The implementation for a type that names the interface.
    fn implementation(&self, of: &TokenStream, name: &str) -> TokenStream {
        let statements = &self.statements;
        let concurrent = self.concurrent.as_ref().map(Concurrent::function);
        let specification = self.models.spec.as_ref().map(|spec| {
            let (requests, text) = (&self.requests, judged::text(spec));
            quote!(::mayhap::interface::JudgedValue::check(#text, #spec, &[#(#requests),*]);)
        });
        quote! {
            impl ::mayhap::interface::Interface for #of {
                const NAME: &'static str = #name;
                const MODULE: &'static str = ::std::module_path!();

                #[allow(warnings, clippy::all, clippy::pedantic)]
                fn describe(__description: &mut ::mayhap::interface::Description) {
                    #specification
                    #(#statements)*
                }

                #concurrent
            }
        }
    }
}

impl Concurrent {
    fn of(options: &Options, of: &Type) -> Option<Concurrent> {
        let (threads, spec) = (options.concurrent.clone()?, options.spec.clone()?);
        Some(Concurrent { threads, spec, of: of.clone(), make: None, arms: Vec::new() })
    }

    /// The function that calls values from several threads.
    fn function(&self) -> TokenStream {
        let Concurrent { threads, spec, of, make, arms } = self;
        let text = judged::text(spec);
        let Some(make) = make else {
            let what = "several threads call a value that a function without parameters makes, such as `new()`";
            return Error::new(threads.span(), what).into_compile_error();
        };
        quote! {
            fn concurrent(
                __check: ::mayhap::interface::ConcurrentCheck,
            ) -> ::std::option::Option<::mayhap::report::campaign::CampaignReport> {
                let ask: ::mayhap::interface::AskValue<#of> = |__value, __call| match __call.name() {
                    #(#arms)*
                    other => ::std::panic!("no function has the request `{other}`"),
                };
                ::std::option::Option::Some(__check.run(#text, #threads, || #make(), ask))
            }
        }
    }
}

impl Options {
    fn parse_instances(input: syn::parse::ParseStream) -> syn::Result<Vec<(Ident, TokenStream)>> {
        <Options as syn::parse::Parse>::parse(input).map(|options| options.instances)
    }
}

/// The models of one type.
fn models(options: &Options, of: &Type) -> Models {
    let judged = options.spec.as_ref().map(|_| parse_quote!(::mayhap::interface::JudgedValue));
    let model = options.model.clone().or(judged);
    Models { of: model.into_iter().map(|model| (text_of(of), model)).collect(), spec: options.spec.clone() }
}

fn text_of(ty: &Type) -> String {
    quote!(#ty).to_string()
}

fn of_impl(options: Options, mut block: ItemImpl) -> syn::Result<TokenStream> {
    if let Some((_, of, _)) = &block.trait_ {
        return Err(Error::new(
            of.span(),
            "the interface of a type is its own `impl` block; describe trait methods in a trait with `of = Type`",
        ));
    }
    let names = instances(&options);
    check_generics(&block.generics, &names, "#[interface(T = u8)]")?;
    let of: Type = syn::parse2(names.replaced(block.self_ty.to_token_stream()))?;
    let mut describing = Describing::new(models(&options, &of));
    describing.concurrent = Concurrent::of(&options, &of);
    functions_of(&mut describing, &block, &of, &names)?;
    plain_block(&mut block);
    let implementation = describing.implementation(&of.to_token_stream(), &text(&of));
    Ok(quote!(#block #implementation))
}

/// Describes the public functions of a block, and its laws.
fn functions_of(describing: &mut Describing, block: &ItemImpl, of: &Type, names: &Names) -> syn::Result<()> {
    let mut errors: Option<Error> = None;
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        if !matches!(function.vis, Visibility::Public(_)) && find(&function.attrs, "law").is_none() {
            continue;
        }
        let name = &function.sig.ident;
        let written = WrittenFunction {
            signature: &function.sig,
            attributes: &function.attrs,
            of: Some(of),
            names,
            path: quote!(<#of>::#name),
            shown: path(of, name),
            is_method: matches!(function.sig.inputs.first(), Some(FnArg::Receiver(_))),
            is_deref: false,
        };
        if let Err(error) = describing.function(&written) {
            errors = Some(joined(errors, error));
        }
    }
    errors.map_or(Ok(()), Err)
}

fn joined(errors: Option<Error>, error: Error) -> Error {
    match errors {
        Some(mut errors) => {
            errors.combine(error);
            errors
        }
        None => error,
    }
}

fn of_trait(options: Options, of: ItemTrait) -> syn::Result<TokenStream> {
    let written: Option<Type> =
        options.of.as_ref().map(|of| syn::parse2(instances(&options).replaced(of.to_token_stream()))).transpose()?;
    let Some(ty) = written else {
        return Err(Error::new(
            of.ident.span(),
            "write `#[interface(of = Type)]`, with the type whose interface this is",
        ));
    };
    let names = instances(&options).with("Self", ty.to_token_stream());
    let mut describing = Describing::new(models(&options, &ty));
    describing.concurrent = Concurrent::of(&options, &ty);
    let (marker, visibility) = (&of.ident, &of.vis);
    let mut wrappers = Vec::new();
    let mut errors: Option<Error> = None;
    for item in &of.items {
        let TraitItem::Fn(function) = item else {
            return Err(Error::new(item.span(), "a description has functions only"));
        };
        let name = &function.sig.ident;
        let is_method = matches!(function.sig.inputs.first(), Some(FnArg::Receiver(_)));
        let mut written = WrittenFunction {
            signature: &function.sig,
            attributes: &function.attrs,
            of: Some(&ty),
            names: &names,
            path: quote!(<#ty>::#name),
            shown: path(&ty, name),
            is_method,
            is_deref: is_method,
        };
        if let Some(body) = &function.default {
            let inner = names.clone().with("self", quote!(__self));
            let mut signature = function.sig.clone();
            if let Some(FnArg::Receiver(receiver)) = signature.inputs.first() {
                let lent = receiver.reference.as_ref().map(|(lent, _)| lent);
                let mutable = receiver.reference.as_ref().and(receiver.mutability);
                signature.inputs[0] = parse_quote!(__self: #lent #mutable #ty);
            }
            let signature = inner.replaced(signature.to_token_stream());
            let body = inner.replaced(body.to_token_stream());
            wrappers.push(quote!(pub #signature #body));
            written.path = quote!(#marker::#name);
            written.shown = format!("{marker}::{name}");
            (written.is_method, written.is_deref) = (false, false);
        }
        if let Err(error) = describing.function(&written) {
            errors = Some(joined(errors, error));
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    let implementation = describing.implementation(&marker.to_token_stream(), &marker.to_string());
    let attributes = &of.attrs;
    Ok(quote! {
        #(#attributes)*
        #visibility enum #marker {}

        #[allow(dead_code, missing_docs, clippy::all, clippy::pedantic)]
        impl #marker { #(#wrappers)* }

        #implementation
    })
}

fn of_module(options: Options, mut module: ItemMod) -> syn::Result<TokenStream> {
    let name = module.ident.to_string();
    let Some((_, items)) = &mut module.content else {
        return Err(Error::new(module.ident.span(), "an interface is a module that is written here"));
    };
    if let Some(spec) = &options.spec {
        return Err(Error::new(
            spec.span(),
            "a specification judges the values of one type: write it on its `impl` block",
        ));
    }
    if let Some(model) = &options.model {
        return Err(Error::new(
            model.span(),
            "in a module each type has its own model: `#[model(Type)]` on its `impl` block",
        ));
    }
    let names = instances(&options);
    let mut of = Vec::new();
    for item in items.iter_mut() {
        if let Item::Impl(block) = item
            && let Some(at) = block.attrs.iter().position(|attribute| attribute.path().is_ident("model"))
        {
            let model: Type = block.attrs.remove(at).parse_args()?;
            let own: Type = syn::parse2(names.replaced(block.self_ty.to_token_stream()))?;
            let model: Type = syn::parse2(names.replaced(model.to_token_stream()))?;
            of.push((text_of(&own), model));
        }
    }
    let mut describing = Describing::new(Models { of, spec: None });
    let has_functions = |name: &str| {
        let of = |item: &Item| matches!(item, Item::Impl(block) if block.trait_.is_none() && last_of(&block.self_ty) == name);
        items.iter().any(of)
    };
    describing.structs = items.iter().filter_map(public_struct).filter(|(name, _)| !has_functions(name)).collect();
    let mut errors: Option<Error> = None;
    for item in items.iter() {
        let described = match item {
            Item::Impl(block) if block.trait_.is_none() => {
                check_generics(&block.generics, &names, "#[interface(T = u8)]").and_then(|()| {
                    let of: Type = syn::parse2(names.replaced(block.self_ty.to_token_stream()))?;
                    functions_of(&mut describing, block, &of, &names)
                })
            }
            Item::Fn(function)
                if matches!(function.vis, Visibility::Public(_)) || find(&function.attrs, "law").is_some() =>
            {
                let name = &function.sig.ident;
                describing.function(&WrittenFunction {
                    signature: &function.sig,
                    attributes: &function.attrs,
                    of: None,
                    names: &names,
                    path: quote!(self::#name),
                    shown: name.to_string(),
                    is_method: false,
                    is_deref: false,
                })
            }
            _ => Ok(()),
        };
        if let Err(error) = described {
            errors = Some(joined(errors, error));
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    plain_items(items);
    let implementation = describing.implementation(&quote!(Interface), &name);
    let marker: Item = parse_quote! {
        /// The interface of this module.
        pub enum Interface {}
    };
    items.push(marker);
    items.push(Item::Verbatim(implementation));
    Ok(module.to_token_stream())
}

/// The last name of the path of a type.
fn last_of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map_or(String::new(), |last| last.ident.to_string()),
        _ => String::new(),
    }
}

/// A struct whose fields are all public.
fn public_struct(item: &Item) -> Option<(String, Vec<(Ident, Type)>)> {
    let Item::Struct(of) = item else { return None };
    let Fields::Named(fields) = &of.fields else { return None };
    let is_public = fields.named.iter().all(|field| matches!(field.vis, Visibility::Public(_)));
    let field = |field: &syn::Field| Some((field.ident.clone()?, field.ty.clone()));
    let fields: Vec<(Ident, Type)> = fields.named.iter().filter_map(field).collect();
    (is_public && !fields.is_empty()).then(|| (of.ident.to_string(), fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a description.
    fn error(options: TokenStream, item: Item) -> String {
        let options = syn::parse2(options).unwrap();
        described(options, item).unwrap_err().to_string()
    }

    fn of(function: TokenStream) -> String {
        error(quote!(), parse_quote!(impl Set { pub #function }))
    }

    #[test]
    fn what_cannot_be_called_is_an_error_that_says_what_to_write() {
        for (function, said) in [
            (
                quote!(
                    fn at(&self) -> *const u8 {
                        todo!()
                    }
                ),
                "no pool can hold a value of type `* const u8`: describe a function",
            ),
            (
                quote!(
                    fn iter(&self) -> Iter<'_, u8> {
                        todo!()
                    }
                ),
                "`#[list(ITEM)]` on the function collects it",
            ),
            (
                quote!(
                    async fn get(&self) -> u8 {
                        todo!()
                    }
                ),
                "an async function is not called",
            ),
            (
                quote!(
                    unsafe fn get(&self) -> u8 {
                        todo!()
                    }
                ),
                "an unsafe function is not called",
            ),
            (
                quote!(
                    fn map<F: Fn(u8)>(&self, f: F) {
                        todo!()
                    }
                ),
                "`F` has no instance: write `#[instance(T = u8)]`",
            ),
            (
                quote!(
                    fn pair(&self, (a, b): (u8, u8)) {
                        todo!()
                    }
                ),
                "a parameter of an interface has a name",
            ),
            (
                quote!(
                    fn kept(self: Rc<Self>) {
                        todo!()
                    }
                ),
                "write `self`, `&self` or `&mut self`",
            ),
            (
                quote!(
                    fn show(&self, out: &mut dyn Write) {
                        todo!()
                    }
                ),
                "no pool can hold a value of type `dyn Write`",
            ),
            (
                quote!(
                    fn all(&mut self, of: &mut [u8]) {
                        todo!()
                    }
                ),
                "take `&mut Vec<…>`",
            ),
        ] {
            let error = of(function);
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn interfaces_that_are_none_are_errors() {
        let generic: Item = parse_quote!(
            impl<T> Set<T> {
                pub fn new() -> Self {
                    todo!()
                }
            }
        );
        assert!(error(quote!(), generic).contains("`T` has no instance: write `#[interface(T = u8)]`"));
        assert!(
            error(
                quote!(),
                parse_quote!(
                    struct Set;
                )
            )
            .contains("an interface is an `impl` block, a module, or a trait")
        );
        assert!(
            error(
                quote!(),
                parse_quote!(
                    trait Sets {}
                )
            )
            .contains("write `#[interface(of = Type)]`")
        );
        assert!(error(quote!(), parse_quote!(impl Clone for Set {})).contains("its own `impl` block"));
        assert!(
            error(
                quote!(),
                parse_quote!(
                    mod sets;
                )
            )
            .contains("a module that is written here")
        );
        let law: Item = parse_quote!(impl Set { #[law] fn holds() -> bool { true } });
        assert!(error(quote!(), law).contains("a law takes a value, such as `&self`"));
        let options = |tokens: TokenStream| syn::parse2::<Options>(tokens).err().unwrap().to_string();
        assert!(options(quote!(modell = Vec<u8>)).contains("expected `of = Type`, `model = Type`"));
        assert!(options(quote!(model = Vec<u8>, spec = "a.may")).contains("a model or a specification, not both"));
    }

    #[test]
    fn a_specification_judges_one_value() {
        for (function, said) in [
            (
                quote!(
                    fn union(&self, other: &Set) -> bool {
                        todo!()
                    }
                ),
                "functions that take two of them",
            ),
            (
                quote!(
                    fn split(self) -> (Set, Set) {
                        todo!()
                    }
                ),
                "returns `Self`, as `new`, `clone`",
            ),
            (
                quote!(
                    fn keep(&mut self, f: impl Fn(u8) -> bool) {
                        todo!()
                    }
                ),
                "a callback is no value",
            ),
        ] {
            let error = error(quote!(spec = "a.may"), parse_quote!(impl Set { pub #function }));
            assert!(error.contains(said), "{error}");
        }
    }
}
