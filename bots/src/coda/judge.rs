//! Judges what seats of Coda decided, from what each knew then.
//!
//! The options of a decision are tried on continuations, as `rollouts` tries them, in stages. The action that was played is tried as
//! long as any. If another one seems better, both are compared on new hands and continuations: the greatest of many noisy values
//! would make a mistake of every decision. If that is a clear loss, a second judge is asked. It takes the others to be of other types,
//! and all seats to make the likeliest attack, and it plans nothing.

use std::collections::BTreeMap;

use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::odds::{Odds, odds};
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::machine::Match;
use arena_engine::player::Start;
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::replay::{BadRecord, table};
use arena_engine::seat::BySeat;

use super::continuations::Continuations;
use super::hands::Hands;
use super::inferring::prepare;
use super::knowledge::Knowledge;
use super::opponents::{ANY_ATTACKS, Opponents, SURE_ATTACKS};
use super::playout::Policy;
use super::rollouts::{is_tried, options};
use crate::bot::MatchBot;
use crate::decision::{Decision, Judged, Valued};
use crate::position::Rated;

/// The stages in which options are tried.
const STAGES: u32 = 3;
/// The continuations of the last options; half as many in each stage before.
const LAST: usize = 800;
/// The fewest options that are left, each way to go on being one.
const LEFT: usize = 3;
/// Those on which two options are compared: they are new.
const COMPARED: usize = 3_200;
/// The same if the first ones show that little is lost, at most: enough for a mean over many decisions.
const LITTLE: (f64, usize) = (0.015, 400);
/// The hands from which options are chosen, if there are more by far; twice as many as continuations for a comparison.
const HANDS: usize = 1_500;
/// The most attacks and stops that are tried, without the one that was played.
const TRIED: usize = 6;
/// The least loss that is listed.
const LISTED: f64 = 0.02;
/// The least share of winning by which the best option of a position to train on is ahead.
pub const AHEAD: f64 = 0.1;
/// The standard errors that are more than noise.
const CLEAR: f64 = 3.0;

/// Judges all decisions of a match.
pub fn judge(record: &RecordOf<Coda>) -> Result<Judged, BadRecord> {
    let mut table = table::<Coda>(record)?;
    let seed = record.seed.child("judge", 0);
    let mut seats = BySeat::new(record.seats, |seat| {
        SeatJudge::new(&Start { rules: &record.rules, seat, seats: record.seats, seed, move_ms: None })
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
        table.reply(seat, reply.clone()).map_err(|error| BadRecord::reply(turn, error))?;
        judged.decisions.extend(decision.map(|decision| Decision { right: was_right(&table, before), ..decision }));
    }
    Ok(judged)
}

/// Whether the attack that came after these events was a hit.
fn was_right(table: &Match<Coda>, before: usize) -> Option<bool> {
    table.events()[before..].iter().find_map(|event| match event {
        Event::Attacked { hit, .. } => Some(*hit),
        _ => None,
    })
}

/// Who sees what a seat sees.
pub struct SeatJudge {
    knowledge: Knowledge,
    first: Belief,
    second: Belief,
    seed: Seed,
}

/// Plays what the judge thinks best, so that the judge can be measured: by what it wins, and by what the judge says of it.
pub struct Judging {
    judge: SeatJudge,
    turn: u64,
    chance: Chance,
}

impl MatchBot<Coda> for Judging {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self { judge: SeatJudge::new(start), turn: 0, chance: start.seed.stream("judging", 0) }
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let SeatJudge { knowledge, first, seed, .. } = &mut self.judge;
        knowledge.learn(events);
        self.turn += 1;
        if !is_tried(prompt) {
            return prepare(knowledge, prompt, &mut self.chance);
        }
        first.try_all(knowledge, prompt, None, &mut seed.stream("options", self.turn))[0].action
    }
}

/// What is believed of the others, and how all seats are taken to go on.
struct Belief {
    opponents: Opponents,
    policy: Policy,
}

/// An option, and what it was worth on each continuation so far.
struct Tried {
    action: Action,
    plan: Vec<Action>,
    worth: Vec<f64>,
}

impl Tried {
    fn new(action: Action, plan: Vec<Action>) -> Self {
        Self { action, plan, worth: Vec::new() }
    }

    /// Once for each way to go on after a hit: as all seats do in a playout, and by what the seat has read.
    fn both(hands: &Hands, action: Action) -> impl Iterator<Item = Self> {
        let read = Some(hands.turn_after(action)).filter(|plan| !plan.is_empty());
        [Some(Vec::new()), read].into_iter().flatten().map(move |plan| Self::new(action, plan))
    }

