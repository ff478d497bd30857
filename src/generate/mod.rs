//! The generation of test requests from everything that is known: the domain, the state, the trace and the corpus.
//!
//! ```
//! use mayhap::choice::Random;
//! use mayhap::generate::{GenerateSettings, Generator};
//! use mayhap::Spec;
//! let text = "protocol p { request int; response int; var n: int = 0; on q { n := n + q; reply n; } }";
//! let mut generator = Generator::new(&Spec::from_text(text)?, GenerateSettings::default());
//! let mut choices = Random::new(1);
//! generator.begin_run(&mut choices)?;
//! let plan = generator.wave(&[], 1, &mut choices)?;
//! assert_eq!(plan.asks[0].label, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aim;
mod aims;
mod content;
mod corpus;
mod draw;
mod duty;
mod events;
mod form;
mod paths;
mod peer;
mod places;
mod sources;
mod swarm;
mod wave;

use std::sync::Arc;

use crate::choice::{ChoiceError, Choices};
use crate::judge::{self, Exchange, Observed};
use crate::script::{PlacedReference, RecordedOutcome, RequestTemplate, Script, ScriptHeader, ScriptStep};
use crate::server::ListedValues;
use crate::spec::Spec;
use crate::spec::analysis::links::RequestLinks;
use crate::spec::analysis::pure::RequestFacts;
use crate::value::Value;
use aim::{AimedFrom, OutcomeAim, Symbols};
pub use aims::CampaignAims;
pub use corpus::corpus;
use draw::{Drawer, PlaceFacts};
use duty::InStates;
pub use duty::{DutyCheck, KeptIn, KnownServer, ServerState};
pub use events::{EventSettings, RunEvents};
use form::{FormKind, TypeForm};
pub use peer::PeerGenerator;
use sources::domain::ValueDomain;
use sources::seen_values::SeenValues;
pub use sources::{SourceWeights, ValueSource};
use swarm::Swarm;
use wave::{WaveRoom, Waves};

/// The most draws of a request that may break the client's duty, before one is made that keeps it.
const DRAWS: usize = 64;
/// The most draws out of which such a request is made, as they differ in their variants and lengths.
const MADE: usize = 4;
/// The numbers of such a request are up to this much greater than they need be, so that not all requests are one.
const BEYOND: usize = 100;

/// The most characters of a long text, unless another number is said.
pub const LARGEST: usize = 8 << 10;

/// The settings of a generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenerateSettings {
    /// The number of clients.
    pub clients: u64,
    /// The most requests that one client has under way.
    pub depth: usize,
    /// The factors of the weights of sources.
    pub weights: SourceWeights,
    /// The most characters of a text, or bytes, that is long; the specification may name greater lengths.
    pub largest: usize,
    /// The aims of the campaign.
    pub aims: CampaignAims,
}

impl Default for GenerateSettings {
    fn default() -> GenerateSettings {
        let (weights, aims) = (SourceWeights::default(), CampaignAims::default());
        GenerateSettings { clients: 1, depth: 1, weights, largest: LARGEST, aims }
    }
}

/// A generator of the requests of runs.
pub struct Generator {
    spec: Arc<Spec>,
    settings: GenerateSettings,
    form: TypeForm,
    places: Vec<PlaceFacts>,
    domain: ValueDomain,
    seen: SeenValues,
    duty: DutyCheck,
    /// The outcomes that requests are aimed at; `None` if they are not.
    outcomes: Option<OutcomeAim>,
    /// A mark, by the variant of the request, whether the request changes no state.
    reads: Vec<bool>,
    swarm: Swarm,
    waves: Waves,
    room: WaveRoom,
}

/// A drawn request, with the states in which it keeps the client's duty.
struct KeptDrawing {
    template: RequestTemplate,
    kept: KeptIn,
}

