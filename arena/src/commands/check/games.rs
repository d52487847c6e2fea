//! The steps of each game: every number of seats, the same match again, several at once, and other rules.

use arena_engine::chance::Seed;
use arena_engine::fault::Fault;
use arena_engine::game::{Game, Rules};
use arena_engine::seat::Seat;
use arena_protocol::message::Ready;
use serde_json::Value;

use super::Plan;
use super::leave::not_again;
use super::play::{self, Failed, Planned, Played};
use super::probe::{Leave, Probe};
use super::report::{Finding, Mark, Report};
use super::timing::Times;

/// The number of matches that are played at once, at most.
const AT_ONCE: u32 = 8;
/// The numbers of the matches that are played at once begin here.
const TOGETHER: u64 = 1_000;

/// A bot on trial in one game.
pub struct Trial<'a> {
    pub plan: &'a Plan,
    pub ready: &'a Ready,
    pub report: &'a mut Report,
    pub times: &'a mut Times,
}

/// The part of a game that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// Everything.
    All,
    /// What came before a failure.
    InPart,
}

/// Some matches of the bot: what it did in them, and what was found.
type Outcome<G> = (Vec<Played<G>>, Vec<Finding>);

/// How many turns of its own the bot had in matches.
fn turns<G: Game>(played: &[Played<G>]) -> usize {
    played.iter().map(|played| played.actions.len()).sum()
}

impl Trial<'_> {
    pub async fn steps<G: Game>(&mut self) -> anyhow::Result<Tried> {
        let tables: Vec<usize> =
            G::SEATS.filter(|seats| self.plan.seats.is_none_or(|wanted| wanted == *seats)).collect();
        let Some(first) = tables.first().copied() else { return Ok(Tried::All) };
        for seats in tables {
            let matches = self.matches(&self.plan.rules::<G>(), seats);
            let played = self.one_by_one::<G>(&format!("{}, {seats} seats", G::NAME), &matches).await?;
            // What fails at one table fails at all, and need not be read again.
            let Some(played) = played else { return Ok(Tried::InPart) };
            if seats == first
                && let (Some(planned), Some(played)) = (matches.last(), played.last())
            {
                self.same_again::<G>(planned, played).await?;
            }
        }
        if self.ready.matches.is_some_and(|matches| matches > 1) {
            self.together::<G>(first).await?;
        }
        self.other_rules::<G>(first).await?;
        Ok(Tried::All)
    }

    /// As many matches as were asked for, the bot in each seat at least once.
    fn matches<G: Game>(&self, rules: &G::Rules, seats: usize) -> Vec<Planned<G>> {
        let count = self.plan.matches.max(seats as u64);
        let each = Seat::all(seats).into_iter().collect::<Vec<_>>().into_iter().cycle();
        let planned = |(number, seat)| Planned { number, rules: rules.clone(), seats, seat, seed: seed(number) };
        (1..=count).zip(each).map(planned).collect()
    }

    /// Plays matches one after the other in one process; none if that failed.
    async fn one_by_one<G: Game>(
        &mut self,
        title: &str,
        matches: &[Planned<G>],
    ) -> anyhow::Result<Option<Vec<Played<G>>>> {
        self.report.begin(title);
        let (played, findings) = self.in_one_process(matches).await?;
        self.times.add(G::NAME, played.iter().flat_map(|played| played.times.iter().copied()));
        let mark = self.report.end(format!("{} matches, {} turns", played.len(), turns(&played)), findings)?;
        Ok((mark < Mark::Failed).then_some(played))
    }

    /// Plays matches one after the other. A process that ends between two of them is started again, as in a tournament.
    async fn in_one_process<G: Game>(&self, matches: &[Planned<G>]) -> anyhow::Result<Outcome<G>> {
        let (mut played, mut findings) = (Vec::new(), Vec::new());
        let Some(mut probe) = self.plan.start_again().await? else {
            return Ok((played, vec![not_again()]));
        };
        let mut in_process = 0;
        for (nth, planned) in matches.iter().enumerate() {
            self.report.waits_for(&format!("match {} of {}", nth + 1, matches.len()));
            let mut result = play::play(&probe, self.plan, std::slice::from_ref(planned)).await?;
            if let Err(failed) = &result
                && in_process > 0
                && let Some(exit) = failed.ended_before().cloned()
            {
                let log = probe.end().await.stderr;
                findings.push(ends_early(&exit, &log));
                let Some(again) = self.plan.start_again().await? else { return Ok((Vec::new(), vec![not_again()])) };
                (probe, in_process) = (again, 0);
                result = play::play(&probe, self.plan, std::slice::from_ref(planned)).await?;
            }
            match result {
                Ok(done) => played.extend(done),
                Err(failed) => {
                    findings.push(self.explain::<G>(&failed, probe).await);
                    findings.dedup_by(|a, b| a.what == b.what);
                    return Ok((played, findings));
                }
            }
            in_process += 1;
        }
        findings.dedup_by(|a, b| a.what == b.what);
        findings.extend(strays(&probe.strays()));
        probe.leave(Leave::Quit).await;
        Ok((played, findings))
    }

    async fn explain<G: Game>(&self, failed: &Failed, probe: Probe) -> Finding {
        failed.finding::<G>(self.plan, &probe.end().await)
    }

    /// Plays the last match of a process again, as the first of another one.
    async fn same_again<G: Game>(&mut self, planned: &Planned<G>, played: &Played<G>) -> anyhow::Result<Mark> {
        self.report.begin(&format!("{}, the same seed again", G::NAME));
        let (second, findings) = self.in_one_process(std::slice::from_ref(planned)).await?;
        let Some(second) = second.first() else { return self.report.end("", findings) };
        if second.actions == played.actions {
            return self.report.end("a second start plays the same match", Vec::new());
        }
        let (third, _) = self.in_one_process(std::slice::from_ref(planned)).await?;
        let alike = third.first().is_some_and(|third| third.actions == second.actions);
        let finding = if alike { carries_over() } else { other_chance() };
        let turn = second.actions.iter().zip(&played.actions).take_while(|(a, b)| a == b).count();
        let shown = |played: &Played<G>| {
            played.actions.get(turn).and_then(|action| serde_json::to_string(action).ok()).unwrap_or_default()
        };
        let at = Some(format!("match {}, its turn {}", planned.number, turn + 1));
        let finding = finding.show("first it did", &shown(played)).show("then it did", &shown(second));
        self.report.end("", vec![Finding { at, ..finding }])
    }

    /// Plays several matches at the same time.
    async fn together<G: Game>(&mut self, seats: usize) -> anyhow::Result<Mark> {
        let count = self.ready.matches.unwrap_or(1).min(AT_ONCE);
        self.report.begin(&format!("{}, {count} matches at once", G::NAME));
        let planned = |nth: u32| {
            let number = TOGETHER + u64::from(nth);
            let seat = Seat(nth as u8 % seats as u8);
            Planned::<G> { number, rules: self.plan.rules::<G>(), seats, seat, seed: seed(number) }
        };
        let matches: Vec<Planned<G>> = (0..count).map(planned).collect();
        let Some(probe) = self.plan.start_again().await? else {
            return self.report.end("", vec![not_again()]);
        };
        match play::play(&probe, self.plan, &matches).await? {
            Ok(played) => {
                let findings = strays(&probe.strays()).into_iter().collect();
                probe.leave(Leave::Quit).await;
                self.report.end(format!("{} turns", turns(&played)), findings)
            }
            Err(failed) => {
                let mut finding = self.explain::<G>(&failed, probe).await;
                finding.help += ". One match at a time went well: keep what you remember by the match of each line, or leave \
                                 matches out of ready";
                self.report.end("", vec![finding])
            }
        }
    }

    /// Plays a match by each other variant of the rules, if those are not given. Who fails in them can still play by the default rules.
    async fn other_rules<G: Game>(&mut self, seats: usize) -> anyhow::Result<()> {
        if self.plan.rules.is_some() {
            return Ok(());
        }
        let variants = G::Rules::variants().into_iter().filter(|rules| *rules != G::Rules::default());
        let variants: Vec<G::Rules> = variants.filter(|rules| rules.check(seats).is_ok()).collect();
        if variants.is_empty() {
            return Ok(());
        }
        self.report.begin(&format!("{}, other rules", G::NAME));
        let (count, mut findings) = (variants.len(), Vec::new());
        for rules in variants {
            let differ = differing::<G>(&rules);
            let planned = Planned::<G> { number: 1, rules, seats, seat: Seat(0), seed: seed(1) };
            let (_, found) = self.in_one_process(&[planned]).await?;
            let failed = found.into_iter().filter(|finding| finding.mark == Mark::Failed);
            findings.extend(failed.map(|finding| by_rules(finding, &differ)));
        }
        self.report.end(format!("{count} {}", if count == 1 { "variant" } else { "variants" }), findings)?;
        Ok(())
    }
}

