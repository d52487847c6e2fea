//! Combines the bots of a file with the bots that have entered.

use std::mem;

use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

use super::change::{Change, left_out};
use super::requested::{Requested, Terms};
use crate::session;

/// The tournament of the file. Bots that have already entered come first, in their order of entry.
pub struct Merged {
    pub spec: Spec,
    /// The indices of the bots with new code.
    pub changed: Vec<usize>,
    /// The names of the bots in the order of the file.
    order: Vec<String>,
    /// True if the file has the bots that are not withdrawn in a different order.
    pub reorders: bool,
    /// The changes of the bots.
    pub changes: Vec<Change>,
    /// Notes about bots that are left out.
    pub notes: Vec<String>,
}

impl Merged {
    /// Merges the tournament of a file with the existing one, of which `begun` rounds have begun.
    pub fn new(file: &Spec, kept: &Spec, begun: u32) -> Self {
        let mut spec = file.clone();
        let mut changed = Vec::new();
        let mut changes = Vec::new();
        let find = |name: &str| kept.bots.iter().find(|bot| bot.name == name);
        // A bot that has played, but whose folder is gone, counts as withdrawn, see below.
        let leaves = |left_out: &LeftOut| {
            let old = find(&left_out.name).filter(|_| left_out.is_gone);
            old.is_some_and(|old| old.withdrawn.is_none())
        };
        let mut remarked = file.left_out.clone();
        remarked.retain(|bot| !leaves(bot));
        spec.left_out.retain(|bot| find(&bot.name).is_none());
        let mut found = mem::take(&mut spec.bots);
        for old in &kept.bots {
            let bot = old.name.clone();
            let mut entrant = old.clone();
            let mut left_out = file.left_out.iter();
            let left_out = left_out.find(|left_out| left_out.name == bot);
            let broken = left_out.filter(|left_out| !left_out.is_gone);
            let new = found.iter().position(|new| new.name == bot);
            let new = new.map(|place| found.remove(place));
            let was_withdrawn = old.withdrawn.is_some();
            let is_withdrawn = new
                .as_ref()
                .map_or(was_withdrawn || broken.is_none(), |new| {
                    new.withdrawn.is_some()
                });
            entrant.refused = broken.map(|broken| broken.why.clone());
            if is_withdrawn && !was_withdrawn {
                entrant.withdrawn = Some(begun);
                let why = left_out.map(|gone| gone.why.clone());
                changes.push(Change::Withdrawn { bot, why });
            } else if let Some(new) = new.filter(|_| !is_withdrawn) {
                let is_other = new.is_other_version(old);
                let files = mem::take(&mut entrant.files);
                entrant = Entrant {
                    joined: old.joined,
                    ..new
                };
                if is_other || was_withdrawn {
                    changed.push(spec.bots.len());
                    changes.push(if was_withdrawn {
                        Change::Back { bot }
                    } else {
                        Change::NewVersion { bot }
                    });
                } else {
                    entrant.files = files;
                }
            }
            spec.bots.push(entrant);
        }
        found.retain(|bot| bot.withdrawn.is_none());
        changes.extend(found.iter().map(|bot| Change::New {
            bot: bot.name.clone(),
        }));
        spec.bots.append(&mut found);
        spec.pseudonyms |= kept.pseudonyms;
        spec.earlier_seeds.clone_from(&kept.earlier_seeds);
        spec.earlier_sizes.clone_from(&kept.earlier_sizes);
        take_seed(&mut spec, kept);
        let order = file.names();
        let place = |bot: &Entrant| order.iter().position(|name| *name == bot.name);
        let reorders = !kept.bots.iter().filter_map(place).is_sorted();
        Self {
            spec,
            changed,
            reorders,
            order,
            changes,
            notes: left_out(&remarked, Some(kept)),
        }
    }

    /// Returns the tournament with the old code of bots that have changed.
    pub fn with_old_code(&self, kept: &Spec) -> Spec {
        let mut spec = self.spec.clone();
        for bot in &self.changed {
            spec.bots[*bot] = kept.bots[*bot].clone();
        }
        spec
    }

