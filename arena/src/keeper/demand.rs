//! What a setup demands of the machine before its first match: a cage, and enough descriptors.

use std::path::{Path, PathBuf};

use super::cage::{Cage, NoCage};
use super::limits::raise_descriptors;
use crate::setup::{BadSetup, Plays, Program, Setup};

/// How many descriptors the arena needs beside those for bots.
const DESCRIPTORS: u64 = 64;
/// How many it needs for each job.
const FOR_JOB: u64 = 8;
/// How many it needs for each running bot: three pipes, the link to its keeper, its keeper, its log.
const FOR_BOT: u64 = 6;

impl Setup {
    /// The cage for the programs of this setup. Tournaments' folders are hidden from them, and their folders from each other.
    pub fn cage(&self, folders: &[&Path]) -> anyhow::Result<Cage> {
        super::prepare();
        let programs: Vec<&Program> = self.bots.iter().filter_map(|bot| program(&bot.plays)).collect();
        self.check_descriptors(programs.len() as u64)?;
        let inside = |folder: &&Path| [".", "ledger.sqlite", "tournament.toml", "logs"].map(|name| folder.join(name));
        let earlier = folders.iter().filter_map(|folder| folder.parent()).filter(|above| above.ends_with("runs"));
        let hidden = folders.iter().flat_map(inside).chain(earlier.map(Path::to_path_buf));
        let hidden: Vec<PathBuf> = hidden.chain(self.hidden.iter().cloned()).collect();
        let dirs = programs.iter().map(|program| program.dir.clone());
        let cage = match programs.as_slice() {
            [] => Cage::unused(),
            _ => Cage::new(self.isolation, hidden.into_iter().chain(dirs)),
        };
        match cage {
            Ok(cage) => Ok(cage),
            Err(why @ NoCage::Refused(_)) => Err(BadSetup::one(why.to_string()).into()),
            Err(why) => Err(why.into()),
        }
    }

    /// Each job keeps the programs that it has started.
    fn check_descriptors(&self, programs: u64) -> Result<(), BadSetup> {
        let jobs = self.jobs as u64;
        let needed = DESCRIPTORS + jobs * (FOR_JOB + FOR_BOT * programs);
        let most = raise_descriptors(needed);
        if programs == 0 || most >= needed {
            return Ok(());
        }
        Err(BadSetup::one(format!(
            "{jobs} jobs with {programs} programs need {needed} open files ({DESCRIPTORS} + jobs × ({FOR_JOB} + {FOR_BOT} × programs)), \
             and only {most} are allowed: take fewer jobs, or allow more (ulimit -n)"
        )))
    }
}

fn program(plays: &Plays) -> Option<&Program> {
    match plays {
        Plays::Program(program) => Some(program),
        Plays::Builtin(_) => None,
    }
}
