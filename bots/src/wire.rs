//! The bot's side of the protocol: lets a player of this package answer on standard input and output.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use arena_engine::player::Start;
use arena_engine::table::{self, SeatedBot};
use arena_protocol::message::{self, FromBot, Hello, Ready, Refusal, Want};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::roster;

/// The reason why serving stopped early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Reading or writing failed.
    #[error("the connection to the arena failed: {0}")]
    Io(#[from] io::Error),
    /// A line from the arena could not be read.
    #[error("a line from the arena could not be read: {0}")]
    Line(#[from] serde_json::Error),
    /// The arena speaks a different protocol version.
    #[error("the arena speaks version {0} of the protocol, this bot version {own}", own = message::VERSION)]
    Version(u32),
    /// There is no such bot for the game.
    #[error("there is no bot {0} for the game {1}")]
    NoBot(String, String),
}

/// A line from the arena. Unknown kinds of messages are read as empty and ignored, so that the protocol can be extended.
#[derive(Deserialize)]
struct Line<'a> {
    hello: Option<Hello>,
    #[serde(borrow)]
    start: Option<message::Start<&'a RawValue>>,
    #[serde(borrow)]
    turn: Option<message::Turn<&'a RawValue, &'a RawValue, IgnoredAny>>,
    #[serde(borrow)]
    end: Option<message::End<&'a RawValue>>,
    error: Option<Refusal>,
    quit: Option<IgnoredAny>,
}

/// Plays matches as the bot with this name, up to `matches` at the same time, until the arena quits or closes the connection.
pub fn serve(
    bot: &str,
    matches: u32,
    input: impl Read,
    output: impl Write,
) -> Result<(), ServeError> {
    let mut wire = Wire {
        input: BufReader::new(input),
        output,
        answers: Vec::new(),
    };
    let mut players: HashMap<u64, Box<dyn SeatedBot>> = HashMap::new();
    let mut line = String::new();
    while wire.read(&mut line)? {
        let Line {
            hello,
            start,
            turn,
            end,
            error,
            quit,
        } = serde_json::from_str(&line)?;
        if quit.is_some() {
            break;
        }
        if let Some(Hello { protocol, .. }) = hello {
            if protocol != message::VERSION {
                return Err(ServeError::Version(protocol));
            }
            wire.write(&FromBot::Ready(introduce(bot, matches)))?;
        }
        if let Some(start) = start {
            let builtin = roster::find(&start.game, bot);
            let builtin = builtin.ok_or_else(|| ServeError::NoBot(bot.to_owned(), start.game))?;
            let player = builtin.seated(&Start {
                rules: start.rules.get(),
                seat: start.seat,
                seats: start.seats,
                seed: start.seed,
                move_ms: start.clock.per_answer(),
            })?;
            players.insert(start.r#match, player);
        }
        if let Some(turn) = turn
            && let Some(player) = players.get_mut(&turn.r#match)
        {
            write!(wire.answers, "{{\"id\":{},\"action\":", turn.id)?;
            player.act(turn.events.get(), turn.prompt.get(), &mut wire.answers)?;
            wire.answers.extend_from_slice(b"}\n");
        }
        if let Some(end) = end
            && let Some(mut player) = players.remove(&end.r#match)
        {
            player.end(end.events.get(), &end.outcome)?;
        }
        if let Some(Refusal { r#match, message }) = error {
            eprintln!("{message}");
            r#match.and_then(|number| players.remove(&number));
        }
    }
    Ok(wire.flush()?)
}

fn introduce(bot: &str, matches: u32) -> Ready {
    let plays = |game: &&str| roster::names(game).any(|name| name == bot);
    Ready {
        protocol: None,
        name: Some(bot.to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        games: Some(
            table::names()
                .iter()
                .copied()
                .filter(plays)
                .map(str::to_owned)
                .collect(),
        ),
        wants: Some(vec![Want::Events]),
        matches: (matches > 1).then_some(matches),
    }
}

/// The connection to the arena.
struct Wire<R, W> {
    input: BufReader<R>,
    output: W,
    answers: Vec<u8>,
}

impl<R: Read, W: Write> Wire<R, W> {
    /// Reads the next line. First flushes everything written, if reading may have to wait.
    fn read(&mut self, line: &mut String) -> io::Result<bool> {
        if !self.input.buffer().contains(&b'\n') {
            self.flush()?;
        }
        line.clear();
        Ok(self.input.read_line(line)? > 0)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(&self.answers)?;
        self.answers.clear();
        self.output.flush()
    }

    fn write(&mut self, message: &impl Serialize) -> Result<(), ServeError> {
        serde_json::to_writer(&mut self.answers, message)?;
        self.answers.push(b'\n');
        Ok(())
    }
}
