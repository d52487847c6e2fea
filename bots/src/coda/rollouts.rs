//! A bot that plays out the round many times before it decides.

use arena_engine::chance::Chance;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::odds::Odds;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;

use super::continuations::Continuations;
use super::hands::{Hands, affordable, spare};
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::{Opponents, SURE_ATTACKS, Types};
use super::playout::Policy;
use crate::bot::MatchBot;

/// Maximum number of rollouts of each of the last two candidates. More rollouts make the bot hardly stronger.
const MAX_ROLLOUTS: u64 = 800;
/// Minimum number of rollouts, even if time is short.
const MIN_ROLLOUTS: u64 = 20;
/// Number of rollouts per millisecond of the time limit. It is divided by the number of seats, because rollouts take longer with more
/// seats.
const ROLLOUTS_PER_MS: u64 = 40;
/// Maximum number of attacks and stops that are tried, likeliest first.
const MAX_TRIED: usize = 4;

/// A bot that weighs hands like `bayesian`, then tries the likeliest attacks, stopping, both colours to draw, or all panels to expose. Each
/// action is tried on the same sample of hands, playing the round to its end, and worse actions are eliminated in stages. The bot takes the
/// action that most often leads to the most points in the match.
pub struct Rollouts {
    /// The seat's knowledge.
    pub knowledge: Knowledge,
    opponents: Opponents,
    chance: Chance,
    /// Number of rollouts of each of the last two candidates.
    most: usize,
    move_ms: Option<u64>,
}

impl MatchBot<Coda> for Rollouts {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self::against(start, SURE_ATTACKS)
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        self.knowledge.learn(events);
        self.choose(prompt, MAX_TRIED, |_, actions| vec![0.0; actions.len()])
    }
}

impl Rollouts {
    /// Creates the bot. The other seats at the table have this prior over types.
    pub fn against(start: &Start<'_, Rules>, types: Types) -> Self {
        let each =
            |limit| spare(limit, start.seats).saturating_mul(ROLLOUTS_PER_MS) / start.seats as u64;
        Self {
            knowledge: Knowledge::new(start),
            opponents: Opponents::new(start.seats, types),
            chance: start.seed.stream("rollouts", 0),
            most: start.move_ms.map_or(MAX_ROLLOUTS, |limit| {
                each(limit).clamp(MIN_ROLLOUTS, MAX_ROLLOUTS)
            }) as usize,
            move_ms: start.move_ms,
        }
    }

    /// Tries the likeliest attacks, or all other options, and returns the best action. Each action has a price, in win probability.
    pub fn choose(
        &mut self,
        prompt: &Prompt,
        tried: usize,
        prices: impl FnOnce(&View, &[Action]) -> Vec<f64>,
    ) -> Action {
        if !is_tried(prompt) {
            return prepare(&self.knowledge, prompt, &mut self.chance);
        }
        let mut hands = Hands::new(
            &self.knowledge,
            affordable(self.move_ms, &self.knowledge),
            &mut self.chance,
        );
        self.opponents.weigh(&self.knowledge, &mut hands);
        let actions = options(&hands, prompt, tried);
        let prices = prices(&self.knowledge.known.view, &actions);
        let candidate = |(action, price)| Candidate {
            action,
            price,
            worth: 0.0,
        };
        self.decide(
            &hands,
            actions.into_iter().zip(prices).map(candidate).collect(),
        )
    }
}

/// Returns `true` if the prompt offers a choice, and is not the set-up of the bot's own code.
pub fn is_tried(prompt: &Prompt) -> bool {
    matches!(
        prompt.0.first(),
        Some(Choice::Attack { .. } | Choice::Draw { .. } | Choice::Expose { .. })
    )
}

/// Returns up to `tried` options: the likeliest attacks, and a stop if it is possible. For other prompts, returns all options.
pub fn options(hands: &Hands, prompt: &Prompt, tried: usize) -> Vec<Action> {
    match prompt.0.first() {
        Some(Choice::Draw { colour }) => colour
            .into_iter()
            .map(|colour| Action::Draw { colour })
            .collect(),
        Some(Choice::Expose { position }) => position
            .into_iter()
            .map(|position| Action::Expose { position })
            .collect(),
        _ => {
            let stop = prompt.may_stop().then_some(Action::Stop {});
            let mut odds = hands.odds();
            odds.sort_by(|one, other| other.chance.total_cmp(&one.chance));
            odds.truncate(tried - stop.iter().count());
            odds.iter().map(Odds::attack).chain(stop).collect()
        }
    }
}

/// An action with its price, and the sum of the values of its rollouts without the price.
struct Candidate {
    action: Action,
    price: f64,
    worth: f64,
}

impl Rollouts {
    /// Runs sequential halving (Karnin, Koren and Somekh 2013): all candidates are tried equally often, then the better half of them, and
    /// so on.
    fn decide(&mut self, hands: &Hands, mut left: Vec<Candidate>) -> Action {
        let Self {
            knowledge,
            chance,
            most,
            ..
        } = self;
        let all = Continuations::draw(knowledge, hands, *most, Policy::Any, chance);
        let stages = usize::BITS - (left.len() - 1).leading_zeros();
        let mut tried = 0;
        for stage in (0..stages).rev() {
            let goal = all.len() >> stage;
            for Candidate {
                action,
                price,
                worth,
            } in &mut left
            {
                all.worth(tried..goal, *action, &[])
                    .for_each(|share| *worth += share - *price);
            }
            tried = goal;
            left.sort_by(|one, other| other.worth.total_cmp(&one.worth));
            left.truncate(left.len().div_ceil(2));
        }
        left[0].action
    }
}
