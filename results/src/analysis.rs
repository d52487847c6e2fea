//! Everything that a tournament's matches tell: standings, placings, ratings, pairs, forfeits, and warnings.

use arena_tournament::deals::Deal;
use arena_tournament::placings::Placings;
use serde::{Deserialize, Serialize};

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_statistics::anytime_valid::{AnytimePair, AnytimeValid};
use arena_statistics::forfeits::{BotForfeits, ForfeitShares};
use arena_statistics::identical::{Identical, Transcripts};
use arena_statistics::pair::Pair;
use arena_statistics::pairwise::Pairwise;
use arena_statistics::rating::collector::Reading;
use arena_statistics::rating::{Collector, Ratings};
use arena_statistics::standings::{MOST_FAULTS, Standing, Standings, Tally};

/// The version of what is kept: an analysis of another one is made anew.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/5");

/// Everything that a tournament's matches tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The official standings.
    pub standings: Standings,
    /// The standing by the rules of the format, where that is another order than that of the points; by the indices of
    /// [`Analysis::bots`].
    pub placings: Option<Placings>,
    /// The strengths of the bots, by a model.
    pub ratings: Ratings,
    /// Every two bots against each other, by their indices in [`Analysis::bots`].
    pub pairs: Vec<Pair>,
    /// The forfeits of each bot.
    pub forfeits: Vec<BotForfeits>,
    /// While the tournament runs: every two bots, by intervals that are valid however often one looks.
    pub anytime_valid: Vec<AnytimePair>,
    /// Bots whose matches went alike, so that they tell less than their number says.
    pub identical: Vec<Identical>,
    /// The names of the bots, in order of the tournament file; pairs and forfeits speak of them by index.
    pub bots: Vec<String>,
}

/// An analysis that is kept in the ledger.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: String,
    matches: u64,
    tournament: u32,
    analysis: Analysis,
}

impl Analysis {
    /// By the matches in the ledger. What was kept of them is used, if nothing has come since.
    pub fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let matches = ledger.count()?;
        if let Some(kept) = kept(ledger, matches)? {
            return Ok(kept);
        }
        Self::new(ledger)
    }

    /// The same, and keeps it.
    pub fn kept_of(ledger: &mut Ledger) -> Result<Self, LedgerError> {
        let matches = ledger.count()?;
        if let Some(kept) = kept(ledger, matches)? {
            return Ok(kept);
        }
        let analysis = Self::new(ledger)?;
        let (version, tournament) = (VERSION.to_owned(), ledger.fingerprint());
        let kept = Kept { version, matches, tournament, analysis };
        // Only a type that cannot be written would fail.
        ledger.keep_analysis(&postcard::to_allocvec(&kept).expect("an analysis is numbers, texts and lists"))?;
        Ok(kept.analysis)
    }

    /// By the matches in the ledger, whatever is kept.
    fn new(ledger: &Ledger) -> Result<Self, LedgerError> {
        let spec = ledger.spec();
        let mut tally = Tally::new(spec);
        let mut ratings = Collector::new(spec);
        let mut pairs = Pairwise::new(spec);
        let mut forfeits = ForfeitShares::new(spec.bots.len());
        let mut transcripts = Transcripts::default();
        let mut failed = Vec::new();
        let mut anytime_valid = (ledger.count()? < spec.matches()).then(|| AnytimeValid::new(spec.bots.len()));
        // Blocks are kept only where a format makes something of them.
        let mut blocks = spec.placings(&[]).map(|_| Vec::new());
        ledger.deals(|deal| {
            anytime_valid.iter_mut().for_each(|pairs| pairs.add(deal));
            tally.add(deal);
            ratings.add(deal);
            pairs.add(deal);
            transcripts.add(deal);
            deal.matches.iter().for_each(|scored| forfeits.add(scored));
            if failed.len() < MOST_FAULTS {
                failed.extend(forfeited(deal));
            }
            blocks.iter_mut().for_each(|blocks| blocks.extend(deal.finished_blocks().cloned()));
            Ok::<_, LedgerError>(())
        })?;
        for (deal, bots) in failed {
            ledger.get(deal, &bots)?.iter().for_each(|played| tally.list_faults(played));
        }
        let (standings, pairs, bots) = (tally.standings(), pairs.table(), spec.names());
        let index = |row: &Standing| bots.iter().position(|bot| *bot == row.bot);
        let order: Vec<usize> = standings.standings.iter().filter_map(index).collect();
        let reading = Reading { order: &order, anchor: spec.anchor(), pairs: &pairs };
        Ok(Self {
            ratings: ratings.ratings(reading),
            standings,
            placings: blocks.and_then(|blocks| spec.placings(&blocks)),
            pairs,
            forfeits: forfeits.table(),
            anytime_valid: anytime_valid.map(AnytimeValid::pairs).unwrap_or_default(),
            identical: transcripts.warnings(),
            bots,
        })
    }
}

/// The matches of a deal that were forfeited, by their bots in order.
fn forfeited(deal: &Deal) -> Vec<(u32, Vec<usize>)> {
    let failed = deal.matches.iter().filter(|scored| scored.seats.iter().any(|seat| seat.fault.is_some()));
    let mut bots: Vec<(u32, Vec<usize>)> = failed.map(|scored| (scored.deal, scored.bots.clone())).collect();
    bots.sort_unstable();
    bots
}

/// The kept analysis, if it is of these matches and of this program. Whatever else is there is as good as nothing.
fn kept(ledger: &Ledger, matches: u64) -> Result<Option<Analysis>, LedgerError> {
    let Some(bytes) = ledger.kept_analysis()? else { return Ok(None) };
    let kept = postcard::from_bytes::<Kept>(&bytes).ok();
    let fits =
        |kept: &Kept| kept.version == VERSION && kept.matches == matches && kept.tournament == ledger.fingerprint();
    Ok(kept.filter(fits).map(|kept| kept.analysis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;

    #[test]
    fn what_is_kept_is_what_would_be_computed_until_a_match_comes() {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::small();
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        ledger.append(&played[..3]).unwrap();
        let kept = Analysis::kept_of(&mut ledger).unwrap();
        assert_eq!(kept, Analysis::new(&ledger).unwrap());
        assert_eq!(Analysis::of(&ledger).unwrap(), kept);
        assert_eq!(kept.standings.played, 3);
        ledger.append(&played).unwrap();
        assert_eq!(Analysis::of(&ledger).unwrap().standings.played, 4);
    }
}
