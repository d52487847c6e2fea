//! Opens a tournament in its folder: reads the request and the content of the folder, decides, makes copies of the bots, and applies the
//! changes.

mod apply;
mod change;
pub mod changes;
mod copies;
mod first_start;
mod held;
mod merged;
mod requested;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_config::diagnostic::UsageError;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

use self::changes::{Opened, decide};
use crate::content::refuse_foreign;

pub use self::apply::{describe, lock};
pub use self::copies::without_broken;
pub use self::held::StoredTournament;
pub use self::requested::{Requested, Terms};

/// A tournament with changes that are decided but not yet applied. If its folder already holds a tournament, the folder is locked.
pub struct Opening {
    pub opened: Opened,
    /// The folder of the tournament.
    pub dir: PathBuf,
    ledger: Option<Ledger>,
}

/// Decides how a requested tournament is played in its folder, and makes the copies from which its bots run. Does not change the folder
/// yet.
pub fn open(requested: &Requested, is_quiet: bool) -> anyhow::Result<Opening> {
    let dir = requested.dir.clone();
    loop {
        let held = StoredTournament::read(&dir)?;
        if held.is_none() {
            if requested.terms.needs_begun() {
                return Err(LedgerError::None(dir).into());
            }
            refuse_foreign(&dir)?;
        }
        let opened = if requested.terms.plays() {
            decide_with_copies(requested.clone(), held.as_ref(), &[&dir], is_quiet)?
        } else {
            decide(requested, held.as_ref())?
        };
        let ledger = held.as_ref().map(|_| lock(&dir)).transpose()?;
        let is_held = |ledger: &Ledger| held.as_ref().is_some_and(|held| held.is_in(ledger));
        // Another arena may have played in the folder while the copies were made.
        if ledger.as_ref().is_none_or(is_held) {
            return Ok(Opening {
                opened,
                dir,
                ledger,
            });
        }
    }
}

/// Decides, makes the copies, and then decides again without the bots that cannot be built or do not start.
pub fn decide_with_copies(
    mut requested: Requested,
    held: Option<&StoredTournament>,
    folders: &[&Path],
    is_quiet: bool,
) -> anyhow::Result<Opened> {
    let kept = held.map(|held| &held.spec);
    loop {
        let opened = decide(&requested, held)?;
        let copied = copies::make(&opened.spec, kept, folders, is_quiet)?;
        let mut broken = copied.broken;
        if broken.is_empty() && requested.terms.tries_new_versions() {
            broken = first_start::broken(&copied.spec, &opened.new_versions(), folders)?;
        }
        if broken.is_empty() {
            return Ok(Opened {
                spec: copied.spec,
                ..opened
            });
        }
        for bot in &mut broken {
            bot.why = near(&bot.why, &requested.dir);
        }
        // Neither the bot's new version nor the one that entered can play.
        let is_out = |name: &str| requested.spec.left_out.iter().any(|bot| bot.name == name);
        let has_failed = |bot: &&LeftOut| is_out(&bot.name);
        if let Some(bot) = broken.iter().find(has_failed) {
            let (name, why) = (clean(&bot.name), &bot.why);
            return Err(UsageError::one(format!("bot {name} cannot play: {why}")).into());
        }
        requested.spec = requested.spec.without(broken);
    }
}

/// Returns a reason with paths relative to the folder that holds the tournament's, because it is shown to others too.
fn near(why: &str, dir: &Path) -> String {
    let home = dir.parent().unwrap_or(dir);
    let real = fs::canonicalize(home).unwrap_or_else(|_| home.into());
    let homes = [home, &real].into_iter().filter_map(Path::to_str);
    homes
        .filter(|home| home.len() > 1)
        .fold(why.to_owned(), |why, home| {
            why.replace(&format!("{home}/"), "")
        })
}

/// Opens a tuning. The folder of a tuning holds only its description, and a folder for each part.
pub fn open_tuning(requested: Requested) -> anyhow::Result<Opened> {
    let dir = requested.dir.clone();
    let held = StoredTournament::read_tuning(&dir)?;
    if held.is_none() {
        refuse_foreign(&dir)?;
    }
    let mut opened = decide_with_copies(requested, held.as_ref(), &[], true)?;
    fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    describe(&dir, &opened.spec)?;
    opened.spec.local.hidden.push(dir);
    Ok(opened)
}

/// Opens the ledger of exactly this tournament, or begins the tournament. Makes no copies.
pub fn open_same(spec: Spec, dir: &Path) -> anyhow::Result<(Spec, Ledger)> {
    let requested = Requested::unread(spec, dir.into(), Terms::Same)?;
    open(&requested, true)?.apply()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_paths_in_the_class() {
        let near = |why: &str| near(why, Path::new("/no/class/cup"));
        assert_eq!(
            near("/no/class/students/s01 is too large; see /no/other/x"),
            "students/s01 is too large; see /no/other/x"
        );
        assert_eq!(super::near("/etc/x", Path::new("/cup")), "/etc/x");
    }
}
