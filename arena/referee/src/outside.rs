//! A match whose rules only a referee knows: each step sends a request, and stores the answer.

mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arena_engine::draws::Draws;
use arena_engine::form::Form;
use arena_engine::game::{Game, Illegal, Late, Turn};
use arena_engine::outcome::{Breakdown, Outcome, Score, Source};
use arena_engine::seat::{BySeat, MAX_SEATS, Seat};
use arena_engine::set::Set;
use arena_engine::small::Options;
use arena_engine::table::Json;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use arena_protocol::message;

use crate::facts::Facts;
use crate::message::{FromReferee, Happened, Over, State, ToReferee};
use crate::process::RefereeProcess;
use crate::referee::{Referee, Shared, line};
use crate::wording;
use arena_sandbox::lock;

/// Maximum number of replies in a match. A match that goes on longer is assumed never to end.
const MAX_REPLIES: u32 = 1_000_000;
/// Maximum length of a quoted line, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// A game that a referee plays.
pub struct Loaded {
    pub facts: Facts,
    /// The processes that play the game.
    pub referee: &'static Referee,
}

/// A match at a referee.
pub struct Outside {
    game: &'static Loaded,
    number: u64,
    seats: usize,
    /// The process that plays the match; `None` if it could not be started.
    process: Option<Shared>,
    /// The prompts of the seats that must act.
    act: BTreeMap<Seat, Offered>,
    /// New views of seats that have noticed no event since their last view.
    views: BTreeMap<u8, Json>,
    withdrawn: Set<Seat>,
    over: Option<Outcome>,
    broken: Option<String>,
    replies: u32,
}

/// The rules of a match, together with their game. Rules that were parsed on their own have no game, and no match can be dealt with them.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rules {
    /// The values of the rules, by name.
    pub values: Value,
    #[serde(skip)]
    pub game: Option<&'static Loaded>,
}

/// A prompt as the referee wrote it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "Json")]
#[schemars(with = "Options")]
pub struct Offered(Arc<Json>);

/// The structure of a prompt: options by action name, each with the legal values of its fields, of which only the number is kept.
type Shape<'a> = Vec<BTreeMap<Cow<'a, str>, BTreeMap<Cow<'a, str>, Vec<IgnoredAny>>>>;

/// An event, as somebody sees it. Written as the JSON that they see.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "Value")]
#[schemars(with = "Value")]
pub struct Event {
    whole: Arc<Whole>,
    eye: Eye,
}

/// An event with nothing hidden, the version that each seat sees, and the new views of seats whose view has changed.
#[derive(Debug, PartialEq)]
struct Whole {
    happened: Happened,
    views: BTreeMap<u8, Json>,
}

/// The point of view from which an event is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Eye {
    /// An observer from whom nothing is hidden.
    All,
    Seat(Seat),
    /// A spectator of an event that all seats see alike, represented by this seat.
    Public(Seat),
}

impl Event {
    /// Returns the visible version of the event with its sentence; `None` if the event is not noticed.
    fn shown(&self) -> Option<(&Json, Option<&str>)> {
        let happened = &self.whole.happened;
        let seen = match self.eye {
            Eye::All => None,
            Eye::Seat(seat) | Eye::Public(seat) => happened.seen.get(&seat.0),
        };
        match seen {
            None => Some((&happened.event, happened.sentence.as_deref())),
            Some(Some(seen)) => Some((&seen.event, seen.sentence.as_deref())),
            Some(None) => None,
        }
    }

    /// Returns the event from another point of view.
    fn with_eye(&self, eye: Eye) -> Self {
        Self {
            whole: Arc::clone(&self.whole),
            eye,
        }
    }
}

/// The table as a seat sees it: the last view that the referee has sent, or nothing. Written as that view alone.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "Value")]
#[schemars(with = "Value")]
pub struct Seen {
    seat: Seat,
    view: Json,
}

/// The result of a request.
enum Taken {
    /// The match goes on or is over.
    Done,
    /// The rules forbid the request, for this reason.
    Refused(String),
}