impl Generator {
    /// A generator of requests for a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>, settings: GenerateSettings) -> Generator {
        let (program, types) = (&spec.program, &spec.types);
        let computed = computed_constants(spec);
        let listed = ListedValues::of(spec, &computed);
        let mut form = TypeForm::listing(types, program.request, &listed);
        let domain = ValueDomain::of(spec, &computed, &listed, settings.largest);
        if let Some(forms) = &spec.http {
            form.note_requests(forms);
            form.note_words_of_requests(forms, |text| domain.has_text(text));
        }
        let mut seen = SeenValues::of_answers(spec);
        let has_like = |node: usize| seen.has_like(types, &form.nodes[node]);
        let named = places::named_over_http(&form, spec.http.as_deref(), has_like);
        let kinds = seen.kinds_for(types, &form);
        let places = places::facts(&form, &sources::held::places(spec), &kinds, &RequestLinks::of(program), &named);
        let variants = form.variants();
        let mut facts = RequestFacts::new(program);
        let reads = (0..variants).map(|tag| facts.changes_nothing(&Value::unit(tag as u32), None)).collect();
        let duty = DutyCheck::of(spec, variants, &computed);
        let outcomes = settings.aims.outcomes.then(|| OutcomeAim::new(spec, &computed)).flatten();
        let (swarm, waves) = (Swarm::default(), Waves::default());
        Generator {
            spec: spec.clone(),
            settings,
            form,
            places,
            domain,
            seen,
            duty,
            outcomes,
            reads,
            swarm,
            waves,
            room: WaveRoom::default(),
        }
    }

    /// Begins a run without messages, and draws its bounds.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn begin_run(&mut self, choices: &mut dyn Choices) -> Result<(), ChoiceError> {
        self.seen.clear();
        self.waves = Waves::default();
        let clients = self.settings.clients.max(1);
        self.swarm = match self.settings.aims.swarm {
            true => Swarm::draw(&self.form, (clients, self.settings.depth, self.outcomes.is_some()), choices)?,
            false => Swarm::usual(&self.form, clients, self.settings.depth),
        };
        Ok(())
    }

    /// Notes that a request was sent.
    pub fn sent(&mut self, request: &Value) {
        let places = &self.places;
        self.seen.ask(&self.form, &|node| places[node].kind, request);
    }

    /// Notes the answer to the request with this label.
    pub fn answered(&mut self, label: u64, answer: &Value) {
        self.seen.answer(label + 1, answer);
    }

    /// The request with references in the place of scalars that an answer had first.
    #[must_use]
    pub fn referring(&self, value: Value) -> RequestTemplate {
        let mut references = Vec::new();
        let mut at = Vec::new();
        self.refer(0, &value, &mut at, &mut references);
        RequestTemplate { value, references }
    }

    fn refer(&self, node: usize, value: &Value, at: &mut Vec<usize>, references: &mut Vec<PlacedReference>) {
        let place = &self.places[node];
        if matches!(value, Value::Scalar(_)) {
            let origin = || self.seen.origin(self.form.nodes[node].ty, place.kind, value);
            let origin = (!place.is_literal).then(origin).flatten();
            return references.extend(origin.map(|seen| self.seen.reference(&self.spec.types, at, seen)));
        }
        for (number, node, part) in sources::seen_values::parts(&self.form, node, value) {
            at.push(number as usize);
            self.refer(node, part, at, references);
            at.pop();
        }
    }

    /// Draws a request that keeps the client's duty; `None` if none is found. If only rare values keep it, they are found by a path through
    /// the handler: those of `expects q > 1000 && q % 2 == 0`.
    fn draw(
        &mut self,
        wanted: &WantedRequest<'_>,
        choices: &mut dyn Choices,
    ) -> Result<Option<KeptDrawing>, ChoiceError> {
        for _ in 0..DRAWS {
            let template = self.draw_aimed(wanted, choices)?;
            if let Some(kept) = self.kept(wanted, template) {
                return Ok(Some(kept));
            }
        }
        for _ in 0..MADE {
            let drawn = self.draw_any(wanted, choices)?;
            let beyond = choices.choose("beyond the least number", BEYOND)?;
            let states = wanted.server.at_rest(wanted.client, &drawn.value);
            let symbols = Symbols::anywhere(&self.form);
            if let Some(value) = self.duty.kept_like(&drawn.value, symbols, wanted.client, states, beyond) {
                let template = self.with_value(drawn, value);
                if let Some(kept) = self.kept(wanted, template) {
                    return Ok(Some(kept));
                }
            }
        }
        Ok(None)
    }

    /// The request, if it may be drawn and keeps the client's duty.
    fn kept(&mut self, wanted: &WantedRequest<'_>, template: RequestTemplate) -> Option<KeptDrawing> {
        if !self.form.allows(0, &template.value) {
            return None;
        }
        let states = || wanted.server.at_rest(wanted.client, &template.value);
        let kept = self.duty.check(&template.value, wanted.client, states);
        (!matches!(kept, KeptIn::Fewer(_))).then_some(KeptDrawing { template, kept })
    }

    /// Draws a request that is aimed at a rare outcome.
    fn draw_aimed(
        &mut self,
        wanted: &WantedRequest<'_>,
        choices: &mut dyn Choices,
    ) -> Result<RequestTemplate, ChoiceError> {
        let states = wanted.server.memories();
        let Some(mut outcomes) = self.outcomes.take_if(|_| !states.is_empty()) else {
            return self.draw_any(wanted, choices);
        };
        let state = states[choices.choose("state", states.len())?];
        let client = wanted.server.number(wanted.client);
        let from = AimedFrom {
            form: &self.form,
            places: &self.places,
            state,
            client,
            growth: self.swarm.growth,
            takes_state: self.settings.weights.takes(ValueSource::State),
            is_race: wanted.only_key.is_some(),
            wanted: wanted.variants,
            weights: &self.swarm.variants[0],
        };
        let draw = |state: &[Value], variant: Option<usize>, choices: &mut dyn Choices| {
            let variants = variant.as_ref().map_or(wanted.variants, std::slice::from_ref);
            self.draw_from(&WantedRequest { variants, ..*wanted }, &[state], choices)
        };
        let aimed = outcomes.aimed(&from, draw, choices);
        self.outcomes = Some(outcomes);
        let (drawn, value) = aimed?;
        Ok(self.with_value(drawn, value))
    }

    /// A drawn request with another value.
    fn with_value(&self, drawn: RequestTemplate, value: Value) -> RequestTemplate {
        if value == drawn.value {
            return drawn;
        }
        // A reference to a part that is as it was drawn is kept.
        let is_kept = |placed: &PlacedReference| part_at(&value, &placed.at) == part_at(&drawn.value, &placed.at);
        let kept: Vec<PlacedReference> = drawn.references.into_iter().filter(is_kept).collect();
        let mut aimed = self.referring(value);
        aimed.references.retain(|placed| !kept.iter().any(|kept| placed.at.starts_with(&kept.at)));
        aimed.references.extend(kept);
        aimed
    }

    /// Draws a request, which may break the client's duty.
    fn draw_any(&self, wanted: &WantedRequest<'_>, choices: &mut dyn Choices) -> Result<RequestTemplate, ChoiceError> {
        self.draw_from(wanted, &wanted.server.memories(), choices)
    }

    /// Draws a request, which may break the client's duty, for a server that is in one of these states.
    fn draw_from(
        &self,
        wanted: &WantedRequest<'_>,
        states: &[&[Value]],
        choices: &mut dyn Choices,
    ) -> Result<RequestTemplate, ChoiceError> {
        let variant = self.one_of(wanted.variants, choices)?;
        let drawer = Drawer {
            types: &self.spec.types,
            form: &self.form,
            places: &self.places,
            domain: &self.domain,
            swarm: &self.swarm,
            seen: &self.seen,
            weights: self.settings.weights,
            states,
            only_key: wanted.only_key,
            choices,
            at: Vec::new(),
            references: Vec::new(),
        };
        drawer.request(variant)
    }

    /// Draws one of these variants, by the weights that the specification gives them; `None` if there are none.
    fn one_of(&self, variants: &[usize], choices: &mut dyn Choices) -> Result<Option<usize>, ChoiceError> {
        if variants.is_empty() {
            return Ok(None);
        }
        let own = &self.form.nodes[0].weights;
        let weights: Vec<u64> = variants.iter().map(|tag| own.get(*tag).copied().unwrap_or(1)).collect();
        let at = match weights.iter().all(|weight| *weight == weights[0]) {
            true => choices.choose("variant", variants.len())?,
            false => choices.weighted("variant", &weights)?,
        };
        Ok(Some(variants[at]))
    }

    /// Draws a single request with bounds of its own. It keeps the client's duty in any state, if such a request is found.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn request(&mut self, choices: &mut dyn Choices) -> Result<Value, ChoiceError> {
        self.begin_run(choices)?;
        let wanted = WantedRequest { client: 1, server: &InStates(&[]), variants: &[], only_key: None };
        let template = match self.draw(&wanted, choices)? {
            Some(kept) => kept.template,
            None => self.draw_any(&wanted, choices)?,
        };
        Ok(template.value)
    }

    /// Draws a request of this variant, for a server that is at work on no other request. `None` means that no request was found that keeps
    /// the client's duty.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn request_of(
        &mut self,
        variant: usize,
        server: &dyn KnownServer,
        choices: &mut dyn Choices,
    ) -> Result<Option<Value>, ChoiceError> {
        let wanted = WantedRequest { client: 1, server, variants: &[variant], only_key: None };
        Ok(self.draw(&wanted, choices)?.map(|kept| kept.template.value))
    }

    /// Tests whether a request is known to keep the client's duty in any state.
    pub fn keeps_duty(&mut self, request: &Value) -> bool {
        self.duty.check(request, 1, || None) == KeptIn::AnyState
    }
}

