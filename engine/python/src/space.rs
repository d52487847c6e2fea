//! What a game looks like to a learner: numbers in named slices, and one discrete space of actions with a mask.

use arena_engine::deduction::Deduction;
use arena_engine::game::{Game, View as _};
use arena_engine::player::Start;
use arena_engine::seat::Seat;

/// The part of what a seat knows that an observation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Variant {
    /// What everybody at the table knows.
    Public,
    /// The view of the seat.
    Private,
    /// The view, and what a careful player remembers.
    Recall,
    /// The same, and for each legal action the chance that it is a right guess, as the analysis counts it.
    Counted,
}

impl Variant {
    /// All of them with their names.
    pub const ALL: [(&'static str, Variant); 4] = [
        ("public", Variant::Public),
        ("private", Variant::Private),
        ("recall", Variant::Recall),
        ("counted", Variant::Counted),
    ];
}

impl Variant {
    /// Its name.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, other)| *other == self)
            .map_or("private", |(name, _)| name)
    }
}

/// A chance of 1 in an observation.
const CERTAIN: i16 = i16::MAX;

/// Takes in the slices of an observation, in order.
pub trait Sink {
    /// A slice by its name, its shape and its greatest value; the least is 0. `fill` gets the first `filled` numbers of it as zeros,
    /// the others stay 0.
    fn list(
        &mut self,
        name: &'static str,
        shape: &[usize],
        high: usize,
        filled: usize,
        fill: impl FnOnce(&mut [i16]),
    );

    /// A slice that may be filled to its end.
    fn field(
        &mut self,
        name: &'static str,
        shape: &[usize],
        high: usize,
        fill: impl FnOnce(&mut [i16]),
    ) {
        self.list(name, shape, high, usize::MAX, fill);
    }

    /// A single number.
    fn one(&mut self, name: &'static str, high: usize, value: impl Into<i16>) {
        let value = value.into();
        self.field(name, &[1], high, |out| out[0] = value);
    }
}

/// A slice of all observations.
pub struct Field {
    pub name: &'static str,
    pub start: usize,
    pub shape: Vec<usize>,
    pub high: usize,
}

/// Collects the slices and writes none.
#[derive(Default)]
pub struct Schema(pub Vec<Field>);

impl Schema {
    /// The numbers in an observation.
    pub fn length(&self) -> usize {
        self.0.last().map_or(0, |field| {
            field.start + field.shape.iter().product::<usize>()
        })
    }
}

impl Sink for Schema {
    fn list(
        &mut self,
        name: &'static str,
        shape: &[usize],
        high: usize,
        _: usize,
        _: impl FnOnce(&mut [i16]),
    ) {
        let start = self.length();
        self.0.push(Field {
            name,
            start,
            shape: shape.to_vec(),
            high,
        });
    }
}

/// Writes an observation, one slice after the other.
struct Writer<'a> {
    rest: &'a mut [i16],
    written: usize,
    /// Behind these numbers all are 0.
    used: usize,
}

impl Sink for Writer<'_> {
    #[inline]
    fn list(
        &mut self,
        _: &'static str,
        shape: &[usize],
        _: usize,
        filled: usize,
        fill: impl FnOnce(&mut [i16]),
    ) {
        let length = shape.iter().product();
        let (field, rest) = std::mem::take(&mut self.rest).split_at_mut(length);
        let filled = filled.min(length);
        fill(&mut field[..filled]);
        self.rest = rest;
        self.used = self.written + filled;
        self.written += length;
    }
}

/// A game as a learner sees it.
pub trait Space: Game {
    /// True if all actions are legal whenever a seat must act, so that a mask need not be written again.
    const ALL_LEGAL: bool = false;
    /// What a seat remembers beside its view.
    type Memory: Send;

