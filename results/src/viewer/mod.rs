//! A replay of a match: its data as one document, and a page that shows it.

mod lesson;
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
use arena_ledger::replay::{game, replay};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::reply_text::ReplyText;

pub use self::page::{ELEMENTS, STYLE, html, script};
pub(crate) use self::page::{STYLE_WITHIN, data, hash};

/// A finished match, move by move.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// The game's name.
    pub game: &'static str,
    /// The game's name for people.
    pub title: &'static str,
    /// The rules: `Rules` of `arena schema GAME`.
    pub rules: Value,
    /// The tournament's name.
    pub tournament: String,
    /// The match's id.
    pub r#match: String,
    /// The bot in each seat.
    pub bots: Vec<String>,
    /// The seat whose view is shown; null if nothing is hidden.
    pub seat: Option<Seat>,
    /// The steps, the first of which is the table before anything has happened.
    pub frames: Vec<Step>,
    /// Places and points.
    pub outcome: Outcome,
    /// Why it is over.
    pub ended: Ended,
    /// The forfeits, with suggested fixes.
    pub forfeits: Vec<Failure>,
}

/// One step of a match, with the table as it stands after it.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The prompts and replies of this step, if it is the first thing that followed them; with `--seat` only that seat's.
    pub moves: Vec<Reaction>,
    /// The event with nothing hidden; null with `--seat`.
    pub all: Option<Sight>,
    /// The same as each seat sees it; with `--seat` null for the others.
    pub seats: Vec<Option<SeatSight>>,
}

/// The prompt of a seat and its reply.
#[derive(Debug, Serialize)]
pub struct Reaction {
    /// Which reply of the match it is, of all seats together, counted from 0.
    pub turn: usize,
    /// The seat.
    pub seat: Seat,
    /// Its legal choices: `Prompt` of `arena schema GAME`.
    pub prompt: Value,
    /// Its reply; actions are `Action` of `arena schema GAME`.
    pub reply: ReplyText,
    /// What it could know; null where the game does not count that.
    pub known: Option<Known>,
    /// What its action was worth by a judge: an item of `decisions` of `arena analyse --json`; null unless the match was judged.
    pub judged: Option<Value>,
    /// Why it was clearly a mistake: by the judge if the match was judged, otherwise by counting; left out if it was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Its note.
    pub note: Option<String>,
    /// Its log during that time, if it is kept: the first 4,000 characters.
    pub log: Option<String>,
    /// How long it took, in microseconds, if that was timed.
    pub wall_us: Option<u64>,
    /// How long the bot computed in that time, in microseconds, if that is known.
    pub cpu_us: Option<u64>,
}

/// What a seat could know by counting when it replied, with all that is hidden from it equally likely.
#[derive(Debug, Serialize)]
pub struct Known {
    /// The number of possibilities that fit all it had seen; null if nothing was hidden, or too much to count.
    pub worlds: Option<f64>,
    /// The chance that its action was a right guess; null if it was no guess.
    pub chance: Option<f64>,
    /// The likeliest guesses.
    pub likeliest: Vec<Guess>,
    /// What it learned before anybody else acted; null if it got no answer.
    pub learned: Option<Learned>,
}

/// A guess, and the chance that it is right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guess {
    /// The guess: `Action` of `arena schema GAME`.
    pub action: Json,
    /// The chance.
    pub chance: f64,
}

/// An event.
#[derive(Debug, Serialize)]
pub struct Sight {
    /// In the words of the game: `Event` of `arena schema GAME`; null at the beginning, and where replies had no consequence.
    pub event: Option<Value>,
    /// In words for people.
    pub words: Option<String>,
}

/// An event as a seat sees it, and what is new on its table.
#[derive(Debug, Serialize)]
pub struct SeatSight {
    /// The event.
    #[serde(flatten)]
    pub sight: Sight,
    /// The fields of its view that are not as they were in the step before: `View` of `arena schema GAME`. In the first step, all.
    pub view: Map<String, Value>,
    /// What it can know by counting all that it has seen so far; null if that is as before, or the game does not count it.
    pub known: Option<Counted>,
}

/// What a seat can know by counting, with all that is hidden from it equally likely.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counted {
    /// The number of possibilities that fit all it has seen; null if nothing is hidden, or too much to count.
    pub worlds: Option<f64>,
    /// The likeliest guesses.
    pub likeliest: Vec<Guess>,
}

/// What bots wrote to their logs, by turn and seat.
pub type Logs = BTreeMap<(u32, Seat), String>;

/// The most characters of a log that are shown with a move.
const LOG: usize = 4_000;

/// The guesses of a decision that a page holds.
pub const GUESSES: usize = 3;

/// A match of a tournament, with nothing hidden or as one seat sees it, and with the words of these bots; each decision with up to
/// `guesses` likeliest guesses.
pub fn of(
    played: &Played,
    spec: &Spec,
    logs: &Logs,
    seat: Option<Seat>,
    words: Words<'_>,
    guesses: usize,
) -> Result<Replay, ExportError> {
    let game = game(spec)?;
    let table = replay(game, played)?;
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
    let forfeits = forfeits_of(game, played).into_iter();
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

/// What was shown of a seat up to a step.
#[derive(Default)]
struct Shown {
    view: Map<String, Value>,
    known: Option<Counted>,
}

impl Shown {
    /// The next step, with what is new in it.
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

/// The fields that are not as they were, which they are from now on.
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
            .and_then(|known| lesson::of(&prompt, &reply, known)),
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
        log: log.map(|log| log.chars().take(LOG).collect()),
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
