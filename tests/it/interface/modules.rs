//! Modules with several types, and what stands in them: models of their own, structs that are taken apart, attributes.

/// Two types with different models, one of them with a parameter.
#[mayhap::interface(T = u8)]
pub mod models {
    use std::collections::BTreeSet;

    #[derive(Clone, Debug)]
    pub struct Pile<T>(Vec<T>);

    #[derive(Clone, Debug)]
    pub struct Numbers(Vec<u8>);

    /// A value without a model, which cannot be copied.
    pub struct Ticket(u8);

    #[model(Vec<T>)]
    impl<T: Clone> Pile<T> {
        pub fn new() -> Self {
            Pile(Vec::new())
        }

        pub fn push(&mut self, x: T) {
            self.0.push(x);
        }

        pub fn pop(&mut self) -> Option<T> {
            self.0.pop()
        }
    }

    #[model(BTreeSet<u8>)]
    impl Numbers {
        pub fn new() -> Self {
            Numbers(Vec::new())
        }

        pub fn insert(&mut self, x: u8) -> bool {
            let is_new = !self.0.contains(&x);
            if is_new {
                self.0.push(x);
            }
            is_new
        }

        #[cfg(any())]
        pub fn not_there(&self) {}

        #[model(|numbers| numbers.iter().max().copied())]
        pub fn greatest(&self) -> Option<u8> {
            self.0.iter().max().copied()
        }
    }

    impl Ticket {
        pub fn number(&self) -> u8 {
            self.0
        }
    }

    pub fn same(same: u8) -> u8 {
        same
    }
}

#[test]
fn each_type_has_its_model() {
    let report = mayhap::check_interface::<models::Interface>().calls(20_000).check();
    assert_eq!(report.failure, None, "{report}");
    assert_eq!(report.never, ["number"], "{report}");
}

/// A struct with public fields and functions is a value, and one without is taken apart, even if it holds itself.
#[mayhap::interface]
pub mod structs {
    pub struct Range {
        pub from: u8,
        pub to: u8,
    }

    pub struct Node {
        pub item: u8,
        pub children: Vec<Node>,
    }

    impl Range {
        pub fn new(from: u8, to: u8) -> Range {
            Range { from, to }
        }

        #[law]
        fn is_ordered(&self) -> bool {
            self.from <= self.to
        }
    }

    pub fn of(item: u8) -> Node {
        Node { item, children: Vec::new() }
    }

    pub fn joined(first: Node, second: Node) -> Node {
        Node { item: first.item, children: vec![second] }
    }
}

#[test]
fn structs_are_values_or_parts() {
    let report = mayhap::check_interface::<structs::Interface>().check();
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(failure.program, "let range1 = Range::new(1, 0);\nassert!(Range::is_ordered(&range1));\n");
}

/// References that are returned are copied with their models, if their types can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Nested(u8, Vec<Nested>);

/// A model that holds others.
#[derive(Clone, Debug)]
pub struct Depth(u8, Vec<Depth>);

#[mayhap::interface(model = Depth)]
impl Nested {
    #[model(|x| Depth(x, Vec::new()))]
    pub fn of(x: u8) -> Nested {
        Nested(x, Vec::new())
    }

    #[model(|(outer, inner)| { outer.1.push(inner); })]
    pub fn push(&mut self, inner: Nested) {
        self.1.push(inner);
    }

    /// The first one inside; by mistake the last one, if there are three.
    #[model(|outer| outer.1.first())]
    pub fn first(&self) -> Option<&Nested> {
        if self.1.len() == 3 { self.1.last() } else { self.1.first() }
    }

    #[model(|depth| depth.0)]
    pub fn number(&self) -> u8 {
        self.0
    }
}

#[test]
fn returned_references_have_their_models() {
    let report = mayhap::check_interface::<Nested>().check();
    println!("{report}");
    let failure = report.failure.as_ref().unwrap_or_else(|| panic!("{report}"));
    assert!(
        failure.program.contains(".first() else { unreachable!() };") && failure.program.contains(".clone();"),
        "{report}"
    );
}
