//! The shape of a type: how values of it are put together from values of pools, and taken apart.
//!
//! ```text
//! Option<(u8, Tree)>     an option of a pair of two leaves: a number, and a tree
//! &[u8]                  a list of numbers, lent
//! impl Fn(&u8) -> bool   a callback
//! ```

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    AngleBracketedGenericArguments, Error, GenericArgument, PathArguments, ReturnType, Type, TypeImplTrait,
    TypeParamBound,
};

/// The shape of a type.
#[derive(Clone)]
pub enum Shape {
    Unit,
    /// A value of a pool.
    Leaf(Type),
    Shared(Box<Shape>),
    Exclusive(Box<Shape>),
    /// `&str`.
    Text,
    Option(Box<Shape>),
    Result(Box<Shape>, Box<Shape>),
    Tuple(Vec<Shape>),
    /// A `Vec`, or an iterator.
    List(Box<Shape>, ListKind),
    Struct(Type, Vec<(syn::Ident, Shape)>),
    Callback(Vec<Type>, Box<Type>),
}

/// The form of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    Vec,
    Slice,
    Iterator,
}

/// Structs whose fields are public: they are taken apart.
pub type Structs = [(String, Vec<(syn::Ident, Type)>)];

/// The shape of a type.
pub fn shape(ty: &Type, structs: &Structs) -> syn::Result<Shape> {
    let boxed = |ty: &Type| shape(ty, structs).map(Box::new);
    match ty {
        Type::Paren(inner) => shape(&inner.elem, structs),
        Type::Group(inner) => shape(&inner.elem, structs),
        Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Shape::Unit),
        Type::Tuple(tuple) => {
            tuple.elems.iter().map(|ty| shape(ty, structs)).collect::<syn::Result<_>>().map(Shape::Tuple)
        }
        Type::Reference(lent) => match &*lent.elem {
            Type::Path(path) if path.path.is_ident("str") => Ok(Shape::Text),
            Type::Slice(slice) if lent.mutability.is_none() => Ok(Shape::List(boxed(&slice.elem)?, ListKind::Slice)),
            Type::Slice(_) => Err(unheld(ty, "take `&mut Vec<…>`")),
            inner if lent.mutability.is_some() => match shape(inner, structs)? {
                Shape::Leaf(leaf) => Ok(Shape::Exclusive(Box::new(Shape::Leaf(leaf)))),
                _ => Err(unheld(ty, "describe a function with a body that takes it by value, and returns it")),
            },
            inner => Ok(Shape::Shared(boxed(inner)?)),
        },
        Type::Path(path) => of_path(ty, path, structs),
        Type::Array(_) => Ok(Shape::Leaf(ty.clone())),
        Type::ImplTrait(bounds) => of_impl(ty, bounds, structs),
        _ => Err(unheld(ty, "describe a function with a body that takes other types, and calls this one")),
    }
}

fn unheld(ty: &Type, what: &str) -> Error {
    let text = ty.to_token_stream().to_string();
    Error::new(ty.span(), format!("no pool can hold a value of type `{text}`: {what}"))
}

fn of_path(ty: &Type, path: &syn::TypePath, structs: &Structs) -> syn::Result<Shape> {
    let last = path.path.segments.last().expect("a path has a segment");
    let arguments: Vec<&Type> = match &last.arguments {
        PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) => {
            if let Some(lifetime) = args.iter().find(|argument| matches!(argument, GenericArgument::Lifetime(_))) {
                let what = "this value borrows from its source, which it would outlive in a pool; if it is an iterator, `#[list(ITEM)]` \
                            on the function collects it, with the type of its items, such as `#[list(&u8)]`";
                return Err(Error::new(lifetime.span(), what));
            }
            args.iter()
                .filter_map(|argument| if let GenericArgument::Type(ty) = argument { Some(ty) } else { None })
                .collect()
        }
        _ => Vec::new(),
    };
    let name = last.ident.to_string();
    let has_one = match &last.arguments {
        PathArguments::AngleBracketed(of) => of.args.len() == 1,
        _ => false,
    };
    match (&*name, &*arguments) {
        ("Option", [inner]) => Ok(Shape::Option(Box::new(shape(inner, structs)?))),
        ("Result", [value, error]) => {
            Ok(Shape::Result(Box::new(shape(value, structs)?), Box::new(shape(error, structs)?)))
        }
        ("Vec", [inner]) if has_one => Ok(Shape::List(Box::new(shape(inner, structs)?), ListKind::Vec)),
        _ => match structs.iter().find(|(known, _)| *known == name) {
            Some((_, fields)) => {
                // A struct that holds itself is taken apart once.
                let inner: Vec<_> = structs.iter().filter(|(known, _)| *known != name).cloned().collect();
                let field = |(name, ty): &(syn::Ident, Type)| Ok((name.clone(), shape(ty, &inner)?));
                Ok(Shape::Struct(ty.clone(), fields.iter().map(field).collect::<syn::Result<_>>()?))
            }
            None => Ok(Shape::Leaf(ty.clone())),
        },
    }
}

