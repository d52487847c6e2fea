//! What is stored of a match: a short row with its result, enough for standings, ratings and all statistics, and the match itself.
//!
//! A match is stored in few bytes: replies as the game's own types, without names. Whatever does not come back the same from that is
//! stored as the JSON that it is: a reply, or else the whole match.

use std::io;

use arena_engine::by_name;
use arena_engine::fault::Fault;
use arena_engine::game::Game;
use arena_engine::outcome::{Breakdown, Ended, Outcome, Score, Verdict};
use arena_engine::record::{Record, RecordOf};
use arena_engine::seat::{BySeat, Seat};
use arena_tournament::deals::{Scored, Seated};
use arena_tournament::played::{Evidence, Note, Played, Times, Void};
use arena_tournament::record_text::{Compact, replied};
use arena_tournament::spec::Spec;
use serde::Deserialize;
use serde_json::Value;
use zstd::bulk::{Compressor, Decompressor};

use crate::error::LedgerError;
use crate::file::FILE;

/// Where a match stands among the rows: the bots in their seats, as indices. Compared as bytes, keys are in the order of
/// the bots.
pub fn key(bots: &[usize]) -> Vec<u8> {
    bots.iter()
        .flat_map(|bot| (*bot as u16).to_be_bytes())
        .collect()
}

/// The bots of a key.
pub fn bots(key: &[u8]) -> Vec<usize> {
    key.chunks_exact(2)
        .map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])))
        .collect()
}

/// The result of a match as bytes.
pub fn seats(played: &Played) -> Vec<u8> {
    let transcript = crc32fast::hash(played.record.as_bytes());
    // Only a type that cannot be written would fail.
    postcard::to_allocvec(&(transcript, Seated::all(&played.verdict)))
        .expect("seats are numbers and lists")
}

/// Reads a row, if its sum is right.
pub fn scored(
    deal: u32,
    key: &[u8],
    seats: &[u8],
    record: i64,
    sum: u32,
) -> Result<Scored, LedgerError> {
    let damaged = || LedgerError::Damaged(format!("a row of deal {deal}"));
    if sum != self::sum(deal, key, seats, record) {
        return Err(damaged());
    }
    let (transcript, seats) = postcard::from_bytes(seats).map_err(|_| damaged())?;
    Ok(Scored {
        deal,
        bots: bots(key),
        seats,
        transcript,
    })
}

/// The CRC-32 of a row, which shows whether it was changed by anything but this program.
pub fn sum(deal: u32, key: &[u8], seats: &[u8], record: i64) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&deal.to_le_bytes());
    sum.update(key);
    sum.update(seats);
    sum.update(&record.to_le_bytes());
    sum.finalize()
}

/// The level of compression; higher ones gain nothing on texts as short as these.
const LEVEL: i32 = 1;
/// The longest match, in bytes; nothing that a bot may send comes near it.
const LONGEST: usize = 1 << 30;
/// What follows in an entry: JSON, or a match in few bytes.
const JSON: u8 = 0;
const TYPED: u8 = 1;

/// The entry that holds this JSON.
pub fn of_json(text: &[u8]) -> Result<Vec<u8>, LedgerError> {
    pack(JSON, text, &mut Compressor::new(LEVEL)).map_err(failed)
}

/// The text of an entry that holds JSON.
pub fn json(entry: &[u8]) -> Option<Vec<u8>> {
    let (kind, text) = unpack(entry, &mut Decompressor::new().ok()?)?;
    (kind == JSON).then_some(text)
}

/// An entry: the CRC-32 of what follows, its kind, its length, and what zstd makes of it.
fn pack(kind: u8, bytes: &[u8], with: &mut io::Result<Compressor<'_>>) -> io::Result<Vec<u8>> {
    let with = with
        .as_mut()
        .map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
    let mut body = vec![kind];
    body.extend((bytes.len() as u32).to_le_bytes());
    body.extend(with.compress(bytes)?);
    let mut entry = crc32fast::hash(&body).to_le_bytes().to_vec();
    entry.extend(body);
    Ok(entry)
}

fn unpack(entry: &[u8], with: &mut Decompressor<'_>) -> Option<(u8, Vec<u8>)> {
    let (sum, body) = entry.split_first_chunk()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (kind, rest) = body.split_first()?;
    let (length, packed) = rest.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    Some((*kind, with.decompress(packed, length.min(LONGEST)).ok()?))
}

fn failed(error: io::Error) -> LedgerError {
    LedgerError::File(FILE.into(), error)
}

