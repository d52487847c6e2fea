//! Log of all lines between the arena and a bot's process. The lines are kept in a file with timestamps, or shown.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use arena_engine::seat::Seat;
use arena_protocol::message::{Answer, ToBot, Turn};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::file_name::file_name;
use super::logs::{self, Logs};
use super::observer::{Observer, Passed};
use super::status::coloured;

/// Maximum number of bytes kept per process.
const MAX_LOG_BYTES: usize = 16 << 20;
/// ANSI codes for sent and received lines: cyan and yellow.
const COLOURS: [u8; 2] = [36, 33];

/// Wire log of one process.
#[derive(Debug)]
pub struct WireLog {
    file: Option<File>,
    /// Name of the bot, if the lines are shown.
    shown: Option<String>,
    began: Instant,
    left: usize,
}

impl WireLog {
    /// Opens `BOT-PID.wire`, if lines are kept.
    pub fn new(logs: &Logs<'_>, bot: &str, pid: Option<u32>) -> Self {
        let open = |(folder, pid)| {
            logs::open(Path::join(folder, format!("{}-{pid}.wire", file_name(bot))))
        };
        let shown = logs.debug.then(|| bot.to_owned());
        Self {
            file: logs.wire.zip(pid).and_then(open),
            shown,
            began: Instant::now(),
            left: MAX_LOG_BYTES,
        }
    }

    fn write(&mut self, sign: char, line: &[u8]) {
        if let Some(bot) = &self.shown {
            let (arrow, colour) = if sign == '<' {
                ('→', COLOURS[0])
            } else {
                ('←', COLOURS[1])
            };
            coloured(
                &format!("{arrow} {bot} {}", String::from_utf8_lossy(line)),
                colour,
            );
        }
        let Some(file) = self.file.as_mut().filter(|_| self.left > 0) else {
            return;
        };
        let mut text = format!("{sign} {} ", self.began.elapsed().as_micros()).into_bytes();
        text.extend(line);
        text.push(b'\n');
        if text.len() > self.left {
            text = format!(
                "# {} MiB are kept for each process; the rest is left out\n",
                MAX_LOG_BYTES >> 20
            )
            .into();
            self.left = text.len();
        }
        self.left -= text.len();
        // A failed write must not disturb the match.
        let _ = file.write_all(&text);
    }
}

/// Content of a wire log.
#[derive(Debug, Default)]
pub struct Logged {
    /// Seat of the bot in the first match.
    pub seat: Seat,
    /// Name of the game.
    pub game: String,
    /// Lines sent to the bot, with their turns.
    pub sent: Vec<(Box<RawValue>, Option<LoggedTurn>)>,
    /// Answers of the bot, by turn id.
    pub answers: BTreeMap<u64, String>,
}

/// The parts of a turn that are read from a log.
pub type LoggedTurn = Turn<IgnoredAny, Box<RawValue>, IgnoredAny>;

impl Logged {
    /// Parses a log. Errors name the line and the problem.
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let mut logged = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            logged
                .take(line)
                .with_context(|| format!("line {number} was not written by --log-wire"))?;
        }
        anyhow::ensure!(!logged.game.is_empty(), "it holds no match");
        Ok(logged)
    }

    fn take(&mut self, line: &str) -> anyhow::Result<()> {
        match line.splitn(3, ' ').collect::<Vec<_>>()[..] {
            ["<", _, text] => {
                let message = serde_json::from_str::<ToBot<IgnoredAny, _, _, _>>(text);
                let turn = match message.context("it is not a message of the arena")? {
                    ToBot::Hello(_) | ToBot::Error(_) | ToBot::Quit {} => return Ok(()),
                    ToBot::Start(start) if self.game.is_empty() => {
                        (self.game, self.seat) = (start.game, start.seat);
                        None
                    }
                    ToBot::Turn(turn) => Some(turn),
                    ToBot::Start(_) | ToBot::End(_) => None,
                };
                self.sent
                    .push((RawValue::from_string(text.to_owned())?, turn));
            }
            [">", _, text] => {
                // A line without an id is not an answer.
                if let Ok(Answer::<IgnoredAny> { id, .. }) = serde_json::from_str(text) {
                    self.answers.entry(id).or_insert(text.to_owned());
                }
            }
            ["#", ..] => {}
            _ => anyhow::bail!("it does not begin with < or > and a time"),
        }
        Ok(())
    }
}

impl Observer for WireLog {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        match passed {
            Passed::Sent => self.write('<', line),
            Passed::Received => self.write('>', line),
            Passed::Dropped | Passed::Violated => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_full_says_so_once() {
        let folder = std::env::temp_dir().join(format!("arena-wire-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut log = WireLog::new(
            &Logs {
                wire: Some(&folder),
                ..Logs::default()
            },
            "a/b",
            Some(7),
        );
        log.observe(Passed::Sent, b"{\"hello\":{}}");
        log.left = 30;
        log.observe(Passed::Received, &[b'x'; 40]);
        log.observe(Passed::Sent, b"more");
        let text =
            std::fs::read_to_string(folder.join(format!("{}-7.wire", file_name("a/b")))).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(
            lines[0].starts_with("< ") && lines[0].ends_with(" {\"hello\":{}}"),
            "{text}"
        );
        assert!(lines[1].starts_with("# 16 MiB"), "{text}");
    }
}
