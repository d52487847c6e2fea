//! Judges the decisions of Coda seats by the knowledge of each seat at the time.
//!
//! As in `rollouts`, the options of a decision are tried on continuations in stages, but the played action is kept to the end. If another
//! option seems better, both are compared on new hands and continuations. Without that, every decision would look like a mistake, because
//! the best of many noisy values is too high. After a clear loss, a second judge is asked. It assumes other types of opponents, lets all
//! seats make the likeliest attack, and plans nothing.
//!
//! Every certain hit is tried, also followed by the best of the other options. Another option ranks above it only if it is clearly better.
//! Among options that are equal within their errors, the likelier hit comes first.

mod wording;

use std::collections::BTreeMap;

use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::odds::{Odds, odds};
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::Start;
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::replay::{BadRecord, table};
use arena_engine::seat::BySeat;

use self::wording::{error, kind, less, mean, rounded, valued};
use super::continuations::Continuations;
use super::hands::Hands;
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::{ANY_ATTACKS, Opponents, SURE_ATTACKS};
use super::playout::Policy;
use super::rollouts::{is_tried, options};
use crate::bot::MatchBot;
use crate::decision::{Decision, Judged};

/// Number of stages in which options are tried.
const STAGES: u32 = 3;
/// Number of continuations for the last options. Each earlier stage has half as many.
const LAST_CONTINUATIONS: usize = 800;
/// Minimum number of options that are kept. An option counts once for each way to continue.
const MIN_OPTIONS: usize = 3;
/// Number of new continuations on which two options are compared.
const COMPARED_CONTINUATIONS: usize = 3_200;
/// A loss, and a smaller number of continuations. If the first continuations show less than this loss, the smaller number suffices for a
/// mean over many decisions.
const SMALL_LOSS: (f64, usize) = (0.015, 400);
/// Maximum number of hands from which options are chosen. A comparison uses twice as many hands as continuations.
const MAX_HANDS: usize = 1_500;
/// Maximum number of attacks and stops that are tried, in addition to the one that was played.
const MAX_TRIED: usize = 6;
/// Minimum loss of a mistake that is listed.
const MIN_LISTED_LOSS: f64 = 0.02;
/// Number of standard errors that counts as significant.
const SIGNIFICANT_ERRORS: f64 = 3.0;
/// Probability of a certain hit, allowing for rounding in sums.
const CERTAIN: f64 = 1.0 - 1e-9;

/// Judges all decisions of a match.
pub fn judge(record: &RecordOf<Coda>) -> Result<Judged, BadRecord> {
    let mut table = table::<Coda>(record)?;
    let seed = record.seed.child("judge", 0);
    let mut seats = BySeat::new(record.seats, |seat| {
        SeatJudge::new(&Start {
            rules: &record.rules,
            seat,
            seats: record.seats,
            seed,
            move_ms: None,
        })
    });
    let mut judged = Judged::default();
    for (turn, Replied(seat, reply)) in record.replies.iter().enumerate() {
        let (seat, before) = (*seat, table.events().len());
        let mut decision = None;
        match reply {
            Reply::Act(action) if table.to_act().contains(seat) => {
                seats[seat].knowledge.learn(&mut table.new_events(seat));
                decision = seats[seat].decision(turn, &table.prompt(seat), *action);
            }
            _ => judged.left_out += 1,
        }
        table
            .reply(seat, reply.clone())
            .map_err(|error| BadRecord::reply(turn, error))?;
        judged.decisions.extend(decision.map(|decision| Decision {
            right: was_right(&table, before),
            ..decision
        }));
    }
    Ok(judged)
}

/// Returns `true` if the attack after these events was a hit, and `false` if not. Returns `None` if there was no attack.
fn was_right(table: &Match<Coda>, before: usize) -> Option<bool> {
    table.events()[before..]
        .iter()
        .find_map(|event| match event {
            Event::Attacked { hit, .. } => Some(*hit),
            _ => None,
        })
}

/// A judge that follows the events that a seat sees.
struct SeatJudge {
    knowledge: Knowledge,
    first: Belief,
    second: Belief,
    seed: Seed,
}