/// Writes the entries of a tournament's finished matches.
pub fn writer(spec: &Spec) -> impl FnMut(&Played) -> Result<Vec<u8>, LedgerError> {
    let plan = &spec.plan;
    let heading = by_name!(plan.game, G => heading::<G>(&plan.rules))
        .flatten()
        .unwrap_or_default();
    let mut compressor = Compressor::new(LEVEL);
    move |played| match by_name!(plan.game, G => typed::<G>(played, &plan.rules, &heading))
        .flatten()
    {
        Some(bytes) => pack(TYPED, &bytes, &mut compressor).map_err(failed),
        None => pack(JSON, &serde_json::to_vec(played)?, &mut compressor).map_err(failed),
    }
}

/// Reads the entries of a tournament's matches.
pub struct Reader {
    game: String,
    rules: Value,
    decompressor: Decompressor<'static>,
}

impl Reader {
    /// For the matches of this tournament.
    pub fn new(spec: &Spec) -> Result<Self, LedgerError> {
        let (game, rules) = (spec.plan.game.clone(), spec.plan.rules.clone());
        Ok(Self {
            game,
            rules,
            decompressor: Decompressor::new().map_err(failed)?,
        })
    }

    /// The match in an entry; none if there is none.
    pub fn read(&mut self, entry: &[u8]) -> Option<Played> {
        match unpack(entry, &mut self.decompressor)? {
            (JSON, text) => serde_json::from_slice(&text).ok(),
            (TYPED, bytes) => by_name!(self.game, G => untyped::<G>(&bytes, &self.rules)).flatten(),
            _ => None,
        }
    }
}

/// A match without what follows from its tournament: deal, bots, record, scores, end, faults, and all that `Played` has beside its
/// record and its verdict.
type Typed = (
    u32,
    Vec<String>,
    Compact,
    Ending,
    (Vec<Note>, Vec<Evidence>, Vec<Void>, Times),
);
/// The scores as place, points and counts, then how the match ended, and the faults.
type Ending = (Vec<(u8, i32, Vec<i32>)>, Ended, BySeat<Option<Fault>>);

/// The beginnings of the records of a tournament's matches, but for their numbers of seats.
fn heading<G: Game>(rules: &Value) -> Option<String> {
    let rules = serde_json::to_string(&G::Rules::deserialize(rules).ok()?).ok()?;
    Some(format!(
        r#"{{"game":"{}","rules_version":{},"rules":{rules},"seats":"#,
        G::NAME,
        G::RULES_VERSION
    ))
}

/// A match in few bytes; none if it would not come back the same.
fn typed<G: Game>(played: &Played, rules: &Value, heading: &str) -> Option<Vec<u8>> {
    let Played {
        deal,
        bots,
        record,
        verdict,
        notes,
        evidence,
        voids,
        times,
    } = played;
    let score = |score: &Score| {
        (
            score.place,
            score.points,
            score.breakdown.iter().map(|(_, count)| count).collect(),
        )
    };
    let ending: Ending = (
        verdict.outcome.seats.iter().map(score).collect(),
        verdict.ended,
        verdict.faults.clone(),
    );
    let bytes = |compact: &Compact| {
        let rest = (notes, evidence, voids, times);
        postcard::to_allocvec(&(deal, bots, compact, &ending, rest)).ok()
    };
    let seats = record
        .strip_prefix(heading)
        .and_then(|rest| rest.split_once(','))
        .map(|(seats, _)| seats);
    match record
        .compact()
        .filter(|_| seats == Some(&bots.len().to_string()))
    {
        Some(compact) => {
            bytes(compact).filter(|_| self::verdict::<G>(ending).as_ref() == Some(verdict))
        }
        // Text from elsewhere may be written otherwise.
        None => {
            let record: RecordOf<G> = serde_json::from_str(record).ok()?;
            bytes(&Compact::of(&record)?)
                .filter(|bytes| untyped::<G>(bytes, rules).as_ref() == Some(played))
        }
    }
}

fn untyped<G: Game>(bytes: &[u8], rules: &Value) -> Option<Played> {
    let (deal, bots, Compact(rules_version, seed, replies), ending, rest): Typed =
        postcard::from_bytes(bytes).ok()?;
    let (rules, seats) = (G::Rules::deserialize(rules).ok()?, bots.len());
    let replies = replies
        .iter()
        .map(|bytes| replied(bytes))
        .collect::<Option<Vec<_>>>()?;
    let record: RecordOf<G> = Record {
        game: G::NAME.into(),
        rules_version,
        rules,
        seats,
        seed,
        replies,
    };
    let (notes, evidence, voids, times) = rest;
    let record = serde_json::to_string(&record).ok()?.into();
    let verdict = verdict::<G>(ending)?;
    Some(Played {
        deal,
        bots,
        record,
        verdict,
        notes,
        evidence,
        voids,
        times,
    })
}

