//! A bot's end of the wire: lets a player of this package answer on standard input and output.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;
use arena_engine::player::{Player, Start};
use arena_protocol::message::{self, Answer, FromBot, Hello, Ready, Refusal, Want};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::roster;

/// Why serving stopped before the arena ended it.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Reading or writing failed.
    #[error("the connection to the arena failed: {0}")]
    Io(#[from] io::Error),
    /// A line from the arena could not be read.
    #[error("a line from the arena could not be read: {0}")]
    Line(#[from] serde_json::Error),
    /// The arena speaks another version.
    #[error("the arena speaks version {0} of the protocol, this bot version {own}", own = message::VERSION)]
    Version(u32),
    /// There is no such bot for the game.
    #[error("there is no bot {0} for the game {1}")]
    NoBot(String, String),
}

/// A line from the arena, with what depends on the game where that is known. It is empty if it holds a message of another kind:
/// those are ignored, so that the protocol can grow.
#[derive(Deserialize)]
struct Line<Rules = IgnoredAny, Events = IgnoredAny, Prompt = IgnoredAny> {
    hello: Option<Hello>,
    start: Option<message::Start<Rules>>,
    turn: Option<message::Turn<Events, Prompt, IgnoredAny>>,
    end: Option<message::End<Events>>,
    error: Option<Refusal>,
    quit: Option<IgnoredAny>,
}

/// A line in a game.
type LineOf<G> = Line<<G as Game>::Rules, Vec<<G as Game>::Event>, <G as Game>::Prompt>;

/// Plays matches as the bot of that name, up to `matches` at the same time, until the arena quits or closes the
/// connection.
pub fn serve(
    bot: &str,
    matches: u32,
    input: impl Read,
    output: impl Write,
) -> Result<(), ServeError> {
    let mut wire = Wire {
        input: BufReader::new(input),
        output,
        line: String::new(),
        answers: Vec::new(),
    };
    let mut more = wire.read()?;
    while more {
        let Line {
            hello,
            start,
            error,
            quit,
            ..
        } = serde_json::from_str::<Line>(&wire.line)?;
        if quit.is_some() {
            return Ok(wire.flush()?);
        }
        if let Some(Hello { protocol, .. }) = hello {
            if protocol != message::VERSION {
                return Err(ServeError::Version(protocol));
            }
            wire.write(&FromBot::Ready(introduce(bot, matches)))?;
        }
        if let Some(Refusal { message, .. }) = error {
            eprintln!("{message}");
        }
        more = match start {
            Some(message::Start { game, .. }) => {
                let no_bot = || ServeError::NoBot(bot.to_owned(), game.clone());
                by_name!(game, G => one_game::<G>(bot, &mut wire)).ok_or_else(no_bot)??
            }
            None => wire.read()?,
        };
    }
    Ok(())
}

fn introduce(bot: &str, matches: u32) -> Ready {
    let plays = |game: &&str| roster::names(game).any(|name| name == bot);
    Ready {
        protocol: None,
        name: Some(bot.to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        games: Some(games::all().filter(plays).map(str::to_owned).collect()),
        wants: Some(vec![Want::Events]),
        matches: (matches > 1).then_some(matches),
    }
}

/// Lines from and to the arena.
struct Wire<R, W> {
    input: BufReader<R>,
    output: W,
    line: String,
    answers: Vec<u8>,
}

impl<R: Read, W: Write> Wire<R, W> {
    /// Reads the next line. Before there may be a wait for it, everything that was written is sent.
    fn read(&mut self) -> io::Result<bool> {
        if !self.input.buffer().contains(&b'\n') {
            self.flush()?;
        }
        self.line.clear();
        Ok(self.input.read_line(&mut self.line)? > 0)
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

/// Plays matches of one game, beginning with the one whose start was the last line read, until another game starts or
/// there is nothing more to play; returns true if the line that ended it is still to be read by [`serve`].
fn one_game<G: Game>(
    bot: &str,
    wire: &mut Wire<impl Read, impl Write>,
) -> Result<bool, ServeError> {
    let no_bot = || ServeError::NoBot(bot.to_owned(), G::NAME.to_owned());
    let mut players: HashMap<u64, Box<dyn Player<G>>> = HashMap::new();
    let mut begun = false;
    loop {
        let Line {
            start,
            turn,
            end,
            error,
            quit,
            ..
        } = match serde_json::from_str::<LineOf<G>>(&wire.line) {
            Ok(line) => line,
            // The start of another game cannot be read as one of this game.
            Err(_) if begun && starts(&wire.line) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        if quit.is_some() || start.as_ref().is_some_and(|start| start.game != G::NAME) {
            return Ok(true);
        }
        if let Some(message::Start {
            r#match,
            rules,
            seat,
            seats,
            seed,
            clock,
            ..
        }) = start
        {
            let mut player = roster::make::<G>(bot).ok_or_else(no_bot)?;
            player.start(&Start {
                rules: &rules,
                seat,
                seats,
                seed,
                move_ms: clock.per_answer(),
            });
            players.insert(r#match, player);
        }
        if let Some(turn) = turn
            && let Some(player) = players.get_mut(&turn.r#match)
        {
            let action = player.act(&mut turn.events.into_iter(), &turn.prompt);
            wire.write(&Answer {
                id: turn.id,
                action,
                note: None,
            })?;
        }
        if let Some(end) = end
            && let Some(mut player) = players.remove(&end.r#match)
        {
            player.end(&mut end.events.into_iter(), &end.outcome);
        }
        if let Some(Refusal { r#match, message }) = error {
            eprintln!("{message}");
            r#match.and_then(|number| players.remove(&number));
        }
        begun = true;
        if !wire.read()? {
            return Ok(false);
        }
    }
}

/// True if a line starts a match, of whatever game.
fn starts(line: &str) -> bool {
    serde_json::from_str::<Line>(line).is_ok_and(|line| line.start.is_some())
}
