//! Expressions of the oracle, evaluated where they stand, left to right.
//!
//! `want` is the type that receives a value; only `choose`, literals of bytes and `..choose` look at it.
//! What an `is` binds stays in scope along `&&` and is forgotten by whoever asked for the condition. Example: `x is Some(y) && y > 2` pushes `y`, evaluates `y > 2`, and the caller truncates `locals`.

use super::run::Frame;
use super::*;

impl<'a> Frame<'a, '_> {
    /// The type of an expression, where a declaration says it (a `choose` beside it takes its type).
    pub fn type_of(&self, e: &'a Expr) -> Option<&'a TypeExpr> {
        match &e.kind {
            ExprKind::Paren(e) => self.type_of(e),
            ExprKind::Name(name) => match self.locals.iter().rev().find(|(local, ..)| *local == name.text) {
                Some((_, _, ty)) => *ty,
                None => self.oracle.variable_type(&name.text),
            },
            ExprKind::Field(e, field) => self.oracle.field_type(self.type_of(e), &field.text),
            ExprKind::Index(e, index) if matches!(index.kind, ExprKind::Range(..)) => self.type_of(e),
            ExprKind::Index(e, _) => self.oracle.part(self.type_of(e), 1),
            ExprKind::Call { name, .. } => match self.oracle.item(&name.text) {
                Some(ItemKind::Function { result, .. }) => Some(result),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of the elements of a list or set, where a declaration says it.
    pub fn element_type(&self, collection: &'a Expr) -> Option<&'a TypeExpr> {
        let ty = self.type_of(collection).filter(|ty| !matches!(self.oracle.kind(ty), TypeKind::Map(..)));
        self.oracle.part(ty, 0)
    }

    pub fn truth(&mut self, e: &'a Expr) -> Run<bool> {
        Ok(self.eval(e, None)? == Value::Bool(true))
    }

    /// A condition whose `is` bindings stay in scope where it holds; the caller forgets them.
    pub fn holds(&mut self, e: &'a Expr) -> Run<bool> {
        match &e.kind {
            ExprKind::Paren(e) => self.holds(e),
            ExprKind::Binary(BinaryOp::And, a, b) => Ok(self.holds(a)? && self.holds(b)?),
            ExprKind::Is(e, pattern) => {
                let ty = self.type_of(e);
                let value = self.eval(e, None)?;
                Ok(self.bind(pattern, &value, ty))
            }
            _ => self.truth(e),
        }
    }

    pub fn eval(&mut self, e: &'a Expr, want: Option<&'a TypeExpr>) -> Run<Value> {
        self.burn();
        let mark = self.locals.len();
        let value = self.eval_open(e, want)?;
        self.locals.truncate(mark);
        Ok(value)
    }

    pub fn eval_each(
        &mut self,
        es: &'a [Expr],
        mut want: impl FnMut(usize) -> Option<&'a TypeExpr>,
    ) -> Run<Vec<Value>> {
        es.iter().enumerate().map(|(i, e)| self.eval(e, want(i))).collect()
    }

    pub fn eval_open(&mut self, e: &'a Expr, want: Option<&'a TypeExpr>) -> Run<Value> {
        let oracle = self.oracle;
        Ok(match &e.kind {
            ExprKind::Int(n) => Value::Int(integer(n)),
            ExprKind::Text(text) if text.escapes_octets || oracle.is_bytes(want) => Value::Bytes(text.octets.clone()),
            ExprKind::Text(text) => Value::Str(String::from_utf8(text.octets.clone()).expect("a string is UTF-8")),
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::Cell(k) => self.state.get(&format!("!{k}")).cloned().unwrap_or(Value::int(0)),
            ExprKind::Name(name) => self.name(&name.text)?,
            ExprKind::Choose(ty) => {
                self.choose_any(ty.as_ref().or(want).expect("the oracle needs a type for `choose`"))?
            }
            ExprKind::ChooseWhere { name, ty, condition } => {
                let all = self.domain(ty);
                let chosen = self.choose_where(&name.text, all, Some(ty), condition)?;
                chosen.tokens(&mut self.tokens);
                chosen
            }
            ExprKind::Pick(e) => {
                let elements = self.eval(e, None)?.elements();
                self.choose(elements)?
            }
            ExprKind::PickWhere { name, over, condition } => {
                let (ty, elements) = (self.element_type(over), self.eval(over, None)?.elements());
                self.choose_where(&name.text, elements, ty, condition)?
            }
            ExprKind::Either(es) => {
                let e = self.choose(es.iter().collect())?;
                self.eval(e, want)?
            }
            ExprKind::Quantified { quantifier, binder, over, body } => {
                let decisive = *quantifier == Quantifier::Any;
                let ty = self.element_type(over);
                for value in self.eval(over, None)?.items() {
                    self.must_bind(binder, &value, ty)?;
                    if self.truth(body)? == decisive {
                        return Ok(Value::Bool(decisive));
                    }
                }
                Value::Bool(!decisive)
            }
            ExprKind::Unary(UnaryOp::Not, e) => Value::Bool(!self.truth(e)?),
            ExprKind::Unary(UnaryOp::Neg, e) => Value::Int(-self.eval(e, want)?.integer()),
            ExprKind::Binary(BinaryOp::And, ..) | ExprKind::Is(..) => Value::Bool(self.holds(e)?),
            ExprKind::Binary(BinaryOp::Or, a, b) => Value::Bool(self.truth(a)? || self.truth(b)?),
            ExprKind::Binary(BinaryOp::In, a, b) => {
                let (a, b) = (self.eval(a, self.element_type(b))?, self.eval(b, None)?);
                value::binary(BinaryOp::In, a, b)
            }
            ExprKind::Binary(op, a, b) => {
                let arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Intersect);
                let want = want.filter(|_| arithmetic).or_else(|| self.type_of(a)).or_else(|| self.type_of(b));
                let (a, b) = (self.eval(a, want)?, self.eval(b, want)?);
                value::binary(*op, a, b)
            }
            ExprKind::Range(a, b) => {
                let (a, b) = (self.eval(a, None)?.integer(), self.eval(b, None)?.integer());
                value::range(a, &b)
            }
            ExprKind::Field(e, field) => match self.enum_name(e) {
                Some(_) => Value::unit(&field.text),
                None => self.eval(e, None)?.field(&field.text),
            },
            ExprKind::Method { receiver, name, args } => match self.enum_name(receiver) {
                Some(e) => self.construct(want, Some(e), &name.text, args)?,
                None => {
                    let ty = self.type_of(receiver);
                    let receiver = self.eval(receiver, None)?;
                    let args = self.eval_each(args, |i| match name.text.as_str() {
                        "starts_with" => ty,
                        "or" => oracle.part(ty, 0).or(want),
                        _ => oracle.part(ty, i).or(want.filter(|_| i == 1)),
                    })?;
                    value::method(&receiver, &name.text, &args)
                }
            },
            ExprKind::Index(e, index) => match &index.kind {
                ExprKind::Range(a, b) => {
                    let (e, a, b) = (self.eval(e, want)?, self.eval(a, None)?, self.eval(b, None)?);
                    e.slice(&a.integer(), &b.integer())?
                }
                _ => {
                    let (e, index) = (self.eval(e, None)?, self.eval(index, None)?);
                    e.index(&index)?
                }
            },
            ExprKind::Call { name, args } => self.call(&name.text, args, want)?,
            ExprKind::Tuple(es) => Value::Seq(self.eval_each(es, |i| oracle.part(want, i))?),
            ExprKind::Paren(e) => self.eval(e, want)?,
            ExprKind::Record { qualifier, name, fields, rest } => {
                let declared = oracle.fields(want, qualifier.as_ref().map(|q| q.text.as_str()), &name.text);
                let values = self.record(&declared, fields, *rest)?;
                Value::Data(name.text.clone(), values)
            }
            ExprKind::List(es) => Value::Seq(self.eval_each(es, |_| oracle.part(want, 0))?),
            ExprKind::EmptyBraces => Value::Map(BTreeMap::new()),
            ExprKind::Set(es) => Value::set(self.eval_each(es, |_| oracle.part(want, 0))?),
            ExprKind::Map(pairs) => {
                let mut map = BTreeMap::new();
                for (k, v) in pairs {
                    map.insert(self.eval(k, oracle.part(want, 0))?, self.eval(v, oracle.part(want, 1))?);
                }
                Value::Map(map)
            }
            ExprKind::With { base, fields } => {
                let Value::Data(name, mut values) = self.eval(base, want)? else { panic!("`with` changes a struct") };
                let declared = oracle.fields(want, None, &name);
                values.extend(self.record(&declared, fields, Rest::Nothing)?);
                Value::Data(name, values)
            }
            ExprKind::ListComprehension { element, clauses } => {
                let mut list = Vec::new();
                self.comprehend(clauses, &mut |run| {
                    list.push(run.eval(element, oracle.part(want, 0))?);
                    Ok(())
                })?;
                Value::Seq(list)
            }
            ExprKind::SetComprehension { element, clauses } => {
                let mut list = Vec::new();
                self.comprehend(clauses, &mut |run| {
                    list.push(run.eval(element, oracle.part(want, 0))?);
                    Ok(())
                })?;
                Value::set(list)
            }
            ExprKind::MapComprehension { key, value, clauses } => {
                let mut map = BTreeMap::new();
                self.comprehend(clauses, &mut |run| {
                    map.insert(run.eval(key, oracle.part(want, 0))?, run.eval(value, oracle.part(want, 1))?);
                    Ok(())
                })?;
                Value::Map(map)
            }
            ExprKind::Gathered { of, parts } => {
                let (mut list, mut map) = (Vec::new(), BTreeMap::new());
                for part in parts {
                    self.comprehend(&part.clauses, &mut |run| {
                        let element = run.eval(&part.element, oracle.part(want, 0))?;
                        match &part.value {
                            Some(value) => _ = map.insert(element, run.eval(value, oracle.part(want, 1))?),
                            None => list.push(element),
                        }
                        Ok(())
                    })?;
                }
                match of {
                    GatheredKind::List => Value::Seq(list),
                    GatheredKind::Set => Value::set(list),
                    GatheredKind::Map => Value::Map(map),
                }
            }
            ExprKind::Let { bindings, body } => {
                for (pattern, e) in bindings {
                    let ty = self.type_of(e);
                    let value = self.eval(e, None)?;
                    self.must_bind(pattern, &value, ty)?;
                }
                self.eval(body, want)?
            }
            ExprKind::If { condition, then, otherwise } => {
                let mark = self.locals.len();
                if self.holds(condition)? {
                    return self.eval(then, want);
                }
                self.locals.truncate(mark);
                self.eval(otherwise, want)?
            }
            ExprKind::Match { subject, arms } => {
                let ty = self.type_of(subject);
                let subject = self.eval(subject, None)?;
                let body = self.arm(&subject, ty, arms)?;
                self.eval(body, want)?
            }
            ExprKind::PeerCall { args, message, .. } => self.call_peer(args, message)?,
            ExprKind::PeerCalls { least, args, clauses, message, .. } => {
                self.call_peers(least.as_deref(), [&args[0], message], clauses)?
            }
            ExprKind::Error => panic!("the oracle does not know this expression"),
        })
    }

    pub fn name(&mut self, name: &str) -> Run<Value> {
        if let Some((_, value, _)) = self.locals.iter().rev().find(|(local, ..)| *local == name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.state.get(name) {
            return Ok(value.clone());
        }
        match self.oracle.item(name) {
            Some(ItemKind::Const { ty, value, .. }) => self.eval(value, Some(ty)),
            _ => Ok(Value::unit(name)),
        }
    }

    /// The enum that an expression names, if it is a qualifier.
    pub fn enum_name(&self, e: &'a Expr) -> Option<&'a str> {
        let ExprKind::Name(name) = &e.kind else { return None };
        let variable = self.locals.iter().any(|(local, ..)| *local == name.text) || self.state.contains_key(&name.text);
        let is_enum = matches!(self.oracle.item(&name.text), Some(ItemKind::Enum { .. }));
        (is_enum && !variable).then_some(name.text.as_str())
    }

    /// Elements for which the condition is false are no choice; one for which it faults is, and faults.
    pub fn choose_where(
        &mut self,
        name: &'a str,
        elements: Vec<Value>,
        ty: Option<&'a TypeExpr>,
        condition: &'a Expr,
    ) -> Run<Value> {
        let mark = self.locals.len();
        let mut possible = Vec::new();
        for element in elements {
            self.locals.push((name, element.clone(), ty));
            let holds = self.truth(condition);
            self.locals.truncate(mark);
            match holds {
                Ok(true) => possible.push(Ok(element)),
                Ok(false) => (),
                Err(stop) => possible.push(Err(stop)),
            }
        }
        self.choose(possible)?
    }

    pub fn comprehend(&mut self, clauses: &'a [Clause], each: &mut dyn FnMut(&mut Self) -> Run<()>) -> Run<()> {
        let mark = self.locals.len();
        match clauses.split_first() {
            None => return each(self),
            Some((Clause::If(condition), rest)) => {
                if self.holds(condition)? {
                    self.comprehend(rest, each)?;
                }
                self.locals.truncate(mark);
            }
            Some((Clause::For { binder, over }, rest)) => {
                let ty = self.element_type(over);
                for value in self.eval(over, None)?.items() {
                    self.must_bind(binder, &value, ty)?;
                    self.comprehend(rest, each)?;
                    self.locals.truncate(mark);
                }
            }
        }
        Ok(())
    }

    pub fn record(
        &mut self,
        declared: &[(String, &'a TypeExpr)],
        inits: &'a [Init],
        rest: Rest,
    ) -> Run<BTreeMap<String, Value>> {
        let mut values = BTreeMap::new();
        for Init { name, value } in inits {
            let ty = declared.iter().find(|(field, _)| *field == name.text).map(|(_, ty)| *ty);
            let value = match value {
                Some(value) => self.eval(value, ty)?,
                None => self.name(&name.text)?,
            };
            values.insert(name.text.clone(), value);
        }
        for (field, ty) in declared.iter().filter(|_| rest != Rest::Nothing) {
            if !values.contains_key(field) {
                values.insert(field.clone(), self.choose_any(ty)?);
            }
        }
        Ok(values)
    }

    pub fn call(&mut self, name: &str, args: &'a [Expr], want: Option<&'a TypeExpr>) -> Run<Value> {
        if let Some(ItemKind::Function { params, body, result, .. }) = self.oracle.item(name) {
            let inner = self.arguments(params, args)?;
            let outer = std::mem::replace(&mut self.locals, inner);
            let state = std::mem::take(&mut self.state);
            let value = self.eval(body, Some(result))?;
            (self.locals, self.state) = (outer, state);
            return Ok(value);
        }
        match (name, args) {
            ("len", [e]) => Ok(Value::int(self.eval(e, None)?.length())),
            _ => self.construct(want, None, name, args),
        }
    }

    pub fn construct(
        &mut self,
        want: Option<&'a TypeExpr>,
        enumeration: Option<&str>,
        name: &str,
        args: &'a [Expr],
    ) -> Run<Value> {
        let declared = self.oracle.fields(want, enumeration, name);
        let values = self.eval_each(args, |i| declared.get(i).map(|(_, ty)| *ty))?;
        Ok(Value::variant(name, values))
    }
}
