//! Balanced trees: the union of OCaml's sets as it was until 2008, AVL trees, red-black trees with zippers, skew heaps.

use mayhap::interface::{Interface, InterfaceReport};

/// The reports of eight seeds, with this many numbers.
pub fn eight<I: Interface>(numbers: u8) -> Vec<InterfaceReport> {
    (0..8).map(|seed| mayhap::check_interface::<I>().values(0..numbers).seed(seed).calls(500_000).check()).collect()
}

/// Sets as balanced trees, whose heights differ by two at most. `join` puts two trees together whose heights may differ by more; the
/// mistake is to balance them in one step, as if the heights differed by three at most.
pub mod unions {
    use std::rc::Rc;

    type Tree = Option<Rc<Node>>;

    #[derive(Debug)]
    struct Node {
        left: Tree,
        item: u8,
        right: Tree,
        height: usize,
    }

    fn height(tree: &Tree) -> usize {
        tree.as_ref().map_or(0, |node| node.height)
    }

    fn made(left: Tree, item: u8, right: Tree) -> Tree {
        let height = 1 + height(&left).max(height(&right));
        Some(Rc::new(Node { left, item, right, height }))
    }

    /// A tree of two whose heights differ by three at most.
    fn balanced(left: Tree, item: u8, right: Tree) -> Tree {
        let (l, r) = (height(&left), height(&right));
        if l > r + 2 {
            let node = left.as_ref().unwrap();
            if height(&node.left) >= height(&node.right) {
                return made(node.left.clone(), node.item, made(node.right.clone(), item, right));
            }
            let inner = node.right.as_ref().unwrap();
            let first = made(node.left.clone(), node.item, inner.left.clone());
            return made(first, inner.item, made(inner.right.clone(), item, right));
        }
        if r > l + 2 {
            let node = right.as_ref().unwrap();
            if height(&node.right) >= height(&node.left) {
                return made(made(left, item, node.left.clone()), node.item, node.right.clone());
            }
            let inner = node.left.as_ref().unwrap();
            let first = made(left, item, inner.left.clone());
            return made(first, inner.item, made(inner.right.clone(), node.item, node.right.clone()));
        }
        made(left, item, right)
    }

    fn added(tree: &Tree, item: u8) -> Tree {
        let Some(node) = tree else { return made(None, item, None) };
        match item.cmp(&node.item) {
            std::cmp::Ordering::Equal => tree.clone(),
            std::cmp::Ordering::Less => balanced(added(&node.left, item), node.item, node.right.clone()),
            std::cmp::Ordering::Greater => balanced(node.left.clone(), node.item, added(&node.right, item)),
        }
    }

    fn joined<const BROKEN: bool>(left: &Tree, item: u8, right: &Tree) -> Tree {
        match (left, right) {
            (None, _) => added(right, item),
            (_, None) => added(left, item),
            _ if BROKEN => balanced(left.clone(), item, right.clone()),
            (Some(l), _) if l.height > height(right) + 2 => {
                balanced(l.left.clone(), l.item, joined::<BROKEN>(&l.right, item, right))
            }
            (_, Some(r)) if r.height > height(left) + 2 => {
                balanced(joined::<BROKEN>(left, item, &r.left), r.item, r.right.clone())
            }
            _ => made(left.clone(), item, right.clone()),
        }
    }

    fn split<const BROKEN: bool>(tree: &Tree, item: u8) -> (Tree, Tree) {
        let Some(node) = tree else { return (None, None) };
        match item.cmp(&node.item) {
            std::cmp::Ordering::Equal => (node.left.clone(), node.right.clone()),
            std::cmp::Ordering::Less => {
                let (before, after) = split::<BROKEN>(&node.left, item);
                (before, joined::<BROKEN>(&after, node.item, &node.right))
            }
            std::cmp::Ordering::Greater => {
                let (before, after) = split::<BROKEN>(&node.right, item);
                (joined::<BROKEN>(&node.left, node.item, &before), after)
            }
        }
    }

    fn united<const BROKEN: bool>(a: &Tree, b: &Tree) -> Tree {
        let (Some(first), Some(second)) = (a, b) else { return a.clone().or_else(|| b.clone()) };
        if first.height >= second.height {
            if second.height == 1 {
                return added(a, second.item);
            }
            let (before, after) = split::<BROKEN>(b, first.item);
            joined::<BROKEN>(
                &united::<BROKEN>(&first.left, &before),
                first.item,
                &united::<BROKEN>(&first.right, &after),
            )
        } else {
            if first.height == 1 {
                return added(b, first.item);
            }
            let (before, after) = split::<BROKEN>(a, second.item);
            joined::<BROKEN>(
                &united::<BROKEN>(&before, &second.left),
                second.item,
                &united::<BROKEN>(&after, &second.right),
            )
        }
    }

    fn is_balanced(tree: &Tree) -> bool {
        tree.as_ref().is_none_or(|node| {
            height(&node.left).abs_diff(height(&node.right)) <= 2 && is_balanced(&node.left) && is_balanced(&node.right)
        })
    }

    macro_rules! sets {
        ($name:ident, $broken:literal) => {
            #[derive(Clone, Debug)]
            pub struct $name(Tree);

            #[mayhap::interface]
            impl $name {
                pub fn empty() -> Self {
                    Self(None)
                }

                pub fn add(&self, x: u8) -> Self {
                    Self(added(&self.0, x))
                }

                pub fn singleton(x: u8) -> Self {
                    Self(made(None, x, None))
                }

                pub fn of_list(items: &[u8]) -> Self {
                    Self(items.iter().fold(None, |tree, item| added(&tree, *item)))
                }

                pub fn union(&self, other: &Self) -> Self {
                    Self(united::<$broken>(&self.0, &other.0))
                }

                pub fn split(&self, x: u8) -> (Self, Self) {
                    let (before, after) = split::<$broken>(&self.0, x);
                    (Self(before), Self(after))
                }

                #[law]
                fn is_balanced(&self) -> bool {
                    is_balanced(&self.0)
                }
            }
        };
    }

    sets!(Broken, true);
    sets!(Mended, false);
}

#[test]
fn the_old_union_of_ocaml_is_unbalanced() {
    for report in eight::<unions::Broken>(100) {
        let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
        println!("{report}");
        assert!(failure.calls <= 8, "{report}");
    }
    let report = mayhap::check_interface::<unions::Mended>().values(0..20_u8).calls(100_000).check();
    assert_eq!(report.failure, None, "{report}");
}