/// A bot that makes the moves that the judge considers best, so that the judge can be measured by its wins and by its own verdicts.
pub struct Judging {
    judge: SeatJudge,
    turn: u64,
    chance: Chance,
}

impl MatchBot<Coda> for Judging {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            judge: SeatJudge::new(start),
            turn: 0,
            chance: start.seed.stream("judging", 0),
        }
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let SeatJudge {
            knowledge,
            first,
            seed,
            ..
        } = &mut self.judge;
        knowledge.learn(events);
        self.turn += 1;
        if !is_tried(prompt) {
            return prepare(knowledge, prompt, &mut self.chance);
        }
        let mut tried = first.try_all(
            knowledge,
            prompt,
            None,
            &mut seed.stream("options", self.turn),
        );
        let best = tried[0].action;
        first.settle(
            knowledge,
            &mut tried,
            best,
            &mut seed.stream("loss", self.turn),
        );
        tried[0].action
    }
}

/// Assumptions about the others, and the policy by which all seats continue.
struct Belief {
    opponents: Opponents,
    policy: Policy,
}

/// An option, with its value on each continuation so far.
struct Tried {
    action: Action,
    plan: Vec<Action>,
    worth: Vec<f64>,
    /// Probability that the option hits, by counting; `None` if it is not an attack.
    chance: Option<f64>,
}

impl Tried {
    fn new(action: Action, plan: Vec<Action>) -> Self {
        Self {
            action,
            plan,
            worth: Vec::new(),
            chance: None,
        }
    }

    fn is_certain(&self) -> bool {
        self.chance == Some(1.0)
    }

    /// Returns the option once for each way to continue after a hit: like all seats in a playout, and by the seat's own conclusions.
    fn both(hands: &Hands, action: Action) -> impl Iterator<Item = Self> {
        let read = Some(hands.turn_after(action)).filter(|plan| !plan.is_empty());
        [Some(Vec::new()), read]
            .into_iter()
            .flatten()
            .map(move |plan| Self::new(action, plan))
    }

    fn mean(&self) -> f64 {
        mean(&self.worth)
    }
}

impl SeatJudge {
    /// Creates the judge before the first event.
    fn new(start: &Start<'_, Rules>) -> Self {
        let belief = |types, policy| Belief {
            opponents: Opponents::new(start.seats, types),
            policy,
        };
        Self {
            knowledge: Knowledge::new(start),
            first: belief(SURE_ATTACKS, Policy::Any),
            second: belief(ANY_ATTACKS, Policy::Likeliest),
            seed: start.seed,
        }
    }

    /// Judges an action; `None` if there was no choice, or the action is illegal.
    fn decision(&mut self, turn: usize, prompt: &Prompt, action: Action) -> Option<Decision> {
        let Self {
            knowledge,
            first,
            second,
            seed,
        } = self;
        if !is_tried(prompt) || prompt.permits(&action).is_err() {
            return None;
        }
        let chance = |name| seed.stream(name, turn as u64);
        let mut tried = first.try_all(knowledge, prompt, Some(action), &mut chance("options"));
        if tried.len() < 2 {
            return None;
        }
        let (lost, error) = first.settle(knowledge, &mut tried, action, &mut chance("loss"));
        let played = tried.iter().position(|tried| tried.action == action)?;
        let listed = lost > MIN_LISTED_LOSS.max(SIGNIFICANT_ERRORS * error) && {
            let plain = [0, played].map(|index| Tried::new(tried[index].action, Vec::new()));
            second
                .compare(
                    knowledge,
                    &[&plain[0], &plain[1]],
                    LAST_CONTINUATIONS,
                    &mut chance("second"),
                )
                .difference(0, 1)
                .0
                > 0.0
        };
        Some(Decision {
            turn,
            seat: knowledge.known.view.seat,
            kind: kind(action).into(),
            played,
            lost: rounded(lost),
            error: rounded(error),
            listed,
            right: None,
            options: tried.iter().map(|tried| valued(knowledge, tried)).collect(),
        })
    }
}

