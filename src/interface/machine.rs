//! The machine that makes calls: it keeps the values that calls have made, and draws the arguments of the next one.

use std::any::Any;

use smallvec::SmallVec;

use super::call::{Argument, ArgumentMode, Call, CallArguments, GivenPart, InterfaceFinding, Made};
use super::declared::{Law, Prepared};
use super::shape::TypeShape;
use crate::choice::explore::panics::{self, Caught};
use crate::choice::{ChoiceError, Choices};

/// The most callbacks for a parameter: two constant ones, and one that depends on its arguments.
const CALLBACKS: usize = 3;

/// A value that a call has made.
struct MadeValue {
    pool: usize,
    value: Option<Box<dyn Any>>,
    /// The function and the outcome that made it, and its size.
    class: (usize, u32, u32),
    /// The number of parts that the value was made of: literals, and the parts of other values.
    size: u32,
}

/// The values of a program while it runs, and its calls so far.
pub(super) struct CallMachine<'p> {
    interface: &'p Prepared,
    values: Vec<MadeValue>,
    /// For each pool, the numbers of its values.
    pools: Vec<Vec<usize>>,
    /// The most values of a pool.
    limit: usize,
    pub calls: Vec<Call>,
    /// For each call, the number of its first value.
    pub first: Vec<usize>,
    /// For each call, the alternatives of its result, if they are noted.
    pub variants: Vec<Vec<usize>>,
    made: Made,
}

/// The values that a call takes out of their pools, for a while or for good.
type TakenValues = SmallVec<[(usize, Option<Box<dyn Any>>); 4]>;

/// The way in which arguments are drawn.
#[derive(Clone, Copy)]
pub(super) struct ArgumentDrawing {
    /// The literals that are drawn: `literals` of each pool, from the one of number `first` on.
    pub first: usize,
    pub literals: usize,
    /// The values that are taken half of the time, so that values grow.
    pub favoured: Favoured,
    /// The greatest length of a list.
    pub list: usize,
}

/// The values that are drawn more often than others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Favoured {
    None,
    Newest,
    /// The values that took the most to make.
    Largest,
}

/// All literals and values alike.
pub(super) const ALL: ArgumentDrawing =
    ArgumentDrawing { first: 0, literals: usize::MAX, favoured: Favoured::None, list: LIST };

/// The most parts of a value that is used again: values that are put together of each other would grow without end.
const LARGEST: u32 = 10_000;

/// The greatest length of a list that is an argument.
pub(super) const LIST: usize = 8;

