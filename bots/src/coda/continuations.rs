//! The rest of a round on hands that the others may have, and what each way that it ends is worth to a seat.

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

/// The points by which the results of a round differ from what was expected, about.
const PER_ROUND: f64 = 25.0;
/// The same for what is left of this round, for a bot that prefers a small lead that is sure.
const THIS_ROUND: f64 = 3.0;

/// Whole tables on which actions are tried.
pub struct Continuations<'a> {
    view: &'a View,
    hands: &'a Hands,
    deals: Vec<Deal>,
}

/// A hand, the whole table with it, and the chance of what follows, the same for all actions.
struct Deal {
    /// Its index among the hands.
    hand: usize,
    table: Table,
    chance: Chance,
}

impl<'a> Continuations<'a> {
    /// Hands by their weights (a systematic sample) in any order; all seats go on by this policy.
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

    /// Their number.
    pub fn len(&self) -> usize {
        self.deals.len()
    }

    /// What an action is worth on each of these, from 0 to 1, if the turn goes on as planned.
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

    /// The hand of one of them, as its index.
    pub fn hand(&self, index: usize) -> usize {
        self.deals[index].hand
    }
}
/// The panel as a number of [`Table`].
fn number(panel: Panel) -> u32 {
    panel.index().into()
}

fn set(panels: Set<Panel>) -> u32 {
    panels.mask() as u32
}

/// The table if the others have this hand.
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

/// The action as a step at the table with this hand.
fn step(view: &View, hands: &Hands, Deal { hand, table, .. }: &Deal, action: Action) -> Step {
    match action {
        Action::Draw { colour } => Step::Draw(table.pool & set(Panel::of(colour, Deck::ALL))),
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

/// How much of the match this round may decide, about: 1 if it is the last.
pub fn at_stake(view: &View) -> f64 {
    ahead(PER_ROUND / spread(view))
}

/// The points by which the end of the match may differ from what is expected now, about.
fn spread(view: &View) -> f64 {
    let rounds_left = f64::from(view.rounds - view.round);
    (THIS_ROUND * THIS_ROUND + rounds_left * PER_ROUND * PER_ROUND).sqrt()
}

/// Like the normal distribution, from -1 to 1, and the same on every machine.
fn ahead(lead: f64) -> f64 {
    lead / (1.0 + lead * lead).sqrt()
}

/// The chance to have more points than each of the others at the end of the match, about, after this round.
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
