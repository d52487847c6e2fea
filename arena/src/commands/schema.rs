//! `arena schema`: the messages of a game, and what commands print as JSON, as JSON Schemas or as Markdown.

mod markdown;

use std::process::ExitCode;

use arena_engine::by_name;
use arena_engine::games;
use arena_protocol::schema;
use arena_results::analysis::Analysis;
use arena_results::faults::Faults;
use arena_results::json::Versioned;
use arena_results::viewer::Replay;
use arena_statistics::compare::ComparisonReport;
use arena_statistics::profile::Profiles;
use arena_statistics::tune::report::Tuning;
use arena_tournament::suggest;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{analyse, check, doctor, list, merge, plan, print, repro, single, verify, wrong_use};
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
    Output::of::<Analysis>(
        "show",
        "All results of a tournament. `arena report --json` and `standings.json` in the folder are the same.",
    ),
    Output::of::<single::MatchLine<'static, Value>>(
        "match",
        "One line per event of a match, then its verdict.",
    ),
    Output::of::<Replay>(
        "show-match",
        "A finished match, step by step, with the table as each seat sees it: `arena show DIR MATCH --json`. The page of `arena show DIR MATCH --out` contains the same.",
    ),
    Output::of::<analyse::Analysed>(
        "analyse",
        "What decisions were worth, by a judge: for each bot, and one by one.",
    ),
    Output::of::<Profiles>(
        "analyse-profile",
        "What each bot reads beyond counting: `arena analyse DIR --profile --json`.",
    ),
    Output::of::<ComparisonReport>(
        "compare",
        "A comparison. `comparison.json` in the folder is the same.",
    ),
    Output::of::<Tuning>(
        "tune",
        "The course of a tuning, and its test. `tuning.json` in the folder is the same.",
    ),
    Output::of::<plan::Planned<'static>>(
        "plan",
        "The size of a tournament, and how long it takes on this machine.",
    ),
    Output::of::<Faults>("faults", "The faults of a tournament, with the evidence."),
    Output::of::<repro::Reproduced<'static>>(
        "repro",
        "One seat of a match, as recorded and as played again.",
    ),
    Output::of::<verify::Found>(
        "verify",
        "The state of a ledger: what is whole and what is damaged.",
    ),
    Output::of::<merge::Merged>(
        "merge",
        "The parts of a tournament that were merged, and what is missing.",
    ),
    Output::of::<check::Checked>(
        "check",
        "The steps of a check of one or more bots, with their results.",
    ),
    Output::of::<list::Games>("games", "The games with their rules and built-in bots."),
    Output::of::<doctor::Findings>("doctor", "The isolation of bots on this machine."),
];

impl Output {
    const fn of<T: JsonSchema>(command: &'static str, about: &'static str) -> Self {
        Self {
            command,
            about,
            schema: generate::<T>,
        }
    }

    /// Its schema.
    fn schema(&self) -> schemars::Schema {
        let mut schema = (self.schema)();
        schema.insert(
            "title".into(),
            format!("arena {} --json", self.command.replace('-', " ")).into(),
        );
        schema.insert("description".into(), self.about.into());
        schema
    }
}

fn generate<T: JsonSchema>() -> schemars::Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Versioned<T>>()
}

/// Prints a schema.
pub fn run(args: &Schema) -> anyhow::Result<ExitCode> {
    if args.markdown && args.of.is_none() && args.game.is_none() {
        return print(&page());
    }
    let game = args.game.as_deref().unwrap_or(games::NAMES[0]);
    let schema = match &args.of {
        Some(command) => OUTPUTS
            .iter()
            .find(|output| output.command == command)
            .map(Output::schema),
        None => by_name!(game, G => schema::schema::<G>()),
    };
    match schema {
        Some(schema) if args.markdown => print(&markdown::table(schema.as_value())),
        Some(schema) => print(&(serde_json::to_string_pretty(&schema)? + "\n")),
        None => wrong_use(match &args.of {
            Some(command) => {
                let known: Vec<&str> = OUTPUTS.iter().map(|output| output.command).collect();
                format!(
                    "no command called {command:?} prints JSON: {}",
                    suggest::value(command, &known)
                )
            }
            None => format!(
                "there is no game {game:?}: {}",
                suggest::value(game, games::NAMES)
            ),
        }),
    }
}

/// The page with the JSON of all commands: `JSON.md`.
fn page() -> String {
    let sections = OUTPUTS.iter().map(|output| {
        let (command, table) = (
            output.command.replace('-', " "),
            markdown::table(output.schema().as_value()),
        );
        format!(
            "\n## `arena {command} --json`\n\n{}\n\n{table}",
            output.about
        )
    });
    markdown::HEAD.to_owned() + &sections.collect::<String>()
}
