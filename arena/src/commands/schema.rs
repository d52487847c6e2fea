//! `arena schema`: the messages of a game, and what commands print as JSON, as JSON Schemas.

use std::process::ExitCode;

use arena_engine::by_name;
use arena_engine::games;
use arena_protocol::schema;
use arena_results::faults::Faults;
use arena_results::json::{Versioned, Whole};
use arena_results::viewer::Replay;
use arena_statistics::compare::ComparisonReport;
use arena_tournament::suggest;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{audit, bench, check, doctor, list, merge, plan, print, repro, single, verify, wrong_use};
use crate::cli::Schema;

/// What a command prints with `--json`.
struct Output {
    /// The command, its words joined by hyphens.
    command: &'static str,
    /// What it is, in a sentence.
    about: &'static str,
    schema: fn() -> schemars::Schema,
}

const OUTPUTS: &[Output] = &[
    Output::of::<Whole<'static>>(
        "show",
        "Everything that a tournament's matches tell; `arena report --json` and `standings.json` in the folder are the same.",
    ),
    Output::of::<single::MatchLine<'static, Value>>("match", "Each line of a match."),
    Output::of::<Replay>(
        "show-match",
        "A finished match, step by step, with the table as each seat sees it: `arena show DIR MATCH --json`, and what the page of `arena show DIR MATCH --out` holds.",
    ),
    Output::of::<ComparisonReport>("compare", "A comparison; `comparison.json` in the folder is the same."),
    Output::of::<plan::Planned<'static>>("plan", "What a tournament consists of, and how long it takes here."),
    Output::of::<Faults>("faults", "What went wrong in a tournament, with the evidence."),
    Output::of::<repro::Reproduced<'static>>("repro", "A seat of a match that was played again, then and now."),
    Output::of::<verify::Found>("verify", "Whether a ledger is whole."),
    Output::of::<merge::Merged>("merge", "The parts of a tournament that were put together, and what is missing."),
    Output::of::<audit::Audited>("audit", "The matches that went otherwise when they were played again."),
    Output::of::<check::Checked>("check", "What was found when bots were tried."),
    Output::of::<list::Games>("games", "The games with their rules."),
    Output::of::<list::Bots>("bots", "The bots that are built in, and the samples."),
    Output::of::<doctor::Findings>("doctor", "What keeps bots apart on this machine."),
    Output::of::<bench::engine::Row>("bench-engine", "Each line: a game with a number of seats."),
    Output::of::<bench::wire::Report>("bench-wire", "What a turn costs between the arena and a program."),
];

impl Output {
    const fn of<T: JsonSchema>(command: &'static str, about: &'static str) -> Self {
        Self { command, about, schema: generate::<T> }
    }

    /// Its schema.
    fn schema(&self) -> schemars::Schema {
        let mut schema = (self.schema)();
        schema.insert("title".into(), format!("arena {} --json", self.command.replace('-', " ")).into());
        schema.insert("description".into(), self.about.into());
        schema
    }
}

fn generate<T: JsonSchema>() -> schemars::Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Versioned<T>>()
}

/// Prints the schema that is asked for.
pub fn run(args: &Schema) -> anyhow::Result<ExitCode> {
    let schema = match &args.of {
        Some(command) => OUTPUTS.iter().find(|output| output.command == command).map(Output::schema),
        None => by_name!(args.game, G => schema::schema::<G>()),
    };
    let Some(schema) = schema else { return unknown(args) };
    print(&(serde_json::to_string_pretty(&schema)? + "\n"))
}

fn unknown(args: &Schema) -> anyhow::Result<ExitCode> {
    wrong_use(match &args.of {
        Some(command) => {
            let known: Vec<&str> = OUTPUTS.iter().map(|output| output.command).collect();
            format!("no command called {command:?} prints JSON: {}", suggest::value(command, &known))
        }
        None => format!("there is no game {:?}: {}", args.game, suggest::value(&args.game, games::NAMES)),
    })
}
