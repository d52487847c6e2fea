//! Replay of a match: its data as one document, and a page that shows it.

mod lesson;
mod packed;
mod page;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use arena_engine::deduction::Learned;
use arena_engine::fault::FaultText;
use arena_engine::frames::{Event, Frame, Move, Seen};
use arena_engine::insight::Insight;
use arena_engine::outcome::{Ended, Outcome};
use arena_engine::replay::BadRecord;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use arena_tournament::spec::Spec;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::export::ExportError;
use crate::faults::{Failure, NOT_SHOWN, Words, forfeits_of};
use arena_ledger::replay::{self, game};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::reply_text::ReplyText;

pub use self::packed::packed;
pub use self::page::{ELEMENTS, STYLE, html, script};
pub(crate) use self::page::{STYLE_WITHIN, data, hash};

/// Finished match, move by move.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// Name of the game.
    pub game: &'static str,
    /// Name of the game for people.
    pub title: &'static str,
    /// Rules: `Rules` of `arena schema GAME`.
    pub rules: Value,
    /// Name of the tournament.
    pub tournament: String,
    /// Id of the match.
    pub r#match: String,
    /// Bots by seat.
    pub bots: Vec<String>,
    /// Seat whose view is shown; null if nothing is hidden.
    pub seat: Option<Seat>,
    /// Steps; the first is the table before anything has happened.
    pub frames: Vec<Step>,
    /// Places and points.
    pub outcome: Outcome,
    /// Reason for the end of the match.
    pub ended: Ended,
    /// Forfeits, with suggested fixes.
    pub forfeits: Vec<Failure>,
}

/// Step of a match, with the table after it.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The prompts and replies that led to this step; with `--seat`, only those of that seat. They belong to the first step after them.
    pub moves: Vec<Reaction>,
    /// The event with nothing hidden; null with `--seat`.
    pub all: Option<Sight>,
    /// The event as each seat sees it; with `--seat`, null for the other seats.
    pub seats: Vec<Option<SeatSight>>,
}

/// Prompt of a seat and its reply.
#[derive(Debug, Serialize)]
pub struct Reaction {
    /// Number of the reply among those of all seats, counted from 0.
    pub turn: usize,
    /// Seat that replied.
    pub seat: Seat,
    /// Legal choices of the seat: `Prompt` of `arena schema GAME`.
    pub prompt: Value,
    /// Reply of the seat; actions are `Action` of `arena schema GAME`.
    pub reply: ReplyText,
    /// Knowledge of the seat by counting; null if the game does not count it.
    pub known: Option<Known>,
    /// The judge's assessment of the action: an item of `decisions` of `arena analyse --json`. Null unless the match was judged.
    pub judged: Option<Value>,
    /// Description of a clear mistake, found by the judge if the match was judged, and by counting if not. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Note of the bot.
    pub note: Option<String>,
    /// Log of the bot while it computed the reply, if kept: the first 4,000 characters.
    pub log: Option<String>,
    /// Time to reply, in microseconds, if measured.
    pub wall_us: Option<u64>,
    /// CPU time of the bot for the reply, in microseconds, if known.
    pub cpu_us: Option<u64>,
}

/// The knowledge of a seat by counting at the time of its reply, with all hidden possibilities equally likely.
#[derive(Debug, Serialize)]
pub struct Known {
    /// Number of possibilities that are consistent with everything the seat had seen; null if nothing was hidden, or there are too many to
    /// count.
    pub worlds: Option<f64>,
    /// Probability that the action was a right guess; null if the action was not a guess.
    pub chance: Option<f64>,
    /// Likeliest guesses.
    pub likeliest: Vec<Guess>,
    /// Information gained before any other seat acted; null if there was no answer.
    pub learned: Option<Learned>,
}

/// Guess, with the probability that it is right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guess {
    /// The guess: `Action` of `arena schema GAME`.
    pub action: Json,
    /// Probability that the guess is right.
    pub chance: f64,
}

/// Event of a match.
#[derive(Debug, Serialize)]
pub struct Sight {
    /// Event as data: `Event` of `arena schema GAME`; null at the beginning, and if replies had no consequence.
    pub event: Option<Value>,
    /// Event in a sentence for people.
    pub words: Option<String>,
}

/// Event as a seat sees it, and the changes on its table.
#[derive(Debug, Serialize)]
pub struct SeatSight {
    /// Event as the seat sees it.
    #[serde(flatten)]
    pub sight: Sight,
    /// Fields of the seat's view that changed in this step: `View` of `arena schema GAME`; all fields in the first step.
    pub view: Map<String, Value>,
    /// The knowledge of the seat by counting everything that it has seen so far; null if unchanged, or if the game does not support it.
    pub known: Option<Counted>,
}

/// Knowledge of a seat by counting, with all hidden possibilities equally likely.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counted {
    /// Number of possibilities that are consistent with everything the seat has seen; null if nothing is hidden, or there are too many to
    /// count.
    pub worlds: Option<f64>,
    /// Likeliest guesses.
    pub likeliest: Vec<Guess>,
}

/// Logs of bots, by turn and seat.
pub type Logs = BTreeMap<(u32, Seat), String>;

