//! What it takes to play a tournament again.

use serde_json::Value;

use crate::ledger;
use crate::tournament::Tournament;

/// The commands, and what each is for.
pub(super) const COMMANDS: [(&str, &str); 3] = [
    ("arena run tournament.toml", "plays every match again into the folder tournament"),
    ("arena verify tournament", "plays every record again by the rules, and says whether the ledger is whole"),
    (
        "arena audit tournament",
        "plays a sample of the matches again with the same bots, and lists bots that act otherwise",
    ),
];

/// Everything that decides the matches, but for the bots.
pub(super) fn facts(tournament: &Tournament) -> Vec<(&'static str, String)> {
    let Tournament { game, rules_version, rules, format, options, seats, seatings, deals, rounds, seed, .. } =
        tournament;
    let mut facts = vec![
        ("game", game.clone()),
        ("rules", rules.to_string()),
        ("version of the rules", rules_version.to_string()),
        ("format", format.clone()),
    ];
    if *options != Value::Null {
        facts.push(("options of the format", options.to_string()));
    }
    facts.extend([
        ("seats at a table", seats.to_string()),
        ("seatings of each deal", seatings.to_string()),
        ("deals", if *rounds == 1 { deals.to_string() } else { format!("{deals} in each of {rounds} rounds") }),
        ("seed", seed.to_string()),
        ("clock", clock(tournament)),
        ("version of the arena", env!("CARGO_PKG_VERSION").into()),
        ("version of the ledger", ledger::FORMAT.to_string()),
    ]);
    facts
}

fn clock(tournament: &Tournament) -> String {
    let Tournament { start_ms, move_ms, bank_ms, increment_ms, .. } = tournament;
    let moves = move_ms.map_or_else(|| "no limit for a move".into(), |ms| format!("{ms} ms for a move"));
    let bank = bank_ms.map(|ms| format!(", {ms} ms for all moves of a match"));
    let increment = increment_ms.filter(|ms| *ms > 0).map(|ms| format!(" and {ms} ms more after each"));
    format!("{moves}{}{}, {start_ms} ms to start", bank.unwrap_or_default(), increment.unwrap_or_default())
}
