//! A game as a learner sees it: observations are numbers in named slices, and actions form one discrete space with a mask.

use arena_engine::deduction::Deduction;
use arena_engine::game::{Game, View as _};
use arena_engine::player::Start;
use arena_engine::seat::Seat;

/// The part of a seat's knowledge that an observation includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Variant {
    /// Public knowledge only.
    Public,
    /// The seat's view.
    Private,
    /// The view, and everything that a careful player would remember.
    Recall,
    /// Like `Recall`, plus each legal action's probability of being a right guess, by exact counting.
    Counted,
}

impl Variant {
    /// All variants with their names.
    pub const ALL: [(&'static str, Variant); 4] = [
        ("public", Variant::Public),
        ("private", Variant::Private),
        ("recall", Variant::Recall),
        ("counted", Variant::Counted),
    ];
}

impl Variant {
    /// Returns the name of the variant.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, other)| *other == self)
            .map_or("private", |(name, _)| name)
    }
}

/// The encoding of a probability of 1 in an observation.
const CERTAIN: i16 = i16::MAX;

/// A receiver of the slices of an observation, in order.
pub trait Sink {
    /// Adds a slice with its name, shape and maximum; the minimum is 0. `fill` receives the first `filled` numbers, set to zero; the
    /// remaining numbers stay 0.
    fn list(
        &mut self,
        name: &'static str,
        shape: &[usize],
        high: usize,
        filled: usize,
        fill: impl FnOnce(&mut [i16]),
    );

    /// Adds a slice that `fill` may fill completely.
    fn field(
        &mut self,
        name: &'static str,
        shape: &[usize],
        high: usize,
        fill: impl FnOnce(&mut [i16]),
    ) {
        self.list(name, shape, high, usize::MAX, fill);
    }

    /// Adds a single number.
    fn one(&mut self, name: &'static str, high: usize, value: impl Into<i16>) {
        let value = value.into();
        self.field(name, &[1], high, |out| out[0] = value);
    }
}

/// A named slice of every observation.
pub struct Field {
    pub name: &'static str,
    pub start: usize,
    pub shape: Vec<usize>,
    pub high: usize,
}

/// A sink that collects the slices without writing values.
#[derive(Default)]
pub struct Schema(pub Vec<Field>);

impl Schema {
    /// Returns the length of an observation.
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

/// A sink that writes the slices of an observation one after the other.
struct Writer<'a> {
    rest: &'a mut [i16],
    written: usize,
    /// Number of leading values that may differ from 0.
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

/// A game whose observations and actions are encoded for a learner.
pub trait Space: Game {
    /// True if all actions are legal whenever a seat must act, so that the mask never changes.
    const ALL_LEGAL: bool = false;
    /// Everything a seat remembers in addition to its view.
    type Memory: Send;

    /// Creates the memory before the first event.
    fn memory(start: &Start<'_, Self::Rules>) -> Self::Memory;
    /// Updates the memory with an event. The view already includes the event.
    fn remember(memory: &mut Self::Memory, view: &Self::View, event: &Self::Event);
    /// Returns the number of actions in the space. The error explains why the space is not available.
    fn actions(rules: &Self::Rules, seats: usize) -> Result<usize, String>;
    /// Writes the observation, slice by slice.
    fn observe(seen: &Observer<Self>, out: &mut impl Sink);
    /// Writes 1 for each legal action and 0 for the others.
    fn mask(seen: &mut Observer<Self>, prompt: &Self::Prompt, mask: &mut [i8]);
    /// Returns the action with this index, if it exists now.
    fn action(seen: &Observer<Self>, index: usize) -> Option<Self::Action>;
    /// Returns the index of an action, if it is in the space.
    fn index(seen: &Observer<Self>, action: &Self::Action) -> Option<usize>;
}

/// One seat of a table, with everything that it has seen.
pub struct Observer<G: Space> {
    pub rules: G::Rules,
    pub seats: usize,
    pub seat: Seat,
    pub view: G::View,
    pub memory: G::Memory,
    pub variant: Variant,
    /// The exact knowledge of the seat, for [`Variant::Counted`].
    known: Option<Box<dyn Deduction<G::Event, G::Action>>>,
}

impl<G: Space> Observer<G> {
    /// Creates an observer before the first event.
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

    /// Processes new events.
    #[inline]
    pub fn see(&mut self, events: impl Iterator<Item = G::Event>) {
        let mut take_in = |event: &G::Event| {
            self.view.see(event);
            G::remember(&mut self.memory, &self.view, event);
        };
        // Two loops, because without a deduction, values can stay in registers.
        match &mut self.known {
            None => events.for_each(|event| take_in(&event)),
            Some(known) => events.for_each(|event| {
                take_in(&event);
                known.see(&event);
            }),
        }
    }

    /// Writes the observation over zeros, given the mask. Returns the length of the written part, after which everything is still zero.
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

    /// Returns the slices of the observations, for a space of `actions` actions.
    pub fn schema(&self, actions: usize) -> Schema {
        let mut schema = Schema::default();
        G::observe(self, &mut schema);
        if self.variant == Variant::Counted {
            schema.field("chances", &[actions], CERTAIN as usize, |_| {});
        }
        schema
    }

    /// Returns the number of steps round the table from this seat to another; 0 for itself.
    #[inline]
    pub fn relative(&self, seat: Seat) -> usize {
        let ahead = seat.index() + self.seats - self.seat.index();
        if ahead < self.seats {
            ahead
        } else {
            ahead - self.seats
        }
    }

    /// Returns the seat this many steps round the table from this seat.
    #[inline]
    pub fn absolute(&self, place: usize) -> Seat {
        Seat(((self.seat.index() + place) % self.seats) as u8)
    }
}

/// Encodes an optional seat: 0 for none, 1 for the observer, 2 for the next seat, and so on.
pub fn whom<G: Space>(seen: &Observer<G>, seat: Option<Seat>) -> i16 {
    seat.map_or(0, |seat| seen.relative(seat) as i16 + 1)
}
