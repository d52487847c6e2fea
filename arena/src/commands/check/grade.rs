//! The grade of a bot: whether it is proven stronger than a built-in one, by deals in every seating.

use anyhow::Context;
use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_results::faults::help::{Clues, help};
use arena_statistics::holm::Look;
use arena_statistics::pairwise::Pairwise;
use arena_statistics::power::{DealSample, rounded};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::formats::round_robin::RoundRobin;
use arena_tournament::played::Played;
use arena_tournament::schedule::schedule;
use arena_tournament::spec::{Plan, Spec};
use schemars::JsonSchema;
use serde::Serialize;

use super::BotCheck;
use super::report::{Finding, plain};
use crate::cli::Check;
use crate::commands::wrong_use;
use arena_runner::{Finished, Run, Starts, Stop};

/// The bot under check and the built-in one. No built-in bot is called so.
const NAME: &str = "the bot";
const RIVAL: &str = "the other";
/// The deals that are played by default.
const DEALS: u32 = 30;

/// How a bot did against a built-in one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Grade {
    /// The built-in bot.
    pub bot: String,
    /// The game.
    game: String,
    /// The random seed of the deals.
    seed: Seed,
    /// The number of deals, each played in both seatings.
    deals: u64,
    /// The score of the bot under check, in 0 … 1.
    score: f64,
    /// The ends of its 95 % interval.
    interval: [f64; 2],
    /// The number of matches that it forfeited. Each is a loss.
    forfeits: usize,
    /// True if it is proven to be stronger: the interval lies above one half.
    pub proven: bool,
    /// The number of deals that would prove it with a probability of 80 % if this score holds; null where it is proven, where the
    /// score is not above one half, and beyond 10^9.
    needed: Option<u64>,
}

/// Refuses a grade of several games, at tables of more than two, or by a bot that is not built in.
pub fn check(args: &Check, spec: &Spec) -> anyhow::Result<()> {
    let game = &spec.plan.game;
    match &args.beats {
        None if args.keys.0.values.iter().any(|flag| flag.path == "seed") => {
            wrong_use("the seed is that of --beats; the steps of a check have their own")
        }
        Some(_) if args.games.len() > usize::from(args.file().is_none()) => {
            wrong_use("--beats is for one game: name it with --game, or let the file name it")
        }
        Some(_) if spec.plan.seats != 2 => wrong_use("--beats is for tables of two seats"),
        Some(rival) if !roster::names(game).any(|name| name == rival) => {
            let names = roster::names(game).collect::<Vec<_>>().join(", ");
            wrong_use(format!("--beats {rival}: no such bot is built in for {game}; the bots are {names}"))
        }
        _ => Ok(()),
    }
}

impl BotCheck<'_> {
    /// Plays the deals of `--beats`, if it is given and all steps have passed.
    pub(super) fn grade(&self) -> anyhow::Result<Option<Grade>> {
        let Some(rival) = self.args.beats.as_ref().filter(|_| self.report.has_passed()) else { return Ok(None) };
        let spec = self.duel(rival);
        self.report.begin(format!("{} deals of {} against {rival}", spec.plan.deals, spec.plan.game));
        let (mut deals, mut faults, mut done) = (Vec::new(), Vec::new(), 0);
        let (stop, starts, names, mut gathering) = (Stop::default(), Starts::default(), spec.names(), spec.gather());
        let run = Run::new(&spec, &stop, &starts, self.sandbox);
        arena_runner::play_each(run, schedule(spec.field(), &spec.meetings(1, &[])), |finished| {
            match finished {
                Finished::Played(played) => {
                    done += 1;
                    self.report.waits_for(&format!("match {done} of {}", spec.matches()));
                    faults.extend(self.forfeit(&played));
                    let scored = played.scored(&names).context("a match of a bot that takes no part")?;
                    deals.extend(gathering.add_in_any_order(scored));
                }
                Finished::GivenUp(_) => {}
                Finished::Unplayed { id, why } => {
                    anyhow::bail!("match {id} has no result, and no bot is to blame: {why}")
                }
            }
            Ok(())
        })?;
        deals.sort_by_key(|deal| deal.number);
        let (mut pairs, mut sample) = (Pairwise::new(&spec), DealSample::default());
        for deal in &deals {
            pairs.add(deal);
            sample.add(deal);
        }
        let pair = pairs.table(Look::Planned).pop().context("nobody met")?;
        let score = pair.estimate.context("no deal is finished")?.score;
        let interval = pair.score_interval.context("too few deals are finished")?;
        let proven = interval[0] > 0.5;
        let needed = sample.score().filter(|_| !proven && score > 0.5).and_then(|spread| spread.deals(score - 0.5));
        let [low, high] = interval.map(|end| 100.0 * end);
        let fact = format!("score {:.1} %, 95 % interval {low:.1}–{high:.1} %", 100.0 * score);
        let (forfeits, matches) = (faults.len(), spec.matches());
        let forfeited = faults.into_iter().next().map(|first| Finding {
            what: format!("forfeited {forfeits} of {matches} matches, which it lost; the first: {}", first.what),
            ..first
        });
        self.report.end(fact, forfeited)?;
        let Plan { game, seed, .. } = spec.plan;
        Ok(Some(Grade { bot: rival.clone(), game, seed, deals: pair.deals, score, interval, forfeits, proven, needed }))
    }

    /// The bot and its rival, who meet on all deals in both seatings.
    fn duel(&self, rival: &str) -> Spec {
        let own = self.spec.bots.iter().find(|entrant| entrant.name == self.bot);
        let restart = own.map(|entrant| entrant.restart).unwrap_or_default();
        let bot = Entrant { restart, ..Entrant::new(NAME, Bot::Program(self.program.clone())) };
        let (format, seatings) = (Choice::RoundRobin(RoundRobin {}), Seatings::default());
        let deals = self.args.deals.unwrap_or(DEALS);
        Spec {
            plan: Plan { format, test: None, seatings, deals, ..self.spec.plan.clone() },
            bots: vec![bot, Entrant::new(RIVAL, Bot::Builtin(rival.to_owned()))],
            ..self.spec.clone()
        }
    }

    /// Why the bot forfeited a match, if it did.
    fn forfeit(&self, played: &Played) -> Option<Finding> {
        let mut faults = played.verdict.faults.seats().filter(|(seat, _)| played.bots[seat.index()] == NAME);
        let (seat, fault) = faults.find_map(|(seat, fault)| Some((seat, fault.as_ref()?)))?;
        let evidence = played.evidence.iter().find(|evidence| evidence.seat == seat);
        let log = evidence.map_or("", |evidence| evidence.stderr.as_str());
        let help = help(fault, &Clues { log, idioms: self.idioms, ..Clues::default() }).unwrap_or_default();
        Some(Finding::warning(plain(&format!("{}: {fault}", fault.cause())), plain(&help)).show_log(log))
    }
}

impl Grade {
    /// The grade in one line.
    pub fn in_words(&self) -> String {
        let Self { bot, proven, needed, .. } = self;
        match needed.map(rounded) {
            _ if *proven => format!("proven stronger than {bot}"),
            Some(deals) => {
                format!("not proven stronger than {bot}: about {deals} deals would show it if this score holds")
            }
            None => format!("not proven stronger than {bot}"),
        }
    }
}
