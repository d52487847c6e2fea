//! `arena match`: plays one match between bots and prints it as text or events.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::chance::Seed;
use arena_engine::fault::FaultText;
use arena_engine::outcome::{Ended, Outcome, Score, Verdict};
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use arena_ledger::replay;
use arena_results::faults::Words;
use arena_results::table::listed;
use arena_results::{json, viewer};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use serde::Serialize;

use super::{last_log_lines, print, starts, wrong_use};
use crate::cli::Single;
use arena_config::FlagValue;
use arena_config::entrants::PEOPLE_HELP;
use arena_config::read;
use arena_runner::status::status;
use arena_runner::units::millis;
use arena_runner::{Destination, Logs, NO_LIMIT, Run, Starts, Stop};
use arena_session::{known_seed, sandbox, seed};

/// Maximum number of lines shown of a match.
const MAX_LINES_SHOWN: usize = 24;

/// Plays the match and prints it.
pub fn run(args: &Single) -> anyhow::Result<ExitCode> {
    let spec = find(args)?;
    let seats = spec.plan.seats;
    if spec.bots.iter().any(|bot| bot.is_person()) {
        return wrong_use(PEOPLE_HELP);
    }
    let bots = spec.bots.len();
    if bots > seats {
        return wrong_use(format!(
            "{bots} bots do not fit into {seats} seats; --seats sets the number of seats"
        ));
    }
    let wire = args.log_wire.as_deref();
    if let Some(folder) = wire {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let logs = Logs {
        stderr: Some(Destination::Terminal),
        wire,
        debug: args.debug,
        ..Logs::default()
    };
    print(&play(&spec, args, logs)?)
}

/// Returns the match of the command line. The strongest built-in bot sits in all seats that are left.
fn find(args: &Single) -> anyhow::Result<Spec> {
    let mut flags = args.keys.0.clone();
    flags.no_clock |= args.debug;
    flags.values.extend(FlagValue::bots(&args.bots));
    let mut spec = read::single_match(&flags)?;
    if args.debug {
        spec.conditions.clock.start_ms = millis(NO_LIMIT);
    }
    starts(&spec, &flags).into_iter().for_each(status);
    fill(&mut spec);
    Ok(spec)
}

/// Seats the strongest built-in bot in all seats that are left, and says so.
fn fill(spec: &mut Spec) {
    let (given, seats) = (spec.bots.len(), spec.plan.seats);
    if given >= seats {
        return;
    }
    let strongest = arena_bots::roster::strongest(&spec.plan.game).name;
    let place = if given == 0 { "all" } else { "the other" };
    let plural = if seats - given == 1 { "seat" } else { "seats" };
    status(format_args!(
        "bots       {strongest} in {place} {plural}; `arena match my_bot.py {strongest}` names others"
    ));
    let mut names = (1..).map(|nth| match nth {
        1 => strongest.to_owned(),
        _ => format!("{strongest}-{nth}"),
    });
    while spec.bots.len() < seats {
        let name = names.next().expect("numbers never end");
        if spec.bots.iter().all(|bot| bot.name != name) {
            spec.bots
                .push(Entrant::new(name, Bot::Builtin(strongest.into())));
        }
    }
}

/// Plays the match, writes its page if requested, and returns its text or JSON.
fn play(spec: &Spec, args: &Single, logs: Logs<'_>) -> anyhow::Result<String> {
    let sandbox = sandbox::for_programs(spec, &[])?;
    let warnings = known_seed::warnings(spec, &sandbox, None);
    seed::drawn(spec)
        .into_iter()
        .chain(warnings)
        .for_each(status);
    sandbox::announce(spec, &sandbox, false);
    let (stop, starts) = (Stop::default(), Starts::default());
    let run = Run {
        logs,
        ..Run::new(spec, &stop, &starts, &sandbox)
    };
    let played = arena_runner::play_one(run)?;
    let names = BySeat::new(spec.plan.seats, |seat| clean(&spec.bots[seat.index()].name));
    let table = replay::replay(replay::game(spec)?, &played)?;
    if let Some(out) = &args.out {
        let logs = viewer::Logs::new();
        let page = viewer::replay(&played, spec, &logs, None, Words::All, viewer::GUESSES)?;
        let page = viewer::html(&page, &Default::default(), None)?;
        fs::write(out, page).with_context(|| format!("cannot write {}", out.display()))?;
        status(format_args!("replay     {}", out.display()));
    }
    Ok(if args.json {
        as_json(table.events(), &played, spec)?
    } else {
        let sentences = table.sentences(None, &names);
        let shown = if args.all { sentences } else { end(&sentences) };
        in_words(shown, &names, &played) + &winner(&names, &played) + "\n"
    })
}

/// Returns the last lines of a match, with the number of those before.
fn end(sentences: &[String]) -> Vec<String> {
    let lines: Vec<&str> = sentences.iter().flat_map(|text| text.lines()).collect();
    let left = lines.len().saturating_sub(MAX_LINES_SHOWN);
    if left < 2 {
        return sentences.to_vec();
    }
    let first = format!("({left} earlier lines: --all prints them)");
    let shown = lines[left..].iter().map(ToString::to_string);
    std::iter::once(first).chain(shown).collect()
}

/// Says who won, and why.
fn winner(names: &BySeat<String>, played: &Played) -> String {
    let Verdict {
        outcome, faults, ..
    } = &played.verdict;
    if faults.seats().all(|(_, fault)| fault.is_some()) {
        return "No winner: all seats forfeited.".into();
    }
    let seats = outcome.seats.seats();
    let (first, others): (Vec<_>, Vec<_>) = seats.partition(|(_, score)| score.place == 1);
    let forfeited = others.iter().filter(|(seat, _)| faults[*seat].is_some());
    let named = |seats: &mut dyn Iterator<Item = &(Seat, &Score)>| {
        let names: Vec<&str> = seats.map(|(seat, _)| names[*seat].as_str()).collect();
        listed(&names)
    };
    let points = |(_, score): &(Seat, &Score)| score.points.to_string();
    let (winners, best) = (named(&mut first.iter()), points(&first[0]));
    let losers = named(&mut forfeited.clone());
    if first.len() > 1 {
        format!("{winners} tie, with {best} points each.")
    } else if losers.is_empty() {
        let others: Vec<String> = others.iter().map(points).collect();
        format!("{winners} wins: {best} points to {}.", others.join(" and "))
    } else {
        format!("{winners} wins: {losers} forfeited.")
    }
}

/// A line of `arena match --json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchLine<'a> {
    /// An event in the terms of the game: `Event` in `arena schema GAME`.
    Event(Json),
    /// The verdict, which is always the last line.
    Verdict(VerdictLine<'a>),
}

/// Result of a match.
#[derive(Serialize)]
pub struct VerdictLine<'a> {
    /// Places and points.
    outcome: &'a Outcome,
    /// Reason for the end.
    ended: Ended,
    /// The fault for which each seat forfeited; null if it did not.
    faults: BySeat<Option<FaultText>>,
    /// Seed of the match, or of its tournament.
    seed: Seed,
}

