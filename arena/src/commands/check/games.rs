//! Steps of the check for each game: every number of seats, a repeated match, several matches at the same time, and other rules.

use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json};
use arena_protocol::fault::{BotFault, ProcessEnd};
use arena_protocol::message::Ready;
use serde_json::{Value, json};

use super::BotCheck;
use super::diagnosis::ANSWER;
use super::play::{self, CheckMatch, Replies};
use super::probe::Leave;
use super::report::{Finding, Mark};
use super::steps::not_ready_again;
use arena_tournament::played::MoveTime;

/// Maximum number of matches played at the same time.
const MAX_CONCURRENT_MATCHES: u32 = 8;
/// Number of the first of the concurrent matches.
const FIRST_CONCURRENT_NUMBER: u64 = 1_000;

/// Counts the bot's turns in these matches.
fn turns(played: &[Replies]) -> usize {
    played.iter().map(|played| played.actions.len()).sum()
}

impl BotCheck<'_> {
    /// Runs the steps for a game. Returns `false` if a failure ended them early.
    pub(super) async fn game_steps(
        &self,
        game: &'static Entry,
        ready: &Ready,
        times: &mut Vec<MoveTime>,
    ) -> anyhow::Result<bool> {
        let sizes = game.seats.clone();
        let sizes: Vec<usize> = sizes
            .filter(|seats| self.seats.is_none_or(|wanted| wanted == *seats))
            .collect();
        let Some(first) = sizes.first().copied() else {
            return Ok(true);
        };
        for seats in sizes {
            let matches = self.matches(game, seats);
            self.report.begin(format!("{}, {seats} seats", game.name));
            let (played, findings) = self.in_one_process(&matches).await?;
            times.extend(played.iter().flat_map(|played| &played.times).cloned());
            let fact = format!("{} matches, {} turns", played.len(), turns(&played));
            // A bot that fails with one number of seats fails the whole check.
            if self.report.end(fact, findings)? == Mark::Failed {
                return Ok(false);
            }
            if let (true, Some(planned), Some(played)) =
                (seats == first, matches.last(), played.last())
            {
                self.same_again(planned, played).await?;
            }
        }
        if let Some(count @ 2..) = ready.matches {
            self.together(game, first, count.min(MAX_CONCURRENT_MATCHES))
                .await?;
        }
        self.other_rules(game, first).await?;
        Ok(true)
    }

    /// Returns matches with this number of seats, with the bot in each seat at least once.
    fn matches(&self, game: &'static Entry, seats: usize) -> Vec<CheckMatch> {
        let numbers = 1..=self.args.matches_each.max(seats as u64);
        numbers
            .map(|number| self.planned(game, number, seats, (number - 1) as usize % seats))
            .collect()
    }

    fn planned(&self, game: &'static Entry, number: u64, seats: usize, seat: usize) -> CheckMatch {
        CheckMatch {
            number,
            game,
            rules: self.rules(),
            seats,
            seat: Seat(seat as u8),
        }
    }

    /// Plays matches one after the other. If the process exits between two matches, it is restarted, as in a tournament.
    async fn in_one_process(
        &self,
        matches: &[CheckMatch],
    ) -> anyhow::Result<(Vec<Replies>, Vec<Finding>)> {
        let (mut played, mut findings) = (Vec::new(), Vec::new());
        let Some(mut probe) = self.start_again().await? else {
            return Ok((played, vec![not_ready_again()]));
        };
        let mut in_process = 0;
        for (nth, planned) in matches.iter().enumerate() {
            self.report
                .waits_for(&format!("match {} of {}", nth + 1, matches.len()));
            let mut result = play::play(&probe, self, std::slice::from_ref(planned)).await?;
            if let Err(trouble) = &result
                && in_process > 0
                && let Some(exit) = trouble.ended_before()
            {
                findings.push(ends_early(exit, &probe.end().await.stderr));
                let Some(again) = self.start_again().await? else {
                    return Ok((Vec::new(), vec![not_ready_again()]));
                };
                (probe, in_process) = (again, 0);
                result = play::play(&probe, self, std::slice::from_ref(planned)).await?;
            }
            match result {
                Ok(done) => played.extend(done),
                Err(trouble) => {
                    findings.push(self.explain(
                        &trouble,
                        ANSWER,
                        planned.game.name,
                        &probe.end().await,
                    ));
                    findings.dedup_by(|a, b| a.what == b.what);
                    return Ok((played, findings));
                }
            }
            in_process += 1;
        }
        findings.dedup_by(|a, b| a.what == b.what);
        findings.extend(strays(&probe.strays()));
        if matches.len() > 1 {
            findings.extend(spins(probe.always_busy()));
        }
        self.leave(probe, Leave::Quit).await;
        Ok((played, findings))
    }

    /// Repeats the last match of one process as the first match of a new one.
    async fn same_again(&self, planned: &CheckMatch, played: &Replies) -> anyhow::Result<Mark> {
        self.report
            .begin(format!("{}, the same seed again", planned.game.name));
        let (second, findings) = self.in_one_process(std::slice::from_ref(planned)).await?;
        let Some(second) = second.first() else {
            return self.report.end("", findings);
        };
        let Some(turn) = first_difference(&played.actions, &second.actions) else {
            return self.report.end("a second start plays the same match", []);
        };
        let (third, _) = self.in_one_process(std::slice::from_ref(planned)).await?;
        let is_alike = third
            .first()
            .is_some_and(|third| third.actions == second.actions);
        let finding = if is_alike {
            carries_over()
        } else {
            other_chance()
        };
        let shown = |played: &Replies| {
            played
                .actions
                .get(turn)
                .map(Json::to_string)
                .unwrap_or_default()
        };
        let at = Some(format!("match {}, its turn {}", planned.number, turn + 1));
        let finding = finding
            .show("first it did", &shown(played))
            .show("then it did", &shown(second));
        self.report.end("", [Finding { at, ..finding }])
    }

    /// Plays several matches at the same time.
    async fn together(
        &self,
        game: &'static Entry,
        seats: usize,
        count: u32,
    ) -> anyhow::Result<Mark> {
        self.report
            .begin(format!("{}, {count} matches at once", game.name));
        let planned = |nth: u32| {
            let number = FIRST_CONCURRENT_NUMBER + u64::from(nth);
            self.planned(game, number, seats, nth as usize % seats)
        };
        let matches: Vec<CheckMatch> = (0..count).map(planned).collect();
        let Some(probe) = self.start_again().await? else {
            return self.report.end("", [not_ready_again()]);
        };
        match play::play(&probe, self, &matches).await? {
            Ok(played) => {
                let findings = strays(&probe.strays());
                self.leave(probe, Leave::Quit).await;
                self.report
                    .end(format!("{} turns", turns(&played)), findings)
            }
            Err(trouble) => {
                let mut finding = self.explain(&trouble, ANSWER, game.name, &probe.end().await);
                finding.help += ". One match at a time went well: keep what you remember by the match of each line, or leave \
                                matches out of ready";
                self.report.end("", [finding])
            }
        }
    }

    /// Unless the rules are given, plays a match with every variant of the rules except the default. A bot that fails in a variant can
    /// still play with the default rules.
    async fn other_rules(&self, game: &'static Entry, seats: usize) -> anyhow::Result<()> {
        let usual = game.rulebook.dealer(&json!({}), seats)?.rules().value();
        let mut variants = game.rulebook.variants();
        variants.retain(|rules| *rules != usual && game.rulebook.dealer(rules, seats).is_ok());
        if self.rules.is_some() || variants.is_empty() {
            return Ok(());
        }
        self.report.begin(format!("{}, other rules", game.name));
        let (count, mut findings) = (variants.len(), Vec::new());
        for rules in variants {
            let differ = differing(&rules, &usual);
            let (_, found) = self
                .in_one_process(&[CheckMatch {
                    rules,
                    ..self.planned(game, 1, seats, 0)
                }])
                .await?;
            let failed = found
                .into_iter()
                .filter(|finding| finding.mark == Mark::Failed);
            findings.extend(failed.map(|finding| by_rules(finding, &differ)));
        }
        let plural = if count == 1 { "" } else { "s" };
        self.report
            .end(format!("{count} variant{plural}"), findings)
            .map(drop)
    }
}

