//! Profiles of bots: every decision of a tournament, counted.

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_ledger::replay::{ReplayError, replay};
use arena_statistics::profile::{Counted, Profiles};
use arena_tournament::played::Played;

use crate::decision::{Decision, decisions};
use crate::export::{ExportError, each, unknown};

/// The profiles of all bots.
///
/// # Errors
/// If the ledger cannot be read, or a match does not end as its record says.
pub fn of(ledger: &Ledger) -> Result<Profiles, ExportError> {
    let (game, names) = (&ledger.spec().plan.game, ledger.spec().names());
    let counted = |played: &Played| {
        let forfeited = played.verdict.faults.iter().any(Option::is_some);
        let counted = || by_name!(game, G => counted::<G>(played, &names)).unwrap_or_else(|| Err(unknown(game)));
        Ok((played.deal, played.voids.len(), if forfeited { None } else { Some(counted()?) }))
    };
    let mut profiles = Profiles::new(&names);
    each(ledger, &counted, &mut |(deal, voids, decisions)| {
        profiles.voids += voids as u64;
        match decisions {
            Some(decisions) => profiles.add(deal, &decisions),
            None => profiles.forfeited += 1,
        }
        Ok(())
    })?;
    Ok(profiles.finish())
}

/// The decisions of a match that nobody forfeited. At a table of two, all of them are about the other.
fn counted<G: Game>(played: &Played, names: &[String]) -> Result<Vec<Counted>, ExportError> {
    let record = replay::<G>(played)?.record;
    let bot = |seat: Seat| names.iter().position(|name| *name == played.bots[seat.index()]);
    let counted = |Decision { seat, kind, target, chance, learned, .. }: Decision| {
        let other = (record.seats == 2).then(|| Seat(1 - seat.0));
        let about = target.filter(|target| *target != seat).or(other).and_then(bot);
        Some(Counted { bot: bot(seat)?, about, chance, learned, late: kind.is_none() })
    };
    let decisions = decisions::<G>(&record);
    let decisions = decisions.map_err(|why| ReplayError { id: played.id(), why: why.to_string() })?;
    Ok(decisions.into_iter().filter_map(counted).collect())
}
