//! The description of an interface: its functions and laws. The attribute `#[mayhap::interface]` writes it.

use std::any::{Any, TypeId};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::call::{CallArguments, InterfaceFinding, Made};
use super::concurrent::ConcurrentCheck;
use super::literal::Literals;
use super::shape::{PoolType, TypeShape};
use crate::report::campaign::CampaignReport;

/// An interface that is described.
pub trait Interface: 'static {
    /// Its name, for messages and files.
    const NAME: &'static str;
    /// The path of the module that it is in.
    const MODULE: &'static str;

    /// Lists its functions and laws.
    fn describe(description: &mut Description);

    /// Calls values from several threads; `None` if the interface is not concurrent.
    fn concurrent(_: ConcurrentCheck) -> Option<CampaignReport> {
        None
    }
}

/// A call of a described function: true if it was made, and false if its precondition does not hold.
pub type Called = fn(&mut CallArguments<'_>, &mut Made) -> Result<bool, InterfaceFinding>;

/// A function of an interface.
pub struct InterfaceFunction {
    /// Its name.
    pub name: &'static str,
    /// The text of its path in a program: `Set::insert`.
    pub path: &'static str,
    /// True if it is called as a method of its first parameter.
    pub is_method: bool,
    /// The shapes of its parameters.
    pub parameters: Vec<TypeShape>,
    /// The shape of its result.
    pub result: TypeShape,
    /// Calls it.
    pub call: Called,
}

/// A law: a property that holds of every value of a type.
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// The text of its path in a program: `Set::is_sorted`.
    pub path: &'static str,
    /// True if the model is its second argument.
    pub takes_model: bool,
    ty: PoolType,
    /// The reason why it does not hold of a value.
    pub(super) complaint: fn(&dyn Any) -> Option<String>,
}

/// The functions and laws of an interface.
#[derive(Default)]
pub struct Description {
    pub(super) functions: Vec<InterfaceFunction>,
    laws: Vec<Law>,
}

impl Description {
    /// Adds a function.
    pub fn function(&mut self, function: InterfaceFunction) {
        self.functions.push(function);
    }

    /// Adds a law about values of type `T`, which is written so.
    pub fn law<T: 'static>(
        &mut self,
        ty: &'static str,
        name: &'static str,
        path: &'static str,
        takes_model: bool,
        complaint: fn(&dyn Any) -> Option<String>,
    ) {
        let TypeShape::Leaf(ty) = TypeShape::leaf::<T>(ty) else { unreachable!("a leaf is one") };
        self.laws.push(Law { name, path, takes_model, ty, complaint });
    }
}

/// A pool of an interface.
pub(super) struct Pool {
    pub ty: PoolType,
    pub literals: Option<Rc<Literals>>,
    pub laws: Vec<Law>,
}

/// A described interface with its pools.
pub(super) struct Prepared {
    pub functions: Vec<InterfaceFunction>,
    /// For each function: true if it can be called before any value was made.
    pub begins: Vec<bool>,
    /// For each function, the pool of each leaf of its result, if its values are kept.
    pub kept: Vec<Vec<Option<usize>>>,
    pub pools: Vec<Pool>,
}

impl Prepared {
    /// The interface with these literals, and those that are known.
    pub fn new(description: Description, given: Vec<Literals>) -> Prepared {
        let Description { mut functions, laws } = description;
        let mut literals: FxHashMap<TypeId, Rc<Literals>> =
            Literals::known().into_iter().chain(given).map(|of| (of.id, Rc::new(of))).collect();
        let mut numbers: FxHashMap<TypeId, usize> = FxHashMap::default();
        let mut pools: Vec<Pool> = Vec::new();
        for function in &mut functions {
            let mut types = Vec::new();
            function.parameters.iter_mut().for_each(|shape| shape.pools(&mut types));
            for ty in types {
                ty.pool = *numbers.entry(ty.id).or_insert_with(|| {
                    pools.push(Pool { ty: *ty, literals: literals.remove(&ty.id), laws: Vec::new() });
                    pools.len() - 1
                });
            }
        }
        for law in laws {
            let number = *numbers.entry(law.ty.id).or_insert_with(|| {
                pools.push(Pool { ty: law.ty, literals: literals.remove(&law.ty.id), laws: Vec::new() });
                pools.len() - 1
            });
            pools[number].laws.push(law);
        }
        let kept = functions.iter_mut().map(|function| {
            let mut types = Vec::new();
            function.result.pools(&mut types);
            types.into_iter().map(|ty| numbers.get(&ty.id).copied().inspect(|pool| ty.pool = *pool)).collect()
        });
        let kept = kept.collect();
        let begins = functions.iter().map(|function| function.parameters.iter().all(|shape| is_literal(shape, &pools)));
        let begins = begins.collect();
        Prepared { functions, begins, kept, pools }
    }
}

/// Tests whether a value of a shape can be put together from literals.
fn is_literal(shape: &TypeShape, pools: &[Pool]) -> bool {
    match shape {
        TypeShape::Unit | TypeShape::Option(_) | TypeShape::List(..) => true,
        TypeShape::Leaf(ty) | TypeShape::Text(ty) | TypeShape::Callback(_, ty) => pools[ty.pool].literals.is_some(),
        TypeShape::Exclusive(of) if matches!(**of, TypeShape::Leaf(_)) => false,
        TypeShape::Shared(of) | TypeShape::Exclusive(of) => is_literal(of, pools),
        TypeShape::Result(of) => of.iter().any(|of| is_literal(of, pools)),
        TypeShape::Tuple(of) => of.iter().all(|of| is_literal(of, pools)),
        TypeShape::Struct(_, of) => of.iter().all(|(_, of)| is_literal(of, pools)),
    }
}
