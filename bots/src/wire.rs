//! A bot's end of the wire: lets a player of this package answer on standard input and output.

use std::io::{self, BufRead, Write};

use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::player::{Player, Start};
use arena_protocol::message::{self, Answer, FromBot, Hello, Ready, Refusal, ToBotOf, Want};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::roster;

/// Why serving stopped before the arena said so.
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

/// The messages between matches.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Between<'a> {
    Hello(Hello),
    #[serde(borrow)]
    Start(message::Start<&'a RawValue>),
    Error(Refusal),
    Quit {},
}

/// Plays matches as the bot of that name until the arena quits or closes the connection.
pub fn serve(bot: &str, mut input: impl BufRead, mut output: impl Write) -> Result<(), ServeError> {
    let mut line = String::new();
    while read(&mut input, &mut line)? {
        match serde_json::from_str(&line)? {
            Between::Hello(hello) if hello.protocol != message::VERSION => {
                return Err(ServeError::Version(hello.protocol));
            }
            Between::Hello(_) => {
                let ready = Ready {
                    name: Some(bot.to_owned()),
                    version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                    games: Some(games::NAMES.iter().copied().filter(|g| plays(bot, g)).map(str::to_owned).collect()),
                    wants: Some(vec![Want::Events]),
                };
                write(&mut output, &FromBot::Ready(ready))?;
            }
            Between::Start(start) => {
                let no_bot = || ServeError::NoBot { bot: bot.to_owned(), game: start.game.clone() };
                let one = OneMatch { bot, start: &start, input: &mut input, output: &mut output };
                games::visit(&start.game, one).ok_or_else(no_bot)??;
            }
            Between::Error(Refusal { message }) => eprintln!("{message}"),
            Between::Quit {} => return Ok(()),
        }
    }
    Ok(())
}

fn plays(bot: &str, game: &str) -> bool {
    roster::names(game).any(|name| name == bot)
}

struct OneMatch<'a, R, W> {
    bot: &'a str,
    start: &'a message::Start<&'a RawValue>,
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Visitor for OneMatch<'_, R, W> {
    type Out = Result<(), ServeError>;

    fn visit<G: Game>(mut self) -> Self::Out {
        let message::Start { rules, seat, seats, seed, .. } = self.start;
        let no_bot = || ServeError::NoBot { bot: self.bot.to_owned(), game: G::NAME.to_owned() };
        let mut player = roster::make::<G>(self.bot).ok_or_else(no_bot)?;
        let rules: G::Rules = serde_json::from_str(rules.get())?;
        player.start(&Start { rules: &rules, seat: *seat, seats: *seats, seed: *seed });
        answer(player.as_mut(), &mut self.input, &mut self.output)
    }
}

/// Answers the turns of one match.
fn answer<G: Game>(
    player: &mut dyn Player<G>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), ServeError> {
    let mut line = String::new();
    while read(input, &mut line)? {
        match serde_json::from_str::<ToBotOf<G>>(&line)? {
            ToBotOf::<G>::Turn(turn) => {
                let action = player.act(&mut turn.events.into_iter(), &turn.prompt);
                write(output, &Answer { id: turn.id, action, note: None })?;
            }
            ToBotOf::<G>::End(end) => {
                player.end(&mut end.events.into_iter(), &end.outcome);
                return Ok(());
            }
            ToBotOf::<G>::Error(Refusal { message }) => eprintln!("{message}"),
            ToBotOf::<G>::Hello(_) | ToBotOf::<G>::Start(_) | ToBotOf::<G>::Quit {} => return Ok(()),
        }
    }
    Ok(())
}

fn read(input: &mut impl BufRead, line: &mut String) -> io::Result<bool> {
    line.clear();
    Ok(input.read_line(line)? > 0)
}

fn write(output: &mut impl Write, message: &impl Serialize) -> Result<(), ServeError> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    Ok(output.flush()?)
}
