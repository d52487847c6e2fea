//! Plays the round on in its head, many times, before it decides.

use arena_engine::chance::Chance;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::odds::Odds;
use arena_engine::games::coda::panel::{Deck, Face, Panel};
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::{Member, Set};

use super::hands::{Hand, Hands, affordable, spare};
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::{Opponents, SURE_ATTACKS, Types};
use super::playout::{SEATS, Step, Table, bit, colour};
use crate::bot::MatchBot;

/// The rollouts of each of the last two candidates: with more it is hardly stronger.
const MOST: u64 = 800;
/// The fewest rollouts, however little time there is.
const FEWEST: u64 = 20;
/// Rollouts for each millisecond of the limit, shared by the seats, since they take longer the more there are.
const PER_MS: u64 = 40;
/// The most attacks and stops that are tried: the likeliest attacks.
const TRIED: usize = 4;
/// The points by which the results of a round differ from what was expected, about.
const PER_ROUND: f64 = 25.0;
/// The same for what is left of this round, for a bot that prefers a small lead that is sure.
const THIS_ROUND: f64 = 3.0;

/// Weighs hands as `bayesian` does; then tries the likeliest attacks, stopping, both colours to draw, and all panels to expose: each
/// on the same sample of hands, playing the round to its end. What does worse is left out in stages. It takes what most often
/// leads to the most points of the match.
pub struct Rollouts {
    /// What it knows.
    pub knowledge: Knowledge,
    opponents: Opponents,
    chance: Chance,
    /// The rollouts of each of the last two candidates.
    most: usize,
    move_ms: Option<u64>,
}

impl MatchBot<Coda> for Rollouts {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self::against(start, SURE_ATTACKS)
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.knowledge.learn(events);
        self.choose(prompt, TRIED, |_, actions| vec![0.0; actions.len()])
    }
}

impl Rollouts {
    /// At a table with others who are taken to be of these types.
    pub fn against(start: &Start<'_, Rules>, types: Types) -> Self {
        let each = |limit| spare(limit, start.seats).saturating_mul(PER_MS) / start.seats as u64;
        Self {
            knowledge: Knowledge::new(start),
            opponents: Opponents::new(start.seats, types),
            chance: start.seed.stream("rollouts", 0),
            most: start.move_ms.map_or(MOST, |limit| each(limit).clamp(FEWEST, MOST)) as usize,
            move_ms: start.move_ms,
        }
    }

    /// Tries the likeliest attacks, or whatever else there is to choose. Each action has a price, a share of the chance to win.
    pub fn choose(
        &mut self,
        prompt: &Prompt,
        tried: usize,
        prices: impl FnOnce(&View, &[Action]) -> Vec<f64>,
    ) -> Action {
        let Some(choice @ (Choice::Attack { .. } | Choice::Draw { .. } | Choice::Expose { .. })) = prompt.0.first()
        else {
            return prepare(&self.knowledge, prompt, &mut self.chance);
        };
        let mut hands = Hands::of(&self.knowledge, affordable(self.move_ms, &self.knowledge), &mut self.chance);
        self.opponents.weigh(&self.knowledge, &mut hands);
        let actions: Vec<Action> = match *choice {
            Choice::Draw { colour } => colour.into_iter().map(|colour| Action::Draw { colour }).collect(),
            Choice::Expose { position } => position.into_iter().map(|position| Action::Expose { position }).collect(),
            _ => likeliest(hands.odds(), tried, prompt.may_stop().then_some(Action::Stop {})),
        };
        let prices = prices(&self.knowledge.known.view, &actions);
        let candidate = |(action, price)| Candidate { action, price, worth: 0.0 };
        self.decide(&hands, actions.into_iter().zip(prices).map(candidate).collect())
    }
}

/// The likeliest attacks, and the stop if there is one.
fn likeliest(mut odds: Vec<Odds>, tried: usize, stop: Option<Action>) -> Vec<Action> {
    odds.sort_by(|one, other| other.chance.total_cmp(&one.chance));
    odds.truncate(tried - stop.iter().count());
    odds.iter().map(Odds::attack).chain(stop).collect()
}

/// An action, its price, and the sum of what its rollouts were worth, without the price.
struct Candidate {
    action: Action,
    price: f64,
    worth: f64,
}

