//! The lines that a bot was sent, by a log of all its lines: another program is sent them, whatever it answers.

use std::collections::BTreeMap;

use anyhow::Context;
use arena_engine::by_name;
use arena_engine::fault::FaultText;
use arena_engine::game::Game;
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_protocol::message::{self, Start, ToBot, Turn};
use arena_tournament::reply_text::{Json, ReplyText};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, Value};

use super::conversation::Conversation;
use super::rerun::{Rerun, Step, ask_one, converse, patience};
use super::run::{Startup, Stop};
use crate::units::micros;

/// A log of lines, as `--log-wire` writes it.
#[derive(Debug, Default)]
pub struct Logged {
    /// The game of its matches.
    game: String,
    /// The seat of the bot in the first of them.
    pub seat: Seat,
    sent: Vec<Sent>,
    /// What the bot answered, by the ids of turns.
    answers: BTreeMap<u64, String>,
}

/// A line that is sent again.
#[derive(Debug)]
struct Sent {
    line: Box<RawValue>,
    turn: Option<Turn<IgnoredAny, Box<RawValue>, IgnoredAny>>,
    /// How the bot failed at it, if it did.
    fault: Option<FaultText>,
}

impl Logged {
    /// Reads the text of a log; the error names the line and what is wrong there.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut logged = Self::default();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with("# ")) {
            logged.take(line, number == 1).map_err(|why| format!("line {number}: {why}"))?;
        }
        if logged.turns() == 0 { Err("it holds no turn".into()) } else { Ok(logged) }
    }

    fn turns(&self) -> usize {
        self.sent.iter().filter(|sent| sent.turn.is_some()).count()
    }

    /// Takes in a line.
    fn take(&mut self, line: &str, is_first: bool) -> Result<(), String> {
        #[derive(Deserialize)]
        struct Numbered {
            id: u64,
        }
        let parts: Vec<&str> = line.splitn(3, ' ').collect();
        let (sign, text) = match parts[..] {
            [sign @ ("<" | ">"), time, text] if time.parse::<u64>().is_ok() => (sign, text),
            _ => return Err("not a line of --log-wire, such as \"< 1234 {…}\"".into()),
        };
        if sign == ">" {
            // Whatever else a bot wrote was no answer.
            let numbered = serde_json::from_str::<Numbered>(text);
            numbered.into_iter().for_each(|Numbered { id }| _ = self.answers.entry(id).or_insert(text.to_owned()));
            return Ok(());
        }
        let message = serde_json::from_str::<ToBot<IgnoredAny, IgnoredAny, Box<RawValue>, IgnoredAny>>(text);
        let turn = match message.map_err(|error| format!("not a message of the arena: {error}"))? {
            ToBot::Hello(_) if is_first => return Ok(()),
            ToBot::Hello(_) => return Err("another process begins here; keep the lines of one".into()),
            _ if is_first => return Err("it does not begin with \"hello\"".into()),
            ToBot::Start(Start { game, .. }) if !self.game.is_empty() && self.game != game => {
                return Err(format!("a match of {game} after one of {}; keep the lines of one game", self.game));
            }
            ToBot::Start(Start { game, seat, .. }) => {
                if self.sent.is_empty() {
                    (self.game, self.seat) = (game, seat);
                }
                None
            }
            ToBot::Turn(turn) => Some(turn),
            ToBot::End(_) => None,
            ToBot::Error(refusal) => return Ok(self.fail(refusal.r#match, &refusal.message)),
            ToBot::Quit {} => return Ok(()),
        };
        let line = RawValue::from_string(text.to_owned()).map_err(|error| error.to_string())?;
        self.sent.push(Sent { line, turn, fault: None });
        Ok(())
    }

    /// The bot failed at its last turn in a match.
    fn fail(&mut self, r#match: Option<u64>, message: &str) {
        let is_last = |sent: &&mut Sent| sent.turn.as_ref().is_some_and(|turn| Some(turn.r#match) == r#match);
        let fault = message.split_once(": ").and_then(|(cause, detail)| {
            let cause = serde_json::from_value(Value::from(cause)).ok()?;
            Some(FaultText { cause, detail: detail.to_owned() })
        });
        self.sent.iter_mut().rev().find(is_last).into_iter().for_each(|sent| sent.fault = fault.clone());
    }
}

/// Sends the program the lines of a log; none if that was stopped.
pub fn rerun(logged: &Logged, startup: &Startup<'_>, start_ms: u64, stop: &Stop) -> anyhow::Result<Option<Rerun>> {
    let game = &logged.game;
    let done = Rerun { turns: logged.turns(), ..Rerun::default() };
    by_name!(game, G => {
        let ask = async |conversation: &Conversation, done: &mut Rerun| ask_all::<G>(logged, conversation, stop, done).await;
        converse((startup, start_ms), game, stop, done, ask)
    })
    .with_context(|| format!("this program does not know {game:?}"))?
}

/// Sends line after line; returns whether it was not stopped.
async fn ask_all<G: Game>(
    logged: &Logged,
    conversation: &Conversation,
    stop: &Stop,
    done: &mut Rerun,
) -> anyhow::Result<bool> {
    for Sent { line, turn, fault } in &logged.sent {
        let Some(Turn { id, prompt, clock, .. }) = turn else {
            conversation.send(line);
            continue;
        };
        let number = done.steps.len() as u32;
        let limit = clock.move_ms.or(clock.bank_ms).map(patience);
        let answer = ask_one::<G>(conversation, stop, (number, *id), line, limit).await?;
        let Some((now, elapsed)) = answer else { return Ok(false) };
        let then = match (fault, logged.answers.get(id)) {
            (Some(fault), _) => Err(ReplyText::Failed(fault.clone())),
            (None, Some(line)) => message::parse_answer::<G::Action>(line, *id, *id)
                .map(|answer| Reply::Act(answer.action))
                .map_err(|fault| ReplyText::Failed((&fault).into())),
            (None, None) => Err(ReplyText::Late),
        };
        done.steps.push(Step {
            turn: number,
            prompt: Json::of(prompt)?,
            agrees: then.as_ref().ok().map(|then| *then == now),
            recorded: then.map_or_else(Ok, |then| ReplyText::of(&then))?,
            now: ReplyText::of(&now)?,
            illegal: None,
            wall_us: micros(elapsed.wall),
        });
        if conversation.is_broken() || now == Reply::Late {
            break;
        }
    }
    Ok(true)
}
