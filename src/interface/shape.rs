//! The shapes of parameters and results: how values are put together from values of pools, and taken apart into such.

use std::any::TypeId;

/// A type whose values are kept in a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolType {
    /// The type.
    pub id: TypeId,
    /// Its name, as it is written in the interface.
    pub name: &'static str,
    /// The number of its pool; it is set when an interface has been described.
    pub pool: usize,
}

impl PoolType {
    fn of<T: 'static>(name: &'static str) -> PoolType {
        PoolType { id: TypeId::of::<T>(), name, pool: usize::MAX }
    }
}

/// The form of several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemsForm {
    /// `Vec<T>`
    Vec,
    /// `&[T]`
    Slice,
    /// An iterator of `T`.
    Iterator,
}

/// The shape of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeShape {
    /// `()`
    Unit,
    /// A value of a pool.
    Leaf(PoolType),
    /// `&str`, which is lent from a pool of `String`s.
    Text(PoolType),
    /// `&T`
    Shared(Box<TypeShape>),
    /// `&mut T`
    Exclusive(Box<TypeShape>),
    /// `Option<T>`
    Option(Box<TypeShape>),
    /// `Result<T, E>`
    Result(Box<[TypeShape; 2]>),
    /// `(A, B)`
    Tuple(Vec<TypeShape>),
    /// Several values.
    List(Box<TypeShape>, ItemsForm),
    /// A struct with its fields, which are all public.
    Struct(&'static str, Vec<(&'static str, TypeShape)>),
    /// A function with this number of parameters, whose results are literals of a pool.
    Callback(usize, PoolType),
}

impl TypeShape {
    /// A value of a pool.
    #[must_use]
    pub fn leaf<T: 'static>(name: &'static str) -> TypeShape {
        TypeShape::Leaf(PoolType::of::<T>(name))
    }

    /// A `&str`.
    #[must_use]
    pub fn text() -> TypeShape {
        TypeShape::Text(PoolType::of::<String>("String"))
    }

    /// A function with results of this type.
    #[must_use]
    pub fn callback<T: 'static>(parameters: usize, name: &'static str) -> TypeShape {
        TypeShape::Callback(parameters, PoolType::of::<T>(name))
    }

    /// All types of pools in it, in their order.
    pub(super) fn pools<'s>(&'s mut self, pools: &mut Vec<&'s mut PoolType>) {
        match self {
            TypeShape::Unit => {}
            TypeShape::Leaf(ty) | TypeShape::Text(ty) | TypeShape::Callback(_, ty) => pools.push(ty),
            TypeShape::Shared(of) | TypeShape::Exclusive(of) | TypeShape::Option(of) | TypeShape::List(of, _) => {
                of.pools(pools)
            }
            TypeShape::Result(of) => of.iter_mut().for_each(|of| of.pools(pools)),
            TypeShape::Tuple(of) => of.iter_mut().for_each(|of| of.pools(pools)),
            TypeShape::Struct(_, of) => of.iter_mut().for_each(|(_, of)| of.pools(pools)),
        }
    }
}
