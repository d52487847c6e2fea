//! Makes the copies from which the bots of a tournament run.

use std::path::Path;

use arena_sandbox::Sandbox;
use arena_tournament::entrant::{Entrant, HashedFile, SOURCES};
use arena_tournament::spec::{LeftOut, Spec};

use crate::sandbox::{announce, builds, unbuilt};
use crate::{build, cache};

/// A tournament with the copies of its bots made.
pub struct Copied {
    /// The tournament. Each bot that enters now has the hash of its copied files.
    pub spec: Spec,
    /// The bots that cannot be copied or built.
    pub broken: Vec<LeftOut>,
}

/// Copies and builds the programs that play. Bots that enter now are copied as they are now, the others as they were when they entered.
/// Announces the isolation level if any program is built.
///
/// # Errors
/// If a program cannot be copied or built, unless such bots may be left out.
pub fn make(
    spec: &Spec,
    kept: Option<&Spec>,
    folders: &[&Path],
    is_quiet: bool,
) -> anyhow::Result<Copied> {
    let has_entered = |bot: &Entrant| {
        let mut kept = kept.iter().flat_map(|kept| &kept.bots);
        kept.any(|kept| kept.name == bot.name && kept.files == bot.files)
    };
    let sandbox = if builds(spec) {
        unbuilt(spec, folders)?
    } else {
        Sandbox::default()
    };
    if builds(spec) {
        announce(spec, &sandbox, is_quiet);
    }
    let (mut spec, mut broken) = (spec.clone(), Vec::new());
    let playing = spec.bots.iter_mut().filter(|bot| bot.withdrawn.is_none());
    for bot in playing {
        let enters = !has_entered(bot);
        let copied = build::program(bot, &sandbox, enters);
        match copied.map(|copied| copied.and_then(|copied| cache::key(&copied.home))) {
            Ok(Some(sha256)) if enters => {
                bot.files.retain(|file| file.file != SOURCES);
                let file = SOURCES.into();
                bot.files.push(HashedFile { file, sha256 });
            }
            Ok(_) => {}
            Err(why) if spec.local.keep_going => broken.push(LeftOut {
                name: bot.name.clone(),
                why: format!("{why:#}"),
                ..LeftOut::default()
            }),
            Err(why) => return Err(build::failed(bot, &why).into()),
        }
    }
    Ok(Copied { spec, broken })
}

/// Makes the copies for a tournament without a folder. Returns the tournament without the bots that cannot be copied or built.
pub fn without_broken(spec: &Spec, is_quiet: bool) -> anyhow::Result<Spec> {
    let copied = make(spec, None, &[], is_quiet)?;
    Ok(copied.spec.without(copied.broken))
}
