//! The description of a function: a closure that takes its arguments from pools, calls it, and takes its result apart.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, LitStr, Type};

use crate::shape::{ListKind, Shape};

/// The types of an interface that have a model, or that a specification judges.
pub struct Models {
    /// The types that have a model, as text, with the model.
    pub of: Vec<(String, Type)>,
    /// The specification that judges values, in place of a model.
    pub spec: Option<LitStr>,
}

/// A function of an interface.
pub struct Described {
    pub name: Ident,
    /// Its path, as an expression: `<Set>::insert`, and as text: `Set::insert`.
    pub path: TokenStream,
    pub shown: String,
    pub is_method: bool,
    /// True if it may be a method of a type that its own dereferences to.
    pub is_deref: bool,
    /// The type in whose block it stands.
    pub of: Option<Type>,
    pub parameters: Vec<(Ident, Shape)>,
    pub result: Shape,
    /// The condition under which it may be called.
    pub requires: Option<TokenStream>,
    /// The function of the model.
    pub model: Option<TokenStream>,
}

/// An argument while its binding is written: the statements, and the expressions for the function and its model.
pub struct Bound {
    pub statements: TokenStream,
    pub real: TokenStream,
    pub model: TokenStream,
}

/// The numbers for names.
#[derive(Default)]
pub struct Fresh(usize);

impl Fresh {
    /// A new name.
    pub fn name(&mut self, what: &str) -> Ident {
        self.0 += 1;
        format_ident!("__{}{}", what, self.0, span = Span::mixed_site())
    }
}

impl Described {
    /// The end of a call whose condition does not hold: what was moved into it is given back.
    pub fn refused(&self, backs: &[TokenStream]) -> Option<TokenStream> {
        let condition = self.requires.as_ref()?;
        Some(quote! {
            if !(#condition) {
                #(#backs)*
                return ::std::result::Result::Ok(false);
            }
        })
    }

