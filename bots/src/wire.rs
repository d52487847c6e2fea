//! A bot's end of the wire: lets a player of this package answer on standard input and output.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;
use arena_engine::player::{Player, Start};
use arena_protocol::message::{self, Answer, FromBot, Hello, Ready, Refusal, ToBotOf, Want};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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
    #[error("there is no bot {bot} for the game {game}")]
    NoBot {
        /// The bot's name.
        bot: String,
        /// The game's name.
        game: String,
    },
}

/// The messages that come before it is known which game is played.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Before<'a> {
    Hello(Hello),
    #[serde(borrow)]
    Start(message::Start<&'a RawValue>),
    Error(Refusal),
    Quit {},
}

/// Plays matches as the bot of that name, up to `matches` at the same time, until the arena quits or closes the
/// connection.
pub fn serve(bot: &str, matches: u32, input: impl Read, output: impl Write) -> Result<(), ServeError> {
    let mut wire = Wire { input: BufReader::new(input), output, line: String::new(), answers: Vec::new() };
    let mut more = wire.read()?;
    while more {
        match serde_json::from_str(&wire.line)? {
            Before::Hello(hello) if hello.protocol != message::VERSION => {
                return Err(ServeError::Version(hello.protocol));
            }
            Before::Hello(_) => {
                wire.write(&FromBot::Ready(introduce(bot, matches)))?;
                more = wire.read()?;
            }
            Before::Start(start) => {
                let game = start.game.clone();
                let no_bot = || ServeError::NoBot { bot: bot.to_owned(), game: game.clone() };
                more = by_name!(game, G => one_game::<G>(bot, &mut wire)).ok_or_else(no_bot)??;
            }
            Before::Error(Refusal { message, .. }) => {
                eprintln!("{message}");
                more = wire.read()?;
            }
            Before::Quit {} => return Ok(()),
        }
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
            self.output.write_all(&self.answers)?;
            self.output.flush()?;
            self.answers.clear();
        }
        self.line.clear();
        Ok(self.input.read_line(&mut self.line)? > 0)
    }

    fn write(&mut self, message: &impl Serialize) -> Result<(), ServeError> {
        serde_json::to_writer(&mut self.answers, message)?;
        self.answers.push(b'\n');
        Ok(())
    }
}

/// Plays matches of one game, beginning with the one whose start was the last line read, until another game starts or
/// there is nothing more to play; returns true if a line is left to be understood.
fn one_game<G: Game>(bot: &str, wire: &mut Wire<impl Read, impl Write>) -> Result<bool, ServeError> {
    let no_bot = || ServeError::NoBot { bot: bot.to_owned(), game: G::NAME.to_owned() };
    let mut players: HashMap<u64, Box<dyn Player<G>>> = HashMap::new();
    let mut begun = false;
    loop {
        match serde_json::from_str::<ToBotOf<G>>(&wire.line) {
            Ok(ToBotOf::<G>::Start(start)) if start.game == G::NAME => {
                let mut player = roster::make::<G>(bot).ok_or_else(no_bot)?;
                let message::Start { rules, seat, seats, seed, clock, .. } = start;
                player.start(&Start { rules: &rules, seat, seats, seed, move_ms: clock.per_answer() });
                players.insert(start.r#match, player);
            }
            Ok(ToBotOf::<G>::Turn(turn)) => {
                if let Some(player) = players.get_mut(&turn.r#match) {
                    let action = player.act(&mut turn.events.into_iter(), &turn.prompt);
                    wire.write(&Answer { id: turn.id, action, note: None })?;
                }
            }
            Ok(ToBotOf::<G>::End(end)) => {
                if let Some(mut player) = players.remove(&end.r#match) {
                    player.end(&mut end.events.into_iter(), &end.outcome);
                }
            }
            Ok(ToBotOf::<G>::Error(Refusal { r#match, message })) => {
                eprintln!("{message}");
                r#match.and_then(|number| players.remove(&number));
            }
            // What is not of this game is understood where it is not known yet which game is played.
            Ok(_) => return Ok(true),
            Err(_) if begun && starts(&wire.line) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
        begun = true;
        if !wire.read()? {
            return Ok(false);
        }
    }
}

/// True if a line starts a match, of whatever game.
fn starts(line: &str) -> bool {
    matches!(serde_json::from_str(line), Ok(Before::Start(_)))
}