impl Outside {
    /// Sends a request, and processes the answer. Once the game has failed, no more requests are sent.
    fn ask(&mut self, request: impl FnOnce(u64) -> Vec<u8>, events: &mut Vec<Event>) -> Taken {
        let Some(process) = self.process.clone().filter(|_| self.broken.is_none()) else {
            return Taken::Done;
        };
        let mut process = lock(&process);
        let id = self.game.referee.next_id();
        let answer = process.ask(&request(id));
        let taken = answer.and_then(|answer| {
            let quoted = |why: &str| {
                let start: String = answer.chars().take(MAX_QUOTED_CHARS).collect();
                format!("{why}: {start}")
            };
            let read = serde_json::from_str::<FromReferee>(&answer);
            let taken = match read {
                Err(error) => Err(format!("its line is not one of the messages ({error})")),
                Ok(message) if message.id() != Some(id) => {
                    Err(format!("its line does not answer request {id}"))
                }
                Ok(message) => self.take(message, events),
            };
            taken.map_err(|why| process.fail(&quoted(&why)))
        });
        taken.unwrap_or_else(|why| {
            self.broken = Some(self.game.facts.failure(&why));
            Taken::Done
        })
    }

    fn take(&mut self, message: FromReferee, events: &mut Vec<Event>) -> Result<Taken, String> {
        match message {
            FromReferee::Game(_) => Err("it has already sent `game`".to_owned()),
            FromReferee::Illegal(illegal) => Ok(Taken::Refused(message::cut(illegal.why))),
            FromReferee::State(State {
                events: new,
                views,
                act,
                ..
            }) => {
                self.happen(new, views, events)?;
                self.act = self.offered(act)?;
                Ok(Taken::Done)
            }
            FromReferee::Over(mut over) => {
                let new = std::mem::take(&mut over.events);
                self.happen(new, std::mem::take(&mut over.views), events)?;
                self.act.clear();
                self.over = Some(outcome(&self.game.facts, &over, self.seats)?);
                Ok(Taken::Done)
            }
        }
    }

    /// Adds events. Each seat's new view is attached to the last event that the seat notices.
    fn happen(
        &mut self,
        new: Vec<Happened>,
        views: BTreeMap<u8, Json>,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let seen = new.iter().flat_map(|event| event.seen.keys());
        let mut seats = seen.chain(views.keys()).copied();
        if let Some(seat) = seats.find(|seat| usize::from(*seat) >= self.seats) {
            return Err(format!(
                "it sends something to seat {seat}, which does not exist"
            ));
        }
        let whole = |happened| Whole {
            happened,
            views: BTreeMap::new(),
        };
        let mut new: Vec<Whole> = new.into_iter().map(whole).collect();
        self.views.extend(views);
        self.views.retain(|seat, view| {
            let is_noticed = |event: &&mut Whole| event.happened.seen.get(seat) != Some(&None);
            let Some(event) = new.iter_mut().rev().find(is_noticed) else {
                return true;
            };
            event.views.insert(*seat, view.clone());
            false
        });
        events.extend(new.into_iter().map(|whole| Event {
            whole: Arc::new(whole),
            eye: Eye::All,
        }));
        Ok(())
    }

    /// Checks the prompts of the seats that must act.
    fn offered(&self, act: BTreeMap<u8, Json>) -> Result<BTreeMap<Seat, Offered>, String> {
        if act.is_empty() {
            return Err("nobody has to act, and the match is not over".to_owned());
        }
        let checked = act.into_iter().map(|(seat, prompt)| {
            let seat = Seat(seat);
            if seat.index() >= self.seats {
                return Err(format!("it asks seat {seat} to act, which does not exist"));
            }
            let shape: Shape<'_> = serde_json::from_str(prompt.as_str()).map_err(|error| {
                format!("the prompt of seat {seat} is not a list of options ({error})")
            })?;
            let has_values = |fields: &BTreeMap<_, Vec<_>>| fields.values().all(|values| !values.is_empty());
            if shape.is_empty() || !shape.iter().all(|option| option.len() == 1 && option.values().all(has_values)) {
                return Err(format!(
                    "the prompt of seat {seat} must have at least one option, each with one action and at least one value for each field"
                ));
            }
            Ok((seat, Offered(Arc::new(prompt))))
        });
        checked.collect()
    }
}

