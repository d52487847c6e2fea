//! `arena tools doctor`: reports how bots can be isolated on this machine.

use std::collections::BTreeMap;
use std::process::ExitCode;

use arena_results::json;
use arena_tournament::spec::Isolation;
use serde::Serialize;

use super::print;
use crate::cli::JsonArgs;
use arena_sandbox::{ATTACKS, Attack, Available, Backend, Cgroups, Users, Wanted, choose};

/// Width of a list's first column.
const TERM_WIDTH: usize = 12;
/// Widths of the column of attacks, and of each isolation level's column.
const COLUMN_WIDTHS: (usize, usize) = (48, 11);
/// The text on what cannot be measured without control groups.
const NOT_COUNTED: &str =
    "CPU time of child processes that end between two checks, and memory that no process shows";
/// Width of the text, in columns.
const WIDTH: usize = 80;

/// The findings about isolation on this machine.
#[derive(Serialize)]
pub struct Findings {
    /// The operating system and its version.
    system: String,
    /// True if the arena runs as root.
    root: bool,
    /// The first and the last id of the users as which bots run; null if they run as the arena's own user.
    users: Option<[u32; 2]>,
    /// The reason why bots do not run as separate users although the arena runs as root; null if bots do, or if the arena does not run as
    /// root.
    no_users: Option<String>,
    /// The isolation levels, best first.
    levels: Vec<Level>,
    /// The control groups that the kernel provides here, or the reason why it provides none.
    groups: Choice,
    /// The source of bots' CPU time: `counted` by control groups, or sampled from live `threads`.
    processor_time: &'static str,
    /// The kernel, if it enforces memory limits in a trial. If not, the reason why memory is only polled.
    memory: Choice,
    /// The level that `auto` selects, or the reason why none is available.
    auto: Choice,
    /// The level that `require` selects, or the reason why none is available.
    require: Choice,
    /// The description of each attack that a bot could attempt, by name.
    attacks: BTreeMap<&'static str, &'static str>,
}

/// An isolation level.
#[derive(Serialize)]
struct Level {
    /// The name of the level, as used for `isolation` in a tournament file.
    name: &'static str,
    /// The version of the kernel interface that the level uses; null if that does not matter.
    version: Option<u8>,
    /// The reason why the level is unavailable; null if it is available.
    missing: Option<String>,
    /// A description of its protection; null if the level is unavailable.
    holds: Option<&'static str>,
    /// For each attack by name: true if the level stops it. Empty if the level is unavailable.
    stops: BTreeMap<&'static str, bool>,
}

/// The outcome of an `isolation` setting.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// The setting selects this level or mechanism.
    Takes(&'static str),
    /// The setting is refused, for this reason.
    Refuses(String),
}

/// Probes the machine's isolation and prints the findings.
pub fn run(args: &JsonArgs) -> anyhow::Result<ExitCode> {
    let findings = find()?;
    print(&if args.json {
        json::document(&findings)?
    } else {
        findings.text()
    })
}

fn find() -> anyhow::Result<Findings> {
    let available = arena_sandbox::available()?;
    let users = available
        .users
        .as_ref()
        .ok()
        .and_then(Option::as_deref)
        .map(Users::range);
    let [bubblewrap, landlock] = [
        available.bubblewrap.clone().map(Backend::Bubblewrap),
        available.landlock.clone().map(Backend::Landlock),
    ];
    let level =
        |name, backend: Result<Backend, String>| Level::new(name, &backend, users.is_some());
    let groups = Cgroups::new();
    let held = Cgroups::check_held(&groups);
    Ok(Findings {
        system: system(),
        root: arena_sandbox::is_root(),
        users,
        no_users: available.users.as_ref().err().cloned(),
        levels: vec![
            level("bubblewrap", bubblewrap),
            level("landlock", landlock),
            level("off", Ok(Backend::Off)),
        ],
        processor_time: if groups.is_ok() { "counted" } else { "threads" },
        groups: groups.map_or_else(Choice::Refuses, |groups| Choice::Takes(groups.describe())),
        memory: held.map_or_else(Choice::Refuses, |_| Choice::Takes("the kernel")),
        auto: Choice::from_setting(Isolation::Auto, &available),
        require: Choice::from_setting(Isolation::Require, &available),
        attacks: ATTACKS
            .iter()
            .map(|attack| (attack.name, attack.what))
            .collect(),
    })
}

