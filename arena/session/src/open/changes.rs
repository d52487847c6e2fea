//! Decides how a requested tournament is played in its folder. The decision is a pure function of the request and the content of the
//! folder.

use std::mem;
use std::path::{Path, PathBuf};

use arena_config::diagnostic::UsageError;
use arena_tournament::complaint::Complaint;
use arena_tournament::difference::{differences, unextended};
use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;

use super::change::{closed, left_out};
use super::held::StoredTournament;
use super::merged::{AsEntered, Merged};
use super::requested::{Requested, Terms};
use crate::content::EARLIER;
use crate::{session, shard};

pub use super::change::Change;

const SIZE_STAYS: &str = "size       stays, since the file asks for less than was planned";
const JUDGED_AGAIN: &str = "a bot that is ahead of another stays ahead; other pairs are judged again once all deals are played";
const NEW_DEALS: &str = "starts over on new deals";
const SAME_DEALS: &str = "changed bots play the same deals again, for experiments of your own";

/// The effect of a request on the folder and its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The folder holds no tournament yet.
    Begins,
    /// Nothing changes.
    Continues,
    /// Only parts that affect no match are changed, such as the bots left out.
    Redescribes,
    /// All matches are kept, and more are planned.
    Grows,
    /// The matches of some bots, given by index, are set aside in a folder. If no bots are given, all matches are.
    StartsOver { bots: Vec<usize>, earlier: PathBuf },
}

/// The decision about a request.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The tournament to play.
    pub spec: Spec,
    /// The changes to the tournament.
    pub changes: Vec<Change>,
    /// Notes about facts that cause no change, one line each: bots left out, new versions that do not play, or a size that is kept.
    pub notes: Vec<String>,
    /// The effect of the changes.
    pub effect: Effect,
    /// Descriptions of the effect, one line each.
    pub summary: Vec<String>,
    /// The number of finished matches; 0 if the tournament starts over.
    pub finished: u64,
}

impl Opened {
    /// Returns the changes and notes, one line each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let changes = self.changes.iter().map(Change::to_string);
        changes.chain(self.notes.iter().cloned())
    }

    /// Returns the names of the bots that enter, or that play in a new version.
    pub fn new_versions(&self) -> Vec<&str> {
        let all = self.changes.iter().filter_map(|change| match change {
            Change::NewVersion { bot } | Change::Back { bot } | Change::New { bot } => Some(bot),
            _ => None,
        });
        all.map(String::as_str).collect()
    }
}

/// Decides how a requested tournament is played in its folder.
///
/// # Errors
/// If the terms of the request forbid the changes, or the result cannot be played.
pub fn decide(
    requested: &Requested,
    held: Option<&StoredTournament>,
) -> Result<Opened, UsageError> {
    decided(requested, held)
        .map_err(|refusal| refusal.with_left_out(requested.spec.left_out.clone()))
}

fn decided(requested: &Requested, held: Option<&StoredTournament>) -> Result<Opened, UsageError> {
    let opened = match held {
        None => begun(requested),
        Some(held) => {
            check_playable(requested, &held.spec)?;
            match requested.terms {
                Terms::Unchanged | Terms::Same => unchanged(requested, held)?,
                _ => changed(requested, held)?,
            }
        }
    };
    if requested.shard.is_some() {
        shard::check(&opened.spec)?;
        shard::check_seed(&opened.spec)?;
    }
    UsageError::check(&opened.spec.check())?;
    Ok(opened)
}

/// Returns the decision to begin a tournament. Bots that were withdrawn before they entered do not take part, except in parts to be merged.
fn begun(requested: &Requested) -> Opened {
    let mut spec = requested.spec.clone();
    if requested.terms != Terms::Same {
        spec.drop_withdrawn(|_| false);
    }
    Opened {
        changes: Vec::new(),
        notes: left_out(&spec.left_out, None),
        effect: Effect::Begins,
        summary: Vec::new(),
        finished: 0,
        spec,
    }
}

/// Refuses a tournament that is closed or of another kind.
fn check_playable(requested: &Requested, kept: &Spec) -> Result<(), UsageError> {
    let shown = requested.dir.display();
    if kept.closed {
        return Err(closed(&requested.dir));
    }
    let what = if requested.terms.tries_new_versions() && kept.plan.test.is_some() {
        "the bots of a comparison cannot change: start another one in a new folder".into()
    } else if kept.plan.test.is_some() != requested.spec.plan.test.is_some() {
        let (command, _) = session::kind(kept);
        format!(
            "{shown} was played by `arena {command}`, which continues it: choose another folder with --out"
        )
    } else {
        return Ok(());
    };
    Err(UsageError::one(what))
}