/// Options tried on the same continuations.
struct Compared {
    worth: Vec<Vec<f64>>,
    /// Index of the hand that each continuation plays out.
    hands: Vec<usize>,
    is_sample: bool,
}

impl Compared {
    /// Returns the difference in value between two options, with its standard error. If hands are sampled, they are clusters; if all are
    /// listed, they are strata (Cochran 1977).
    fn difference(&self, one: usize, other: usize) -> (f64, f64) {
        let differences = less(&self.worth[one], &self.worth[other]);
        let lost = mean(&differences);
        let mut by_hand: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (hand, difference) in self.hands.iter().zip(&differences) {
            by_hand.entry(*hand).or_default().push(difference - lost);
        }
        let squares = |of_hand: &Vec<f64>| match of_hand.len() as f64 {
            count if self.is_sample || count < 2.0 => of_hand.iter().sum::<f64>().powi(2),
            count => (error(of_hand) * count).powi(2) * count / (count - 1.0),
        };
        (
            lost,
            by_hand.values().map(squares).sum::<f64>().sqrt() / differences.len() as f64,
        )
    }
}

impl Belief {
    fn hands(&mut self, knowledge: &Knowledge, sampled: usize, chance: &mut Chance) -> Hands {
        let mut hands = Hands::new(knowledge, sampled, chance);
        self.opponents.weigh(knowledge, &mut hands);
        hands
    }