impl Rollouts {
    /// Sequential halving (Karnin, Koren and Somekh 2013): all are tried equally often, then the better half, and so on.
    fn decide(&mut self, hands: &Hands, mut left: Vec<Candidate>) -> Action {
        let deals = self.deals(hands);
        let stages = usize::BITS - (left.len() - 1).leading_zeros();
        let mut tried = 0;
        for stage in (0..stages).rev() {
            let goal = deals.len() >> stage;
            for candidate in &mut left {
                for (deal, chance) in &deals[tried..goal] {
                    let step = step(&self.knowledge.known.view, hands, deal, candidate.action);
                    let points = deal.table.clone().finish(step, &mut chance.clone());
                    candidate.worth += worth(&self.knowledge.known.view, points) - candidate.price;
                }
            }
            tried = goal;
            left.sort_by(|one, other| other.worth.total_cmp(&one.worth));
            left.truncate(left.len().div_ceil(2));
        }
        left[0].action
    }

    /// Hands by their weights (a systematic sample) in any order, each with its own chance, the same for all candidates.
    fn deals<'a>(&mut self, hands: &'a Hands) -> Vec<(Deal<'a>, Chance)> {
        let mut deals = Vec::with_capacity(self.most);
        let apart = hands.total() / self.most as f64;
        let mut next = self.chance.share() * apart;
        for hand in &hands.hands {
            next -= hand.weight;
            while next < 0.0 && deals.len() < self.most {
                deals.push(hand);
                next += apart;
            }
        }
        self.chance.shuffle(&mut deals);
        let tables =
            deals.into_iter().map(|hand| (Deal { hand, table: table(&self.knowledge, hand) }, self.chance.split()));
        tables.collect()
    }
}

/// A hand and the whole table with it.
struct Deal<'a> {
    hand: &'a Hand,
    table: Table,
}

/// The panel as a number of [`Table`].
fn number(panel: Panel) -> u32 {
    panel.index().into()
}

fn set(panels: Set<Panel>) -> u32 {
    panels.mask() as u32
}

/// The table if the others have this hand.
fn table(knowledge: &Knowledge, hand: &Hand) -> Table {
    let view = &knowledge.known.view;
    let mut hidden = hand.panels.iter();
    let mut table = Table {
        seats: view.codes.len(),
        turn: view.seat.index(),
        deck: set(Panel::all(knowledge.known.view.deck())),
        ..Table::default()
    };
    for (seat, row) in view.codes.seats() {
        for (shown, at) in row.panels.iter().zip(0u8..) {
            let panel = shown.panel().or_else(|| hidden.next().copied()).expect("a hand fills every hidden place");
            table.codes[seat.index()] |= bit(number(panel));
            if row.standing.contains(at) {
                let of_colour =
                    |faces: Set<Face>| set(faces.into_iter().map(|face| Panel::new(panel.colour(), face)).collect());
                table.ruled_out[number(panel) as usize] = of_colour(knowledge.known.ruled_out[seat][usize::from(at)]);
                table.named[number(panel) as usize] = of_colour(knowledge.named[seat][usize::from(at)]);
            } else {
                table.exposed |= bit(number(panel));
            }
        }
    }
    table.aside = view.aside.as_ref().and_then(|aside| aside.panel.panel()).map(number);
    if let Some(aside) = table.aside {
        table.named[aside as usize] = set(knowledge.named_now) & colour(aside);
    }
    let dealt = table.codes.iter().fold(table.aside.map_or(0, bit), |all, code| all | code);
    table.pool = table.deck & !dealt;
    table
}

/// The action as a step at the table with this hand.
fn step(view: &View, hands: &Hands, Deal { hand, table }: &Deal<'_>, action: Action) -> Step {
    match action {
        Action::Draw { colour } => Step::Draw(table.pool & set(Panel::of(colour, Deck::ALL))),
        Action::Attack { seat, position, face } => {
            let index = hands.places.iter().position(|place| *place == (seat, position));
            let place = hand.panels[index.expect("an attack is on a hidden place")];
            let named = Panel::new(place.colour(), face);
            Step::Attack { target: seat.index(), place: number(place), named: number(named) }
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
    let others = Seat::all(view.codes.len()).into_iter().filter(|seat| *seat != view.seat);
    others.map(|other| 0.5 + 0.5 * ahead((points(view.seat) - points(other)) / spread)).product()
}
