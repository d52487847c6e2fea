//! `arena check --positions`: sends bots single positions, and shows how often each finds the best option.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_bots::position::Position;
use arena_engine::by_name;
use arena_engine::fault::{Fault, Violation};
use arena_engine::game::{Game, Illegal, Prompt as _};
use arena_engine::record::Reply;
use arena_protocol::message::{Clock, Start, ToBot, Turn};
use arena_results::json;
use arena_statistics::cluster::{Cluster, OnDeal};
use arena_statistics::interval;
use arena_tournament::entrant::Bot;
use arena_tournament::spec::Spec;
use serde::Serialize;
use serde_json::{Value, from_value, to_value};

use super::BotCheck;
use super::diagnosis::ANSWER;
use super::probe::{Leave, Probe, Trouble};
use super::report::{Finding, plain};
use crate::cli::{self, Check};
use crate::commands::{builtin_as_program, print};
use arena_config::diagnostic::UsageError;
use arena_runner::units::millis;
use arena_runner::worker;
use arena_session::sandbox;

/// The most misses that are shown.
const SHOWN: usize = 10;

/// The scores of bots on positions.
#[derive(Serialize)]
pub struct Scores {
    /// The bots, in order of the tournament file; one if a command was given.
    bots: Vec<Score>,
}

/// The score of a bot.
#[derive(Serialize)]
struct Score {
    /// Its name in the tournament file; its command if that was given.
    bot: String,
    #[serde(flatten)]
    all: Tally,
    /// The ends of the 95 % interval of the share in which it found the best; null for fewer than 5.
    interval: Option<[f64; 2]>,
    /// The same by the kind of the best action.
    kinds: BTreeMap<String, Tally>,
    /// What it answered, in order of the positions.
    answers: Vec<Answer>,
}

/// Answers, added up.
#[derive(Default, Serialize)]
struct Tally {
    /// The number of positions.
    positions: u64,
    /// In how many of them it found the best option.
    best: u64,
    /// The share of winning that it lost on average.
    lost: f64,
}

impl Tally {
    fn of<'a>(answers: impl Iterator<Item = &'a Answer> + Clone) -> Self {
        let (positions, best) = (
            answers.clone().count(),
            answers.clone().filter(|answer| answer.is_best()).count(),
        );
        let lost = answers.map(|answer| answer.lost).sum::<f64>() / positions as f64;
        Self {
            positions: positions as u64,
            best: best as u64,
            lost,
        }
    }

    fn in_words(&self, interval: Option<[f64; 2]>) -> String {
        let Self {
            positions,
            best,
            lost,
        } = self;
        let span = interval.map(|ends| ends.map(|end| 100.0 * end));
        let span = span
            .map(|[low, high]| format!(", 95 % interval {low:.1}–{high:.1} %"))
            .unwrap_or_default();
        let (share, lost) = (100.0 * *best as f64 / *positions as f64, 100.0 * lost);
        format!(
            "found the best in {best} of {positions} ({share:.1} %{span}); lost {lost:.1} % of a win on average"
        )
    }
}

/// An answer at a position.
#[derive(Serialize)]
struct Answer {
    /// The line of the file.
    line: usize,
    /// The kind of the best action.
    kind: String,
    /// The best option, in words.
    best: String,
    /// Its share of winning.
    wins: f64,
    /// What the bot answered, in words; in JSON if it is none of the options.
    answer: String,
    /// The share of winning that it lost: that of the worst option if it answered none of them, or failed.
    lost: f64,
    /// True if the bot failed.
    failed: bool,
}

