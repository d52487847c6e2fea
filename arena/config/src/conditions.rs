//! What a file and flags say of clocks, limits, this machine, and the test of a comparison.

use arena_tournament::entrant::Entrant;
use arena_tournament::keys;
use arena_tournament::spec::{Conditions, Limits, Local, Spec, TimeControl};
use arena_tournament::test::Test;
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::diagnostic::Diagnostic;
use super::read::Flags;
use super::section::{Reader, Section};
use arena_sandbox::cores;

/// Refuses more jobs than there are cores, if there are programs whose clocks they would falsify.
pub fn check_jobs(reader: &mut Reader, spec: &Spec) {
    let (Local { jobs, oversubscribe, .. }, cores) = (&spec.local, cores::count());
    if cores::are_enough(&spec.local) || *oversubscribe || !spec.bots.iter().any(Entrant::is_program) {
        return;
    }
    let what = format!("{jobs} jobs are more than the {cores} cores of this machine");
    let help = format!(
        "each job plays a match at the same time as the others, and keeps a core busy: with more, programs would wait for cores \
         while their clocks run; take {cores} at most, or --oversubscribe allows it"
    );
    reader.add(Diagnostic::new(&reader.place("jobs"), what, help));
}

/// What is of this machine alone.
pub fn local(top: &Section<'_>) -> Local {
    let jobs = top.number("jobs").map_or_else(cores::count, |jobs| jobs as usize);
    let oversubscribe = top.is_wrong("oversubscribe") || top.truth("oversubscribe").unwrap_or(false);
    let truth = |key| top.truth(key);
    let (pin, as_root) = (truth("pin").unwrap_or(true), truth("as_root").unwrap_or(false));
    Local { jobs, oversubscribe, pin, as_root, ..Local::default() }
}

/// The time control, limits and isolation. `--no-clock` takes all limits of time away but that for the start.
pub fn conditions(reader: &mut Reader, top: &Section<'_>, flags: &Flags) -> Conditions {
    let empty = DeTable::new();
    let table = reader.table(top, "clock").unwrap_or(&empty);
    let keys = reader.section("clock", table, &keys::CLOCK.iter().collect::<Vec<_>>(), &flags.values);
    if !keys.has("bank_ms") && keys.has("increment_ms") && !flags.no_clock {
        let help = "add bank_ms, the milliseconds of a seat for a whole match";
        let at = reader.place("clock.increment_ms");
        reader.add(Diagnostic::new(&at, "`increment_ms` needs a `bank_ms` to add to", help));
    }
    let standard = TimeControl::default();
    let start_ms = keys.number("start_ms").unwrap_or(standard.start_ms);
    let clock = if flags.no_clock {
        TimeControl { move_ms: None, bank_ms: None, increment_ms: 0, start_ms }
    } else {
        TimeControl {
            move_ms: keys.number("move_ms").or(standard.move_ms).filter(|limit| *limit > 0),
            bank_ms: keys.number("bank_ms"),
            increment_ms: keys.number("increment_ms").unwrap_or(0),
            start_ms,
        }
    };
    let table = reader.table(top, "limits").unwrap_or(&empty);
    let limits = reader.section("limits", table, &keys::LIMITS.iter().collect::<Vec<_>>(), &flags.values);
    let limits = serde_json::from_value::<Limits>(Value::Object(limits.values)).unwrap_or_default();
    Conditions { clock, limits, isolation: top.word("isolation") }
}

/// What is tested, as `arena compare` writes it.
pub fn test(reader: &mut Reader, top: &Section<'_>) -> Option<Test> {
    let table = reader.table(top, "compare")?;
    let read = Test::deserialize(ValueDeserializer::from(Spanned::new(0..0, DeValue::Table(table.clone()))));
    read.map_err(|why| {
        let what = format!("this test cannot be used: {}", why.message());
        reader.add(Diagnostic::new(&reader.place("compare"), what, "let `arena compare` write it"));
    })
    .ok()
}