/// The verdict, if it is one of the game.
fn verdict<G: Game>((scores, ended, faults): Ending) -> Option<Verdict> {
    let is_known = |(_, _, counts): &(u8, i32, Vec<i32>)| counts.len() == G::SCORING.len();
    if scores.len() != faults.len() || !scores.iter().all(is_known) {
        return None;
    }
    let score = |seat: Seat| {
        let (place, points, counts) = &scores[seat.index()];
        Score {
            place: *place,
            points: *points,
            breakdown: Breakdown::new(G::SCORING, counts),
        }
    };
    Some(Verdict {
        outcome: Outcome {
            seats: BySeat::new(scores.len(), score),
        },
        ended,
        faults,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::chance::Seed;
    use arena_engine::games::NAMES;
    use arena_engine::machine::Match;
    use arena_engine::record::Reply;
    use arena_tournament::record_text::RecordText;
    use arena_tournament::sample;

    /// A tournament of a game, and a match of it with actions that were drawn.
    fn drawn<G: Game>() -> (Spec, Played) {
        let seats = *G::SEATS.start();
        let names = &["ann", "bob", "cem", "dan", "eve"][..seats];
        let mut spec = sample::tournament(names, seats, 1);
        (spec.plan.game, spec.plan.rules) = (
            G::NAME.into(),
            serde_json::to_value(G::Rules::default()).unwrap(),
        );
        let seed = spec.deal_seed(1);
        let mut chance = seed.stream("players", 1);
        let mut table = Match::<G>::new(&Default::default(), seats, seed).unwrap();
        while !table.is_over() {
            for seat in table.to_act() {
                table
                    .reply(seat, Reply::Act(table.game().sample(seat, &mut chance)))
                    .unwrap();
            }
        }
        let finished = table.finish().unwrap();
        let record = RecordText::of(&finished.record).unwrap();
        (
            spec,
            Played {
                record,
                ..sample::decided(1, names, finished.verdict)
            },
        )
    }

    /// What is in a ledger today can be read tomorrow: a change of the order of a game's actions, or of how a match is stored, must
    /// raise the ledger's format. The sums are of matches of games in the order of the list; add that of a new game.
    #[test]
    fn matches_of_all_games_are_stored_as_ever() {
        let sums = [1_214_279_042, 3_295_230_706, 1_195_604_866, 2_224_402_176];
        for (at, name) in NAMES.iter().enumerate() {
            let (spec, played) = by_name!(name, G => drawn::<G>()).unwrap();
            let entry = writer(&spec)(&played).unwrap();
            assert_eq!(
                Reader::new(&spec).unwrap().read(&entry),
                Some(played.clone()),
                "{name}"
            );
            let text_only = Played {
                record: played.record.to_string().into(),
                ..played.clone()
            };
            assert_eq!(writer(&spec)(&text_only).unwrap(), entry, "{name}");
            let (kind, bytes) = unpack(&entry, &mut Decompressor::new().unwrap()).unwrap();
            if let Some(sum) = sums.get(at) {
                assert_eq!((kind, crc32fast::hash(&bytes)), (TYPED, *sum), "{name}");
                assert!(
                    entry.len() * 2 < played.record.len(),
                    "{name}: {} of {}",
                    entry.len(),
                    played.record.len()
                );
            }
        }
    }

    #[test]
    fn what_is_no_match_of_the_game_is_stored_as_it_is() {
        let (mut spec, played) = sample::small();
        let decided = sample::decided(1, &["ann", "bob"], played[0].verdict.clone());
        spec.plan.rules = Value::Null;
        for game in ["coda", "no such game"] {
            spec.plan.game = game.into();
            for one in [&played[0], &decided] {
                let entry = writer(&spec)(one).unwrap();
                assert_eq!(
                    (entry[4], Reader::new(&spec).unwrap().read(&entry).as_ref()),
                    (JSON, Some(one))
                );
            }
        }
    }

    #[test]
    fn nothing_that_is_read_panics() {
        let (spec, played) = sample::small();
        let mut reader = Reader::new(&spec).unwrap();
        let rules = &spec.plan.rules;
        let mut chance = Seed::try_from(3).unwrap().stream("bytes", 0);
        let bytes = typed::<arena_engine::games::coda::Coda>(&played[0], rules, "").unwrap();
        for _ in 0..20_000 {
            let mut changed = bytes.clone();
            (0..=chance.below(3)).for_each(|_| {
                let at = chance.below(changed.len() as u32) as usize;
                changed[at] = chance.below(256) as u8;
            });
            changed.truncate(chance.below(changed.len() as u32 + 1) as usize);
            let _ = untyped::<arena_engine::games::coda::Coda>(&changed, rules);
            let _ = reader.read(&changed);
        }
    }
}
