//! The ids of a service: the property of answers whose value a path parameter takes, and whether the service generates this value.
//!
//! For example `POST /notes` answers with an `id` that its content does not have. Then `/notes/{noteId}` takes this `id`, of the type
//! `token NoteId`.

use rustc_hash::FxHashMap;

use super::document::TreeNode;
use super::document::tree::{Described, Tree};
use super::messages::DescribedOperation;
use super::naming::{alike, camel};
use super::shape::{SchemaShape, SchemaView, Schemas, ValueKinds};
use super::unwrapped::unwrapped;

/// A token type.
#[derive(Debug)]
pub struct IdToken {
    /// Its name.
    pub name: String,
    /// The comments before it.
    pub comments: Vec<String>,
}

/// The ids of a service.
#[derive(Debug, Default)]
pub struct KnownIds<'d> {
    /// The types of the ids that the service generates.
    pub tokens: Vec<IdToken>,
    /// The tokens of properties, by the schema of the property.
    by_schema: FxHashMap<TreeNode<'d>, usize>,
    /// The tokens, by name.
    by_name: FxHashMap<String, usize>,
    /// The properties that path parameters take, by the path up to the parameter.
    by_path: FxHashMap<String, PathId>,
}

/// The property that a path parameter takes.
#[derive(Clone, Debug)]
pub struct PathId {
    /// The name of the property in answers.
    pub property: String,
    /// The index of the token, if the service generates the values.
    pub token: Option<usize>,
}

/// The path up to a parameter, with `{}` for the names of parameters.
#[derive(Clone, Debug)]
pub struct PathPrefix {
    /// The path, as in `/notes/{}`.
    pub path: String,
    /// The name of its last parameter.
    pub parameter: String,
}

/// The prefixes of a path that end in a parameter: `/notes/{}` and `/notes/{}/tags/{}` for `/notes/{id}/tags/{tag}`.
pub fn prefixes(path: &str) -> Vec<PathPrefix> {
    let (mut found, mut before) = (Vec::new(), String::new());
    for segment in path.split('/').skip(1) {
        match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => {
                before.push_str("/{}");
                found.push(PathPrefix { path: before.clone(), parameter: name.to_owned() });
            }
            None => {
                before.push('/');
                before.push_str(segment);
            }
        }
    }
    found
}

/// A path with `{}` for the names of its parameters.
fn nameless(path: &str) -> String {
    let segments =
        path.split('/').map(|segment| if segment.starts_with('{') && segment.ends_with('}') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/").trim_end_matches('/').to_owned()
}

impl<'d> KnownIds<'d> {
    /// Finds the ids in these operations.
    ///
    /// # Errors
    /// A schema is malformed.
    pub fn of(schemas: &Schemas<'d>, operations: &[DescribedOperation<'d>]) -> Described<KnownIds<'d>> {
        let mut by_path: FxHashMap<String, Vec<&DescribedOperation<'d>>> = FxHashMap::default();
        for operation in operations {
            by_path.entry(nameless(operation.path)).or_default().push(operation);
        }
        let mut search = IdSearch { schemas, by_path, found: KnownIds::default() };
        for operation in operations {
            for prefix in prefixes(operation.path) {
                if !search.found.by_path.contains_key(&prefix.path) {
                    search.take(&prefix)?;
                }
            }
        }
        Ok(search.found)
    }

    /// The token of a schema.
    pub fn token(&self, view: &SchemaView<'d>) -> Option<usize> {
        view.trees().into_iter().find_map(|tree| self.by_schema.get(&TreeNode(tree)).copied())
    }

    /// The token of a name; names are compared as [`alike`] does.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.by_name.get(&alike(name)).copied()
    }

    /// The property that the parameter at the end of a path prefix takes.
    pub fn in_path(&self, prefix: &str) -> Option<&PathId> {
        self.by_path.get(prefix)
    }
}

/// A property that may be an id.
struct FoundProperty<'d> {
    name: String,
    view: SchemaView<'d>,
    /// The object that has the property.
    of: SchemaView<'d>,
    is_integer: bool,
}

struct IdSearch<'s, 'd> {
    schemas: &'s Schemas<'d>,
    by_path: FxHashMap<String, Vec<&'s DescribedOperation<'d>>>,
    found: KnownIds<'d>,
}

