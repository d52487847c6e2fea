//! All results of a tournament: standings, placings, ratings, pairs, forfeits, and warnings.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_tournament::placings::Placings;
use arena_tournament::rounds::{Pairing, Round};
use serde::Serialize;

use crate::noted::{self, Sums};
use arena_ledger::about::Pauses;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_statistics::carryover::{Carryover, Carryovers};
use arena_statistics::identical::{Copies, Identical, Transcripts};
use arena_statistics::pair::Pair;
use arena_statistics::rating::Ratings;
use arena_statistics::standings::{Ranked, Standings, Tally};

/// All results of a tournament. In JSON, the fields of `standings` are merged into the object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The official standings.
    #[serde(flatten)]
    pub standings: Standings,
    /// Names of the bots, in order of the tournament file. In pairs, `first` and `second` are indices into this list, from 0.
    pub bots: Vec<String>,
    /// Order by the rules of the format; omitted if the format has no order of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placings: Option<Placings<String>>,
    /// Finished rounds and the next one, with their pairings; omitted for formats without rounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// Strengths of the bots.
    pub ratings: Ratings,
    /// Pairs of bots that met or are compared, and which of the two is ahead.
    pub pairs: Vec<Pair>,
    /// Bots that played identical matches. Such matches add less information than their number suggests.
    pub identical: Vec<Identical>,
    /// Sets of bots that play exactly alike and have the same results.
    pub copies: Vec<Vec<String>>,
    /// Bots that score more when a deal is repeated (p < 0.01), so they may carry knowledge between matches.
    pub carryover: Vec<Carryover>,
    /// Sums of the numbers in notes that are JSON objects, by bot with `network = true`; omitted if empty.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub noted: BTreeMap<String, Sums>,
    /// Pauses that bots have asked for, by bot; omitted if empty.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pauses: BTreeMap<String, Pauses>,
    /// Random seed, shown only on the terminal of the tournament's director.
    #[serde(skip)]
    pub seed: Seed,
    /// Bots that did not enter; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Absent>,
    /// Number of saved matches that were lost when the ledger was damaged; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
}

/// Bot that did not enter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Absent {
    /// Name of the bot.
    pub bot: String,
    /// Reason; null if bots have pseudonyms, because it may quote the bot or name its folder.
    pub why: Option<String>,
}

impl Analysis {
    /// Analyses the matches of a ledger in one pass.
    pub fn from_ledger(ledger: &Ledger) -> Result<Self, LedgerError> {
        let spec = ledger.spec();
        let mut tally = Tally::new(spec);
        let mut transcripts = Transcripts::default();
        let mut copies = Copies::new(spec.bots.len());
        let mut carryovers = Carryovers::new(spec);
        // Only formats with rounds need the blocks.
        let mut blocks = spec.plan.format.draws_rounds().then(Vec::new);
        ledger.deals(|deal| {
            tally.add(deal);
            transcripts.add(deal);
            copies.add(deal);
            carryovers.add(deal);
            if let Some(blocks) = &mut blocks {
                blocks.extend(deal.finished_blocks().cloned());
            }
            Ok::<_, LedgerError>(())
        })?;
        let blocks = blocks.unwrap_or_default();
        let mut placings = spec.placings(&blocks);
        let mut rounds = spec.rounds_drawn(&blocks);
        let bots = spec.names();
        let named = spec.left_out.iter().filter(|bot| !bot.name.is_empty());
        let left_out = named.map(|bot| Absent {
            bot: bot.name.clone(),
            why: (!spec.pseudonyms).then(|| bot.why.clone()),
        });
        let Ranked {
            standings,
            ratings,
            pairs,
        } = tally.ranked(placings.as_ref(), spec.anchor());
        let mut rows = standings.standings.iter();
        if let Some(placings) = &mut placings
            && rows.all(|row| row.forfeits.total == row.matches)
        {
            // If all bots forfeited, nobody has won, whatever the seeding says.
            placings.leader = None;
            placings.notes.clear();
            placings
                .bracket
                .last_mut()
                .into_iter()
                .for_each(|last| last.fill(None));
            let pairings = rounds.iter_mut().flat_map(|round| &mut round.pairings);
            pairings.for_each(|pairing| (pairing.winner, pairing.tie_break) = (None, None));
        }
        let results = |bot: usize| {
            let row = standings.standings.iter().find(|row| row.bot == bots[bot]);
            row.map(|row| (row.matches, row.points))
        };
        let copies = copies.sets(results).into_iter();
        let named = |set: Vec<usize>| set.into_iter().map(|bot| bots[bot].clone()).collect();
        Ok(Self {
            ratings,
            standings,
            placings: placings.map(|placings| placings.named(&bots)),
            rounds,
            pairs,
            identical: transcripts.warnings(&bots),
            copies: copies.map(named).collect(),
            carryover: carryovers.warnings(),
            bots,
            noted: noted::sums(ledger)?,
            pauses: ledger.pauses().clone(),
            seed: spec.plan.seed,
            left_out: left_out.collect(),
            missing: ledger.missing()?.filter(|missing| *missing > 0),
        })
    }

    /// Returns the round that is about to begin, once the previous one is finished.
    pub fn next_round(&self) -> Option<&Round> {
        let last = self.rounds.last()?;
        let begun = |pairing: &Pairing| pairing.score != [0.0; 2];
        (last.round > 1 && !last.pairings.iter().any(begun) && !last.finished).then_some(last)
    }

    /// Returns the pairing of a bot in a finished round, counted from 0, and the bot's side of it.
    pub(crate) fn pairing_in(&self, round: usize, bot: &str) -> Option<(&Pairing, usize)> {
        let round = self.rounds.get(round).filter(|round| round.finished)?;
        round.pairings.iter().find_map(|pairing| {
            let side = pairing.bots.iter().position(|one| one == bot)?;
            Some((pairing, side))
        })
    }

    /// Returns the index of the bot with this name.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.bots.iter().position(|bot| bot == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;
    use arena_tournament::spec::LeftOut;

    #[test]
    fn who_did_not_enter_is_in_the_json_and_reasons_do_not_reveal_authors() {
        let folder = tempfile::tempdir().unwrap();
        for pseudonyms in [false, true] {
            let (mut spec, _) = sample::cup(&["owl", "emu"], 2);
            spec.pseudonyms = pseudonyms;
            for (name, why) in [
                ("dodo", "dora's build failed"),
                ("", "not in the roster: z"),
            ] {
                spec.left_out.push(LeftOut {
                    name: name.into(),
                    why: why.into(),
                    ..LeftOut::default()
                });
            }
            let ledger = Ledger::create(&folder.path().join(pseudonyms.to_string()), &spec);
            let analysis = Analysis::from_ledger(&ledger.unwrap()).unwrap();
            let json = serde_json::to_value(&analysis).unwrap();
            let why = (!pseudonyms).then_some("dora's build failed");
            let expected = serde_json::json!([{"bot": "dodo", "why": why}]);
            assert_eq!(json["left_out"], expected);
        }
    }
}
