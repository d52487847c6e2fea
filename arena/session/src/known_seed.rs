//! Warns about seeds that authors may know before the first match, because they could prepare their bots for the deals.

use std::fs;
use std::path::{Path, PathBuf};

use arena_config::class::is_of_bot;
use arena_ledger::ledger::Ledger;
use arena_tournament::difference::differences;
use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;

use arena_sandbox::paths::resolved;
use arena_sandbox::{Backend, Sandbox};

/// The smallest seed that is assumed to be too large to guess before the first match.
const MIN_UNKNOWN_SEED: u64 = 1 << 40;
/// Maximum number of neighbouring folders checked.
const MAX_NEIGHBOURS: usize = 1_000;

/// Returns the warnings about programs that could know the deals in advance, for a tournament in this folder or a match without a folder.
pub fn warnings(spec: &Spec, sandbox: &Sandbox, dir: Option<&Path>) -> Vec<String> {
    let seed = spec.plan.seed;
    if !spec.bots.iter().any(Entrant::is_program) {
        return Vec::new();
    }
    let small = (u64::from(seed) < MIN_UNKNOWN_SEED).then(|| {
        format!(
            "warning: bots can be prepared for a seed as small as {seed}; leave it out to draw one"
        )
    });
    let is_shown = std::env::args_os().any(|word| {
        word.to_str()
            .is_some_and(|word| word.starts_with("--seed") && !word.starts_with("--seed-file"))
    });
    let chosen = sandbox.chosen().map(|chosen| &chosen.backend);
    let is_readable = !matches!(chosen, None | Some(Backend::Bubblewrap(_)));
    let shown = (is_shown && is_readable).then(|| {
        "warning: bots can read the seed in this command line, at this level of isolation; --seed-file FILE keeps it from them".into()
    });
    let earlier = dir.and_then(|dir| played_before(spec, dir)).map(|earlier| {
        format!("warning: {} was played on the same seed: its deals are known to all who saw it; leave the seed out to draw a new one", earlier.display())
    });
    small.into_iter().chain(shown).chain(earlier).collect()
}

/// Returns a neighbouring folder with another tournament of the same game and seed. Returns `None` once this tournament has played matches.
fn played_before(spec: &Spec, dir: &Path) -> Option<PathBuf> {
    let has_begun =
        Ledger::open_read_only(dir).is_ok_and(|ledger| ledger.count().is_ok_and(|count| count > 0));
    let beside = fs::read_dir(dir.parent()?)
        .ok()?
        .flatten()
        .take(MAX_NEIGHBOURS)
        .map(|entry| entry.path());
    let homes = spec.bots.iter().filter_map(Entrant::program);
    let homes: Vec<&PathBuf> = homes
        .map(|program| &program.dir)
        .filter(|home| !resolved(dir).starts_with(home))
        .collect();
    let is_of_bot =
        |path: &Path| is_of_bot(path) || homes.iter().any(|home| resolved(path).starts_with(home));
    let is_same = |path: &PathBuf| {
        path != dir
            && !is_of_bot(path)
            && Ledger::open_read_only(path).is_ok_and(|ledger| {
                let (other, plan) = (ledger.spec(), &spec.plan);
                // Other shards of this tournament have the same seed, and are no reason to warn.
                other.plan.seed == plan.seed
                    && other.plan.game == plan.game
                    && !differences(other, spec).is_empty()
            })
    };
    let mut same: Vec<PathBuf> = if has_begun {
        Vec::new()
    } else {
        beside.filter(is_same).collect()
    };
    same.sort();
    same.into_iter().next()
}

#[cfg(test)]
mod tests {
    use arena_tournament::entrant::{Bot, Program};
    use arena_tournament::sample;

    use super::*;

    #[test]
    fn neighbours_are_read_unless_they_are_folders_of_bots() {
        let folder = tempfile::tempdir().unwrap();
        let [mine, other] = ["mine", "other"].map(|name| folder.path().join(name));
        let mut spec = sample::tournament(&["ann", "bob"], 2, 1);
        drop(Ledger::create(&other, &spec).unwrap());
        spec.plan.deals = 2;
        assert_eq!(played_before(&spec, &mine), Some(other.clone()));
        fs::write(other.join("bot.py"), "").unwrap();
        assert_eq!(played_before(&spec, &mine), None);
        fs::remove_file(other.join("bot.py")).unwrap();
        let mut at_home = |home: &Path| {
            spec.bots[0].bot = Bot::Program(Program {
                dir: home.to_path_buf(),
                ..Program::default()
            });
            played_before(&spec, &mine)
        };
        assert_eq!(at_home(&other), None);
        // The author of this bot also runs the tournament.
        assert_eq!(at_home(folder.path()), Some(other.clone()));
    }
}