    fn mean(&self) -> f64 {
        mean(&self.worth)
    }
}

impl SeatJudge {
    /// Before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        let belief = |types, policy| Belief { opponents: Opponents::new(start.seats, types), policy };
        Self {
            knowledge: Knowledge::new(start),
            first: belief(SURE_ATTACKS, Policy::Any),
            second: belief(ANY_ATTACKS, Policy::Likeliest),
            seed: start.seed,
        }
    }

    /// The table as the seat sees it.
    pub fn view(&self) -> &View {
        &self.knowledge.known.view
    }

    /// Tries the options of a turn on new continuations, the best first, which both judges find; none if it is not far ahead of all others.
    pub fn rate(&mut self, events: &[Event], prompt: &Prompt) -> Option<(String, Vec<Rated>)> {
        let Self { knowledge, first, second, seed } = self;
        knowledge.learn(&mut events.iter().cloned());
        let tried = first.try_all(knowledge, prompt, None, &mut seed.stream("options", 0));
        let (best, others) = tried.split_first().filter(|(_, others)| !others.is_empty())?;
        let mut rated = Vec::new();
        for other in others {
            let Compared { lost, error, worth } =
                first.compare(knowledge, [best, other], COMPARED, &mut seed.stream("loss", 0));
            let plain = [best, other].map(|tried| Tried::new(tried.action, Vec::new()));
            let second = second.compare(knowledge, [&plain[0], &plain[1]], LAST, &mut seed.stream("second", 0));
            if lost < AHEAD.max(CLEAR * error) || second.lost <= 0.0 {
                return None;
            }
            let options = [best, other].into_iter().zip(worth).zip([0.0, error]).skip(rated.len().min(1));
            rated.extend(options.map(|((Tried { action, .. }, worth), error)| Rated {
                action: serde_json::to_value(action).expect("an action is JSON"),
                words: in_words(knowledge, *action),
                wins: rounded(mean(&worth)),
                error: rounded(error),
            }));
        }
        rated[1..].sort_by(|one, other| other.wins.total_cmp(&one.wins));
        Some((kind(best.action).into(), rated))
    }

    /// Judges an action; none if there was nothing to choose, or the action is illegal.
    fn decision(&mut self, turn: usize, prompt: &Prompt, action: Action) -> Option<Decision> {
        let Self { knowledge, first, second, seed } = self;
        if !is_tried(prompt) || prompt.permits(&action).is_err() {
            return None;
        }
        let chance = |name| seed.stream(name, turn as u64);
        let mut tried = first.try_all(knowledge, prompt, Some(action), &mut chance("options"));
        let played = tried.iter().position(|tried| tried.action == action).filter(|_| tried.len() > 1)?;
        let (mut lost, mut error, mut listed) = (0.0, 0.0, false);
        if played > 0 {
            let seems = mean(&less(&tried[0].worth, &tried[played].worth));
            let most = if seems < LITTLE.0 { LITTLE.1 } else { COMPARED };
            let pair = [&tried[0], &tried[played]];
            let compared = first.compare(knowledge, pair, most, &mut chance("loss"));
            (lost, error) = (compared.lost, compared.error);
            listed = lost > LISTED.max(CLEAR * error) && {
                let plain = pair.map(|Tried { action, .. }| Tried::new(*action, Vec::new()));
                second.compare(knowledge, [&plain[0], &plain[1]], LAST, &mut chance("second")).lost > 0.0
            };
            [tried[0].worth, tried[played].worth] = compared.worth;
        }
        let attacks = tried.iter().any(|tried| kind(tried.action) == "attack");
        let counted = if attacks { odds(&knowledge.known) } else { Vec::new() };
        Some(Decision {
            turn,
            seat: knowledge.known.view.seat,
            kind: kind(action).into(),
            played,
            lost: rounded(lost),
            error: rounded(error),
            listed,
            right: None,
            options: tried.iter().map(|tried| valued(knowledge, &counted, tried)).collect(),
        })
    }
}

/// Two options on the same continuations.
struct Compared {
    /// By how much the first is worth more.
    lost: f64,
    /// Its standard error: hands are clusters if they are a sample, else strata (Cochran 1977).
    error: f64,
    worth: [Vec<f64>; 2],
}

impl Belief {
    fn hands(&mut self, knowledge: &Knowledge, sampled: usize, chance: &mut Chance) -> Hands {
        let mut hands = Hands::of(knowledge, sampled, chance);
        self.opponents.weigh(knowledge, &mut hands);
        hands
    }