    /// Tries all options, including the played one, and returns them best first.
    fn try_all(
        &mut self,
        knowledge: &Knowledge,
        prompt: &Prompt,
        played: Option<Action>,
        chance: &mut Chance,
    ) -> Vec<Tried> {
        let hands = self.hands(knowledge, MAX_HANDS, chance);
        let mut actions = options(&hands, prompt, MAX_TRIED);
        let attacks = actions.iter().any(|action| kind(*action) == "attack");
        let counted = if attacks {
            odds(&knowledge.known)
        } else {
            Vec::new()
        };
        let certain = counted
            .iter()
            .filter(|odds| odds.chance >= CERTAIN)
            .map(Odds::attack);
        for action in certain.chain(played) {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        let all = actions
            .into_iter()
            .flat_map(|action| Tried::both(&hands, action))
            .collect();
        let deals = Continuations::draw(knowledge, &hands, LAST_CONTINUATIONS, self.policy, chance);
        let mut all = halve(all, &deals, played);
        let mut seen = Vec::new();
        all.retain(|tried| {
            let is_new = !seen.contains(&tried.action);
            seen.push(tried.action);
            is_new
        });
        for tried in all
            .iter_mut()
            .filter(|tried| kind(tried.action) == "attack")
        {
            let found = counted.iter().find(|odds| odds.attack() == tried.action);
            let chance = found.map_or(0.0, |odds| odds.chance);
            tried.chance = Some(if chance >= CERTAIN { 1.0 } else { chance });
        }
        // The other options remain after a certain hit, so the best of them may follow it.
        if let Some(best) = all.first().filter(|best| !best.is_certain()) {
            let plan = [&[best.action], &*best.plan].concat();
            let count = best.worth.len();
            for tried in all.iter_mut().filter(|tried| tried.is_certain()) {
                let worth: Vec<f64> = deals.worth(0..count, tried.action, &plan).collect();
                if mean(&less(&worth, &tried.worth)) > 0.0 {
                    (tried.plan, tried.worth) = (plan.clone(), worth);
                }
            }
        }
        all
    }

    /// Moves the best option to the front; among equals, the likelier hit. On new continuations, it is compared with the played action,
    /// with certain hits and, if it was not played, with likelier hits. Returns its value minus that of the played action, with the
    /// standard error.
    fn settle(
        &mut self,
        knowledge: &Knowledge,
        tried: &mut Vec<Tried>,
        played: Action,
        chance: &mut Chance,
    ) -> (f64, f64) {
        let is_worse = |option: &Tried, than: &Tried| {
            let differences = less(&than.worth, &option.worth);
            mean(&differences) > error(&differences)
        };
        if let Some(certain) = tried
            .iter()
            .position(|option| option.is_certain() && !is_worse(option, &tried[0]))
        {
            tried[..=certain].rotate_right(1);
        }
        let first = tried.remove(0);
        let is_likelier = |option: &Tried, than: &Tried| {
            option.chance > than.chance && (than.chance.is_some() || option.is_certain())
        };
        let may_lead = |option: &Tried| {
            is_likelier(option, &first)
                && (option.is_certain() || (first.action != played && !is_worse(option, &first)))
        };
        let (mut compared, rest): (Vec<Tried>, Vec<Tried>) = tried
            .drain(..)
            .partition(|option| option.action == played || may_lead(option));
        compared.insert(0, first);
        let played = compared
            .iter()
            .position(|option| option.action == played)
            .expect("it was tried");
        let (mut lost, mut front) = ((0.0, 0.0), 0);
        if compared.len() > 1 {
            let seems = mean(&less(&compared[0].worth, &compared[played].worth));
            let most = if seems < SMALL_LOSS.0 {
                SMALL_LOSS.1
            } else {
                COMPARED_CONTINUATIONS
            };
            let found = self.compare(
                knowledge,
                &compared.iter().collect::<Vec<_>>(),
                most,
                chance,
            );
            compared
                .iter_mut()
                .zip(&found.worth)
                .for_each(|(option, worth)| option.worth.clone_from(worth));
            for (index, option) in compared.iter().enumerate() {
                let (less, paired) = found.difference(0, index);
                let is_equal = less
                    <= (SIGNIFICANT_ERRORS * paired)
                        .max(error(&option.worth) + error(&compared[0].worth));
                let best = &compared[front];
                let is_better =
                    front > 0 && option.chance == best.chance && option.mean() > best.mean();
                if is_equal
                    && is_likelier(option, &compared[0])
                    && (option.chance > best.chance || is_better)
                {
                    front = index;
                }
            }
            if played != front {
                lost = found.difference(front, played);
            }
        }
        compared[..=front].rotate_right(1);
        tried.extend(compared.into_iter().chain(rest));
        lost
    }

    /// Compares actions on new hands and continuations.
    fn compare(
        &mut self,
        knowledge: &Knowledge,
        all: &[&Tried],
        most: usize,
        chance: &mut Chance,
    ) -> Compared {
        let hands = self.hands(knowledge, 2 * most, chance);
        let deals = Continuations::draw(knowledge, &hands, most, self.policy, chance);
        let worth = |tried: &&Tried| {
            deals
                .worth(0..deals.len(), tried.action, &tried.plan)
                .collect()
        };
        let worth = all.iter().map(worth).collect();
        Compared {
            worth,
            hands: (0..deals.len()).map(|index| deals.hand(index)).collect(),
            is_sample: hands.is_sample,
        }
    }
}

/// Runs sequential halving, as in `rollouts`, until the best option is clear. Returns the options that survived longest first, with the
/// best of all in front.
fn halve(mut left: Vec<Tried>, deals: &Continuations<'_>, played: Option<Action>) -> Vec<Tried> {
    let mut out = Vec::new();
    for halvings in (0..STAGES).rev() {
        for tried in &mut left {
            let new = tried.worth.len()..deals.len() >> halvings;
            tried
                .worth
                .extend(deals.worth(new, tried.action, &tried.plan));
        }
        left.sort_by(|one, other| other.mean().total_cmp(&one.mean()));
        let second = left.iter().find(|tried| tried.action != left[0].action);
        let lead = second.map(|second| less(&left[0].worth, &second.worth));
        if lead.is_none_or(|lead| mean(&lead) > SIGNIFICANT_ERRORS * error(&lead)) {
            break;
        }
        let worse = left.split_off(left.len().div_ceil(2).max(MIN_OPTIONS).min(left.len()));
        let (stay, go): (Vec<Tried>, _) = worse
            .into_iter()
            .partition(|tried| Some(tried.action) == played);
        left.extend(stay);
        out.splice(0..0, go);
    }
    left.append(&mut out);
    left
}
