//! Matches of many sources in one list: the bots, the deal, and the result.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use arena_engine::fault::Cause;
use arena_tournament::deals::{Deal, Scored, SeatResult};

use super::names::{Bots, Identity};

/// Maximum number of matches of all sources.
pub const MAX_MATCHES: usize = 20_000_000;

/// Date as a number, such as 20261122.
pub type Day = u32;

/// A tournament, or a file with results of other programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Name of the tournament, or path of the file.
    pub name: String,
    /// Path as given.
    pub path: String,
    /// Last day of play, if known.
    pub day: Option<Day>,
    /// True if the results decided when play ended. Such matches cannot show which bot is ahead.
    pub is_sequential: bool,
    /// Hash of the game, the rules and the number of seats. `None` if the points are not official ones.
    pub scale: Option<[u8; 32]>,
    /// Rank of each bot, by the rules of the tournament.
    pub ranks: Vec<(u32, usize)>,
    /// The series of the source's deals.
    pub series: u32,
}

/// A match to be added.
#[derive(Clone, Debug)]
pub struct Game<'a> {
    /// The series to which the deal belongs.
    pub series: u32,
    /// Number of the deal within the series.
    pub deal: u32,
    /// Round that was drawn from results, if any.
    pub round: Option<u32>,
    /// A number that distinguishes matches of the same bots on a deal.
    pub which: u32,
    /// Day of play, if known.
    pub day: Option<Day>,
    /// Bots by seat.
    pub bots: &'a [u32],
    /// Results by seat.
    pub seats: &'a [Seat],
}

/// Result of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    pub place: u8,
    pub has_failed: bool,
    pub points: i32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    series: u32,
    deal: u32,
    which: u32,
    day: Day,
    source: u32,
    round: u32,
    /// Index of the match's first seat, and the number of seats.
    first: u32,
    seats: u8,
}

/// All matches.
#[derive(Debug, Default)]
pub struct Pool {
    pub bots: Bots,
    pub sources: Vec<Source>,
    /// Series by the hash that identifies them.
    series: HashMap<[u8; 32], u32>,
    entries: Vec<Entry>,
    seats: Vec<(u32, Seat)>,
    /// Number of matches that were given more than once.
    pub repeated: u64,
    /// Number of matches that were left out, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// A state of a pool to which it can return.
pub struct Mark {
    entries: usize,
    seats: usize,
}

impl Pool {
    /// Returns the name of each source. Sources with the same name are told apart by their folders.
    pub fn source_names(&self) -> Vec<String> {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for source in &self.sources {
            *count.entry(&source.name).or_default() += 1;
        }
        let name = |source: &Source| match Path::new(&source.path).file_name() {
            Some(folder) if count[&*source.name] > 1 => folder.to_string_lossy().into_owned(),
            _ => source.name.clone(),
        };
        self.sources.iter().map(name).collect()
    }

    /// Returns the number of a bot, adding it if it is new.
    pub fn bot(&mut self, identity: Identity) -> Result<u32, String> {
        self.bots.number(identity)
    }

    /// Returns the number of a series, and `true` if the series is new.
    pub fn series(&mut self, key: [u8; 32]) -> (u32, bool) {
        let next = self.series.len() as u32;
        let number = *self.series.entry(key).or_insert(next);
        (number, number == next)
    }

    /// Adds a match of the last source.
    pub fn add(&mut self, game: &Game<'_>) -> Result<(), String> {
        if self.entries.len() >= MAX_MATCHES {
            return Err(format!("more than {MAX_MATCHES} matches"));
        }
        self.entries.push(Entry {
            series: game.series,
            deal: game.deal,
            which: game.which,
            day: game.day.unwrap_or_default(),
            source: self.sources.len() as u32 - 1,
            round: game.round.unwrap_or_default(),
            first: self.seats.len() as u32,
            seats: game.bots.len() as u8,
        });
        let seats = game.bots.iter().copied().zip(game.seats.iter().copied());
        self.seats.extend(seats);
        Ok(())
    }

    /// Counts matches that are left out for this reason.
    pub fn leave_out(&mut self, why: &'static str, matches: u64) {
        if matches > 0 {
            *self.left_out.entry(why).or_default() += matches;
        }
    }

    /// Returns the current state, before another source is read.
    pub fn mark(&self) -> Mark {
        Mark {
            entries: self.entries.len(),
            seats: self.seats.len(),
        }
    }

    /// Moves the matches since the mark to another series.
    pub fn move_to(&mut self, mark: &Mark, series: u32) {
        let added = &mut self.entries[mark.entries..];
        added.iter_mut().for_each(|entry| entry.series = series);
    }

    /// Removes the matches since the mark, because they had been read before.
    pub fn take_back(&mut self, mark: &Mark) {
        self.repeated += (self.entries.len() - mark.entries) as u64;
        self.entries.truncate(mark.entries);
        self.seats.truncate(mark.seats);
    }

    fn of(&self, entry: &Entry) -> &[(u32, Seat)] {
        let first = entry.first as usize;
        &self.seats[first..first + usize::from(entry.seats)]
    }

