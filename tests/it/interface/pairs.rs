//! Interfaces of several types, in modules: trees with zippers, queues, decision diagrams.

use mayhap::interface::{Interface, InterfaceReport};

fn checked<I: Interface>() -> InterfaceReport {
    mayhap::check_interface::<I>().values(0..32_i32).calls(500_000).check()
}

/// Asserts that a fault is found, with a program of at most so many calls.
fn is_found<I: Interface>(calls: usize) {
    let report = checked::<I>();
    println!("{report}");
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(failure.calls <= calls, "{report}");
}

fn passes<I: Interface>() {
    let report = checked::<I>();
    assert_eq!(report.failure, None, "{report}");
}

/// A search tree, a place in it as a zipper, and the mistake to close a subtree with any zipper: the two need not belong together.
#[mayhap::interface]
pub mod zippers {
    use std::rc::Rc;

    #[derive(Clone, Debug)]
    pub struct Tree(Option<Rc<(Tree, i32, Tree)>>);

    /// The way back: for each step, whether it went left, the item, and the other subtree.
    #[derive(Clone, Debug)]
    pub struct Zipper(Vec<(bool, i32, Tree)>);

    /// A place in a tree.
    pub struct Place {
        pub below: Tree,
        pub above: Zipper,
    }

    impl Tree {
        pub fn leaf() -> Tree {
            Tree(None)
        }

        pub fn insert(&self, x: i32) -> Tree {
            let Some(node) = &self.0 else { return Tree(Some(Rc::new((Tree(None), x, Tree(None))))) };
            match x.cmp(&node.1) {
                std::cmp::Ordering::Less => Tree(Some(Rc::new((node.0.insert(x), node.1, node.2.clone())))),
                std::cmp::Ordering::Greater => Tree(Some(Rc::new((node.0.clone(), node.1, node.2.insert(x))))),
                std::cmp::Ordering::Equal => self.clone(),
            }
        }

        /// Goes down to where an item belongs.
        pub fn open(&self, x: i32) -> Place {
            let (mut below, mut above) = (self.clone(), Vec::new());
            while let Some(node) = below.0.clone() {
                match x.cmp(&node.1) {
                    std::cmp::Ordering::Less => {
                        above.push((true, node.1, node.2.clone()));
                        below = node.0.clone();
                    }
                    std::cmp::Ordering::Greater => {
                        above.push((false, node.1, node.0.clone()));
                        below = node.2.clone();
                    }
                    std::cmp::Ordering::Equal => break,
                }
            }
            Place { below, above: Zipper(above) }
        }

        #[law]
        fn is_sorted(&self) -> bool {
            fn items(tree: &Tree, all: &mut Vec<i32>) {
                if let Some(node) = &tree.0 {
                    items(&node.0, all);
                    all.push(node.1);
                    items(&node.2, all);
                }
            }
            let mut all = Vec::new();
            items(self, &mut all);
            all.windows(2).all(|pair| pair[0] < pair[1])
        }
    }

    /// Puts a place together again.
    pub fn close(place: Place) -> Tree {
        place.above.0.into_iter().rev().fold(place.below, |below, (is_left, item, other)| {
            let (left, right) = if is_left { (below, other) } else { (other, below) };
            Tree(Some(Rc::new((left, item, right))))
        })
    }
}

#[test]
fn a_tree_is_closed_with_the_zipper_of_another() {
    is_found::<zippers::Interface>(6);
}

/// Height-balanced trees, whose `join` does not rotate.
#[mayhap::interface]
pub mod joins {
    use std::rc::Rc;

    #[derive(Clone, Debug)]
    pub struct Avl(Option<Rc<(Avl, i32, Avl, i32)>>);

    fn node(left: Avl, item: i32, right: Avl) -> Avl {
        let height = 1 + left.height().max(right.height());
        Avl(Some(Rc::new((left, item, right, height))))
    }

    impl Avl {
        fn height(&self) -> i32 {
            self.0.as_ref().map_or(0, |node| node.3)
        }

        pub fn of(x: i32) -> Avl {
            node(Avl(None), x, Avl(None))
        }

        #[requires(last(self) < x && x < first(other))]
        pub fn join(&self, x: i32, other: &Avl) -> Avl {
            if self.height() > other.height() + 1 {
                let top = self.0.as_ref().unwrap();
                return node(top.0.clone(), top.1, top.2.join(x, other));
            }
            node(self.clone(), x, other.clone())
        }

        #[law]
        fn is_balanced(&self) -> bool {
            self.0.as_ref().is_none_or(|node| {
                (node.0.height() - node.2.height()).abs() <= 1 && node.0.is_balanced() && node.2.is_balanced()
            })
        }
    }

    fn last(tree: &Avl) -> i32 {
        tree.0.as_ref().map_or(i32::MIN, |node| if node.2.0.is_none() { node.1 } else { last(&node.2) })
    }

    fn first(tree: &Avl) -> i32 {
        tree.0.as_ref().map_or(i32::MAX, |node| if node.0.0.is_none() { node.1 } else { first(&node.0) })
    }
}

#[test]
fn a_join_that_does_not_rotate_is_found() {
    is_found::<joins::Interface>(10);
}

