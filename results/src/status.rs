//! Status of all bots in a tournament: the entry and version of bots that play, the reasons why others do not, and forfeits in the last
//! run.

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_statistics::elo::Elo;
use arena_statistics::rating::Ratings;
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use serde::Serialize;

use crate::table::{self, Column, NOTHING, Table};
use crate::text;

/// Number of digits shown of a hash.
const DIGITS: usize = 8;
/// Head of the column of reasons.
const OUT: &str = "out";

/// Status of all bots in a tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Name of the tournament.
    pub tournament: String,
    /// Day (UTC) of the last run; null before the first.
    pub last_run: Option<String>,
    /// Bots that have entered, in their order, then those that are left out.
    pub bots: Vec<Member>,
}

/// Status of one bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Name of the bot; null for a folder that the roster does not name.
    pub bot: Option<String>,
    /// True if the bot takes part.
    pub plays: bool,
    /// Day (UTC) on which the bot's version entered.
    pub since: Option<String>,
    /// Start of the hash of the bot's files; null for a built-in bot.
    pub version: Option<String>,
    /// Number of the bot's matches in the last run.
    pub matches: u64,
    /// Number of the bot's forfeits in the last run.
    pub forfeits: u64,
    /// Elo of the bot by all matches so far; null if unknown.
    pub elo: Option<Elo>,
    /// Reason that the bot, or a newer version of it, does not play.
    pub why: Option<String>,
}

impl Status {
    /// Reads the status of all bots from a ledger.
    pub fn from_ledger(ledger: &Ledger) -> Result<Self, LedgerError> {
        let spec = ledger.spec();
        let last = ledger.last_run()?;
        let mut bots: Vec<Member> = Vec::new();
        for (number, bot) in spec.bots.iter().enumerate() {
            bots.push(Member {
                matches: last.as_ref().map_or(0, |last| last.matches[number]),
                forfeits: last.as_ref().map_or(0, |last| last.forfeits[number]),
                ..Member::entered(bot, ledger)
            });
        }
        bots.extend(spec.left_out.iter().map(|bot| Member {
            bot: Some(bot.name.clone()).filter(|name| !name.is_empty()),
            plays: false,
            since: None,
            version: None,
            matches: 0,
            forfeits: 0,
            elo: None,
            why: Some(bot.why.clone()),
        }));
        Ok(Self {
            tournament: spec.name.clone(),
            last_run: last.map(|last| last.day),
            bots,
        })
    }

    /// Adds the ratings of the bots.
    pub fn rate(&mut self, ratings: &Ratings) {
        for member in &mut self.bots {
            let mut rated = ratings.bots.iter();
            let rating = rated.find(|one| Some(&one.bot) == member.bot.as_ref());
            member.elo = rating.and_then(|rating| rating.elo);
        }
    }

    /// Removes everything that is not public: reasons, which may quote files and folders, and hashes of files if bots
    /// have pseudonyms.
    pub fn public(mut self, has_pseudonyms: bool) -> Self {
        self.bots.retain(|member| member.bot.is_some());
        for member in &mut self.bots {
            let state = if member.since.is_some() {
                "withdrawn"
            } else {
                "does not play"
            };
            member.why = (!member.plays).then(|| state.to_owned());
            if has_pseudonyms {
                member.version = None;
            }
        }
        self
    }

    /// Formats the status as a table for a terminal of this width.
    pub fn in_words(&self, width: usize) -> String {
        let plays = self.bots.iter().filter(|member| member.plays).count();
        let last = match &self.last_run {
            Some(day) => format!("last run {day} (UTC)"),
            None => "not played yet".into(),
        };
        let tournament = clean(&self.tournament);
        let mut table = self.table();
        // The reasons need complete lines, so their column is dropped, if there is one.
        table.columns.retain(|column| column.head != OUT);
        let table = text::fit(&table.columns, width);
        let count = self.bots.len();
        let reasons = self.bots.iter().filter_map(|member| {
            let why = member.reason()?;
            Some(match &member.bot {
                Some(bot) => format!("{}: {why}", clean(bot)),
                None => why,
            })
        });
        let reasons = text::lines(&reasons.collect::<Vec<_>>(), width);
        format!("{tournament}: {plays} of {count} play, {last}\n\n{table}\n{reasons}")
    }