/// Decides under terms that do not allow changes.
fn unchanged(requested: &Requested, held: &StoredTournament) -> Result<Opened, UsageError> {
    let kept = &held.spec;
    let entered = AsEntered::new(requested, kept);
    let differences = differences(kept, &entered.spec);
    if !differences.is_empty() {
        return Err(other_tournament(&requested.dir, kept, &differences));
    }
    if requested.terms == Terms::Same && !entered.changed.is_empty() {
        return Err(other_files(&requested.dir, kept, &entered.changed));
    }
    let AsEntered {
        spec, mut notes, ..
    } = entered;
    notes.extend(left_out(&spec.left_out, Some(kept)));
    Ok(Opened {
        effect: unchanged_effect(&spec, kept),
        changes: Vec::new(),
        notes,
        summary: Vec::new(),
        finished: held.finished,
        spec,
    })
}

/// Decides under terms that allow changes.
fn changed(requested: &Requested, held: &StoredTournament) -> Result<Opened, UsageError> {
    let (kept, terms, begun) = (&held.spec, requested.terms, held.rounds_begun());
    let (file, mut notes) = if terms == Terms::Entered {
        let entered = AsEntered::new(requested, kept);
        (entered.spec, entered.notes)
    } else {
        (requested.spec.clone(), Vec::new())
    };
    let mut merged = Merged::new(&file, kept, begun);
    notes.append(&mut merged.notes);
    let mut other = differences(kept, &unextended(merged.with_old_code(kept), kept));
    if terms.is_own() && merged.reorders {
        other.push("the order of the bots".into());
    }
    let grown = grown(&merged, &other, terms, held)?;
    let grows = grown.is_some();
    if let Some((spec, has_kept_size)) = grown {
        merged.spec = spec;
        notes.extend(has_kept_size.then(|| SIZE_STAYS.into()));
    }
    let keeps_others = terms == Terms::SameDeals
        && merged.spec.rounds() == 1
        && other.is_empty()
        && merged.with_old_code(kept).extends(kept, begun).is_ok();
    let mut changes = mem::take(&mut merged.changes);
    changes.extend(sizes(kept, &merged.spec));
    changes.extend(other.into_iter().map(|what| Change::Other { what }));
    let (effect, summary) = if changes.is_empty() {
        (unchanged_effect(&merged.spec, kept), Vec::new())
    } else if grows {
        grow(&mut merged.spec, held)
    } else {
        start_over(&mut merged, keeps_others, requested, kept)
    };
    let starts_over = matches!(effect, Effect::StartsOver { .. });
    Ok(Opened {
        spec: merged.spec,
        changes,
        notes,
        effect,
        summary,
        finished: if starts_over { 0 } else { held.finished },
    })
}

/// Returns the changed tournament if all finished matches can be kept, and `true` if it stays larger than requested.
///
/// # Errors
///
/// If the change is not allowed in a tournament that others share.
fn grown(
    merged: &Merged,
    other: &[String],
    terms: Terms,
    held: &StoredTournament,
) -> Result<Option<(Spec, bool)>, UsageError> {
    let (kept, begun) = (&held.spec, held.rounds_begun());
    let refused = |why: Complaint| UsageError::one(why.to_string());
    let mut spec = merged.spec.clone();
    if held.finished == 0 {
        // No deals have been seen yet, so withdrawn bots can be dropped.
        spec.drop_withdrawn(|_| false);
        if terms == Terms::Larger {
            spec.extends(kept, begun).map_err(refused)?;
        }
        return Ok(Some((spec, false)));
    }
    let takes_newcomers = kept.plan.format.listed().newcomers;
    let has_newcomers = spec.bots.len() > kept.bots.len();
    let brings_code = has_newcomers && !takes_newcomers && terms != Terms::SameDeals;
    if !merged.changed.is_empty() || brings_code || (terms.is_own() && !other.is_empty()) {
        return Ok(None);
    }
    if !other.is_empty() {
        return Err(UsageError::one(format!(
            "these changes make it another tournament:\n         {}\n       play it in another folder",
            other.join("\n         ")
        )));
    }
    let first_round = if takes_newcomers { begun + 1 } else { 1 };
    for bot in spec.bots.iter_mut().skip(kept.bots.len()) {
        bot.joined = first_round;
    }
    let has_kept_size = terms != Terms::Larger && keep_size(&mut spec, kept);
    match spec.extends(kept, begun) {
        Ok(()) => Ok(Some((spec, has_kept_size))),
        Err(_) if terms.is_own() => Ok(None),
        Err(why) => Err(refused(why)),
    }
}

