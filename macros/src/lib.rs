//! The attribute `#[interface]` of the crate `mayhap`, which describes a Rust interface to its tester.
//!
//! `mayhap` exports it; its documentation is there (`docs/INTERFACES.md`). What it makes is a function that lists the functions of the
//! interface: for each, the shapes of its parameters and of its result, and a closure that calls it with values from pools.

mod emit;
mod functions;
mod judged;
mod options;
mod shape;
mod tokens;

use proc_macro::TokenStream;

/// Describes the functions of an `impl` block, of a module, or of a foreign type, so that `mayhap::check_interface` calls them.
#[proc_macro_attribute]
pub fn interface(options: TokenStream, item: TokenStream) -> TokenStream {
    let plain = functions::plain(item.clone().into());
    let made = syn::parse(options).and_then(|options| functions::described(options, syn::parse(item)?));
    // Beside an error the item stands as it was, so that nothing else is an error.
    made.unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote::quote!(#plain #error)
    })
    .into()
}
