//! The folder of a tournament: which one it is, what it holds, and whether it is of this very tournament.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_results::compare;
use arena_results::ledger::{self, Ledger, LedgerError};
use arena_results::tournament::Tournament;
use arena_results::wdl;

use super::crash;
use crate::cli::Asked;
use crate::format::field::{Block, Field};
use crate::format::{places, plan, schedule};
use crate::setup::{self, BadSetup, Setup};

/// The tournament file in the folder. It is written for people; the ledger has it too.
pub const FILE: &str = "tournament.toml";

/// A folder for a tournament of this name that does not exist yet.
pub fn new(name: &str) -> PathBuf {
    numbered(name).find(|dir| !dir.exists()).expect("some number is free")
}

/// The folders for tournaments of this name.
pub fn numbered(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let safe: String = name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).collect();
    (1..).map(move |number| Path::new("runs").join(format!("{safe}-{number}")))
}

/// The setup of a folder's tournament, as its ledger has it.
pub fn setup(dir: &Path) -> anyhow::Result<Setup> {
    setup_with(dir, &Asked::default())
}

/// The same, changed by flags.
pub fn setup_with(dir: &Path, asked: &Asked) -> anyhow::Result<Setup> {
    let ledger = Ledger::open_read_only(dir)?;
    Ok(setup::file::of_ledger(ledger.file(), &dir.join(FILE), asked)?)
}

/// Opens the ledger of the folder if it is of this very tournament, or creates it.
pub fn open(setup: &Setup, dir: &Path, rules_version: u32) -> anyhow::Result<Ledger> {
    setup.check_field()?;
    let (tournament, file) = (setup.tournament(rules_version), setup.to_file()?);
    match Ledger::open(dir) {
        Err(LedgerError::None(_)) => {
            refuse_foreign(dir)?;
            let ledger = Ledger::create(dir, &tournament, &file)?;
            crash::point("created");
            write(dir, &file)?;
            Ok(ledger)
        }
        Err(error) => Err(error.into()),
        Ok(ledger) => {
            let differences = ledger.tournament().differences(&tournament);
            if !differences.is_empty() {
                return Err(differs(dir, ledger.tournament(), &differences).into());
            }
            write(dir, ledger.file())?;
            Ok(ledger)
        }
    }
}

/// What a folder of ours may hold before it has a ledger.
const OURS: &[&str] = &["lock", FILE, "bots", "logs", ledger::FILE];

/// Refuses a folder that somebody uses for something else.
fn refuse_foreign(dir: &Path) -> Result<(), BadSetup> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_ours = |name: &String| OURS.iter().any(|ours| name.starts_with(ours));
    match names.find(|name| !is_ours(name)) {
        None => Ok(()),
        Some(name) => Err(BadSetup::one(format!(
            "{} is no tournament's folder, there is {name:?} in it: choose another with --out",
            dir.display()
        ))),
    }
}

/// The command that goes on with a tournament.
pub fn go_on(tournament: &Tournament) -> &'static str {
    if tournament.options.get(compare::OPTION).is_some() { "compare" } else { "run" }
}

fn differs(dir: &Path, tournament: &Tournament, differences: &[String]) -> BadSetup {
    let (shown, what, command) = (dir.display(), differences.join("\n         "), go_on(tournament));
    BadSetup::one(format!(
        "{shown} holds another tournament:\n         {what}\n       `arena {command} {shown}` goes on with it as it is, `arena extend` adds \
         deals, rounds and bots to it, `arena reset` begins anew, and another --out leaves it alone"
    ))
}

/// Writes the tournament file, if it is not there as it should be.
pub fn write(dir: &Path, file: &str) -> anyhow::Result<()> {
    let path = dir.join(FILE);
    if fs::read_to_string(&path).is_ok_and(|text| text == file) {
        return Ok(());
    }
    // In one step, since whoever reads it must not see half of it.
    let making = dir.join(format!("{FILE}.new"));
    fs::write(&making, file).with_context(|| making.display().to_string())?;
    fs::rename(&making, &path).with_context(|| path.display().to_string())
}

/// Whether the path is the folder of a tournament.
pub fn is_one(path: &Path) -> bool {
    path.is_dir() && path.join(ledger::FILE).is_file()
}

/// The deals that two bots have finished in both seatings.
pub fn blocks(ledger: &Ledger) -> Result<Vec<Block>, LedgerError> {
    /// How many matches there are of it, and the block so far.
    type Part = (u64, Block);
    let mut parts: BTreeMap<(u32, [usize; 2]), Part> = BTreeMap::new();
    ledger.scores(|scored| {
        let [first, second] = scored.bots[..] else { return Ok::<_, LedgerError>(()) };
        let bots = [first.min(second), first.max(second)];
        let empty = Block { deal: scored.deal, bots, halves: [0; 2], points: [0; 2] };
        let (matches, block) = parts.entry((scored.deal, bots)).or_insert((0, empty));
        *matches += 1;
        for (seat, bot) in scored.bots.iter().enumerate() {
            let side = usize::from(*bot == bots[1]);
            block.halves[side] += wdl::in_match(&scored.seats, seat).halves();
            block.points[side] += i64::from(scored.seats[seat].points);
        }
        Ok(())
    })?;
    let seatings = ledger.tournament().seatings;
    Ok(parts.into_values().filter(|(matches, _)| *matches == seatings).map(|(_, block)| block).collect())
}

/// How many finished matches are not part of the plan.
pub fn strangers(ledger: &Ledger) -> anyhow::Result<u64> {
    let field = Field::of(ledger.tournament())?;
    let blocks = blocks(ledger)?;
    let mut planned = 0;
    for round in 1..=plan::rounds(&field) {
        let meetings = plan::meetings(&field, round, &blocks);
        let (mut all, mut here) = (0, 0);
        for one in schedule::schedule(&field, &meetings) {
            all += 1;
            here += u64::from(ledger.has(one.deal, &one.seats)?);
        }
        planned += here;
        // What follows is drawn from results that are not all there.
        if here < all {
            break;
        }
    }
    Ok(ledger.count()?.saturating_sub(planned))
}

/// How the tournament stands by the rules of its format, where that is another order than that of the points.
pub fn places(ledger: &Ledger) -> anyhow::Result<Option<String>> {
    let tournament = ledger.tournament();
    if tournament.rounds == 1 && tournament.format != "knockout" {
        return Ok(None);
    }
    Ok(places::told(&Field::of(tournament)?, &blocks(ledger)?))
}