    /// Returns a table with one row per bot.
    pub(crate) fn table(&self) -> Table {
        let cells = |cell: &dyn Fn(&Member) -> Option<String>| {
            let cells = self.bots.iter().map(cell);
            cells
                .map(|cell| cell.unwrap_or_else(|| NOTHING.into()))
                .collect::<Vec<String>>()
        };
        let forfeits = |member: &Member| {
            let Member {
                matches, forfeits, ..
            } = member;
            (*matches > 0).then(|| format!("{forfeits} of {matches}"))
        };
        let mut columns = vec![
            Column::name("bot", cells(&|member| member.bot.as_deref().map(clean))),
            Column::mark("since", cells(&|member| member.since.clone())),
            Column::mark("version", cells(&|member| member.version.clone())),
            Column::number("forfeits", cells(&forfeits)),
            Column::name(OUT, cells(&Member::reason)),
        ];
        if self.bots.iter().any(|member| member.elo.is_some()) {
            let elo = |member: &Member| member.elo.map(|elo| table::elo(Some(elo)));
            columns.insert(4, Column::number("Elo", cells(&elo)));
        }
        columns.retain(|column| {
            column.head == "bot" || column.cells.iter().any(|cell| cell != NOTHING)
        });
        Table {
            columns,
            notes: Vec::new(),
        }
    }
}

impl Member {
    /// Returns the first line of the reason why the bot or its newer version does not play.
    fn reason(&self) -> Option<String> {
        let why = self.why.as_ref()?;
        let line = why.lines().find(|line| !line.trim().is_empty())?;
        Some(if self.plays {
            format!("newer version: {line}")
        } else {
            line.to_owned()
        })
    }

    /// Returns the status of a bot that has entered, with its matches not counted yet.
    fn entered(bot: &Entrant, ledger: &Ledger) -> Self {
        let withdrawn = bot.withdrawn.map(|_| "withdrawn".to_owned());
        Self {
            bot: Some(bot.name.clone()),
            plays: bot.withdrawn.is_none(),
            since: ledger
                .version(&bot.name)
                .map(|version| version.since.clone()),
            version: bot
                .sources()
                .map(|hash| hash.chars().take(DIGITS).collect()),
            matches: 0,
            forfeits: 0,
            elo: None,
            why: withdrawn.or_else(|| bot.refused.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::entrant::{HashedFile, SOURCES};
    use arena_tournament::sample;
    use arena_tournament::spec::LeftOut;

    #[test]
    fn everyone_has_a_row_and_the_public_sees_no_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let (mut spec, all) = sample::cup(&["ann", "bob", "cy"], 4);
        spec.bots[0].files.push(HashedFile {
            file: SOURCES.into(),
            sha256: "0123456789abcdef".into(),
        });
        spec.bots[1].refused = Some("`make` failed\n/home/ann".into());
        spec.bots[2].withdrawn = Some(1);
        for (name, why) in [
            ("dora", "there is no bot.toml in /home/dora"),
            ("", "not in the roster: /home/emil"),
        ] {
            spec.left_out.push(LeftOut {
                name: name.into(),
                why: why.into(),
                ..LeftOut::default()
            });
        }
        let mut ledger = Ledger::create(folder.path(), &spec).unwrap();
        let (first, later) = all.split_at(all.len() / 2);
        ledger.append(first).unwrap();
        ledger.begin_run().unwrap();
        ledger.append(later).unwrap();
        let mut status = Status::from_ledger(&ledger).unwrap();
        let seats: usize = later.iter().map(|played| played.bots.len()).sum();
        let matches: u64 = status.bots.iter().map(|member| member.matches).sum();
        assert_eq!(matches, seats as u64);
        let text = status.in_words(80);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        for part in [
            ": 2 of 5 play, last run ",
            "01234567",
            "newer version: `make` failed",
            "withdrawn",
            "not in the roster",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let public = crate::json::document(status.clone().public(true)).unwrap();
        for secret in ["home", "make", "0123", "emil"] {
            assert!(!public.contains(secret), "{secret}: {public}");
        }
        assert!(public.contains("does not play"), "{public}");
        // If nobody is out, no other column is dropped.
        status.bots.iter_mut().for_each(|member| member.why = None);
        assert!(status.in_words(80).contains("forfeits"));
    }
}
