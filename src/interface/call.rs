//! A call of a function of the interface, with what it is given and what it makes.

use std::any::Any;
use std::fmt::Debug;

use smallvec::SmallVec;

/// The use of a value by a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ArgumentMode {
    /// It is moved into the call.
    Owned,
    /// It is lent by `&`.
    Shared,
    /// It is lent by `&mut`.
    Exclusive,
}

/// A part of an argument of a call; a call has them in the order of its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Argument {
    /// A value that an earlier call made.
    Variable(usize, ArgumentMode),
    /// A literal of a pool.
    Literal { pool: usize, at: usize, mode: ArgumentMode },
    /// An alternative: of an option or result, the length of a list, the number of a callback.
    Variant(usize),
    /// All literals of a pool, for the results of a callback.
    Table(usize),
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Call {
    /// The number of the function.
    pub function: usize,
    pub arguments: SmallVec<[Argument; 4]>,
}

/// A part of an argument, ready for the function.
pub(super) enum GivenPart<'a> {
    Owned(Box<dyn Any>),
    Shared(&'a dyn Any),
    Exclusive(&'a mut dyn Any),
    Variant(usize),
}

/// The arguments of a call, which described functions take one after the other.
pub struct CallArguments<'a> {
    given: smallvec::IntoIter<[GivenPart<'a>; 4]>,
    position: usize,
}

impl<'a> CallArguments<'a> {
    pub(super) fn new(given: SmallVec<[GivenPart<'a>; 4]>) -> CallArguments<'a> {
        CallArguments { given: given.into_iter(), position: 0 }
    }

    /// The number of parts that were taken.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    fn part(&mut self) -> GivenPart<'a> {
        self.position += 1;
        self.given.next().expect("a call has all its arguments")
    }

    /// A value.
    pub fn value<T: 'static>(&mut self) -> T {
        match self.part() {
            GivenPart::Owned(value) => *value.downcast().unwrap_or_else(|_| unlike::<T>()),
            _ => unlike::<T>(),
        }
    }

    /// A value that is lent.
    pub fn shared<T: 'static>(&mut self) -> &'a T {
        match self.part() {
            GivenPart::Shared(value) => value.downcast_ref().unwrap_or_else(|| unlike::<T>()),
            _ => unlike::<T>(),
        }
    }

    /// A value that is lent, to be changed.
    pub fn exclusive<T: 'static>(&mut self) -> &'a mut T {
        match self.part() {
            GivenPart::Exclusive(value) => value.downcast_mut().unwrap_or_else(|| unlike::<T>()),
            _ => unlike::<T>(),
        }
    }

    /// The number of an alternative.
    pub fn variant(&mut self) -> usize {
        match self.part() {
            GivenPart::Variant(variant) => variant,
            _ => unlike::<usize>(),
        }
    }

    /// A callback.
    pub fn callback<T: Clone + 'static>(&mut self) -> Callback<T> {
        let number = self.variant();
        Callback { number, results: self.shared::<Vec<T>>().clone() }
    }
}

fn unlike<T>() -> ! {
    panic!("the description of an interface takes a {} where there is none", std::any::type_name::<T>())
}

/// A function that is given to a call. The first ones are constant; the last one depends on its arguments.
#[derive(Clone, Debug)]
pub struct Callback<T> {
    number: usize,
    results: Vec<T>,
}

impl<T: Clone> Callback<T> {
    /// The result for these arguments.
    pub fn result(&self, arguments: &dyn Debug) -> T {
        let at = if self.number < self.results.len().min(2) {
            self.number
        } else {
            format!("{arguments:?}").bytes().map(usize::from).sum::<usize>() % self.results.len()
        };
        self.results[at].clone()
    }
}

/// The difference of a call from what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InterfaceFinding {
    /// A law does not hold of a value.
    Law {
        /// The name of the law.
        law: &'static str,
        /// The reason, if the law gives one.
        why: String,
    },
    /// The function and the model return different things.
    Differs {
        /// The value that the function returned.
        returned: String,
        /// The value that the model returned.
        model: String,
    },
    /// No server that follows the specification would have answered so.
    Rejected {
        /// The request, as JSON.
        request: String,
        /// The answer, as JSON.
        answer: String,
        /// The reason, if one was found.
        why: String,
    },
    /// The function panicked.
    Panic {
        /// Its message.
        message: String,
        /// Its place in the source.
        place: String,
    },
    /// The function did not come back in time.
    Endless,
    /// Calls from several threads were answered as no order of them explains.
    Race {
        /// The report, with the calls.
        report: String,
    },
}