/// Returns the operating system and its version.
fn system() -> String {
    let version = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {version}", std::env::consts::OS)
        .trim()
        .to_owned()
}

impl Level {
    fn new(name: &'static str, backend: &Result<Backend, String>, own_users: bool) -> Self {
        let (missing, backend) = (backend.as_ref().err().cloned(), backend.as_ref().ok());
        let stops = |backend| {
            ATTACKS
                .iter()
                .map(move |attack| (attack.name, attack.is_stopped(backend, own_users)))
        };
        Self {
            name,
            version: match backend {
                Some(Backend::Landlock(version)) => Some(*version),
                _ => None,
            },
            missing,
            holds: backend.map(Backend::describe),
            stops: backend.into_iter().flat_map(stops).collect(),
        }
    }

    fn text(&self) -> String {
        let version = self
            .version
            .map(|version| format!(" (version {version})"))
            .unwrap_or_default();
        let missing = self.missing.as_ref().map(|why| format!("not here: {why}"));
        missing.unwrap_or_else(|| format!("{}{version}", self.holds.unwrap_or_default()))
    }

    fn cell(&self, attack: &Attack) -> &'static str {
        match self.stops.get(attack.name) {
            Some(true) => "stopped",
            Some(false) => "open",
            None => "not here",
        }
    }
}

impl Choice {
    /// Returns the level that this setting selects on this machine.
    fn from_setting(isolation: Isolation, available: &Available) -> Self {
        match choose(
            Wanted {
                isolation,
                ..Wanted::default()
            },
            available,
        ) {
            Ok(chosen) => Self::Takes(chosen.backend.name()),
            Err(why) => Self::Refuses(why.to_string()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Takes(level) => (*level).to_owned(),
            Self::Refuses(why) => format!("plays nothing: {why}"),
        }
    }
}

impl Findings {
    fn text(&self) -> String {
        let mut lines = vec![item("system", &self.system), item("user", &self.user())];
        lines.extend(
            self.levels
                .iter()
                .map(|level| item(level.name, &level.text())),
        );
        let groups = match &self.groups {
            Choice::Takes(what) => format!("{what} all processes of a bot"),
            Choice::Refuses(why) => format!("not here: {why}"),
        };
        let by = match &self.memory {
            Choice::Takes(what) => (*what).to_owned(),
            Choice::Refuses(why) => format!("watching ({why})"),
        };
        lines.extend([
            item("groups", &groups),
            item("memory", &format!("held to its limit by: {by}")),
        ]);
        if matches!(self.groups, Choice::Refuses(_)) {
            lines.push(item("not counted", NOT_COUNTED));
        }
        lines.extend([
            item("auto takes", &self.auto.text()),
            item("require", &self.require.text()),
            String::new(),
        ]);
        lines.push(row(
            "A bot that",
            self.levels.iter().map(|level| level.name),
        ));
        lines.extend(ATTACKS.iter().map(|attack| {
            row(
                attack.what,
                self.levels.iter().map(|level| level.cell(attack)),
            )
        }));
        lines.join("\n") + "\n"
    }

    fn user(&self) -> String {
        match (self.root, self.users, &self.no_users) {
            (false, ..) => "not root; bots run as this user".into(),
            (true, Some([first, last]), _) => {
                format!("root; each bot's process runs as one of {first} to {last}")
            }
            (true, None, why) => format!(
                "root, and so would bots be: {}",
                why.as_deref().unwrap_or_default()
            ),
        }
    }
}

/// Formats a term with its explanation, wrapped over several lines if necessary.
fn item(term: &str, text: &str) -> String {
    let first = format!("{term:<TERM_WIDTH$}");
    let rest = " ".repeat(TERM_WIDTH);
    textwrap::fill(
        text,
        textwrap::Options::new(WIDTH)
            .initial_indent(&first)
            .subsequent_indent(&rest),
    )
}

fn row<'a>(what: &str, cells: impl Iterator<Item = &'a str>) -> String {
    let (first, each) = COLUMN_WIDTHS;
    let cells: String = cells.map(|cell| format!("{cell:<each$}")).collect();
    format!("{what:<first$}{cells}").trim_end().to_owned()
}