    /// Tries all options, with that which was played, the best first.
    fn try_all(
        &mut self,
        knowledge: &Knowledge,
        prompt: &Prompt,
        played: Option<Action>,
        chance: &mut Chance,
    ) -> Vec<Tried> {
        let hands = self.hands(knowledge, HANDS, chance);
        let mut actions = options(&hands, prompt, TRIED);
        actions.extend(played.filter(|played| !actions.contains(played)));
        let all = actions.into_iter().flat_map(|action| Tried::both(&hands, action)).collect();
        let mut all = halve(all, &Continuations::draw(knowledge, &hands, LAST, self.policy, chance), played);
        let mut seen = Vec::new();
        all.retain(|tried| {
            let is_new = !seen.contains(&tried.action);
            seen.push(tried.action);
            is_new
        });
        all
    }

    /// Compares two actions on new hands and continuations.
    fn compare(&mut self, knowledge: &Knowledge, pair: [&Tried; 2], most: usize, chance: &mut Chance) -> Compared {
        let hands = self.hands(knowledge, 2 * most, chance);
        let deals = Continuations::draw(knowledge, &hands, most, self.policy, chance);
        let worth = pair.map(|tried| deals.worth(0..deals.len(), tried.action, &tried.plan).collect::<Vec<f64>>());
        let differences = less(&worth[0], &worth[1]);
        let lost = mean(&differences);
        let mut by_hand: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for (index, difference) in differences.iter().enumerate() {
            by_hand.entry(deals.hand(index)).or_default().push(difference - lost);
        }
        let squares = |of_hand: &Vec<f64>| match of_hand.len() as f64 {
            count if hands.is_sample || count < 2.0 => of_hand.iter().sum::<f64>().powi(2),
            count => (error(of_hand) * count).powi(2) * count / (count - 1.0),
        };
        let error = by_hand.values().map(squares).sum::<f64>().sqrt() / differences.len() as f64;
        Compared { lost, error, worth }
    }
}

/// Sequential halving, as `rollouts` does it, until the best is clear: those that are left longest come first, the best of all in front.
fn halve(mut left: Vec<Tried>, deals: &Continuations<'_>, played: Option<Action>) -> Vec<Tried> {
    let mut out = Vec::new();
    for halvings in (0..STAGES).rev() {
        for tried in &mut left {
            let new = tried.worth.len()..deals.len() >> halvings;
            tried.worth.extend(deals.worth(new, tried.action, &tried.plan));
        }
        left.sort_by(|one, other| other.mean().total_cmp(&one.mean()));
        let second = left.iter().find(|tried| tried.action != left[0].action);
        let lead = second.map(|second| less(&left[0].worth, &second.worth));
        if lead.is_none_or(|lead| mean(&lead) > CLEAR * error(&lead)) {
            break;
        }
        let worse = left.split_off(left.len().div_ceil(2).max(LEFT).min(left.len()));
        let (stay, go): (Vec<Tried>, _) = worse.into_iter().partition(|tried| Some(tried.action) == played);
        left.extend(stay);
        out.splice(0..0, go);
    }
    left.append(&mut out);
    left
}

/// The one list less the other, as far as both go.
fn less(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one - other).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard error of the mean.
fn error(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>().sqrt() / values.len() as f64
}

/// As precise as is of use.
fn rounded(share: f64) -> f64 {
    // Never -0.
    (share * 1e4).round() / 1e4 + 0.0
}

fn valued(knowledge: &Knowledge, counted: &[Odds], Tried { action, worth, .. }: &Tried) -> Valued {
    let chance = match action {
        Action::Attack { .. } => {
            let found = counted.iter().find(|odds| odds.attack() == *action);
            Some(rounded(found.map_or(0.0, |odds| odds.chance)))
        }
        _ => None,
    };
    let action = in_words(knowledge, *action);
    Valued { action, wins: rounded(mean(worth)), error: rounded(error(worth)), chance }
}

fn kind(action: Action) -> &'static str {
    match action {
        Action::Attack { .. } => "attack",
        Action::Stop {} => "stop",
        Action::Draw { .. } => "draw",
        Action::Expose { .. } => "expose",
        Action::SetUp { .. } | Action::PlaceDashes { .. } | Action::Place { .. } => "prepare",
    }
}

fn in_words(knowledge: &Knowledge, action: Action) -> String {
    let codes = &knowledge.known.view.codes;
    match action {
        Action::Attack { seat, position, face } => {
            let panel = Panel::new(codes[seat].panels[usize::from(position)].colour, face);
            let whose = if codes.len() > 2 { format!(" of seat {seat}") } else { String::new() };
            format!("{panel} at {position}{whose}")
        }
        Action::Draw { colour } => format!("draw {colour}"),
        Action::Expose { position } => format!("expose {position}"),
        other => kind(other).into(),
    }
}