impl<'p> CallMachine<'p> {
    /// A machine without values.
    pub fn new(interface: &'p Prepared, limit: usize, notes: bool) -> CallMachine<'p> {
        CallMachine {
            interface,
            values: Vec::new(),
            pools: vec![Vec::new(); interface.pools.len()],
            limit,
            calls: Vec::new(),
            first: Vec::new(),
            variants: Vec::new(),
            made: Made { notes, ..Made::default() },
        }
    }

    /// The number of values that were made so far.
    pub fn made(&self) -> usize {
        self.values.len()
    }

    /// Draws the arguments of a call of a function; none if there is no value for one of them.
    pub fn drawn(
        &self,
        function: usize,
        drawing: ArgumentDrawing,
        choices: &mut dyn Choices,
    ) -> Result<Option<Call>, ChoiceError> {
        let mut call = Call { function, arguments: SmallVec::new() };
        for shape in &self.interface.functions[function].parameters {
            if !self.draw(shape, ArgumentMode::Owned, drawing, choices, &mut call)? {
                return Ok(None);
            }
        }
        Ok(Some(call))
    }

    fn draw(
        &self,
        shape: &TypeShape,
        mode: ArgumentMode,
        drawing: ArgumentDrawing,
        choices: &mut dyn Choices,
        call: &mut Call,
    ) -> Result<bool, ChoiceError> {
        let mut alternative = |number: usize, call: &mut Call| {
            let variant = choices.choose("form", number)?;
            call.arguments.push(Argument::Variant(variant));
            Ok(variant)
        };
        match shape {
            TypeShape::Unit => Ok(true),
            TypeShape::Leaf(ty) => self.draw_leaf(ty.pool, mode, drawing, choices, call),
            TypeShape::Text(ty) => self.draw_leaf(ty.pool, ArgumentMode::Shared, drawing, choices, call),
            TypeShape::Shared(of) if matches!(**of, TypeShape::Leaf(_)) => {
                self.draw(of, ArgumentMode::Shared, drawing, choices, call)
            }
            TypeShape::Exclusive(of) if matches!(**of, TypeShape::Leaf(_)) => {
                self.draw(of, ArgumentMode::Exclusive, drawing, choices, call)
            }
            TypeShape::Shared(of) | TypeShape::Exclusive(of) => self.draw(of, mode, drawing, choices, call),
            TypeShape::Option(of) => match alternative(2, call)? {
                0 => Ok(true),
                _ => self.draw(of, mode, drawing, choices, call),
            },
            TypeShape::Result(of) => {
                let variant = alternative(2, call)?;
                self.draw(&of[variant], mode, drawing, choices, call)
            }
            TypeShape::Tuple(of) => {
                for of in of {
                    if !self.draw(of, mode, drawing, choices, call)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TypeShape::List(of, _) => {
                for _ in 0..alternative(drawing.list + 1, call)? {
                    if !self.draw(of, mode, drawing, choices, call)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TypeShape::Struct(_, of) => {
                for (_, of) in of {
                    if !self.draw(of, mode, drawing, choices, call)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TypeShape::Callback(_, ty) => {
                let literals = self.interface.pools[ty.pool].literals.as_ref().map_or(0, |literals| literals.len());
                if literals == 0 {
                    return Ok(false);
                }
                alternative(if literals == 1 { 1 } else { CALLBACKS }, call)?;
                call.arguments.push(Argument::Table(ty.pool));
                Ok(true)
            }
        }
    }

    /// Draws a literal, or a value that was made, unless the call has it already in a way that forbids this.
    fn draw_leaf(
        &self,
        pool: usize,
        mode: ArgumentMode,
        drawing: ArgumentDrawing,
        choices: &mut dyn Choices,
        call: &mut Call,
    ) -> Result<bool, ChoiceError> {
        let (all, free) = self.candidates(pool, mode, &call.arguments);
        let literals = all.min(drawing.literals);
        let number = literals + free.len();
        if number == 0 {
            return Ok(false);
        }
        let is_favoured = drawing.favoured != Favoured::None && !free.is_empty() && choices.choose("favoured", 2)? == 1;
        let at = match drawing.favoured {
            _ if !is_favoured => choices.choose("argument", number)?,
            Favoured::Largest => {
                let largest = (0..free.len()).max_by_key(|at| self.values[free[*at]].size).unwrap_or(0);
                literals + largest
            }
            Favoured::Newest | Favoured::None => number - 1,
        };
        call.arguments.push(match at.checked_sub(literals) {
            None => Argument::Literal { pool, at: (drawing.first + at) % all, mode },
            Some(at) => Argument::Variable(free[at], mode),
        });
        Ok(true)
    }

    /// The number of literals, and the values, that may be an argument after some others.
    fn candidates(&self, pool: usize, mode: ArgumentMode, before: &[Argument]) -> (usize, SmallVec<[usize; 16]>) {
        let all = self.interface.pools[pool].literals.as_ref().map_or(0, |literals| literals.len());
        let is_copied = all > 0 && mode == ArgumentMode::Owned;
        let is_free = |value: usize| {
            let conflicts = |argument: &Argument| match argument {
                Argument::Variable(other, ArgumentMode::Shared) => {
                    *other == value && mode != ArgumentMode::Shared && !is_copied
                }
                Argument::Variable(other, ArgumentMode::Owned) => {
                    *other == value && (all == 0 || mode == ArgumentMode::Exclusive)
                }
                Argument::Variable(other, ArgumentMode::Exclusive) => *other == value,
                _ => false,
            };
            !before.iter().any(conflicts)
        };
        let literals = if mode == ArgumentMode::Exclusive { 0 } else { all };
        (literals, self.pools[pool].iter().copied().filter(|value| is_free(*value)).collect())
    }

    /// Makes a call: true if it was made, and false if its precondition does not hold. Then every law is checked of what it has made and
    /// changed.
    ///
    /// # Errors
    /// The finding about the call.
    pub fn perform(&mut self, call: Call) -> Result<bool, InterfaceFinding> {
        let function = &self.interface.functions[call.function];
        let mut taken = TakenValues::new();
        for argument in &call.arguments {
            if let Argument::Variable(value, mode) = *argument
                && self.is_moved(value, mode)
            {
                let moved = self.values[value].value.take();
                taken.push((value, moved));
            }
        }
        let kept = &self.interface.kept[call.function];
        self.made.kept.clear();
        self.made.kept.extend(kept.iter().map(Option::is_some));
        self.made.outcome = 0;
        self.made.undecided = false;
        self.calls.push(call);
        self.first.push(self.values.len());
        let (call, interface, values) = (self.calls.last().expect("it was pushed"), self.interface, &self.values);
        let literals = |pool: usize| interface.pools[pool].literals.as_deref().expect("a literal is one of its pool");
        let mut given: SmallVec<[GivenPart<'_>; 4]> = SmallVec::new();
        let mut moved = taken.iter_mut();
        for argument in &call.arguments {
            given.push(match *argument {
                Argument::Variant(variant) => GivenPart::Variant(variant),
                Argument::Table(pool) => GivenPart::Shared(literals(pool).all()),
                Argument::Literal { pool, at, mode: ArgumentMode::Owned } => {
                    GivenPart::Owned(literals(pool).copied(literals(pool).nth(at)))
                }
                Argument::Literal { pool, at, .. } => GivenPart::Shared(literals(pool).nth(at)),
                Argument::Variable(_, ArgumentMode::Exclusive) => {
                    GivenPart::Exclusive(moved.next().and_then(|(_, value)| value.as_deref_mut()).expect(HELD))
                }
                Argument::Variable(value, ArgumentMode::Owned)
                    if interface.pools[values[value].pool].literals.is_none() =>
                {
                    GivenPart::Owned(moved.next().and_then(|(_, value)| value.take()).expect(HELD))
                }
                Argument::Variable(value, mode) => {
                    let MadeValue { pool, value, .. } = &values[value];
                    let value = value.as_deref().expect(HELD);
                    if mode == ArgumentMode::Owned {
                        GivenPart::Owned(literals(*pool).copied(value))
                    } else {
                        GivenPart::Shared(value)
                    }
                }
            });
        }
        let result = (function.call)(&mut CallArguments::new(given), &mut self.made);
        self.after(taken, result)
    }

    /// Tests whether a call takes a value out of its pool, for a while or for good.
    fn is_moved(&self, value: usize, mode: ArgumentMode) -> bool {
        match mode {
            ArgumentMode::Exclusive => true,
            ArgumentMode::Shared => false,
            ArgumentMode::Owned => self.interface.pools[self.values[value].pool].literals.is_none(),
        }
    }

    /// Puts back what was lent, keeps what was made, and checks the laws.
    fn after(&mut self, taken: TakenValues, result: Result<bool, InterfaceFinding>) -> Result<bool, InterfaceFinding> {
        let back = std::mem::take(&mut self.made.back);
        let call = self.calls.last().expect("a call was made");
        for (position, value) in back {
            if let Argument::Variable(number, ArgumentMode::Owned) = call.arguments[position] {
                self.values[number].value = Some(value);
            }
        }
        let parts = call.arguments.iter().fold(1_u32, |parts, argument| match argument {
            Argument::Variable(value, _) => parts.saturating_add(self.values[*value].size),
            Argument::Literal { .. } => parts.saturating_add(1),
            Argument::Variant(_) | Argument::Table(_) => parts,
        });
        let mut changed: SmallVec<[usize; 2]> = SmallVec::new();
        for (number, value) in taken {
            if value.is_some() {
                self.values[number].value = value;
                // It is among the parts itself.
                self.values[number].size = parts;
                changed.push(number);
            }
            if self.values[number].value.is_none() {
                let pool = self.values[number].pool;
                self.pools[pool].retain(|other| *other != number);
            }
        }
        let leaves = std::mem::take(&mut self.made.leaves);
        let variants = std::mem::take(&mut self.made.variants);
        if self.made.notes {
            self.variants.push(variants);
        }
        if !result? {
            self.calls.pop();
            self.first.pop();
            if self.made.notes {
                self.variants.pop();
            }
            return Ok(false);
        }
        let call = self.calls.last().expect("a call was made");
        let (function, outcome) = (call.function, self.made.outcome);
        let first = self.values.len();
        for (leaf, value) in leaves {
            let Some(pool) = self.interface.kept[function][leaf] else { continue };
            let class = (function, outcome, parts.ilog2());
            self.values.push(MadeValue { pool, value: Some(value), class, size: parts });
            self.check(self.values.len() - 1)?;
        }
        changed.into_iter().try_for_each(|value| self.check(value))?;
        // A value that is lent by `&` may change inside.
        let arguments = &self.calls.last().expect("a call was made").arguments;
        for argument in arguments {
            if let Argument::Variable(value, ArgumentMode::Shared) = *argument {
                self.check(value)?;
            }
        }
        // Pools are full of values that were checked: one of them may have to go.
        (first..self.values.len())
            .for_each(|value| if parts <= LARGEST { self.keep(value) } else { self.values[value].value = None });
        Ok(true)
    }

    /// Checks the laws of a value.
    fn check(&self, value: usize) -> Result<(), InterfaceFinding> {
        let MadeValue { pool, value, .. } = &self.values[value];
        for law in &self.interface.pools[*pool].laws {
            let value = value.as_deref().expect(HELD);
            let complaint = panics::caught(|| (law.complaint)(value));
            if let Some(why) = complaint.unwrap_or_else(|caught| Some(format!("it panics: {}", caught.message))) {
                return Err(InterfaceFinding::Law { law: law.name, why });
            }
        }
        Ok(())
    }

    /// Tests whether the last call was too hard to judge.
    pub fn is_undecided(&self) -> bool {
        self.made.undecided
    }

    /// Notes a call that is not made.
    pub fn note(&mut self, call: Call) {
        self.calls.push(call);
        self.first.push(self.values.len());
    }

    /// Tests whether a law does not hold of a value.
    pub fn breaks(&self, value: usize, law: &Law) -> bool {
        let MadeValue { pool, value, .. } = &self.values[value];
        let is_about_it = self.interface.pools[*pool].laws.iter().any(|other| std::ptr::eq(other, law));
        is_about_it
            && value
                .as_deref()
                .is_some_and(|value| panics::caught(|| (law.complaint)(value)).map_or(true, |why| why.is_some()))
    }

    /// Adds a value to its pool. If that is full, the oldest value of the most frequent class is dropped.
    fn keep(&mut self, value: usize) {
        let pool = self.values[value].pool;
        if self.pools[pool].len() >= self.limit {
            let class = |value: &usize| self.values[*value].class;
            let alike = |value: &usize| self.pools[pool].iter().filter(|other| class(other) == class(value)).count();
            let most = self.pools[pool].iter().map(alike).max().unwrap_or(0);
            let at = self.pools[pool].iter().position(|value| alike(value) == most).unwrap_or(0);
            let dropped = self.pools[pool].remove(at);
            self.values[dropped].value = None;
        }
        self.pools[pool].push(value);
    }

    /// Tests whether a call can be made: its values are there, and none is used in two ways.
    pub fn is_possible(&self, call: &Call) -> bool {
        call.arguments.iter().enumerate().all(|(at, argument)| match *argument {
            Argument::Variable(value, mode) => {
                self.values.get(value).is_some_and(|value| value.value.is_some())
                    && !call.arguments[..at].iter().any(|other| {
                        let Argument::Variable(other, others) = *other else { return false };
                        other == value && (self.is_moved(value, mode) || self.is_moved(value, others))
                    })
            }
            _ => true,
        })
    }

    /// The alternatives with which the arguments of a call are drawn from all that there is.
    pub fn picks(&self, call: &Call) -> Option<Vec<usize>> {
        let mut picks = Vec::new();
        for (at, argument) in call.arguments.iter().enumerate() {
            picks.push(match *argument {
                Argument::Variant(variant) => variant,
                Argument::Table(_) => continue,
                Argument::Literal { at, .. } => at,
                Argument::Variable(value, mode) => {
                    let pool = self.values.get(value)?.pool;
                    let (literals, free) = self.candidates(pool, mode, &call.arguments[..at]);
                    literals + free.iter().position(|other| *other == value)?
                }
            });
        }
        Some(picks)
    }

    /// The pool of a value.
    pub fn pool_of(&self, value: usize) -> Option<usize> {
        self.values.get(value).map(|value| value.pool)
    }

    /// Makes a call, and takes a panic in it for a finding.
    ///
    /// # Errors
    /// The finding about the call.
    pub fn attempt(&mut self, call: Call) -> Result<bool, InterfaceFinding> {
        panics::caught(|| self.perform(call)).unwrap_or_else(|caught| Err(panicked(caught)))
    }
}

/// The finding of a panic.
pub(super) fn panicked(caught: Caught) -> InterfaceFinding {
    InterfaceFinding::Panic { message: caught.message, place: caught.place.unwrap_or_default() }
}

/// The values of a call are held: it was drawn from the pools, or `is_possible`.
const HELD: &str = "the values of a call are held";