    /// Sorts the matches by deal. Removes matches that were given more than once, and matches of unwanted bots. If `since` is given, also
    /// removes matches before that day and matches without a date.
    pub fn arrange(&mut self, since: Option<Day>, is_wanted: impl Fn(u32) -> bool) {
        let mut entries = std::mem::take(&mut self.entries);
        let [mut undated, mut early, mut others, mut own] = [0; 4];
        entries.retain(|entry| {
            let seats = self.of(entry);
            let all = seats.iter().all(|(bot, _)| is_wanted(*bot));
            let met = seats.iter().any(|(bot, _)| *bot != seats[0].0);
            let has_day = since.is_none() || entry.day > 0;
            let is_late = entry.day >= since.unwrap_or_default();
            others += u64::from(!all);
            own += u64::from(all && !met);
            undated += u64::from(all && met && !has_day);
            early += u64::from(all && met && has_day && !is_late);
            all && met && has_day && is_late
        });
        entries.sort_unstable_by(|one, other| {
            let bots = |entry| self.of(entry).iter().map(|(bot, _)| *bot);
            (one.series, one.deal)
                .cmp(&(other.series, other.deal))
                .then_with(|| bots(one).cmp(bots(other)))
                .then_with(|| (one.which, one.source).cmp(&(other.which, other.source)))
        });
        let before = entries.len();
        entries.dedup_by(|one, other| {
            let key = |entry: &Entry| (entry.series, entry.deal, entry.which);
            let same = key(one) == key(other) && self.of(one).iter().eq(self.of(other));
            if same {
                other.day = other.day.max(one.day);
            }
            same
        });
        self.repeated += (before - entries.len()) as u64;
        self.entries = entries;
        self.leave_out("with other bots", others);
        self.leave_out("of a bot against itself", own);
        self.leave_out("without a date", undated);
        self.leave_out("before that date", early);
    }

    /// Returns the number of matches.
    pub fn matches(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if all points are official ones of the same game, rules and number of seats.
    pub fn has_one_scale(&self) -> bool {
        let sources: BTreeSet<u32> = self.entries.iter().map(|entry| entry.source).collect();
        let mut scales = sources.iter().map(|at| self.sources[*at as usize].scale);
        let first = scales.next().flatten();
        first.is_some() && scales.all(|scale| scale == first)
    }

    /// Iterates over the matches of each deal, in order.
    pub fn deals(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = self.entries.get(next)?;
            let here = (first.series, first.deal);
            let rest = self.entries[next..].iter();
            let size = rest.take_while(|entry| (entry.series, entry.deal) == here);
            let range = next..next + size.count();
            next = range.end;
            Some(range)
        })
    }

    /// Iterates over these matches, each with its source and its seats.
    pub fn each(&self, range: Range<usize>) -> impl Iterator<Item = (u32, &[(u32, Seat)])> {
        let entries = self.entries[range].iter();
        entries.map(|entry| (entry.source, self.of(entry)))
    }

    /// Returns the last day on which a deal was played; `None` if a match has no date.
    pub fn day(&self, range: Range<usize>) -> Option<Day> {
        let days = self.entries[range].iter().map(|entry| entry.day);
        days.clone().all(|day| day > 0).then(|| days.max())?
    }

    /// Returns the round of a deal if it was drawn from results, as a number that is unique among all sources.
    pub fn round(&self, range: Range<usize>) -> Option<u32> {
        let first = &self.entries[range.start];
        (first.round > 0).then_some((first.series << 12) | (first.round & 0xfff))
    }

    /// Returns a deal for statistics, with the matches between bots that have a local number. Without official points, the half-points
    /// against all other seats are used.
    pub fn deal(
        &self,
        range: Range<usize>,
        number: u32,
        local: &dyn Fn(u32) -> Option<usize>,
        is_official: bool,
    ) -> Deal {
        let scored = |entry: &Entry| {
            let bots = self.of(entry).iter().map(|(bot, _)| local(*bot));
            let bots: Vec<usize> = bots.collect::<Option<_>>()?;
            let seats: Vec<SeatResult> = self
                .of(entry)
                .iter()
                .map(|(_, seat)| seated(*seat))
                .collect();
            Some(Scored {
                deal: number,
                bots,
                seats: if is_official { seats } else { by_score(&seats) },
                transcript: entry.which,
            })
        };
        Deal::pooled(
            number,
            self.entries[range].iter().filter_map(scored).collect(),
        )
    }

    /// Returns the number of a deal for statistics: its number within the series, plus `before`, the number of deals of all earlier series.
    pub fn number(&self, range: &Range<usize>, before: u64) -> u32 {
        ((before + u64::from(self.entries[range.start].deal)) % 1_000_000_000) as u32
    }

    /// Returns the series and the number of a deal.
    pub fn place(&self, range: &Range<usize>) -> (u32, u32) {
        let first = &self.entries[range.start];
        (first.series, first.deal)
    }
}

pub(super) fn seated(seat: Seat) -> SeatResult {
    SeatResult {
        place: seat.place,
        points: seat.points,
        fault: seat.has_failed.then_some(Cause::Crash),
        counts: Vec::new(),
    }
}

/// Replaces the points by half-points against every other seat.
fn by_score(seats: &[SeatResult]) -> Vec<SeatResult> {
    let halves = |(mine, seat): (usize, &SeatResult)| {
        let others = seats.iter().enumerate().filter(|(other, _)| *other != mine);
        let halves =
            others.filter_map(|(_, other)| arena_tournament::deals::versus(seat, other).halves());
        SeatResult {
            points: halves.sum::<u32>() as i32,
            ..seat.clone()
        }
    };
    seats.iter().enumerate().map(halves).collect()
}