    /// The call with these arguments.
    pub fn called(&self, arguments: &[TokenStream]) -> TokenStream {
        let Described { name, path, .. } = self;
        match arguments.split_first() {
            Some((first, rest)) if self.is_deref => quote!(#first.#name(#(#rest),*)),
            _ => quote!(#path(#(#arguments),*)),
        }
    }
}

impl Models {
    /// The model of a type.
    pub fn of(&self, ty: &Type) -> Option<&Type> {
        let text = quote!(#ty).to_string();
        self.of.iter().find(|(known, _)| *known == text).map(|(_, model)| model)
    }

    /// Tests whether a part of a shape has a model.
    pub fn holds_model(&self, shape: &Shape) -> bool {
        let mut leaves = Vec::new();
        shape.leaves(&mut leaves);
        leaves.into_iter().any(|ty| self.of(ty).is_some())
    }

    /// True if calls are compared with a model.
    fn is_there(&self) -> bool {
        !self.of.is_empty() && self.spec.is_none()
    }

    /// The type of the values in a pool.
    pub fn held(&self, ty: &Type) -> TokenStream {
        match self.of(ty) {
            Some(model) => quote!(::mayhap::interface::Twin<#ty, #model>),
            None => quote!(#ty),
        }
    }

    /// The type of the model's result, as far as it is known.
    fn modelled(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Leaf(ty) => self.of(ty).map_or_else(|| quote!(_), |model| quote!(#model)),
            Shape::Option(of) => {
                let of = self.modelled(of);
                quote!(::std::option::Option<#of>)
            }
            Shape::Result(of, _) => {
                let of = self.modelled(of);
                quote!(::std::result::Result<#of, _>)
            }
            Shape::Tuple(of) => {
                let of = of.iter().map(|of| self.modelled(of));
                quote!((#(#of,)*))
            }
            _ => quote!(_),
        }
    }

    /// The statement that adds a function to the description.
    pub fn function(&self, described: &Described) -> TokenStream {
        let Described { name, shown, is_method, parameters, result, .. } = described;
        let call = self.call(described);
        let name = name.to_string();
        let parameters = parameters.iter().map(|(_, shape)| self.lent(shape).description());
        let result = result.description();
        quote! {
            __description.function(::mayhap::interface::InterfaceFunction {
                name: #name,
                path: #shown,
                is_method: #is_method,
                parameters: ::std::vec![#(#parameters),*],
                result: #result,
                call: #call,
            });
        }
    }

    fn call(&self, described: &Described) -> TokenStream {
        if let Some(spec) = &self.spec {
            return self.judged(described, spec);
        }
        // A function of other types only has no model, so that its arguments need not be copied.
        let shapes = described.parameters.iter().map(|(_, shape)| shape).chain([&described.result]);
        if !self.of.is_empty() && described.model.is_none() && !shapes.into_iter().any(|shape| self.holds_model(shape))
        {
            return Models { of: Vec::new(), spec: None }.call(described);
        }
        let Described { parameters, result, model, name, .. } = described;
        let mut fresh = Fresh::default();
        let (mut bindings, mut backs, mut real, mut modelled) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (parameter, shape) in parameters {
            let Bound { statements, real: value, model } = self.argument(shape, &mut fresh);
            let twin = fresh.name("model");
            bindings.push(statements);
            if self.is_there() {
                bindings.push(quote!(let #twin = #model;));
            }
            // The names of parameters are those that a condition uses.
            bindings.push(quote!(#[allow(unused_mut)] let mut #parameter = #value;));
            if let Shape::Leaf(ty) = shape {
                let position = fresh.name("position");
                bindings.insert(
                    bindings.len() - if self.is_there() { 3 } else { 2 },
                    quote!(let #position = __arguments.position();),
                );
                backs.push(match self.of(ty) {
                    Some(_) => {
                        quote!(__made.back(#position, ::mayhap::interface::Twin { real: #parameter, model: #twin });)
                    }
                    None => quote!(__made.back::<#ty>(#position, #parameter);),
                });
            }
            real.push(quote!(#parameter));
            modelled.push(quote!(#twin));
        }
        let condition = described.refused(&backs);
        let called = described.called(&real);
        let mut number = 0;
        let compared = self.is_there();
        let (returned, expected) = (fresh.name("returned"), fresh.name("expected"));
        let taken =
            self.result(result, quote!(#returned), compared.then(|| quote!(#expected)), &mut number, &mut fresh);
        let expected = compared.then(|| {
            let call = match model {
                Some(closure) if modelled.len() == 1 => quote!(::mayhap::interface::applied(#(#modelled)*, #closure)),
                Some(closure) => quote!(::mayhap::interface::applied((#(#modelled),*), #closure)),
                // Methods may be those of a type that the model dereferences to.
                None if described.is_method => {
                    let (first, rest) = modelled.split_first().expect("a method has a receiver");
                    quote!(#first.#name(#(#rest),*))
                }
                None => {
                    let own =
                        described.of.as_ref().and_then(|of| self.of(of)).or(self.of.first().map(|(_, model)| model));
                    let model = own.expect("there is a model");
                    quote!(<#model>::#name(#(#modelled),*))
                }
            };
            let ty = self.modelled(result);
            quote!(let #expected: #ty = #call;)
        });
        quote! {
            |__arguments, __made| {
                #[allow(unused_imports)]
                use ::mayhap::interface::{CopiedLent as _, UncopiedLent as _};
                #(#bindings)*
                #condition
                let #returned = #called;
                #expected
                #taken
                ::std::result::Result::Ok(true)
            }
        }
    }

    /// The binding of an argument.
    pub fn argument(&self, shape: &Shape, fresh: &mut Fresh) -> Bound {
        let value = fresh.name("value");
        match shape {
            Shape::Unit => Bound { statements: quote!(), real: quote!(()), model: quote!(()) },
            Shape::Leaf(ty) => match self.of(ty) {
                Some(_) => {
                    let held = self.held(ty);
                    let model = fresh.name("twin");
                    let statements = quote! {
                        let ::mayhap::interface::Twin { real: #value, model: #model } = __arguments.value::<#held>();
                    };
                    Bound { statements, real: quote!(#value), model: quote!(#model) }
                }
                None => self.copied(quote!(let #value = __arguments.value::<#ty>();), &value),
            },
            Shape::Text => Bound {
                statements: quote!(let #value = __arguments.shared::<::std::string::String>().as_str();),
                real: quote!(#value),
                model: quote!(#value),
            },
            Shape::Shared(of) => match &**of {
                Shape::Leaf(ty) => {
                    let held = self.held(ty);
                    let statements = quote!(let #value = __arguments.shared::<#held>(););
                    match self.of(ty) {
                        Some(_) => Bound { statements, real: quote!(&#value.real), model: quote!(&#value.model) },
                        None => Bound { statements, real: quote!(#value), model: quote!(#value) },
                    }
                }
                of => {
                    let Bound { statements, real, model } = self.argument(of, fresh);
                    Bound { statements, real: quote!(&#real), model: quote!(&#model) }
                }
            },
            Shape::Exclusive(of) => match &**of {
                Shape::Leaf(ty) => {
                    let held = self.held(ty);
                    let statements = quote!(let #value = __arguments.exclusive::<#held>(););
                    match self.of(ty) {
                        Some(_) => {
                            Bound { statements, real: quote!(&mut #value.real), model: quote!(&mut #value.model) }
                        }
                        None => Bound { statements, real: quote!(&mut *#value), model: quote!(&mut #value.clone()) },
                    }
                }
                of => {
                    let Bound { statements, real, model } = self.argument(of, fresh);
                    Bound { statements, real: quote!(&mut #real), model: quote!(&mut #model) }
                }
            },
            Shape::Option(of) => {
                let Bound { statements, real, model } = self.argument(of, fresh);
                let some = |what: TokenStream| quote!(::std::option::Option::Some(#what));
                let none = quote!(::std::option::Option::None);
                self.either(&value, fresh, &[(quote!(), none.clone(), none), (statements, some(real), some(model))])
            }
            Shape::Result(ok, err) => {
                let (ok, err) = (self.argument(ok, fresh), self.argument(err, fresh));
                let side = |name: TokenStream, bound: Bound| {
                    let Bound { statements, real, model } = bound;
                    (statements, quote!(#name(#real)), quote!(#name(#model)))
                };
                let sides =
                    [side(quote!(::std::result::Result::Ok), ok), side(quote!(::std::result::Result::Err), err)];
                self.either(&value, fresh, &sides)
            }
            Shape::Tuple(of) => {
                let parts: Vec<Bound> = of.iter().map(|of| self.argument(of, fresh)).collect();
                let statements = parts.iter().map(|part| &part.statements);
                let (real, model) = (parts.iter().map(|part| &part.real), parts.iter().map(|part| &part.model));
                Bound { statements: quote!(#(#statements)*), real: quote!((#(#real),*)), model: quote!((#(#model),*)) }
            }
            Shape::Struct(ty, of) => {
                let names: Vec<&Ident> = of.iter().map(|(name, _)| name).collect();
                let parts: Vec<Bound> = of.iter().map(|(_, of)| self.argument(of, fresh)).collect();
                let statements = parts.iter().map(|part| &part.statements);
                let (real, model) = (parts.iter().map(|part| &part.real), parts.iter().map(|part| &part.model));
                Bound {
                    statements: quote!(#(#statements)*),
                    real: quote!(#ty { #(#names: #real),* }),
                    model: quote!((#(#model),*)),
                }
            }
            Shape::List(of, kind) => self.list(of, *kind, fresh),
            Shape::Callback(parameters, result) => {
                let names: Vec<Ident> = parameters.iter().map(|_| fresh.name("parameter")).collect();
                let closure = quote! {{
                    let #value = #value.clone();
                    move |#(#names: #parameters),*| #value.result(&(#(&#names,)*))
                }};
                Bound {
                    statements: quote!(let #value = __arguments.callback::<#result>();),
                    real: closure.clone(),
                    model: closure,
                }
            }
        }
    }

    /// A value that the model gets a copy of, if there is one.
    fn copied(&self, statements: TokenStream, value: &Ident) -> Bound {
        let model = if self.is_there() { quote!(#value.clone()) } else { quote!(()) };
        Bound { statements, real: quote!(#value), model }
    }

    /// A value with two alternatives.
    fn either(&self, value: &Ident, fresh: &mut Fresh, sides: &[(TokenStream, TokenStream, TokenStream); 2]) -> Bound {
        let model = fresh.name("twin");
        let [(first, first_real, first_model), (second, second_real, second_model)] = sides;
        if self.is_there() {
            let statements = quote! {
                let (#value, #model) = if __arguments.variant() == 0 { #first (#first_real, #first_model) } else { #second (#second_real, #second_model) };
            };
            return Bound { statements, real: quote!(#value), model: quote!(#model) };
        }
        let statements = quote! {
            let #value = if __arguments.variant() == 0 { #first #first_real } else { #second #second_real };
        };
        Bound { statements, real: quote!(#value), model: quote!(()) }
    }

    fn list(&self, of: &Shape, kind: ListKind, fresh: &mut Fresh) -> Bound {
        let Bound { statements, real, model } = self.argument(of, fresh);
        let (value, twin) = (fresh.name("list"), fresh.name("twin"));
        let pushed = self.is_there().then(|| quote!(#twin.push(#model);));
        let begun = self.is_there().then(|| quote!(let mut #twin = ::std::vec::Vec::new();));
        let statements = quote! {
            let mut #value = ::std::vec::Vec::new();
            #begun
            for _ in 0..__arguments.variant() {
                #statements
                #pushed
                #value.push(#real);
            }
        };
        let model = if self.is_there() { quote!(#twin) } else { quote!(()) };
        match kind {
            ListKind::Slice if self.is_there() => {
                Bound { statements, real: quote!(&#value[..]), model: quote!(&#model[..]) }
            }
            ListKind::Slice => Bound { statements, real: quote!(&#value[..]), model },
            ListKind::Iterator => {
                let iterated = |of: TokenStream| quote!(::std::iter::IntoIterator::into_iter(#of));
                let model = if self.is_there() { iterated(model) } else { model };
                Bound { statements, real: iterated(quote!(#value)), model }
            }
            ListKind::Vec => Bound { statements, real: quote!(#value), model },
        }
    }

    /// Takes a result apart, and compares it with that of the model.
    pub fn result(
        &self,
        shape: &Shape,
        real: TokenStream,
        model: Option<TokenStream>,
        number: &mut usize,
        fresh: &mut Fresh,
    ) -> TokenStream {
        let mut leaf = || {
            *number += 1;
            *number - 1
        };
        let agree = |real: TokenStream| model.as_ref().map(|model| quote!(__made.agree(&#real, &#model)?;));
        match shape {
            Shape::Unit | Shape::Callback(..) => {
                let model = model.map(|model| quote!(_ = #model;));
                quote!(_ = #real; #model)
            }
            Shape::Leaf(ty) => {
                let leaf = leaf();
                if let (Some(_), Some(model)) = (self.of(ty), &model) {
                    return quote!(__made.leaf(#leaf, ::mayhap::interface::Twin { real: #real, model: #model }););
                }
                let agree = agree(real.clone());
                let is_flag = matches!(ty, Type::Path(path) if path.path.is_ident("bool"));
                let outcome = is_flag.then(|| quote!(__made.variant(#real as usize);));
                quote!(#agree #outcome __made.leaf::<#ty>(#leaf, #real);)
            }
            Shape::Text => {
                let leaf = leaf();
                let agree = agree(real.clone());
                quote!(#agree __made.leaf::<::std::string::String>(#leaf, ::std::string::ToString::to_string(&#real));)
            }
            Shape::Shared(of) | Shape::Exclusive(of) => match &**of {
                Shape::Leaf(ty) if self.of(ty).is_some() => {
                    let leaf = leaf();
                    let held = self.held(ty);
                    match (model, shape) {
                        (Some(model), Shape::Shared(_)) => quote! {
                            __made.lent::<#held>(#leaf, || ::std::option::Option::Some(::mayhap::interface::Twin {
                                real: (&::mayhap::interface::Lent(&*#real)).copy()?,
                                model: (&::mayhap::interface::Lent(&*#model)).copy()?,
                            }));
                        },
                        (model, _) => {
                            let model = model.map(|model| quote!(_ = #model;));
                            quote!(_ = #real; #model __made.lent::<#held>(#leaf, || ::std::option::Option::None);)
                        }
                    }
                }
                Shape::Leaf(ty) => {
                    let leaf = leaf();
                    let agree = model.as_ref().map(|model| quote!(__made.agree(&*#real, &*#model)?;));
                    quote!(#agree __made.lent::<#ty>(#leaf, || (&::mayhap::interface::Lent(&*#real)).copy());)
                }
                of => {
                    let copied = |of: TokenStream| quote!(::std::clone::Clone::clone(&*#of));
                    self.result(of, copied(real), model.map(copied), number, fresh)
                }
            },
            Shape::Option(of) => {
                let (value, twin) = (fresh.name("some"), fresh.name("twin"));
                let inner = self.result(of, quote!(#value), model.is_some().then(|| quote!(#twin)), number, fresh);
                match model {
                    Some(model) => quote! {
                        match (#real, #model) {
                            (::std::option::Option::Some(#value), ::std::option::Option::Some(#twin)) => { __made.variant(1); #inner }
                            (::std::option::Option::None, ::std::option::Option::None) => __made.variant(0),
                            (#value, _) => {
                                let (returned, model) = if #value.is_some() { ("Some(…)", "None") } else { ("None", "Some(…)") };
                                return ::std::result::Result::Err(__made.unlike(returned, model));
                            }
                        }
                    },
                    None => quote! {
                        match #real {
                            ::std::option::Option::Some(#value) => { __made.variant(1); #inner }
                            ::std::option::Option::None => __made.variant(0),
                        }
                    },
                }
            }
            Shape::Result(ok, err) => {
                let (value, twin) = (fresh.name("ok"), fresh.name("twin"));
                let inner = self.result(ok, quote!(#value), model.is_some().then(|| quote!(#twin)), number, fresh);
                let error = fresh.name("error");
                let failed = match model {
                    Some(_) => {
                        *number += err.count();
                        quote!()
                    }
                    None => self.result(err, quote!(#error), None, number, fresh),
                };
                match model {
                    Some(model) => quote! {
                        match (#real, #model) {
                            (::std::result::Result::Ok(#value), ::std::result::Result::Ok(#twin)) => { __made.variant(0); #inner }
                            (::std::result::Result::Err(_), ::std::result::Result::Err(_)) => __made.variant(1),
                            (#value, _) => {
                                let (returned, model) = if #value.is_ok() { ("Ok(…)", "Err(…)") } else { ("Err(…)", "Ok(…)") };
                                return ::std::result::Result::Err(__made.unlike(returned, model));
                            }
                        }
                    },
                    None => quote! {
                        match #real {
                            ::std::result::Result::Ok(#value) => { __made.variant(0); #inner }
                            ::std::result::Result::Err(#error) => { __made.variant(1); #failed }
                        }
                    },
                }
            }
            Shape::Tuple(of) => {
                let of: Vec<(TokenStream, &Shape)> = of
                    .iter()
                    .enumerate()
                    .map(|(at, of)| {
                        let at = syn::Index::from(at);
                        (quote!(#at), of)
                    })
                    .collect();
                self.parts(&of, real, model, number, fresh)
            }
            Shape::Struct(_, of) => {
                let names: Vec<&Ident> = of.iter().map(|(name, _)| name).collect();
                let values: Vec<Ident> = of.iter().map(|_| fresh.name("field")).collect();
                let Shape::Struct(ty, _) = shape else { unreachable!("it is a struct") };
                let tuple = Shape::Tuple(of.iter().map(|(_, of)| of.clone()).collect());
                let inner = self.result(&tuple, quote!((#(#values,)*)), model, number, fresh);
                quote!(let #ty { #(#names: #values),* } = #real; #inner)
            }
            Shape::List(of, _) => {
                let (list, twins) = (fresh.name("list"), fresh.name("twins"));
                let (value, twin) = (fresh.name("item"), fresh.name("twin"));
                let inner = self.result(of, quote!(#value), model.is_some().then(|| quote!(#twin)), number, fresh);
                match model {
                    Some(model) => quote! {
                        let #list: ::std::vec::Vec<_> = #real.into_iter().collect();
                        let #twins: ::std::vec::Vec<_> = #model.into_iter().collect();
                        __made.same_length(#list.len(), #twins.len())?;
                        __made.length(#list.len());
                        for (#value, #twin) in #list.into_iter().zip(#twins) { #inner }
                    },
                    None => quote! {
                        let #list: ::std::vec::Vec<_> = #real.into_iter().collect();
                        __made.length(#list.len());
                        for #value in #list { #inner }
                    },
                }
            }
        }
    }

    fn parts(
        &self,
        of: &[(TokenStream, &Shape)],
        real: TokenStream,
        model: Option<TokenStream>,
        number: &mut usize,
        fresh: &mut Fresh,
    ) -> TokenStream {
        let names: Vec<Ident> = of.iter().map(|_| fresh.name("part")).collect();
        let twins: Vec<Ident> = of.iter().map(|_| fresh.name("twin")).collect();
        let inner: Vec<TokenStream> = of
            .iter()
            .zip(names.iter().zip(&twins))
            .map(|((_, of), (name, twin))| {
                self.result(of, quote!(#name), model.is_some().then(|| quote!(#twin)), number, fresh)
            })
            .collect();
        let model = model.map(|model| quote!(let (#(#twins,)*) = #model;));
        quote!(let (#(#names,)*) = #real; #model #(#inner)*)
    }
}
