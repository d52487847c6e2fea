//! Instructions for playing a tournament again.

use arena_tournament::spec::Spec;
use serde_json::Value;

use arena_ledger::ledger;

/// Commands, each with its purpose.
pub(super) const COMMANDS: [(&str, &str); 2] = [
    (
        "arena run tournament.toml",
        "plays every match again into the folder tournament",
    ),
    (
        "arena verify tournament",
        "replays every record by the rules and checks that the ledger is whole",
    ),
];

/// Returns everything that determines the matches, except the bots.
pub(super) fn facts(spec: &Spec) -> Vec<(&'static str, String)> {
    let plan = &spec.plan;
    let mut options = plan.format.options();
    // The number of rounds is listed with the deals.
    options.remove("rounds");
    if let Some(test) = &plan.test {
        options.insert(
            "compare".into(),
            serde_json::to_value(test).unwrap_or_default(),
        );
    }
    let mut facts = vec![
        ("game", plan.game.clone()),
        ("rules", plan.rules.to_string()),
        ("version of the rules", plan.rules_version.to_string()),
        ("format", spec.kind().to_owned()),
    ];
    if !options.is_empty() {
        facts.push(("options of the format", Value::Object(options).to_string()));
    }
    let (deals, rounds) = (plan.deals, spec.rounds());
    facts.extend([
        ("seats at a table", plan.seats.to_string()),
        ("seatings of each deal", spec.field().orders().to_string()),
        (
            "deals",
            if rounds == 1 {
                deals.to_string()
            } else {
                format!("{deals} in each of {rounds} rounds")
            },
        ),
        (
            "seed",
            spec.public_seed().map_or_else(
                || "shown once the tournament is closed".into(),
                |seed| seed.to_string(),
            ),
        ),
        ("clock", spec.conditions.clock.to_string()),
        ("version of the arena", env!("CARGO_PKG_VERSION").into()),
        ("version of the ledger", ledger::FORMAT.to_string()),
    ]);
    facts.extend(
        spec.time_odds()
            .iter()
            .map(|own| ("clock of a bot", own.to_string())),
    );
    facts
}