    /// The memory before the first event.
    fn memory(start: &Start<'_, Self::Rules>) -> Self::Memory;
    /// Takes in an event that the view has taken in.
    fn remember(memory: &mut Self::Memory, view: &Self::View, event: &Self::Event);
    /// The number of actions in the space; the error says why there is none.
    fn actions(rules: &Self::Rules, seats: usize) -> Result<usize, String>;
    /// The observation, slice by slice.
    fn observe(seen: &Observer<Self>, out: &mut impl Sink);
    /// Writes 1 for each legal action and 0 for the others.
    fn mask(seen: &mut Observer<Self>, prompt: &Self::Prompt, mask: &mut [i8]);
    /// The action with this index, if there is one now.
    fn action(seen: &Observer<Self>, index: usize) -> Option<Self::Action>;
    /// The index of an action, if it is in the space.
    fn index(seen: &Observer<Self>, action: &Self::Action) -> Option<usize>;
}

/// One seat of a table: what it has seen.
pub struct Observer<G: Space> {
    pub rules: G::Rules,
    pub seats: usize,
    pub seat: Seat,
    pub view: G::View,
    pub memory: G::Memory,
    pub variant: Variant,
    /// For [`Variant::Counted`].
    known: Option<Box<dyn Deduction<G::Event, G::Action>>>,
}

impl<G: Space> Observer<G> {
    /// A seat before the first event.
    pub fn new(start: &Start<'_, G::Rules>, variant: Variant) -> Self {
        let rules = start.rules.clone();
        let seats = start.seats;
        let seat = start.seat;
        let view = G::View::new(&rules, seats, seat);
        let known = (variant == Variant::Counted)
            .then(|| G::deduction(&rules, seats, seat))
            .flatten();
        Self {
            rules,
            seats,
            seat,
            view,
            memory: G::memory(start),
            variant,
            known,
        }
    }

    /// Takes in what happened.
    #[inline]
    pub fn see(&mut self, events: impl Iterator<Item = G::Event>) {
        let mut take_in = |event: &G::Event| {
            self.view.see(event);
            G::remember(&mut self.memory, &self.view, event);
        };
        // Two loops: what no deduction may look at can stay in registers.
        match &mut self.known {
            None => events.for_each(|event| take_in(&event)),
            Some(known) => events.for_each(|event| {
                take_in(&event);
                known.see(&event);
            }),
        }
    }

    /// Writes the observation, beside the mask, over zeros. All behind the number of numbers that it gives back are zeros still.
    pub fn write(&mut self, obs: &mut [i16], mask: &[i8]) -> usize {
        let all = obs.len();
        let mut writer = Writer {
            rest: obs,
            written: 0,
            used: 0,
        };
        G::observe(self, &mut writer);
        if let Some(mut known) = self.known.take() {
            let legal = writer
                .rest
                .iter_mut()
                .zip(mask)
                .enumerate()
                .filter(|(_, (_, legal))| **legal != 0);
            for (at, (out, _)) in legal {
                let chance = G::action(self, at).and_then(|action| known.chance(&action));
                *out = (chance.unwrap_or(0.0) * f64::from(CERTAIN)).round() as i16;
            }
            self.known = Some(known);
            return all;
        }
        writer.used
    }

    /// The slices of its observations, with that many actions.
    pub fn schema(&self, actions: usize) -> Schema {
        let mut schema = Schema::default();
        G::observe(self, &mut schema);
        if self.variant == Variant::Counted {
            schema.field("chances", &[actions], CERTAIN as usize, |_| {});
        }
        schema
    }

    /// The place of a seat going round the table from this one, which is 0 itself.
    #[inline]
    pub fn relative(&self, seat: Seat) -> usize {
        let ahead = seat.index() + self.seats - self.seat.index();
        if ahead < self.seats {
            ahead
        } else {
            ahead - self.seats
        }
    }

    /// The seat at that place.
    #[inline]
    pub fn absolute(&self, place: usize) -> Seat {
        Seat(((self.seat.index() + place) % self.seats) as u8)
    }
}

/// Which of the seats, if any: 0 is none, 1 the observer, 2 the next one.
pub fn whom<G: Space>(seen: &Observer<G>, seat: Option<Seat>) -> i16 {
    seat.map_or(0, |seat| seen.relative(seat) as i16 + 1)
}