/// The values that a call makes.
#[derive(Default)]
pub struct Made {
    /// True if the variants are noted, to write the call down.
    pub(super) notes: bool,
    pub(super) variants: Vec<usize>,
    /// True if the call was too hard to judge.
    pub(super) undecided: bool,
    /// A number that differs between outcomes.
    pub(super) outcome: u32,
    /// The leaves that are kept, with their number in the result.
    pub(super) leaves: SmallVec<[(usize, Box<dyn Any>); 2]>,
    /// The arguments that were given back, by their position.
    pub(super) back: SmallVec<[(usize, Box<dyn Any>); 2]>,
    /// For each leaf of the result: true if it is kept.
    pub(super) kept: SmallVec<[bool; 4]>,
}

impl Made {
    /// Notes an alternative of a result.
    pub fn variant(&mut self, variant: usize) {
        self.outcome = self.outcome.wrapping_mul(31).wrapping_add(variant as u32 + 1);
        if self.notes {
            self.variants.push(variant);
        }
    }

    /// Notes the length of a list.
    pub fn length(&mut self, length: usize) {
        self.outcome = self.outcome.wrapping_mul(31).wrapping_add((length + 1).ilog2());
        if self.notes {
            self.variants.push(length);
        }
    }

    /// A leaf of the result.
    pub fn leaf<T: 'static>(&mut self, number: usize, value: T) {
        if self.kept[number] {
            self.leaves.push((number, Box::new(value)));
        }
    }

    /// A leaf of the result that is lent; it is copied if its type can be.
    pub fn lent<T: 'static>(&mut self, number: usize, copy: impl FnOnce() -> Option<T>) {
        let copied = if self.kept[number] { copy() } else { None };
        if self.notes {
            self.variants.push(usize::from(copied.is_some()));
        }
        if let Some(value) = copied {
            self.leaves.push((number, Box::new(value)));
        }
    }

    /// Gives an argument back that was moved into a call that is not made.
    pub fn back<T: 'static>(&mut self, position: usize, value: T) {
        self.back.push((position, Box::new(value)));
    }

    /// Compares a result with that of the model.
    ///
    /// # Errors
    /// They differ.
    pub fn agree<A: PartialEq<B> + Debug + ?Sized, B: Debug + ?Sized>(
        &self,
        returned: &A,
        model: &B,
    ) -> Result<(), InterfaceFinding> {
        if returned == model { Ok(()) } else { Err(differs(format!("{returned:?}"), format!("{model:?}"))) }
    }

    /// The result and that of the model have other forms, such as `Some(…)` and `None`.
    pub fn unlike(&self, returned: &str, model: &str) -> InterfaceFinding {
        differs(returned.to_owned(), model.to_owned())
    }

    /// Compares the lengths of two lists.
    ///
    /// # Errors
    /// They differ.
    pub fn same_length(&self, returned: usize, model: usize) -> Result<(), InterfaceFinding> {
        if returned == model { Ok(()) } else { Err(differs(counted(returned), counted(model))) }
    }
}

fn counted(items: usize) -> String {
    crate::choice::counted(items as u64, "item")
}

fn differs(returned: String, model: String) -> InterfaceFinding {
    InterfaceFinding::Differs { returned, model }
}

/// A value and its model.
#[derive(Clone, Debug)]
pub struct Twin<T, M> {
    /// The value.
    pub real: T,
    /// The model.
    pub model: M,
}

/// The results of laws.
pub trait Holds {
    /// The reason why the law does not hold.
    fn complaint(self) -> Option<String>;
}

impl Holds for bool {
    fn complaint(self) -> Option<String> {
        (!self).then(String::new)
    }
}

impl<E: Debug> Holds for Result<(), E> {
    fn complaint(self) -> Option<String> {
        self.err().map(|why| format!("{why:?}"))
    }
}

/// A value that is lent, which is copied if its type is `Clone`: `(&Lent(value)).copy()`.
pub struct Lent<'v, T>(pub &'v T);

/// The copies of values that can be cloned.
pub trait CopiedLent<T> {
    /// A copy.
    fn copy(&self) -> Option<T>;
}

impl<T: Clone> CopiedLent<T> for Lent<'_, T> {
    fn copy(&self) -> Option<T> {
        Some(self.0.clone())
    }
}

/// The copies of values that cannot be cloned: there are none.
pub trait UncopiedLent<T> {
    /// No copy.
    fn copy(&self) -> Option<T>;
}

impl<T> UncopiedLent<T> for &Lent<'_, T> {
    fn copy(&self) -> Option<T> {
        None
    }
}