impl<'d> IdSearch<'_, 'd> {
    /// Finds the property that the parameter at the end of a path prefix takes.
    fn take(&mut self, prefix: &PathPrefix) -> Described<()> {
        let collection = prefix.path.trim_end_matches("/{}").to_owned();
        let mut properties = Vec::new();
        for object in self.objects(&prefix.path, &collection)? {
            properties.extend(self.property(&object, &prefix.parameter, &collection)?);
        }
        let Some(first) = properties.first() else { return Ok(()) };
        let name = first.name.clone();
        let is_integer = first.is_integer;
        let of = first.of.clone();
        properties.retain(|property| property.name == name && property.is_integer == is_integer);
        let token = match self.maker(&collection, &name, &properties)? {
            Some(maker) if !is_integer => Some(self.token(&of, &name, &maker, prefix)),
            _ => None,
        };
        if let Some(token) = token {
            for tree in properties.iter().flat_map(|property| property.view.trees()) {
                self.found.by_schema.entry(TreeNode(tree)).or_insert(token);
            }
        }
        self.found.by_path.insert(prefix.path.clone(), PathId { property: name, token });
        Ok(())
    }

    /// The token for a property: a known one of the same name, or a new one.
    fn token(&mut self, of: &SchemaView<'d>, property: &str, maker: &str, prefix: &PathPrefix) -> usize {
        let object = match of {
            SchemaView::Of(TreeNode(tree)) => self.schemas.document.name(tree).map(camel),
            SchemaView::All(_) | SchemaView::Any(_) => None,
        };
        let is_id = matches!(alike(property).as_str(), "id" | "uuid" | "key" | "name");
        let name = match object {
            Some(object) if is_id => format!("{object}{}", camel(property)),
            _ if alike(&prefix.parameter) == "id" => {
                let segment = prefix.path.trim_end_matches("/{}").rsplit('/').next().unwrap_or_default();
                format!("{}Id", camel(segment.strip_suffix('s').unwrap_or(segment)))
            }
            _ => camel(&prefix.parameter),
        };
        if let Some(known) = self.found.named(&name) {
            return known;
        }
        let shown = prefix.path.replace("/{}", "/{…}");
        let comments = vec![
            format!("The service makes up `{property}`: {maker}. {shown} asks for one that an answer had."),
            format!("If clients choose it, write `type {name} = string;` instead."),
        ];
        let number = self.found.tokens.len();
        self.found.by_name.insert(alike(&name), number);
        self.found.tokens.push(IdToken { name, comments });
        number
    }

    /// The schemas of the objects that a path stands for, as far as answers show them.
    fn objects(&self, path: &str, collection: &str) -> Described<Vec<SchemaView<'d>>> {
        let mut found = Vec::new();
        for operation in self.at(path).filter(|operation| operation.method != "DELETE") {
            found.extend(self.answered(operation)?);
        }
        for operation in self.at(collection) {
            let Some(view) = self.answered(operation)? else { continue };
            match operation.method.as_str() {
                "POST" | "PUT" => found.push(view),
                "GET" => found.extend(self.listed(&view)?),
                _ => {}
            }
        }
        let mut unique: Vec<SchemaView<'d>> = Vec::new();
        for view in found {
            let view = unwrapped(self.schemas, &view)?.view;
            if !unique.contains(&view) {
                unique.push(view);
            }
        }
        Ok(unique)
    }

    fn at(&self, path: &str) -> impl Iterator<Item = &DescribedOperation<'d>> {
        self.by_path.get(path).into_iter().flatten().copied()
    }

    /// The schema of an operation's successful JSON answer.
    fn answered(&self, operation: &DescribedOperation<'d>) -> Described<Option<SchemaView<'d>>> {
        let answers = operation.answers(self.schemas.document)?;
        let good = answers.iter().filter(|answer| answer.status.starts_with('2'));
        let json = good.flat_map(|answer| &answer.kinds).filter(|kind| kind.is_json());
        Ok(json.filter_map(|kind| kind.schema).map(SchemaView::of).next())
    }

    /// The schema of the elements of a list, or of the only list that an object has.
    fn listed(&self, view: &SchemaView<'d>) -> Described<Option<SchemaView<'d>>> {
        let shape = self.schemas.shape(view)?;
        if let Some(items) = shape.items {
            return Ok(Some(items));
        }
        let mut lists = Vec::new();
        for property in &shape.properties {
            lists.extend(self.schemas.shape(&property.view)?.items);
        }
        Ok(if lists.len() == 1 { lists.pop() } else { None })
    }

    /// The property of an object that a parameter of this name takes.
    fn property(&self, of: &SchemaView<'d>, parameter: &str, collection: &str) -> Described<Option<FoundProperty<'d>>> {
        let shape: SchemaShape<'d> = self.schemas.shape(of)?;
        let wanted = alike(parameter);
        let segment = alike(collection.rsplit('/').next().unwrap_or_default());
        let is_of_collection = wanted.len() > 2 && segment.starts_with(wanted.trim_end_matches("id"));
        let is_id = wanted.ends_with("id") || is_of_collection;
        let exact = shape.properties.iter().find(|property| alike(&property.name) == wanted);
        let id = || shape.properties.iter().find(|property| matches!(alike(&property.name).as_str(), "id" | "uuid"));
        let Some(property) = exact.or_else(|| id().filter(|_| is_id)) else { return Ok(None) };
        let of_property = self.schemas.shape(&property.view)?;
        let is_integer = of_property.kinds == ValueKinds::INTEGER;
        let is_string = of_property.kinds == ValueKinds::STRING && of_property.values.is_none();
        let (name, view) = (property.name.clone(), property.view.clone());
        Ok((is_integer || is_string).then(|| FoundProperty { name, view, of: of.clone(), is_integer }))
    }

    /// The reason to assume that the service generates a property, in words; none if there is no reason.
    fn maker(&self, collection: &str, name: &str, properties: &[FoundProperty<'d>]) -> Described<Option<String>> {
        let trees = || properties.iter().flat_map(|property| property.view.trees());
        if trees().any(|tree: &Tree| tree.has("readOnly")) {
            return Ok(Some("it is only read".to_owned()));
        }
        for operation in self.at(collection).filter(|operation| operation.method == "POST") {
            let asked = match operation.content(self.schemas.document)? {
                None => None,
                Some(content) if !content.fields.is_empty() => {
                    let has = content.fields.iter().any(|field| field.text_of("name") == Some(name));
                    if has {
                        return Ok(None);
                    }
                    None
                }
                Some(content) => content.kinds.iter().find_map(|kind| kind.schema).map(SchemaView::of),
            };
            let shown = operation.shown();
            let Some(view) = asked else { return Ok(Some(format!("{shown} does not ask for it"))) };
            let shape = self.schemas.shape(&view)?;
            if shape.property(name).is_none() {
                return Ok(Some(format!("{shown} does not ask for it")));
            }
            if !shape.requires(name) && matches!(alike(name).as_str(), "id" | "uuid") {
                return Ok(Some(format!("{shown} goes without it")));
            }
        }
        Ok(None)
    }
}