/// Checks and converts the end of a match.
fn outcome(facts: &Facts, over: &Over, seats: usize) -> Result<Outcome, String> {
    let one_each =
        |name: &str| format!("`{name}` must be a list with a value for each of the {seats} seats");
    let breakdowns = match (&over.counts, &over.points) {
        (Some(counts), _) => {
            let counts = Over::by_seat(counts, seats).ok_or_else(|| one_each("counts"))?;
            counts.map(|counts| {
                let sources = facts.sources.iter();
                let count = |source: &Source| counts.get(source.name).copied().unwrap_or(0);
                sources.map(count).collect::<Vec<i32>>()
            })
        }
        (None, Some(points)) if facts.announced.sources.is_empty() => {
            let points = Over::by_seat(points, seats).ok_or_else(|| one_each("points"))?;
            points.map(|points| vec![*points])
        }
        (None, Some(_)) => {
            return Err("with `sources`, the end has `counts` instead of points".to_owned());
        }
        (None, None) => return Err("it lacks `points`".to_owned()),
    };
    let breakdowns = breakdowns.map(|counts| Breakdown::new(facts.sources, counts));
    let mut outcome = Outcome::by_points(facts.sources, &breakdowns);
    if let Some(places) = &over.places {
        let places = Over::by_seat(places, seats).ok_or_else(|| one_each("places"))?;
        let score = |seat: Seat| Score {
            place: places[seat],
            ..outcome.seats[seat].clone()
        };
        outcome.seats = BySeat::new(seats, score);
    }
    let range = facts.points();
    for (seat, score) in outcome.seats.seats() {
        let (low, high) = (range.start(), range.end());
        if !range.contains(&score.points) {
            return Err(format!(
                "seat {seat} ends with {} points, outside the announced {low} to {high}",
                score.points
            ));
        }
        if !(1..=seats).contains(&usize::from(score.place)) {
            return Err(format!("seat {seat} ends in place {}", score.place));
        }
    }
    Ok(outcome)
}

impl Game for Outside {
    const NAME: &'static str = "outside";
    const TITLE: &'static str = "A game of another program";
    const SEATS: RangeInclusive<usize> = 2..=MAX_SEATS;
    const RULES_VERSION: u32 = 0;
    const SCORING: &'static [Source] = &[];
    const FORMS: &'static [Form] = &[];
    const RULES_PAGE: &'static str = "";
    type Rules = Rules;
    type Prompt = Offered;
    type Action = Value;
    type Event = Event;
    type View = Seen;

    fn identity(rules: &Rules) -> (Cow<'static, str>, u32) {
        rules.game.map_or((Self::NAME.into(), 0), |game| {
            (game.facts.name.into(), game.facts.announced.version)
        })
    }

    /// # Panics
    /// If the rules have no game.
    fn deal(rules: &Rules, seats: usize, draws: Draws, events: &mut Vec<Event>) -> Self {
        let game = rules.game.expect("rules were read for a game");
        let process = game.referee.process(Some(&game.facts.announced));
        let (process, broken) = match process {
            Ok(process) => (Some(process), None),
            Err(why) => (None, Some(game.facts.failure(&why))),
        };
        let mut table = Self {
            game,
            number: game.referee.next_match(),
            seats,
            process,
            act: BTreeMap::new(),
            views: BTreeMap::new(),
            withdrawn: Set::EMPTY,
            over: None,
            broken,
            replies: 0,
        };
        let number = table.number;
        let deal = |id| {
            line(&ToReferee::Deal {
                id,
                r#match: number,
                // The referee's seed is derived from the match seed, because bots' seeds are derived from it as well.
                seed: draws.seed().child("referee", 0),
                seats,
                rules: &rules.values,
            })
        };
        if let Taken::Refused(why) = table.ask(deal, events) {
            table.broken = Some(why);
        }
        table
    }