/// Sends the positions of a file to all bots, and prints the scores.
pub fn run(args: &Check, spec: &Spec, file: &Path) -> anyhow::Result<ExitCode> {
    let (positions, mut spec) = (read(file)?, spec.clone());
    for entrant in &mut spec.bots {
        if let Bot::Builtin(name) = &entrant.bot {
            entrant.bot = Bot::Program(builtin_as_program(name, std::env::current_dir()?)?);
        }
    }
    let sandbox = sandbox::for_programs(&spec, &[])?;
    sandbox::announce(&spec, &sandbox, false);
    let mut scores = Scores { bots: Vec::new() };
    for entrant in &spec.bots {
        let Bot::Program(program) = &entrant.bot else {
            continue;
        };
        let check = BotCheck::new(args, &spec, &entrant.name, program, &sandbox);
        let score = worker::runtime()?.block_on(check.score(&positions))?;
        if !args.json {
            print(&score.in_words())?;
        }
        scores.bots.push(score);
    }
    if args.json {
        print(&json::document(&scores)?)?;
    }
    let has_failed = scores
        .bots
        .iter()
        .flat_map(|bot| &bot.answers)
        .any(|answer| answer.failed);
    Ok(if has_failed || !spec.left_out.is_empty() {
        ExitCode::from(cli::FAILURE)
    } else {
        ExitCode::SUCCESS
    })
}

fn read(file: &Path) -> anyhow::Result<Vec<Position>> {
    let path = file.display();
    let wrong = |why: String| UsageError::one(format!("{path}: {why}"));
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let position = |(number, line)| {
        let read = serde_json::from_str::<Position>(line).ok();
        read.filter(|position| !position.options.is_empty())
            .ok_or_else(|| {
                wrong(format!(
                    "line {number} is no position of arena analyse --positions"
                ))
            })
    };
    Ok((1..)
        .zip(text.lines())
        .map(position)
        .collect::<Result<_, _>>()?)
}

impl BotCheck<'_> {
    /// Asks all positions.
    async fn score(&self, positions: &[Position]) -> anyhow::Result<Score> {
        self.report.begin(self.bot);
        let (mut running, mut answers, mut findings) = (None, Vec::new(), Vec::new());
        for (line, position) in (1..).zip(positions) {
            self.report
                .waits_for(&format!("position {line} of {}", positions.len()));
            let reply = self.reply(&mut running, line, position).await?;
            if let Err(trouble) = &reply
                && let Some(probe) = running.take()
            {
                let found = self.explain(trouble, ANSWER, &position.start.game, &probe.end().await);
                findings.push(Finding {
                    at: Some(format!("line {line}")),
                    ..found
                });
                findings.dedup_by(|a, b| a.what == b.what);
            }
            answers.push(Answer::new(line, position, reply.as_ref().ok()));
        }
        if let Some(probe) = running {
            self.leave(probe, Leave::Quit).await;
        }
        let score = Score::new(self.bot, answers);
        self.report.end(
            format!("{} of {} found", score.all.best, score.all.positions),
            findings,
        )?;
        Ok(score)
    }

    /// The action at a position. A process that ended after its last answer is started again, as in a tournament.
    async fn reply(
        &self,
        running: &mut Option<Probe>,
        line: usize,
        position: &Position,
    ) -> anyhow::Result<Result<Value, Trouble>> {
        let game = &position.start.game;
        let unknown = || format!("line {line}: this program does not know {game:?}");
        if let Some(probe) = running.take() {
            let reply = by_name!(game, G => self.ask::<G>(&probe, line, position).await?)
                .with_context(unknown)?;
            let ended = reply
                .as_ref()
                .err()
                .and_then(Trouble::ended_before)
                .is_some();
            if !ended {
                *running = Some(probe);
                return Ok(reply);
            }
            probe.end().await;
        }
        let probe = running.insert(self.start().await?);
        match probe.greet(self.start).await {
            Ok(_) => by_name!(game, G => self.ask::<G>(probe, line, position).await?)
                .with_context(unknown),
            Err(trouble) => Ok(Err(trouble)),
        }
    }

    async fn ask<G: Game>(
        &self,
        probe: &Probe,
        line: usize,
        Position { start, turn, .. }: &Position,
    ) -> anyhow::Result<Result<Value, Trouble>> {
        let prompt: G::Prompt =
            from_value(turn.prompt.clone()).with_context(|| format!("line {line}"))?;
        let (conversation, begun) = (&probe.conversation, probe.begin());
        if !conversation.ready().plays(G::NAME) {
            let fault = Fault::from(Violation::WrongGame(G::NAME.into()));
            return Ok(Err(Trouble::new(Ok(fault), String::new())));
        }
        let (r#match, id) = (line as u64, conversation.next_id());
        let clock = Clock {
            move_ms: Some(millis(self.per_move)),
            ..Clock::default()
        };
        conversation.pipes().begin_match();
        conversation.send(&ToBot::<_, (), (), ()>::Start(Start {
            r#match,
            clock,
            ..start.clone()
        }));
        let turn = ToBot::<(), _, _, _>::Turn(Turn {
            id,
            r#match,
            clock,
            ..turn.clone()
        });
        let response = match conversation.ask(id, &turn, Some(self.per_move)).await {
            Ok((response, _)) => conversation.read::<G::Action>(id, response),
            Err(void) => return Ok(Err(Trouble::new(Err(void), String::new()))),
        };
        let fault = match response.reply {
            Reply::Act(action) => match prompt.permits(&action) {
                Ok(()) => return Ok(Ok(to_value(action)?)),
                Err(Illegal(why)) => {
                    let (prompt, text) = (serde_json::to_string(&prompt)?, probe.answer(id));
                    return Ok(Err(Trouble {
                        prompt,
                        ..Trouble::new(Ok(Fault::Illegal(why)), text)
                    }));
                }
            },
            Reply::Late => Fault::Late(response.hint),
            Reply::Failed(fault) => fault,
        };
        Ok(Err(probe
            .examine_turns::<G::Action>(fault, begun, self.per_move, &[id])
            .await))
    }
}