/// Extends a tournament. If results are known, the earlier size is recorded.
fn grow(spec: &mut Spec, held: &StoredTournament) -> (Effect, Vec<String>) {
    let mut summary = Vec::new();
    if held.finished > 0 && spec.size() != held.spec.size() {
        spec.earlier_sizes.push(held.spec.size());
        summary.push(JUDGED_AGAIN.into());
    }
    summary.push(format!(
        "{} matches are planned now, {} before; {} are finished",
        spec.matches(),
        held.spec.matches(),
        held.finished
    ));
    (Effect::Grows, summary)
}

/// Starts a tournament over: either keeps the matches without changed bots, or drops withdrawn bots and takes the order of the bots in the
/// file.
fn start_over(
    merged: &mut Merged,
    keeps_others: bool,
    requested: &Requested,
    kept: &Spec,
) -> (Effect, Vec<String>) {
    let bots = if keeps_others {
        mem::take(&mut merged.changed)
    } else {
        merged.take_order_of_file();
        Vec::new()
    };
    let before = kept.plan.seed;
    let (seed, how) = match mem::replace(&mut merged.spec.plan.seed, before) {
        _ if requested.terms == Terms::SameDeals => (before, SAME_DEALS),
        // Authors may have seen replays, so no deal is played twice.
        given if given == before => (requested.fresh_seed, NEW_DEALS),
        given => (given, NEW_DEALS),
    };
    merged.spec = merged.spec.restarted(seed);
    let number = merged.spec.earlier_seeds.len().to_string();
    let earlier = requested.dir.join(EARLIER).join(number);
    let summary = format!(
        "{how}; the matches so far: arena show {}",
        earlier.display()
    );
    (Effect::StartsOver { bots, earlier }, vec![summary])
}

/// Returns the effect of a request that changes nothing that affects a match.
fn unchanged_effect(spec: &Spec, kept: &Spec) -> Effect {
    if redescribed(kept, spec) == *kept {
        Effect::Continues
    } else {
        Effect::Redescribes
    }
}

/// Returns the existing tournament, with those parts of the new one that affect no match: the anchor, the bots left out, and the reasons
/// why newer versions were refused.
pub(super) fn redescribed(kept: &Spec, new: &Spec) -> Spec {
    let mut spec = Spec {
        anchor: new.anchor.clone(),
        left_out: new.left_out.clone(),
        ..kept.clone()
    };
    for bot in &mut spec.bots {
        let mut all = new.bots.iter();
        if let Some(new) = all.find(|new| new.name == bot.name) {
            bot.refused.clone_from(&new.refused);
        }
    }
    spec
}

/// Raises the size of the requested tournament to that of the existing one, if the existing one is larger. Returns `true` if it was raised.
fn keep_size(spec: &mut Spec, kept: &Spec) -> bool {
    let wanted = (spec.plan.deals, spec.rounds());
    if spec.rounds() < kept.rounds() && spec.plan.format.name() == kept.plan.format.name() {
        spec.plan.format = kept.plan.format.clone();
    }
    spec.plan.deals = spec.plan.deals.max(kept.plan.deals);
    wanted != (spec.plan.deals, spec.rounds())
}

/// Returns the changes in size.
fn sizes(old: &Spec, new: &Spec) -> impl Iterator<Item = Change> {
    let (was, is) = (old.plan.deals, new.plan.deals);
    let deals = (was != is).then_some(Change::Deals { was, is });
    let (was, is) = (old.rounds(), new.rounds());
    let rounds = (was != is).then_some(Change::Rounds { was, is });
    deals.into_iter().chain(rounds)
}

/// Returns the error for a tournament that differs from the existing one.
fn other_tournament(dir: &Path, kept: &Spec, differences: &[String]) -> UsageError {
    let (shown, (command, noun)) = (dir.display(), session::kind(kept));
    let update = if command == "run" {
        format!(", `arena update {shown}` brings it in line with its file")
    } else {
        String::new()
    };
    UsageError::one(format!(
        "{shown} holds another {noun}:\n         {}\n       `arena {command} {shown}` continues it unchanged{update}, and another --out leaves it alone",
        differences.join("\n         ")
    ))
}

/// Returns the error for new versions of these bots.
fn other_files(dir: &Path, kept: &Spec, bots: &[String]) -> UsageError {
    let (shown, (command, noun)) = (dir.display(), session::kind(kept));
    let names = clean(&bots.join(", "));
    UsageError::one(format!(
        "files of {names} have changed since the {noun} began: `arena {command} {shown}` continues with the old version, and \
         another --out plays the new one"
    ))
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
