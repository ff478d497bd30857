//! The answers of peers, drawn from the domain of the specification.

use std::sync::Arc;

use super::draw::{Drawer, PlaceFacts};
use super::form::TypeForm;
use super::sources::SourceWeights;
use super::sources::seen_values::SeenValues;
use super::swarm::Swarm;
use super::{LARGEST, ValueDomain, computed_constants};
use crate::choice::{ChoiceError, Choices};
use crate::server::ListedValues;
use crate::spec::Spec;
use crate::value::Value;

/// A generator of the answers of a specification's peers.
pub struct PeerGenerator {
    spec: Arc<Spec>,
    domain: ValueDomain,
    peers: Vec<PeerForm>,
}

/// The form of the answers of one peer.
struct PeerForm {
    form: TypeForm,
    places: Vec<PlaceFacts>,
    swarm: Swarm,
    seen: SeenValues,
}

impl PeerGenerator {
    /// A generator for the peers of a specification.
    #[must_use]
    pub fn new(spec: &Arc<Spec>) -> PeerGenerator {
        let computed = computed_constants(spec);
        let listed = ListedValues::of(spec, &computed);
        let domain = ValueDomain::of(spec, &computed, &listed, LARGEST);
        let peers = spec.program.peers.iter().map(|peer| {
            let mut form = TypeForm::listing(&spec.types, peer.response, &listed);
            let forms = spec.http.iter().filter(|_| peer.response == spec.program.response);
            forms.for_each(|forms| form.note_words_of_answers(forms, |text| domain.has_text(text)));
            let places = form.nodes.iter().map(|_| PlaceFacts::default()).collect();
            let (swarm, seen) = (
                Swarm::usual(&form, 1, 1),
                SeenValues::of(&spec.types, (peer.response, TypeForm::of(&spec.types, peer.response))),
            );
            PeerForm { form, places, swarm, seen }
        });
        let peers = peers.collect();
        PeerGenerator { spec: spec.clone(), domain, peers }
    }

    /// Draws an answer of the peer with this number.
    ///
    /// # Errors
    /// The source of choices fails.
    pub fn answer(&self, peer: u32, choices: &mut dyn Choices) -> Result<Value, ChoiceError> {
        let PeerForm { form, places, swarm, seen } = &self.peers[peer as usize];
        let drawer = Drawer {
            types: &self.spec.types,
            form,
            places,
            domain: &self.domain,
            swarm,
            seen,
            states: &[],
            only_key: None,
            choices,
            at: Vec::new(),
            references: Vec::new(),
            weights: SourceWeights::default(),
        };
        drawer.request(None).map(|drawn| drawn.value)
    }
}
