//! Plays out the rest of a round with possible hands, and values each result for a seat.

use std::ops::Range;

use arena_engine::chance::Chance;
use arena_engine::games::coda::panel::{Deck, Face, Panel};
use arena_engine::games::coda::types::Action;
use arena_engine::games::coda::view::View;
use arena_engine::seat::Seat;
use arena_engine::set::{Member, Set};

use super::hands::{Hand, Hands};
use super::knowledge::Knowledge;
use super::playout::{Policy, SEATS, Step, Table, bit, colour};

/// Approximate standard deviation of a round's points.
const PER_ROUND: f64 = 25.0;
/// Like `PER_ROUND`, for the rest of this round. It is small, so that the bot prefers a safe small lead.
const THIS_ROUND: f64 = 3.0;

/// Complete tables on which actions are tried.
pub struct Continuations<'a> {
    view: &'a View,
    hands: &'a Hands,
    deals: Vec<Deal>,
}

/// A hand with its complete table and its random numbers. All actions are tried with the same random numbers.
struct Deal {
    /// Index of the hand.
    hand: usize,
    table: Table,
    chance: Chance,
}

impl<'a> Continuations<'a> {
    /// Draws hands by weight (a systematic sample) in random order. All seats continue with this policy.
    pub fn draw(
        knowledge: &'a Knowledge,
        hands: &'a Hands,
        most: usize,
        policy: Policy,
        chance: &mut Chance,
    ) -> Self {
        let mut drawn = Vec::with_capacity(most);
        let apart = hands.total() / most as f64;
        let mut next = chance.share() * apart;
        for (index, hand) in hands.hands.iter().enumerate() {
            next -= hand.weight;
            while next < 0.0 && drawn.len() < most {
                drawn.push(index);
                next += apart;
            }
        }
        chance.shuffle(&mut drawn);
        let deal = |hand| Deal {
            hand,
            table: table(knowledge, &hands.hands[hand], policy),
            chance: chance.split(),
        };
        Self {
            view: &knowledge.known.view,
            hands,
            deals: drawn.into_iter().map(deal).collect(),
        }
    }

    /// Returns the number of continuations.
    pub fn len(&self) -> usize {
        self.deals.len()
    }

    /// Returns the value of an action on each continuation, from 0 to 1, if the turn continues as planned.
    pub fn worth(
        &self,
        of: Range<usize>,
        action: Action,
        plan: &[Action],
    ) -> impl Iterator<Item = f64> {
        self.deals[of].iter().map(move |deal| {
            let step = |action| step(self.view, self.hands, deal, action);
            let planned = plan.iter().copied().map(step);
            worth(
                self.view,
                deal.table
                    .clone()
                    .finish(step(action), planned, &mut deal.chance.clone()),
            )
        })
    }

    /// Returns the index of a continuation's hand.
    pub fn hand(&self, index: usize) -> usize {
        self.deals[index].hand
    }
}
/// Converts a panel to its number in [`Table`].
fn number(panel: Panel) -> u32 {
    panel.index().into()
}

fn set(panels: Set<Panel>) -> u32 {
    panels.mask() as u32
}

/// Returns the table on which the other seats have this hand.
fn table(knowledge: &Knowledge, hand: &Hand, policy: Policy) -> Table {
    let view = &knowledge.known.view;
    let mut hidden = hand.panels.iter();
    let mut table = Table {
        seats: view.codes.len(),
        turn: view.seat.index(),
        deck: set(Panel::all(knowledge.known.view.deck())),
        policy,
        ..Table::default()
    };
    for (seat, row) in view.codes.seats() {
        for (shown, at) in row.panels.iter().zip(0u8..) {
            let panel = shown
                .panel()
                .or_else(|| hidden.next().copied())
                .expect("a hand fills every hidden place");
            table.codes[seat.index()] |= bit(number(panel));
            if row.standing.contains(at) {
                let of_colour = |faces: Set<Face>| {
                    set(faces
                        .into_iter()
                        .map(|face| Panel::new(panel.colour(), face))
                        .collect())
                };
                table.ruled_out[number(panel) as usize] =
                    of_colour(knowledge.known.ruled_out[seat][usize::from(at)]);
                table.named[number(panel) as usize] =
                    of_colour(knowledge.named[seat][usize::from(at)]);
            } else {
                table.exposed |= bit(number(panel));
            }
        }
    }
    table.aside = view
        .aside
        .as_ref()
        .and_then(|aside| aside.panel.panel())
        .map(number);
    if let Some(aside) = table.aside {
        table.named[aside as usize] = set(knowledge.named_now) & colour(aside);
    }
    let dealt = table
        .codes
        .iter()
        .fold(table.aside.map_or(0, bit), |all, code| all | code);
    table.pool = table.deck & !dealt;
    table
}

/// Converts an action to a step at the table with this hand.
fn step(view: &View, hands: &Hands, Deal { hand, table, .. }: &Deal, action: Action) -> Step {
    match action {
        Action::Draw { colour } => {
            Step::Draw(table.pool & set(Panel::of_colour(colour, Deck::ALL)))
        }
        Action::Attack {
            seat,
            position,
            face,
        } => {
            let index = hands
                .places
                .iter()
                .position(|place| *place == (seat, position));
            let place = hands.hands[*hand].panels[index.expect("an attack is on a hidden place")];
            let named = Panel::new(place.colour(), face);
            Step::Attack {
                target: seat.index(),
                place: number(place),
                named: number(named),
            }
        }
        Action::Expose { position } => {
            let own = view.codes[view.seat].panels[usize::from(position)].panel();
            Step::Expose(number(own.expect("a seat sees its own panels")))
        }
        _ => Step::Stop,
    }
}

/// Returns the approximate fraction of the match that this round may decide; 1 for the last round.
pub fn at_stake(view: &View) -> f64 {
    ahead(PER_ROUND / spread(view))
}

/// Returns the approximate standard deviation of the points still to come in the match.
fn spread(view: &View) -> f64 {
    let rounds_left = f64::from(view.rounds - view.round);
    (THIS_ROUND * THIS_ROUND + rounds_left * PER_ROUND * PER_ROUND).sqrt()
}

/// Approximates the normal distribution, scaled to -1 to 1. Every machine gets the same result.
fn ahead(lead: f64) -> f64 {
    lead / (1.0 + lead * lead).sqrt()
}

/// Returns the approximate probability of having more points than each other seat at the end of the match.
fn worth(view: &View, gained: [i32; SEATS]) -> f64 {
    let spread = spread(view);
    let points = |seat: Seat| f64::from(view.points[seat] + gained[seat.index()]);
    let others = Seat::all(view.codes.len())
        .into_iter()
        .filter(|seat| *seat != view.seat);
    others
        .map(|other| 0.5 + 0.5 * ahead((points(view.seat) - points(other)) / spread))
        .product()
}