/// Downgrades a failure under other rules to a warning, because under the default rules it costs no match.
fn by_rules(finding: Finding, differ: &str) -> Finding {
    let at = Some(finding.at.map(|at| at + ", ").unwrap_or_default() + "rules " + differ);
    let help = finding.help
        + ". Under the default rules it plays well; a tournament may have others: see rules in start, or say in your bot's \
           description which it knows";
    Finding {
        at,
        help,
        mark: Mark::Warning,
        ..finding
    }
}

/// Lists the rules that differ from the default.
fn differing(rules: &Value, usual: &Value) -> String {
    let rules = rules.as_object();
    let rules = rules.into_iter().flatten();
    let differ = rules.filter(|(name, value)| usual.get(name.as_str()) != Some(value));
    differ
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(" ")
}

fn strays(lines: &[String]) -> Option<Finding> {
    let what = format!(
        "more than one line for a turn: {} lines too many, which were dropped",
        lines.len()
    );
    let help = "write exactly one line for each turn, and none for start, end, error and quit";
    Some(Finding::warning(what, help).show("the first of them", lines.first()?))
}

fn spins(threads: usize) -> Option<Finding> {
    (threads > 0).then(|| {
        Finding::warning(
            format!("it computes while no turn is open, in at least {threads} of its threads"),
            "wait for the next line without a loop that asks for it, and let helper threads sleep until there is work: what they \
             compute within a turn counts against its clock",
        )
    })
}

fn ends_early(exit: &BotFault, log: &str) -> Finding {
    let finding = Finding::warning(
        format!("its process ended between two matches: it {exit}"),
        if matches!(exit, BotFault::Exited(_)) {
            "one process plays many matches: after end, read on until quit or the end of the input. The arena starts it \
             again, but that costs the time of a start for each match"
        } else {
            "stay within the limits between matches, too; [limits] in the tournament file sets them"
        },
    );
    let is_crash = *exit != BotFault::Exited(ProcessEnd::Code(0));
    Finding {
        is_unready: is_crash,
        ..finding.show_log(log)
    }
}

fn carries_over() -> Finding {
    Finding::warning(
        "not reproducible: the same match takes a different course after other matches in the same process",
        "at start, begin each match afresh with a new generator from its seed; if it learns from match to match, that is \
         allowed, but a tournament that is played again with the same seed has other results",
    )
}

fn other_chance() -> Finding {
    Finding::warning(
        "not reproducible: the same match with the same seed takes a different course after a new start",
        "take all randomness from the seed in start (not from the clock, the system or the ids), and do not depend on the order \
         of sets or hashes or on how far a search gets in time. This is allowed, but a tournament that is played again with the same seed has other results",
    )
}

/// Returns the first turn at which two runs of a match differ.
fn first_difference<T: PartialEq>(then: &[T], now: &[T]) -> Option<usize> {
    let same = then
        .iter()
        .zip(now)
        .take_while(|(then, now)| then == now)
        .count();
    (same < then.len().max(now.len())).then_some(same)
}