fn of_impl(ty: &Type, bounds: &TypeImplTrait, structs: &Structs) -> syn::Result<Shape> {
    let traits =
        bounds.bounds.iter().filter_map(|bound| if let TypeParamBound::Trait(of) = bound { Some(of) } else { None });
    for of in traits {
        let last = of.path.segments.last().expect("a path has a segment");
        match (&*last.ident.to_string(), &last.arguments) {
            ("Fn" | "FnMut" | "FnOnce", PathArguments::Parenthesized(signature)) => {
                let result = match &signature.output {
                    ReturnType::Default => syn::parse_quote!(()),
                    ReturnType::Type(_, ty) => (**ty).clone(),
                };
                return Ok(Shape::Callback(signature.inputs.iter().cloned().collect(), Box::new(result)));
            }
            (
                "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator",
                PathArguments::AngleBracketed(of),
            ) => {
                let item = of.args.iter().find_map(|argument| match argument {
                    GenericArgument::AssocType(item) if item.ident == "Item" => Some(&item.ty),
                    _ => None,
                });
                if let Some(item) = item {
                    return Ok(Shape::List(Box::new(shape(item, structs)?), ListKind::Iterator));
                }
            }
            _ => {}
        }
    }
    Err(unheld(
        ty,
        "callbacks (`impl Fn(A) -> B`) and iterators (`impl Iterator<Item = A>`) are known; write any other type out",
    ))
}

impl Shape {
    /// The shape as that of a result: the items of a slice are lent.
    pub fn returned(self) -> Shape {
        let boxed = |of: Box<Shape>| Box::new(of.returned());
        match self {
            Shape::List(of, ListKind::Slice) => Shape::List(Box::new(Shape::Shared(of)), ListKind::Iterator),
            Shape::List(of, kind) => Shape::List(boxed(of), kind),
            Shape::Option(of) => Shape::Option(boxed(of)),
            Shape::Result(value, error) => Shape::Result(boxed(value), boxed(error)),
            Shape::Tuple(of) => Shape::Tuple(of.into_iter().map(Shape::returned).collect()),
            other => other,
        }
    }

    /// The number of leaves of a value of this shape, as the tester counts them.
    pub fn count(&self) -> usize {
        match self {
            Shape::Unit => 0,
            Shape::Leaf(_) | Shape::Text | Shape::Callback(..) => 1,
            Shape::Shared(of) | Shape::Exclusive(of) | Shape::Option(of) | Shape::List(of, _) => of.count(),
            Shape::Result(value, error) => value.count() + error.count(),
            Shape::Tuple(of) => of.iter().map(Shape::count).sum(),
            Shape::Struct(_, of) => of.iter().map(|(_, of)| of.count()).sum(),
        }
    }

    /// The leaves that a value of this shape is taken apart into, in their order.
    pub fn leaves<'s>(&'s self, leaves: &mut Vec<&'s Type>) {
        match self {
            Shape::Leaf(ty) => leaves.push(ty),
            Shape::Unit | Shape::Text | Shape::Callback(..) => {}
            Shape::Shared(of) | Shape::Exclusive(of) | Shape::Option(of) | Shape::List(of, _) => of.leaves(leaves),
            Shape::Result(value, error) => {
                value.leaves(leaves);
                error.leaves(leaves);
            }
            Shape::Tuple(of) => of.iter().for_each(|of| of.leaves(leaves)),
            Shape::Struct(_, of) => of.iter().for_each(|(_, of)| of.leaves(leaves)),
        }
    }

    /// The description of the shape for the tester.
    pub fn description(&self) -> TokenStream {
        use quote::quote;
        let here = quote!(::mayhap::interface::TypeShape);
        match self {
            Shape::Unit => quote!(#here::Unit),
            Shape::Leaf(ty) => {
                let name = ty.to_token_stream().to_string().replace(' ', "");
                quote!(#here::leaf::<#ty>(#name))
            }
            Shape::Text => quote!(#here::text()),
            Shape::Shared(of) => {
                let of = of.description();
                quote!(#here::Shared(::std::boxed::Box::new(#of)))
            }
            Shape::Exclusive(of) => {
                let of = of.description();
                quote!(#here::Exclusive(::std::boxed::Box::new(#of)))
            }
            Shape::Option(of) => {
                let of = of.description();
                quote!(#here::Option(::std::boxed::Box::new(#of)))
            }
            Shape::Result(value, error) => {
                let (value, error) = (value.description(), error.description());
                quote!(#here::Result(::std::boxed::Box::new([#value, #error])))
            }
            Shape::Tuple(of) => {
                let of = of.iter().map(Shape::description);
                quote!(#here::Tuple(::std::vec![#(#of),*]))
            }
            Shape::List(of, kind) => {
                let of = of.description();
                let form = match kind {
                    ListKind::Vec => quote!(Vec),
                    ListKind::Slice => quote!(Slice),
                    ListKind::Iterator => quote!(Iterator),
                };
                quote!(#here::List(::std::boxed::Box::new(#of), ::mayhap::interface::ItemsForm::#form))
            }
            Shape::Struct(ty, of) => {
                let name = ty.to_token_stream().to_string().replace(' ', "");
                let of = of.iter().map(|(field, of)| {
                    let (field, of) = (field.to_string(), of.description());
                    quote!((#field, #of))
                });
                quote!(#here::Struct(#name, ::std::vec![#(#of),*]))
            }
            Shape::Callback(of, result) => {
                let (count, name) = (of.len(), result.to_token_stream().to_string().replace(' ', ""));
                quote!(#here::callback::<#result>(#count, #name))
            }
        }
    }
}