/// Formats the events and the verdict as one JSON object per line.
fn as_json(events: Vec<Json>, played: &Played, spec: &Spec) -> serde_json::Result<String> {
    let Verdict {
        outcome,
        ended,
        faults,
    } = &played.verdict;
    let faults = faults.map(|fault| fault.as_ref().map(FaultText::from));
    let verdict = VerdictLine {
        outcome,
        ended: *ended,
        faults,
        seed: spec.plan.seed,
    };
    let events = events.into_iter().map(MatchLine::Event);
    events
        .chain([MatchLine::Verdict(verdict)])
        .map(json::line)
        .collect()
}

/// Formats the events of a match as sentences, followed by its result.
pub(super) fn in_words(mut lines: Vec<String>, names: &BySeat<String>, played: &Played) -> String {
    if lines.last().is_some_and(|line| !line.ends_with('\n')) {
        lines.push(String::new());
    }
    let mut scores: Vec<_> = played.verdict.outcome.seats.seats().collect();
    scores.sort_by_key(|(_, score)| score.place);
    for (seat, score) in scores {
        let sources: Vec<String> = score
            .breakdown
            .iter()
            .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
            .collect();
        let unit = if score.points == 1 { "point" } else { "points" };
        lines.push(format!(
            "{}. {}: {} {unit} ({})",
            score.place,
            names[seat],
            score.points,
            sources.join(", ")
        ));
    }
    for (seat, fault) in played.verdict.faults.seats() {
        if let Some(fault) = fault {
            lines.push(format!(
                "{} forfeited ({}): {}",
                names[seat],
                fault.cause(),
                fault
            ));
            let of_seat = played
                .evidence
                .iter()
                .filter(|evidence| evidence.seat == seat);
            lines.extend(of_seat.flat_map(last_log_lines));
        }
    }
    lines.join("\n") + "\n"
}