/// The values of the computed constants of a specification; absent if they cannot be computed.
fn computed_constants(spec: &Arc<Spec>) -> Vec<Value> {
    let program = &spec.program;
    let computed = judge::initial(spec).map(|memory| memory[program.state_slots()..].to_vec());
    computed.unwrap_or_else(|| vec![Value::Absent; program.slots.len() - program.state_slots()])
}

/// The part of a value at a place.
fn part_at<'v>(value: &'v Value, at: &[usize]) -> Option<&'v Value> {
    at.iter().try_fold(value, |value, number| match value {
        Value::Data { .. } => value.fields().get(*number),
        Value::List(list) => list.get(*number),
        _ => None,
    })
}

/// The wishes for a request that is drawn.
#[derive(Clone, Copy)]
struct WantedRequest<'w> {
    client: u64,
    server: &'w dyn KnownServer,
    /// It is of one of these variants; if there are none, of any.
    variants: &'w [usize],
    only_key: Option<usize>,
}

impl TypeForm {
    /// The number of variants of the whole value; 1 if its type has no variants.
    fn variants(&self) -> usize {
        if let FormKind::Variants(variants) = &self.nodes[0].kind { variants.len() } else { 1 }
    }
}

/// The script that repeats these exchanges. Where a request has a value that an earlier answer had first, the script refers to this answer.
#[must_use]
pub fn script_of(spec: &Arc<Spec>, exchanges: &[Exchange]) -> Script {
    let mut generator = Generator::new(spec, GenerateSettings::default());
    let mut steps = Vec::new();
    for (exchange, number) in exchanges.iter().zip(0..) {
        let (label, client) = (2 * number + 1, exchange.client);
        let request = generator.referring(exchange.request.clone());
        generator.sent(&exchange.request);
        steps.push(ScriptStep::Ask { label, client, request });
        let seen = match &exchange.observed {
            Observed::Answer(answer) => {
                generator.answered(label, answer);
                RecordedOutcome::Answer(answer.clone())
            }
            Observed::Any | Observed::Nothing | Observed::Lost | Observed::Restarted => RecordedOutcome::Lost,
        };
        steps.push(ScriptStep::Await { label, seen });
    }
    let set = spec.constants_set_to().map(|(name, value)| (name.clone(), value.clone())).collect();
    let header = ScriptHeader { spec: spec.program.name.clone(), set, ..ScriptHeader::default() };
    Script::of_run(header, steps)
}