/// Maximum number of characters of a log shown with a move.
const MAX_LOG_CHARS: usize = 4_000;

/// Number of guesses per decision on a page.
pub const GUESSES: usize = 3;

/// Creates the replay of a match, with nothing hidden or as one seat sees it. It includes the words of the bots in `words`, and up to
/// `guesses` of the likeliest guesses per decision.
pub fn replay(
    played: &Played,
    spec: &Spec,
    logs: &Logs,
    seat: Option<Seat>,
    words: Words<'_>,
    guesses: usize,
) -> Result<Replay, ExportError> {
    let game = game(spec)?;
    let table = replay::replay(game, played)?;
    let broken = |why: BadRecord| BadRecord(format!("match {}: {why}", played.id()));
    let names = BySeat::new(played.bots.len(), |seat| clean(&played.bots[seat.index()]));
    let frames = table.frames(&names, Some(GUESSES)).map_err(broken)?;
    let mut known = table.insights(guesses).map_err(broken)?.into_iter();
    let is_shown = |of: Seat| seat.is_none_or(|seat| seat == of);
    let mut shown = BySeat::new(names.len(), |_| Shown::default());
    let step = |frame: Frame| {
        let mut moves = Vec::new();
        for reaction in frame.moves {
            let known = known.next();
            if is_shown(reaction.seat) {
                moves.push(reacted(&reaction, known, played, logs, words));
            }
        }
        let sight = |(of, seen)| is_shown(of).then(|| shown[of].step(seen));
        Step {
            moves,
            seats: frame.seats.seats().map(sight).collect(),
            all: seat.is_none().then(|| self::sight(frame.event.as_ref())),
        }
    };
    let forfeits = forfeits_of(game, spec, played).into_iter();
    let forfeits = forfeits.filter(|forfeit| is_shown(forfeit.seat));
    Ok(Replay {
        game: game.name,
        title: game.title,
        rules: table.record().rules.value(),
        tournament: clean(&spec.name),
        r#match: clean(&played.id()),
        bots: names.iter().cloned().collect(),
        seat,
        frames: frames.into_iter().map(step).collect(),
        outcome: played.verdict.outcome.clone(),
        ended: played.verdict.ended,
        forfeits: forfeits.map(|forfeit| words.within(forfeit)).collect(),
    })
}

/// The latest view and knowledge of a seat that have been shown.
#[derive(Default)]
struct Shown {
    view: Map<String, Value>,
    known: Option<Counted>,
}

impl Shown {
    /// Returns the next step, which contains only the changes.
    fn step(&mut self, seen: &Seen) -> SeatSight {
        let view = changes(&mut self.view, seen.view.value());
        let known = seen.known.as_ref().map(|known| Counted {
            worlds: known.worlds,
            likeliest: guesses(&known.likeliest),
        });
        let is_new = known != self.known;
        self.known.clone_from(&known);
        SeatSight {
            sight: sight(seen.event.as_ref()),
            view,
            known: known.filter(|_| is_new),
        }
    }
}

/// Returns the fields of `view` that differ from `before`, and stores the view in `before`.
fn changes(before: &mut Map<String, Value>, view: Value) -> Map<String, Value> {
    let Value::Object(view) = view else {
        return Map::new();
    };
    let mut changed = view.clone();
    changed.retain(|name, value| before.get(name) != Some(value));
    *before = view;
    changed
}

fn sight(event: Option<&Event>) -> Sight {
    Sight {
        event: event.map(|event| event.event.value()),
        words: event.map(|event| event.sentence.clone()),
    }
}

fn reacted(
    reaction: &Move,
    known: Option<Insight<Json>>,
    played: &Played,
    logs: &Logs,
    words: Words<'_>,
) -> Reaction {
    let Move { turn, seat, .. } = *reaction;
    let has_words = words.include(&played.bots[seat.index()]);
    let mut notes = played.notes.iter();
    let note = notes.find(|note| has_words && note.turn as usize == turn);
    let log = logs.get(&(turn as u32, seat)).filter(|_| has_words);
    let (wall_us, cpu_us) = played.time(turn as u32);
    let prompt = reaction.prompt.value();
    let reply = ReplyText::from(&reaction.reply);
    let known = known.map(|insight| Known {
        worlds: insight.worlds,
        chance: insight.chance,
        likeliest: guesses(&insight.likeliest),
        learned: insight.learned,
    });
    Reaction {
        turn,
        seat,
        lesson: known
            .as_ref()
            .and_then(|known| lesson::find(&prompt, &reply, known)),
        prompt,
        reply: match reply {
            ReplyText::Failed(text) if !has_words => ReplyText::Failed(FaultText {
                detail: NOT_SHOWN.into(),
                ..text
            }),
            reply => reply,
        },
        known,
        judged: None,
        note: note.map(|note| note.text.clone()),
        log: log.map(|log| log.chars().take(MAX_LOG_CHARS).collect()),
        wall_us,
        cpu_us,
    }
}

fn guesses(guesses: &[(Json, f64)]) -> Vec<Guess> {
    let guess = |(action, chance): &(Json, f64)| Guess {
        action: action.clone(),
        chance: *chance,
    };
    guesses.iter().map(guess).collect()
}