macro_rules! heaps {
    ($module:ident, $swaps:expr) => {
        #[mayhap::interface]
        pub mod $module {
            #[derive(Clone, Debug)]
            pub struct Heap(Option<Box<(Heap, i32, Heap)>>);

            #[model(Vec<i32>)]
            impl Heap {
                #[model(|()| Vec::new())]
                pub fn new() -> Heap {
                    Heap(None)
                }

                #[model(|(mut a, b)| { a.extend(b); a.sort(); a })]
                pub fn merge(self, other: Heap) -> Heap {
                    match (self.0, other.0) {
                        (None, other) => Heap(other),
                        (some, None) => Heap(some),
                        (Some(a), Some(b)) => {
                            let swaps: fn(i32, i32) -> bool = $swaps;
                            let (top, rest) = if swaps(a.1, b.1) { (b, a) } else { (a, b) };
                            let (left, item, right) = *top;
                            Heap(Some(Box::new((right.merge(Heap(Some(rest))), item, left))))
                        }
                    }
                }

                #[model(|(mut a, x)| { a.push(x); a.sort(); a })]
                pub fn push(self, x: i32) -> Heap {
                    self.merge(Heap(Some(Box::new((Heap(None), x, Heap(None))))))
                }

                #[model(|mut a| (!a.is_empty()).then(|| { let x = a.remove(0); (x, a) }))]
                pub fn pop(self) -> Option<(i32, Heap)> {
                    let (left, item, right) = *self.0?;
                    Some((item, left.merge(right)))
                }
            }
        }
    };
}

heaps!(skew, |a, b| b < a);
heaps!(skewed, |a, b| b < a && a - b < 20);

#[test]
fn a_skew_heap_with_a_wrong_order_is_found() {
    passes::<skew::Interface>();
    is_found::<skewed::Interface>(6);
}

macro_rules! diagrams {
    ($module:ident, $key:expr) => {
        /// Decision diagrams whose nodes are shared: equal functions are the same node.
        #[mayhap::interface]
        pub mod $module {
            use std::collections::HashMap;

            #[derive(Clone, Debug)]
            pub struct Diagrams {
                nodes: Vec<(u8, usize, usize)>,
                known: HashMap<(u8, usize, usize), usize>,
            }

            impl Diagrams {
                pub fn new() -> Diagrams {
                    Diagrams { nodes: vec![(9, 0, 0), (9, 1, 1)], known: HashMap::new() }
                }

                fn node(&mut self, variable: u8, low: usize, high: usize) -> usize {
                    if low == high {
                        return low;
                    }
                    let key: fn(u8, usize, usize, usize) -> (u8, usize, usize) = $key;
                    let nodes = &mut self.nodes;
                    *self.known.entry(key(variable, low, high, nodes.len())).or_insert_with(|| {
                        nodes.push((variable, low, high));
                        nodes.len() - 1
                    })
                }

                #[requires(x < 4)]
                pub fn variable(&mut self, x: u8) -> usize {
                    self.node(x, 0, 1)
                }

                #[requires(a < self.nodes.len())]
                pub fn not(&mut self, a: usize) -> usize {
                    match a {
                        0 | 1 => 1 - a,
                        _ => {
                            let (variable, low, high) = self.nodes[a];
                            let (low, high) = (self.not(low), self.not(high));
                            self.node(variable, low, high)
                        }
                    }
                }

                #[requires(a < self.nodes.len() && b < self.nodes.len())]
                pub fn and(&mut self, a: usize, b: usize) -> usize {
                    if a < 2 || b < 2 || a == b {
                        return if a == b || a == 1 {
                            b
                        } else if b == 1 {
                            a
                        } else {
                            0
                        };
                    }
                    let ((x, a0, a1), (y, b0, b1)) = (self.nodes[a], self.nodes[b]);
                    let first = x.min(y);
                    let (a0, a1) = if x == first { (a0, a1) } else { (a, a) };
                    let (b0, b1) = if y == first { (b0, b1) } else { (b, b) };
                    let (low, high) = (self.and(a0, b0), self.and(a1, b1));
                    self.node(first, low, high)
                }

                #[law]
                fn are_shared(&self) -> bool {
                    let table = |mut at: usize, inputs: u8| {
                        while at > 1 {
                            let (variable, low, high) = self.nodes[at];
                            at = if inputs >> variable & 1 == 1 { high } else { low };
                        }
                        at
                    };
                    let tables: std::collections::HashSet<Vec<usize>> =
                        (0..self.nodes.len()).map(|at| (0..16).map(|inputs| table(at, inputs)).collect()).collect();
                    tables.len() == self.nodes.len()
                }
            }
        }
    };
}

diagrams!(shared, |variable, low, high, _| (variable, low, high));
diagrams!(unshared, |variable, low, high, next| (variable, low, if low > 1 { next } else { high }));

#[test]
fn a_diagram_with_broken_sharing_is_found() {
    let report = mayhap::check_interface::<shared::Interface>().calls(100_000).check();
    assert_eq!(report.failure, None, "{report}");
    is_found::<unshared::Interface>(12);
}