    /// Drops withdrawn bots, and puts the others in the order of the file.
    pub fn take_order_of_file(&mut self) {
        let spec = &mut self.spec;
        spec.drop_withdrawn(|_| false);
        let place = |bot: &Entrant| self.order.iter().position(|name| *name == bot.name);
        spec.bots
            .sort_by_key(|bot| place(bot).unwrap_or(usize::MAX));
        spec.bots.iter_mut().for_each(|bot| bot.joined = 1);
    }
}

/// A requested tournament whose bots play as they entered. In a tournament that may leave out bots, exactly the bots that entered play,
/// because changes to one bot must not stop the rest.
pub struct AsEntered {
    pub spec: Spec,
    /// The names of the bots whose files have changed since they entered.
    pub changed: Vec<String>,
    /// Notes about bots that differ from their state at entry.
    pub notes: Vec<String>,
}

impl AsEntered {
    /// Replaces the bots of the request by those of the existing tournament.
    pub fn new(requested: &Requested, kept: &Spec) -> Self {
        let mut spec = requested.spec.clone();
        take_seed(&mut spec, kept);
        spec.adopt(kept);
        let changed = take_files(&mut spec, kept);
        let [mut new, mut gone] = [Vec::new(), Vec::new()];
        if spec.local.keep_going && requested.terms == Terms::Unchanged {
            [new, gone] = take_bots(&mut spec, kept);
        }
        let update = format!("`arena update {}`", requested.dir.display());
        let applies = format!("{update} applies the changes");
        let plays_on = match session::kind(kept) {
            ("run", _) => format!("the old version plays on; {update} enters the new version"),
            _ => "the old version plays on".into(),
        };
        let all = [
            ("changed", &changed, &plays_on),
            ("new", &new, &applies),
            ("gone", &gone, &applies),
        ];
        let some = all.into_iter().filter(|(_, bots, _)| !bots.is_empty());
        let notes = some
            .map(|(what, bots, then)| format!("{what:<11}{}: {then}", clean(&bots.join(", "))))
            .collect();
        Self {
            spec,
            changed,
            notes,
        }
    }
}

/// Adopts the seed of the existing tournament if no seed is given, or if the given seed is one that it used before it started over.
fn take_seed(spec: &mut Spec, kept: &Spec) {
    let is_drawn = mem::take(&mut spec.local.seed_drawn);
    if is_drawn || kept.earlier_seeds.contains(&spec.plan.seed) {
        spec.plan.seed = kept.plan.seed;
    }
}

/// Gives each bot the files with which it entered, if its command is the same. Returns the names of the bots whose files have changed
/// since.
fn take_files(spec: &mut Spec, kept: &Spec) -> Vec<String> {
    let mut changed = Vec::new();
    for bot in &mut spec.bots {
        let mut entered = kept.bots.iter();
        let Some(kept) = entered.find(|kept| kept.name == bot.name) else {
            continue;
        };
        bot.refused.clone_from(&kept.refused);
        if kept.bot == bot.bot && kept.files != bot.files {
            bot.files.clone_from(&kept.files);
            if bot.withdrawn.is_none() {
                changed.push(bot.name.clone());
            }
        }
    }
    changed
}

/// Replaces the bots by those that entered. Returns the names of new bots and of missing ones.
fn take_bots(spec: &mut Spec, kept: &Spec) -> [Vec<String>; 2] {
    let mut found = mem::take(&mut spec.bots);
    let mut gone = Vec::new();
    for bot in &kept.bots {
        match found.iter().position(|found| found.name == bot.name) {
            Some(place) => spec.bots.push(found.remove(place)),
            None => {
                gone.push(bot.name.clone());
                spec.bots.push(bot.clone());
            }
        }
    }
    spec.left_out.retain(|broken| !gone.contains(&broken.name));
    let mut new: Vec<String> = found.into_iter().map(|bot| bot.name).collect();
    // Do not check the reason again: `arena update` will notice if it has been fixed.
    let still = kept
        .left_out
        .iter()
        .filter(|broken| new.contains(&broken.name));
    spec.left_out.extend(still.cloned());
    new.retain(|name| kept.left_out.iter().all(|broken| broken.name != *name));
    [new, gone]
}
