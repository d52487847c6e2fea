//! What a file and flags say of clocks, limits, this machine, and the test of a comparison.

use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::Entrant;
use arena_tournament::keys;
use arena_tournament::spec::{Conditions, Limits, Local, Spec};
use arena_tournament::test::Test;
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::diagnostic::Diagnostic;
use super::flags::{FlagValue, Flags};
use super::section::{Reader, Section};
use arena_sandbox::cores;

/// Refuses more jobs than the machine can run, and more than there are cores if there are programs whose clocks they would falsify.
pub fn check_jobs(reader: &mut Reader, spec: &Spec) {
    let (
        Local {
            jobs,
            oversubscribe,
            ..
        },
        cores,
    ) = (&spec.local, cores::count());
    if let Some(why) = cores::too_many(*jobs) {
        return reader.add(Diagnostic::new(&reader.place("jobs"), why, ""));
    }
    if *jobs <= cores || *oversubscribe || !spec.bots.iter().any(Entrant::is_program) {
        return;
    }
    let what = format!("{jobs} jobs are too many for the {cores} cores of this machine");
    let help = format!(
        "each job keeps a core busy: with more jobs, programs would wait for cores while their clocks run; use at most {cores}, or allow more with --oversubscribe"
    );
    reader.add(Diagnostic::new(&reader.place("jobs"), what, help));
}

/// Reads the settings of this machine. From then on the arena keeps to the cores that they name.
pub fn local(reader: &mut Reader, top: &Section<'_>) -> Local {
    if let Some(Err(why)) = top
        .get::<String>("cores")
        .map(|list| cores::restrict(&list))
    {
        let what = format!("`cores` does not name cores of this machine: {why}");
        reader.add(Diagnostic::new(&reader.place("cores"), what, ""));
    }
    let truth = |key, default| top.get(key).unwrap_or(default);
    Local {
        jobs: top.get("jobs").unwrap_or_else(cores::count),
        oversubscribe: truth("oversubscribe", top.is_wrong("oversubscribe")),
        pin: truth("pin", true),
        as_root: truth("as_root", false),
        keep_going: truth("keep_going", false),
        ..Local::default()
    }
}

/// The time control, limits and isolation. `--no-clock` removes all limits of time but that for the start.
pub fn conditions(reader: &mut Reader, top: &Section<'_>, flags: &Flags) -> Conditions {
    reader.no_clock = flags.no_clock;
    let clock = clock(reader, top, TimeControl::default(), &flags.values);
    reader.clock = clock;
    let table = reader.table(top, "limits");
    let limits = reader.section("limits", table, keys::LIMITS, &flags.values);
    let limits = serde_json::from_value::<Limits>(Value::Object(limits.values)).unwrap_or_default();
    let (isolation, memory) = (
        top.get("isolation").unwrap_or_default(),
        top.get("memory").unwrap_or_default(),
    );
    Conditions {
        clock,
        limits,
        isolation,
        memory,
    }
}

/// The clock of the tournament or of a bot: what is said there, and the rest of another clock.
pub fn clock(
    reader: &mut Reader,
    above: &Section<'_>,
    rest: TimeControl,
    flags: &[FlagValue],
) -> TimeControl {
    let table = reader.table(above, "clock");
    let keys = reader.section(&above.at("clock"), table, keys::CLOCK, flags);
    let start_ms = keys.get("start_ms").unwrap_or(rest.start_ms);
    if reader.no_clock {
        return TimeControl {
            move_ms: None,
            bank_ms: None,
            increment_ms: 0,
            start_ms,
        };
    }
    let (bank_ms, increment_ms) = (
        keys.get("bank_ms").or(rest.bank_ms),
        keys.get("increment_ms").unwrap_or(rest.increment_ms),
    );
    if bank_ms.is_none() && increment_ms > 0 {
        let help = "add bank_ms: milliseconds for all answers of a seat in a match";
        let at = reader.place(&keys.at("increment_ms"));
        reader.add(Diagnostic::new(
            &at,
            "`increment_ms` needs a `bank_ms` to add to",
            help,
        ));
    }
    let move_ms = keys
        .get("move_ms")
        .or(rest.move_ms)
        .filter(|limit| *limit > 0);
    TimeControl {
        move_ms,
        bank_ms,
        increment_ms,
        start_ms,
    }
}

/// What is tested, as `arena compare` writes it.
pub fn test(reader: &mut Reader, top: &Section<'_>) -> Option<Test> {
    let table = reader.table(top, "compare")?;
    let read = Test::deserialize(ValueDeserializer::from(Spanned::new(
        0..0,
        DeValue::Table(table.clone()),
    )));
    read.map_err(|why| {
        let what = format!("this test cannot be used: {}", why.message());
        reader.add(Diagnostic::new(
            &reader.place("compare"),
            what,
            "let `arena compare` write it",
        ));
    })
    .ok()
}
