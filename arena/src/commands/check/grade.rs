//! Grades a bot by testing, on deals played in every seating, whether it is stronger than a built-in bot.

use std::fmt;

use anyhow::Context;
use arena_bots::roster;
use arena_statistics::power::{deals_to_tell, rounded};
use arena_statistics::{elo, interval};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Choice;
use arena_tournament::schedule::{Planned, schedule};
use arena_tournament::spec::{Plan, Spec};

use super::BotCheck;
use super::report::{Finding, Grade, plain};
use crate::cli::Check;
use crate::commands::plan::measure::{Sums, play};
use crate::commands::wrong_use;
use arena_runner::{Run, Starts, Stop};

/// Refuses a grade that cannot be computed for this game or number of seats.
pub fn check(args: &Check, spec: &Spec) -> anyhow::Result<()> {
    let (game, seats) = (&spec.plan.game, spec.plan.seats);
    let known: Vec<&str> = roster::names(game).collect();
    match &args.beats {
        Some(rival) if seats != 2 || !known.contains(&rival.as_str()) => wrong_use(format!(
            "--beats needs two seats and a built-in bot of {game}: {}",
            known.join(", ")
        )),
        _ => Ok(()),
    }
}

impl BotCheck<'_> {
    /// Plays the deals of `--beats`, if requested and all steps have passed.
    pub(super) fn grade(&self) -> anyhow::Result<()> {
        let Some(rival) = self.args.beats.clone().filter(|_| self.report.has_passed()) else {
            return Ok(());
        };
        let mut spec = self.spec.clone();
        spec.bots.retain(|entrant| entrant.name == self.bot);
        spec.bots[0].bot = Bot::Program(self.program.clone());
        spec.bots.push(Entrant::new(
            format!("builtin:{rival}"),
            Bot::Builtin(rival.clone()),
        ));
        spec.plan = Plan {
            format: Choice::default(),
            seatings: Seatings::Auto,
            deals: self.args.deals,
            ..spec.plan
        };
        let (seed, game) = (spec.plan.seed, spec.plan.game.clone());
        self.report.begin(format!(
            "{} deals of {game} against {rival}",
            spec.plan.deals
        ));
        let stop = Stop::default();
        let starts = Starts::default();
        let mut sums = Sums::new(&spec);
        let todo: Vec<Planned> = schedule(spec.field(), &spec.meetings(1, &[])).collect();
        play(
            Run::new(&spec, &stop, &starts, self.sandbox),
            &todo,
            f64::INFINITY,
            &mut sums,
        )?;
        // Built-in bots never fail, so all faults belong to the checked bot.
        let (pairs, faults) = sums.end();
        let few = "too few deals are finished";
        let half_points = pairs.half_points().next().context(few)?;
        let interval = interval::of_score(half_points).context(few)?;
        let (deals, score) = (half_points.deals(), half_points.mean().context(few)? / 2.0);
        let (proven, forfeits) = (interval[0] > 0.5, faults.len());
        let needed = elo::of_score(score)
            .filter(|elo| !proven && *elo > 0.0)
            .map(|elo| deals_to_tell(elo, pairs.half_points()));
        let [mean, low, high] = [score, interval[0], interval[1]].map(|share| 100.0 * share);
        let finding = faults.first().map(|fault| {
            let what = format!("forfeited {forfeits} matches, each a loss; the first {fault}");
            Finding::warning(
                plain(&what),
                "`arena run` and `arena faults` show each with a fix",
            )
        });
        self.report.end(
            format!("score {mean:.1} %, 95 % interval {low:.1}–{high:.1} %"),
            finding,
        )?;
        let grade = Grade {
            bot: rival,
            game,
            seed,
            deals,
            score,
            interval,
            forfeits,
            proven,
            needed,
        };
        self.report.grade.replace(Some(grade));
        Ok(())
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_not = if self.proven { "" } else { "not " };
        let needed = self.needed.map(rounded);
        let needed =
            needed.map(|deals| format!(": about {deals} deals would show it if this score holds"));
        write!(
            f,
            "{is_not}proven stronger than {}{}",
            self.bot,
            needed.unwrap_or_default()
        )
    }
}