impl Answer {
    fn is_best(&self) -> bool {
        self.lost <= 0.0
    }

    fn in_words(&self) -> String {
        let Self {
            line,
            best,
            wins,
            answer,
            lost,
            ..
        } = self;
        let [wins, won] = [*wins, wins - lost].map(|share| 100.0 * share);
        format!(
            "    line {line}: asked for {best}, which wins {wins:.0} %; answered {answer}: {won:.0} %\n"
        )
    }

    fn new(line: usize, position: &Position, action: Option<&Value>) -> Self {
        let best = &position.options[0];
        let option = position
            .options
            .iter()
            .find(|option| Some(&option.action) == action);
        let worth = option
            .or(position.options.last())
            .map_or(best.wins, |option| option.wins);
        let answer = match (option, action) {
            (Some(option), _) => option.words.clone(),
            (None, Some(action)) => plain(&action.to_string()),
            (None, None) => "failed".into(),
        };
        let (kind, words, failed) = (position.kind.clone(), best.words.clone(), action.is_none());
        Self {
            line,
            kind,
            best: words,
            wins: best.wins,
            answer,
            lost: best.wins - worth,
            failed,
        }
    }
}

impl Score {
    fn new(bot: &str, answers: Vec<Answer>) -> Self {
        let mut found = Cluster::default();
        for answer in &answers {
            let mut one = OnDeal::default();
            one.add(if answer.is_best() { 2 } else { 0 });
            found.add(&one);
        }
        let kinds: BTreeSet<&String> = answers.iter().map(|answer| &answer.kind).collect();
        let of_kind =
            |kind: &String| Tally::of(answers.iter().filter(|answer| answer.kind == *kind));
        let kinds = kinds
            .into_iter()
            .map(|kind| (kind.clone(), of_kind(kind)))
            .collect();
        Self {
            bot: bot.to_owned(),
            all: Tally::of(answers.iter()),
            interval: interval::of_score(&found),
            kinds,
            answers,
        }
    }

    /// In all, by kind, and what it missed most.
    fn in_words(&self) -> String {
        let mut missed: Vec<&Answer> = self
            .answers
            .iter()
            .filter(|answer| !answer.is_best())
            .collect();
        missed.sort_by(|one, other| other.lost.total_cmp(&one.lost));
        let all = format!("    all: {}\n", self.all.in_words(self.interval));
        let kinds = self
            .kinds
            .iter()
            .map(|(kind, tally)| format!("    {kind}: {}\n", tally.in_words(None)));
        let missed = missed
            .into_iter()
            .take(SHOWN)
            .map(|answer| answer.in_words());
        all + &kinds.chain(missed).collect::<String>()
    }
}