/// What fails by other rules only costs no match by the default ones.
fn by_rules(finding: Finding, differ: &str) -> Finding {
    let at = finding.at.map(|at| format!("{at}, rules {differ}")).or_else(|| Some(format!("rules {differ}")));
    let help = format!(
        "{}. By the default rules it plays well; a tournament may have others: see rules in start, or say in your bot's \
         description which it knows",
        finding.help
    );
    Finding { at, help, mark: Mark::Warning, ..finding }
}

/// The rules that are not the default.
fn differing<G: Game>(rules: &G::Rules) -> String {
    let table = |rules: &G::Rules| serde_json::to_value(rules).ok().and_then(|value| value.as_object().cloned());
    let (Some(rules), Some(usual)) = (table(rules), table(&G::Rules::default())) else { return String::new() };
    let differ = rules.into_iter().filter(|(name, value)| usual.get(name) != Some(value));
    differ.map(|(name, value): (String, Value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The seed of a match, any but always the same.
fn seed(number: u64) -> Seed {
    Seed::try_from(number).expect("matches are few")
}

fn strays(lines: &[String]) -> Option<Finding> {
    let first = lines.first()?;
    let count = lines.len();
    Some(
        Finding::warning(
            format!("more than one line for a turn: {count} more than were asked for, which were dropped"),
            "write exactly one line for each turn, and none for start, end, error and quit",
        )
        .show("the first of them", first),
    )
}

fn ends_early(exit: &Fault, log: &str) -> Finding {
    Finding::warning(
        format!("its process ended between two matches: it {exit}"),
        "one process plays many matches: after end, read on until quit or the end of the input. The arena starts it again, \
         but that costs the time of a start for each match",
    )
    .show_log(log)
}

fn carries_over() -> Finding {
    Finding::warning(
        "not reproducible: the same match goes another way after other matches in the same process",
        "begin each match afresh at start, with a new generator from its seed; if it learns from match to match, that is \
         allowed, but tournaments cannot be repeated to the byte",
    )
}

fn other_chance() -> Finding {
    Finding::warning(
        "not reproducible: the same match with the same seed goes another way after a new start",
        "take all chance from the seed in start (not from the clock, the system or the ids), and do not depend on the order \
         of sets or hashes or on how far a search gets in time. It may play so, but its tournaments cannot be repeated",
    )
}
