//! The shape of the values that schemas allow, merged: `allOf` allows what all parts allow, `oneOf` and `anyOf` what any part allows.
//!
//! For example `allOf` of an object with `id` and one with `text` is an object with both.

use std::cell::{Cell, RefCell};

use super::document::tree::{Described, Tree};
use super::document::{Document, TreeNode};
use super::limits::{ValueLimits, json_of, limits_of};

/// The largest number of schemas that are merged for one description, which bounds the time for schemas that contain each other.
const MAX_MERGES: u32 = 400_000;

/// A schema, or several of which all or any must hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SchemaView<'d> {
    /// One schema, as it was written.
    Of(TreeNode<'d>),
    /// The conjunction of several schemas.
    All(Vec<SchemaView<'d>>),
    /// The disjunction of several schemas.
    Any(Vec<SchemaView<'d>>),
}

impl<'d> SchemaView<'d> {
    /// The view of one schema.
    pub fn of(tree: &'d Tree) -> SchemaView<'d> {
        SchemaView::Of(TreeNode(tree))
    }

    /// The conjunction of views.
    pub fn all(views: impl IntoIterator<Item = SchemaView<'d>>) -> SchemaView<'d> {
        SchemaView::joined(views, SchemaView::All)
    }

    /// The disjunction of views.
    pub fn any(views: impl IntoIterator<Item = SchemaView<'d>>) -> SchemaView<'d> {
        SchemaView::joined(views, SchemaView::Any)
    }

    fn joined(
        views: impl IntoIterator<Item = SchemaView<'d>>,
        join: fn(Vec<SchemaView<'d>>) -> SchemaView<'d>,
    ) -> SchemaView<'d> {
        let mut joined: Vec<SchemaView<'d>> = Vec::new();
        for view in views {
            if !joined.contains(&view) {
                joined.push(view);
            }
        }
        if joined.len() == 1 { joined.remove(0) } else { join(joined) }
    }

    /// The schemas that the view is made of.
    pub fn trees(&self) -> Vec<&'d Tree> {
        match self {
            SchemaView::Of(TreeNode(tree)) => vec![tree],
            SchemaView::All(views) | SchemaView::Any(views) => views.iter().flat_map(SchemaView::trees).collect(),
        }
    }
}

/// A set of kinds of JSON values, one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueKinds(u8);

impl ValueKinds {
    /// No kind, except `null`, which is not counted here.
    pub const NONE: ValueKinds = ValueKinds(0);
    /// Objects.
    pub const OBJECT: ValueKinds = ValueKinds(1);
    /// Arrays.
    pub const ARRAY: ValueKinds = ValueKinds(2);
    /// Strings.
    pub const STRING: ValueKinds = ValueKinds(4);
    /// Integers.
    pub const INTEGER: ValueKinds = ValueKinds(8);
    /// All numbers.
    pub const NUMBER: ValueKinds = ValueKinds(8 | 16);
    /// Booleans.
    pub const BOOLEAN: ValueKinds = ValueKinds(32);
    /// All kinds.
    pub const ALL: ValueKinds = ValueKinds(63);

    /// The intersection of two sets.
    pub fn both(self, other: ValueKinds) -> ValueKinds {
        ValueKinds(self.0 & other.0)
    }

    /// The union of two sets.
    pub fn either(self, other: ValueKinds) -> ValueKinds {
        ValueKinds(self.0 | other.0)
    }

    /// The JSON of some values of these kinds, of scalars if there are any.
    pub fn examples(self) -> Vec<String> {
        let of = [
            (ValueKinds::STRING, "\"a\""),
            (ValueKinds::INTEGER, "1"),
            (ValueKinds(16), "2.5"),
            (ValueKinds::BOOLEAN, "true"),
            (ValueKinds::OBJECT, "{}"),
            (ValueKinds::ARRAY, "[]"),
        ];
        let own = of.iter().filter(|(kind, _)| self.both(*kind) != ValueKinds::NONE);
        let mut found: Vec<String> = own.map(|(_, json)| (*json).to_owned()).collect();
        // Texts among other kinds mostly have a form, as those of `anyOf: [{type: number}, {type: string, pattern: …}]`.
        for beginning in ['{', '[', '"'] {
            if found.iter().any(|json| !json.starts_with(beginning)) {
                found.retain(|json| !json.starts_with(beginning));
            }
        }
        found
    }

    /// The set for a type name of JSON Schema.
    fn named(name: &str) -> Option<ValueKinds> {
        Some(match name {
            "object" => ValueKinds::OBJECT,
            "array" => ValueKinds::ARRAY,
            "string" | "file" => ValueKinds::STRING,
            "integer" => ValueKinds::INTEGER,
            "number" => ValueKinds::NUMBER,
            "boolean" => ValueKinds::BOOLEAN,
            "null" => ValueKinds::NONE,
            _ => return None,
        })
    }
}

/// A property of objects.
#[derive(Clone, Debug)]
pub struct ShapeProperty<'d> {
    /// Its name.
    pub name: String,
    /// Its schema, before its reference is followed.
    pub view: SchemaView<'d>,
}

/// The rule for the members of an object that are no named properties.
#[derive(Clone, PartialEq, Debug)]
pub enum OtherMembers<'d> {
    /// They are not mentioned.
    Unspecified,
    /// They are forbidden.
    Forbidden,
    /// They have this schema.
    Of(SchemaView<'d>),
}

/// The shape of the values that schemas allow.
#[derive(Clone, Debug)]
pub struct SchemaShape<'d> {
    /// The kinds of values.
    pub kinds: ValueKinds,
    /// True if `null` is allowed, false if it is not; none if the schemas do not say.
    pub is_nullable: Option<bool>,
    /// The properties of objects.
    pub properties: Vec<ShapeProperty<'d>>,
    /// The names of the required properties.
    pub required: Vec<String>,
    /// The rule for other members of objects.
    pub others: OtherMembers<'d>,
    /// The schema of the elements of arrays.
    pub items: Option<SchemaView<'d>>,
    /// The only allowed strings, if they are listed.
    pub values: Option<Vec<String>>,
    /// The limits of values.
    pub limits: ValueLimits,
    /// The parts of the schemas that this shape cannot express, in words.
    pub remarks: Vec<String>,
}

impl<'d> SchemaShape<'d> {
    /// The shape that allows all values.
    fn anything() -> SchemaShape<'d> {
        SchemaShape {
            kinds: ValueKinds::ALL,
            is_nullable: None,
            properties: Vec::new(),
            required: Vec::new(),
            others: OtherMembers::Unspecified,
            items: None,
            values: None,
            limits: ValueLimits::default(),
            remarks: Vec::new(),
        }
    }

    /// The property of a name.
    pub fn property(&self, name: &str) -> Option<&ShapeProperty<'d>> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Tests whether a property is required.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    fn remark(&mut self, remark: &str) {
        if self.remarks.iter().all(|known| known != remark) {
            self.remarks.push(remark.to_owned());
        }
    }

    /// The shape of values that both shapes allow.
    fn and(mut self, other: SchemaShape<'d>) -> SchemaShape<'d> {
        self.kinds = self.kinds.both(other.kinds);
        self.is_nullable = match (self.is_nullable, other.is_nullable) {
            // `allOf: [{$ref: Pet}]` with `nullable: true` is how descriptions say "a pet, or null", though `allOf` does not mean that.
            (Some(a), Some(b)) => Some(a || b),
            (known, None) | (None, known) => known,
        };
        for property in other.properties {
            match self.properties.iter_mut().find(|known| known.name == property.name) {
                Some(known) => known.view = SchemaView::all([known.view.clone(), property.view]),
                None => self.properties.push(property),
            }
        }
        self.required.extend(other.required);
        // Members that one part forbids may be properties of the other part, so only members that both forbid stay forbidden.
        self.others = match (self.others, other.others) {
            (OtherMembers::Of(a), OtherMembers::Of(b)) => OtherMembers::Of(SchemaView::all([a, b])),
            (OtherMembers::Of(of), _) | (_, OtherMembers::Of(of)) => OtherMembers::Of(of),
            (OtherMembers::Forbidden, OtherMembers::Forbidden) => OtherMembers::Forbidden,
            _ => OtherMembers::Unspecified,
        };
        self.items = match (self.items, other.items) {
            (Some(a), Some(b)) => Some(SchemaView::all([a, b])),
            (known, None) | (None, known) => known,
        };
        self.values = match (self.values, other.values) {
            (Some(a), Some(b)) => Some(a.into_iter().filter(|value| b.contains(value)).collect()),
            (known, None) | (None, known) => known,
        };
        self.limits = self.limits.and(other.limits);
        other.remarks.iter().for_each(|remark| self.remark(remark));
        self
    }

    /// Tests whether the shape allows all values.
    fn is_anything(&self) -> bool {
        self.kinds == ValueKinds::ALL && self.properties.is_empty() && self.required.is_empty() && self.values.is_none()
    }

    /// The shape of values that one of two shapes allows.
    fn or(mut self, other: SchemaShape<'d>) -> SchemaShape<'d> {
        if self.is_anything() || other.is_anything() {
            return SchemaShape::anything();
        }
        if self.kinds == ValueKinds::NONE || other.kinds == ValueKinds::NONE {
            let (of, is_nullable) =
                if self.kinds == ValueKinds::NONE { (other, self.is_nullable) } else { (self, other.is_nullable) };
            return SchemaShape { is_nullable: Some(of.is_nullable == Some(true) || is_nullable == Some(true)), ..of };
        }
        let objects = [self.kinds, other.kinds].map(|kinds| kinds.both(ValueKinds::OBJECT) != ValueKinds::NONE);
        self.kinds = self.kinds.either(other.kinds);
        self.is_nullable = Some(self.is_nullable == Some(true) || other.is_nullable == Some(true));
        match objects {
            [true, true] => {
                let is_required = |name: &String| other.requires(name);
                self.required.retain(is_required);
                for property in other.properties {
                    match self.properties.iter_mut().find(|known| known.name == property.name) {
                        Some(known) => known.view = SchemaView::any([known.view.clone(), property.view]),
                        None => self.properties.push(property),
                    }
                }
                if self.others != other.others {
                    self.others = OtherMembers::Unspecified;
                }
            }
            [false, true] => {
                (self.properties, self.required, self.others) = (other.properties, other.required, other.others);
            }
            [_, false] => {}
        }
        self.items = match (self.items, other.items) {
            (Some(a), Some(b)) => Some(SchemaView::any([a, b])),
            _ => None,
        };
        self.values = match (self.values, other.values) {
            (Some(mut a), Some(b)) => {
                let new: Vec<String> = b.into_iter().filter(|value| !a.contains(value)).collect();
                a.extend(new);
                Some(a)
            }
            _ => None,
        };
        self.limits = self.limits.or(other.limits);
        other.remarks.iter().for_each(|remark| self.remark(remark));
        self
    }
}

/// The schemas of a description.
#[derive(Debug)]
pub struct Schemas<'d> {
    /// The description.
    pub document: &'d Document<'d>,
    merges: Cell<u32>,
    /// The schemas that are being merged, for the detection of cycles.
    open: RefCell<Vec<TreeNode<'d>>>,
}

impl<'d> Schemas<'d> {
    /// The schemas of a description.
    pub fn of(document: &'d Document<'d>) -> Schemas<'d> {
        Schemas { document, merges: Cell::new(0), open: RefCell::default() }
    }

    /// The shape of a view.
    ///
    /// # Errors
    /// A schema is malformed, or a reference leads nowhere.
    pub fn shape(&self, view: &SchemaView<'d>) -> Described<SchemaShape<'d>> {
        match view {
            SchemaView::Of(TreeNode(tree)) => self.shape_of(tree),
            SchemaView::All(views) => {
                let shapes = views.iter().map(|view| self.shape(view)).collect::<Described<Vec<_>>>()?;
                Ok(shapes.into_iter().reduce(SchemaShape::and).unwrap_or_else(SchemaShape::anything))
            }
            SchemaView::Any(views) => {
                let shapes = views.iter().map(|view| self.shape(view)).collect::<Described<Vec<_>>>()?;
                Ok(shapes.into_iter().reduce(SchemaShape::or).unwrap_or_else(SchemaShape::anything))
            }
        }
    }

    fn shape_of(&self, written: &'d Tree) -> Described<SchemaShape<'d>> {
        self.merges.set(self.merges.get() + 1);
        if self.merges.get() > MAX_MERGES {
            return Err(
                written.wrong("the schemas of this file refer to each other too often", "expected fewer of them")
            );
        }
        let tree = self.document.resolve(written)?;
        let node = TreeNode(tree);
        if self.open.borrow().contains(&node) {
            // The schema is a base that lists its extensions: inside of them it adds nothing.
            return Ok(SchemaShape::anything());
        }
        self.open.borrow_mut().push(node);
        let shape = self.merged(tree);
        self.open.borrow_mut().pop();
        let mut shape = shape?;
        if written.has("nullable") || written.has("x-nullable") {
            shape.is_nullable = Some(true);
        }
        Ok(shape)
    }

    /// The shape of a schema that is no reference.
    fn merged(&self, tree: &'d Tree) -> Described<SchemaShape<'d>> {
        if let Some(is_anything) = tree.boolean() {
            let mut shape = SchemaShape::anything();
            if !is_anything {
                shape.remark("no value is allowed here");
            }
            return Ok(shape);
        }
        let mut shape = own_shape(self.document, tree)?;
        if let Some(parts) = tree.get("allOf") {
            for part in parts.list("`allOf`")? {
                shape = shape.and(self.shape_of(part)?);
            }
        }
        for key in ["oneOf", "anyOf"] {
            let Some(parts) = tree.get(key) else { continue };
            let parts = parts.list(&format!("`{key}`"))?;
            let views: Vec<SchemaView<'d>> = parts.iter().map(|part| SchemaView::of(part)).collect();
            if views.is_empty() {
                continue;
            }
            let any = self.shape(&SchemaView::any(views))?;
            let count = parts.len();
            let is_objects = any.kinds == ValueKinds::OBJECT;
            shape = shape.and(any);
            if count > 1 && is_objects {
                shape.remark("one of several kinds of objects: what only some of them have is an option");
            }
        }
        Ok(shape)
    }
}

/// The parts of a schema that types cannot express, with the remark for each.
const UNSAID: [(&str, &str); 14] = [
    ("not", "`not` is left out"),
    ("if", "`if` is left out"),
    ("patternProperties", "`patternProperties` is left out"),
    ("propertyNames", "`propertyNames` is left out"),
    ("dependentRequired", "`dependentRequired` is left out"),
    ("dependentSchemas", "`dependentSchemas` is left out"),
    ("dependencies", "`dependencies` is left out"),
    ("prefixItems", "`prefixItems` is left out"),
    ("contains", "`contains` is left out"),
    ("$dynamicRef", "`$dynamicRef` is left out"),
    ("$recursiveRef", "`$recursiveRef` is left out"),
    ("unevaluatedItems", "`unevaluatedItems` is left out"),
    ("contentSchema", "`contentSchema` is left out"),
    ("minProperties", "`minProperties` is left out"),
];

/// The shape of a schema without the schemas that it combines.
fn own_shape<'d>(document: &Document<'d>, tree: &'d Tree) -> Described<SchemaShape<'d>> {
    tree.object("this schema")?;
    let mut shape = SchemaShape::anything();
    kinds_of(tree, &mut shape)?;
    if tree.has("nullable") || tree.has("x-nullable") {
        shape.is_nullable = Some(true);
    }
    if let Some(properties) = tree.get("properties") {
        for member in document.resolve_names(properties)?.object("`properties`")? {
            shape.properties.push(ShapeProperty { name: member.key.clone(), view: SchemaView::of(&member.value) });
        }
    }
    // In old descriptions, a property itself may have the boolean `required`; it is not a list, so it is ignored here.
    for name in tree.get("required").map_or(&[][..], Tree::elements) {
        shape.required.push(name.word("the name of a property")?.to_owned());
    }
    for key in ["additionalProperties", "unevaluatedProperties"] {
        shape.others = match tree.get(key) {
            Some(others) if others.boolean() == Some(false) => OtherMembers::Forbidden,
            Some(others) if others.boolean() == Some(true) => OtherMembers::Unspecified,
            Some(others) => OtherMembers::Of(SchemaView::of(others)),
            None => continue,
        };
        break;
    }
    if let Some(items) = tree.get("items").filter(|items| items.boolean().is_none()) {
        if items.elements().is_empty() {
            shape.items = Some(SchemaView::of(items));
        } else {
            shape.remark("the kinds of single elements are left out");
        }
    }
    shape.limits = limits_of(tree);
    allowed_values(tree, &mut shape)?;
    for (_, remark) in UNSAID.iter().filter(|(key, _)| tree.get(key).is_some()) {
        shape.remark(remark);
    }
    if tree.get("patternProperties").is_some() && shape.others == OtherMembers::Forbidden {
        shape.others = OtherMembers::Unspecified;
    }
    Ok(shape)
}

/// The kinds of values of a schema: those of its `type`, or those that its other members apply to.
fn kinds_of(tree: &Tree, shape: &mut SchemaShape<'_>) -> Described<()> {
    let kind = |name: &Tree| {
        let text = name.word("`type`")?;
        ValueKinds::named(text).map(|kinds| (kinds, text == "null")).ok_or_else(|| {
            let known = "expected object, array, string, integer, number, boolean or null";
            name.wrong(format!("`{text}` is no type"), known)
        })
    };
    if let Some(ty) = tree.get("type").filter(|ty| !ty.is_null()) {
        let (mut kinds, mut is_nullable) = (ValueKinds::NONE, false);
        let several = ty.elements().iter().map(|element| &**element);
        let single = std::iter::once(ty).filter(|ty| ty.elements().is_empty());
        for name in several.chain(single) {
            let (one, is_null) = kind(name)?;
            (kinds, is_nullable) = (kinds.either(one), is_nullable || is_null);
        }
        (shape.kinds, shape.is_nullable) = (kinds, Some(is_nullable));
    } else if ["properties", "additionalProperties", "required"]
        .iter()
        .any(|key| tree.get(key).is_some_and(|value| !value.members().is_empty() || !value.elements().is_empty()))
    {
        shape.kinds = ValueKinds::OBJECT;
    } else if tree.get("items").is_some() {
        shape.kinds = ValueKinds::ARRAY;
    } else if tree.get("type").is_some_and(Tree::is_null) {
        (shape.kinds, shape.is_nullable) = (ValueKinds::NONE, Some(true));
    }
    Ok(())
}

/// The values that `enum` or `const` allow.
fn allowed_values(tree: &Tree, shape: &mut SchemaShape<'_>) -> Described<()> {
    let listed: Vec<&Tree> = match (tree.get("enum"), tree.get("const")) {
        (Some(values), _) => values.list("`enum`")?.iter().map(|value| &**value).collect(),
        (None, Some(value)) => vec![value],
        (None, None) => return Ok(()),
    };
    let is_string = shape.kinds == ValueKinds::STRING;
    let is_text =
        |value: &&Tree| value.text().is_some() && (is_string || value.plain().is_none() || value.shown() == "a text");
    if listed.iter().any(|value| value.is_null()) {
        shape.is_nullable = Some(true);
    }
    let known: Vec<&Tree> = listed.into_iter().filter(|value| !value.is_null()).collect();
    let mut texts: Vec<String> = known.iter().filter_map(|value| value.text()).map(str::to_owned).collect();
    if texts.len() == known.len() && known.iter().all(is_text) && !known.is_empty() {
        shape.kinds = shape.kinds.both(ValueKinds::STRING);
        let mut unique: Vec<String> = Vec::new();
        texts.drain(..).for_each(|text| {
            if !unique.contains(&text) {
                unique.push(text)
            }
        });
        shape.values = Some(unique);
    } else if !known.is_empty() {
        let shown: Vec<&str> = known.iter().map(|value| value.text().unwrap_or("…")).collect();
        shape.remark(&format!("one of {}", shown.join(", ")));
        shape.limits.listed = known.iter().map(|value| json_of(value)).collect();
    }
    Ok(())
}