    fn turn(&self) -> Turn {
        if let Some(why) = &self.broken {
            return Turn::Broken(why.clone());
        }
        match &self.over {
            Some(outcome) => Turn::Over(outcome.clone()),
            None => Turn::Act(self.act.keys().copied().collect()),
        }
    }

    fn prompt(&self, seat: Seat) -> Offered {
        self.act[&seat].clone()
    }

    fn play(&mut self, seat: Seat, action: &Value, events: &mut Vec<Event>) -> Result<(), Illegal> {
        self.count();
        let number = self.number;
        let act = |id| {
            line(&ToReferee::Act {
                id,
                r#match: number,
                seat,
                action,
            })
        };
        match self.ask(act, events) {
            Taken::Done => Ok(()),
            Taken::Refused(why) => Err(Illegal(why)),
        }
    }

    fn overdue(&mut self, seat: Seat, events: &mut Vec<Event>) -> Late {
        self.count();
        let number = self.number;
        let late = |id| {
            line(&ToReferee::Late {
                id,
                r#match: number,
                seat,
            })
        };
        match self.ask(late, events) {
            Taken::Done => Late::Penalty,
            Taken::Refused(_) => Late::Forfeit,
        }
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        let number = self.number;
        let withdraw = |id| {
            line(&ToReferee::Withdraw {
                id,
                r#match: number,
                seats: seats.into_iter().collect(),
            })
        };
        if let Taken::Refused(why) = self.ask(withdraw, events) {
            self.fail(&format!(
                "it refused `withdraw`, which it must always take: {why}"
            ));
        }
        seats
            .into_iter()
            .for_each(|seat| self.withdrawn.insert(seat));
        if let Some(seat) = self
            .act
            .keys()
            .copied()
            .find(|seat| self.withdrawn.contains(*seat))
        {
            self.fail(&format!("it asks seat {seat} to act, which has forfeited"));
        }
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        event.with_eye(Eye::Seat(seat))
    }

    fn notices(event: &Event, seat: Seat) -> bool {
        event.with_eye(Eye::Seat(seat)).shown().is_some()
    }

    /// Returns the event if all seats see it alike. Views are never public.
    fn seen_by_all(event: &Event, seats: usize) -> Option<Event> {
        let seen = event.with_eye(Eye::Public(Seat(0)));
        let first = seen.shown()?.0;
        let is_same = |seat| {
            let other = event.with_eye(Eye::Seat(seat));
            other.shown().is_some_and(|(other, _)| other == first)
        };
        let is_public = Seat::all(seats).into_iter().all(is_same);
        is_public.then_some(seen)
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        match event.shown() {
            Some((_, Some(sentence))) => wording::with_names(sentence, names),
            Some((event, None)) => wording::of_event(&event.value()),
            None => String::new(),
        }
    }
}

impl Outside {
    /// Counts a reply, to end matches that would go on forever.
    fn count(&mut self) {
        self.replies += 1;
        if self.over.is_some() {
            self.fail("the match was over before all replies to a turn were opened");
        } else if self.replies > MAX_REPLIES {
            self.fail(&format!(
                "the match has not ended after {MAX_REPLIES} replies"
            ));
        }
    }

    /// Marks the game as failed for this reason, and ends the process.
    fn fail(&mut self, why: &str) {
        if let Some(process) = self.process.as_ref().filter(|_| self.broken.is_none()) {
            let why = lock::<RefereeProcess>(process).fail(why);
            self.broken = Some(self.game.facts.failure(&why));
        }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        if let Some(process) = &self.process {
            let number = self.number;
            lock::<RefereeProcess>(process).send(&line(&ToReferee::Drop { r#match: number }));
        }
    }
}
