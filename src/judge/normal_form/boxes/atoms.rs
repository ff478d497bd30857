//! The contents of a cell in several boxes as bit sets of atoms, the values that the contents consist of.
//!
//! In boxes with 3 to 4, and with 4 to 5, the atoms are 3, 4 and 5, a bit each. A shape with too many values to list is one atom; a
//! set that has this atom also has the atoms that the shape includes.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::content::{Content, DomainTree};
use crate::scalar::Sort;
use crate::value::Value;

/// The values of a shape that each become an atom.
const VALUES: usize = 256;
/// The bits of a word of a set of atoms.
const WORD: usize = 64;

/// A set of atoms. Equal sets have equal forms: the last word is not zero.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct AtomSet(SmallVec<[u64; 2]>);

/// The atoms of a cell: `numbers` gives the position of each in `atoms`, in which no two are equal.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    atoms: Vec<Atom>,
    numbers: FxHashMap<Atom, usize>,
}

/// A value, a shape with too many values to list, or a linked content.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Atom {
    DomainTree(DomainTree),
    Linked(Content),
}

impl Atoms {
    /// The atoms of the contents of a cell.
    pub(crate) fn of<'c>(contents: impl Iterator<Item = &'c Content>) -> Atoms {
        let mut atoms = Atoms::default();
        for content in contents {
            for atom in listed(content) {
                if !atoms.numbers.contains_key(&atom) {
                    atoms.numbers.insert(atom.clone(), atoms.atoms.len());
                    atoms.atoms.push(atom);
                }
            }
        }
        atoms
    }

    /// A content as a set.
    pub(crate) fn set(&self, content: &Content) -> AtomSet {
        let mut set = AtomSet::default();
        for atom in listed(content) {
            set.insert(self.numbers[&atom]);
            if let Atom::DomainTree(shape @ (DomainTree::Leaf(..) | DomainTree::Data(..) | DomainTree::List(_))) = &atom
            {
                let inside = |other: &Atom| matches!(other, Atom::DomainTree(other) if shape.includes(other));
                (0..self.atoms.len()).filter(|at| inside(&self.atoms[*at])).for_each(|at| set.insert(at));
            }
        }
        set
    }

    /// The sets into which a set is split: one for all its shapes, and one for each linked content.
    pub(crate) fn split(&self, set: &AtomSet) -> Vec<AtomSet> {
        let (mut shapes, mut sets) = (AtomSet::default(), Vec::new());
        for at in set.iter() {
            match &self.atoms[at] {
                Atom::DomainTree(_) => shapes.insert(at),
                Atom::Linked(_) => sets.push(AtomSet::only(at)),
            }
        }
        sets.extend((!shapes.is_empty()).then_some(shapes));
        sets
    }

    /// The contents that a set stands for together.
    pub(crate) fn contents(&self, set: &AtomSet) -> Vec<Content> {
        let (mut shapes, mut contents) = (Vec::new(), Vec::new());
        for at in set.iter() {
            match &self.atoms[at] {
                Atom::DomainTree(shape) => shapes.push(shape.clone()),
                Atom::Linked(content) => contents.push(content.clone()),
            }
        }
        contents.extend((!shapes.is_empty()).then(|| Content::of(shapes)));
        contents
    }
}

/// The atoms of a content.
fn listed(content: &Content) -> Vec<Atom> {
    match content {
        Content::Shapes(shapes) => shapes
            .iter()
            .flat_map(|shape| match shape.values(VALUES) {
                Some(values) => values.into_iter().map(|value| Atom::DomainTree(DomainTree::Known(value))).collect(),
                None => vec![Atom::DomainTree(shape.clone())],
            })
            .collect(),
        linked @ Content::Linked { .. } => vec![Atom::Linked(linked.clone())],
    }
}

impl DomainTree {
    /// All values of the shape, if there are at most `limit`; `None` also if it is missing or a list.
    fn values(&self, limit: usize) -> Option<Vec<Value>> {
        match self {
            DomainTree::Missing | DomainTree::List(_) => None,
            DomainTree::Known(value) => Some(vec![value.clone()]),
            DomainTree::Leaf(Sort::Bool, domain) if domain.is_all() => {
                Some(vec![Value::from(false), Value::from(true)])
            }
            DomainTree::Leaf(_, domain) => Some(domain.values(limit)?.into_iter().map(Value::Scalar).collect()),
            DomainTree::Data(tag, fields) => {
                let mut products: Vec<Vec<Value>> = vec![Vec::new()];
                for field in fields {
                    let values = field.values(limit)?;
                    if products.len() * values.len() > limit {
                        return None;
                    }
                    let with = |product: &Vec<Value>, value: &Value| {
                        product.iter().chain([value]).cloned().collect::<Vec<Value>>()
                    };
                    products = products.iter().flat_map(|p| values.iter().map(move |v| with(p, v))).collect();
                }
                Some(products.into_iter().map(|fields| Value::data(*tag, fields)).collect())
            }
        }
    }
}

impl AtomSet {
    fn insert(&mut self, at: usize) {
        if self.0.len() <= at / WORD {
            self.0.resize(at / WORD + 1, 0);
        }
        self.0[at / WORD] |= 1 << (at % WORD);
    }

    fn only(at: usize) -> AtomSet {
        let mut set = AtomSet::default();
        set.insert(at);
        set
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(at, word)| (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * WORD + bit))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn includes(&self, other: &AtomSet) -> bool {
        let within = |(at, word): (usize, &u64)| word & !self.0.get(at).unwrap_or(&0) == 0;
        other.0.iter().enumerate().all(within)
    }

    pub(crate) fn union(&self, other: &AtomSet) -> AtomSet {
        let (long, short) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut both = long.clone();
        both.0.iter_mut().zip(&short.0).for_each(|(word, other)| *word |= other);
        both
    }

    pub(crate) fn intersection(&self, other: &AtomSet) -> AtomSet {
        AtomSet::trimmed(self.0.iter().zip(&other.0).map(|(word, other)| word & other))
    }

    pub(crate) fn without(&self, other: &AtomSet) -> AtomSet {
        let words = self.0.iter().enumerate();
        AtomSet::trimmed(words.map(|(at, word)| word & !other.0.get(at).unwrap_or(&0)))
    }

    fn trimmed(words: impl Iterator<Item = u64>) -> AtomSet {
        let mut words: SmallVec<[u64; 2]> = words.collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        AtomSet(words)
    }
}
