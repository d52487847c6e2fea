//! Reads results from CSV, in the dialects that spreadsheets write. Each row is a game of two bots, or a seat of a match, as in the arena's
//! own exports.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::lines::{self, Lines};
use super::names::Identity;
use super::pool::{Day, Game, Pool, Seat};

/// Maximum number of seats of a match.
const MAX_SEATS: usize = 64;

/// The columns that are read. Others are ignored.
const COLUMNS: [&str; 11] = [
    "a", "b", "result", "match", "id", "deal", "bot", "place", "points", "fault", "date",
];

/// The cells of a row, each with its position in the line.
type Cells = Vec<(usize, String)>;

/// The positions of the known columns in a row.
struct Header {
    separator: u8,
    width: usize,
    columns: HashMap<&'static str, usize>,
    /// True if an apostrophe precedes texts that a spreadsheet would take for formulas.
    is_export: bool,
}

impl Header {
    fn cell<'a>(&self, cells: &'a Cells, name: &str) -> Option<&'a (usize, String)> {
        let cell = cells.get(*self.columns.get(name)?)?;
        (!cell.1.is_empty()).then_some(cell)
    }

    fn must<'a>(
        &self,
        lines: &Lines,
        cells: &'a Cells,
        name: &str,
    ) -> Result<&'a (usize, String), String> {
        self.cell(cells, name).ok_or_else(|| {
            let at = self.columns.get(name).and_then(|column| cells.get(*column));
            lines.wrong(
                at.map_or(0, |(at, _)| *at),
                &format!("the cell of the column {name} is empty"),
            )
        })
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.columns.contains_key(name))
    }
}

/// Reads all rows of a file into the pool, as deals of a series.
pub fn read(lines: &mut Lines, series: u32, pool: &mut Pool) -> Result<(), String> {
    let header = header(lines)?;
    let mut deals = Deals::default();
    if header.has(&["a", "b", "result"]) {
        while let Some(cells) = row(lines, &header)? {
            duel(lines, &header, &cells, (series, &mut deals), pool)?;
        }
        return Ok(());
    }
    seats(lines, &header, (series, &mut deals), pool)
}

/// Reads pairs of names, in the columns `old` and `new`.
pub fn aliases(lines: &mut Lines) -> Result<Vec<(String, String)>, String> {
    let Some(first) = lines.whole()? else {
        return Err(lines.wrong(0, "the file is empty: its first line is old,new"));
    };
    let separator = separator(&first);
    let names: Vec<String> = cells(lines, &first, separator)?
        .into_iter()
        .map(|cell| cell.1.to_lowercase())
        .collect();
    let column = |name: &str| names.iter().position(|column| column == name);
    let (Some(old), Some(new)) = (column("old"), column("new")) else {
        return Err(lines.wrong(0, "the first line names the columns old and new"));
    };
    let mut pairs = Vec::new();
    while let Some(line) = lines.whole()? {
        if line.trim().is_empty() {
            continue;
        }
        let cells = cells(lines, &line, separator)?;
        let cell = |column: usize| match cells.get(column) {
            Some((_, name)) if !name.is_empty() => Ok(name.clone()),
            at => Err(lines.wrong(
                at.map_or(line.len(), |(at, _)| *at),
                "a line needs both names, old and new",
            )),
        };
        pairs.push((cell(old)?, cell(new)?));
    }
    Ok(pairs)
}

fn header(lines: &mut Lines) -> Result<Header, String> {
    let mut first = lines.whole()?;
    if first
        .as_ref()
        .is_some_and(|line| line.len() == 5 && line.starts_with("sep="))
    {
        first = lines.whole()?;
    }
    let Some(line) = first else {
        return Err(lines.wrong_at(1, "the file is empty"));
    };
    let separator = separator(&line);
    let cells = cells(lines, &line, separator)?;
    let mut header = Header {
        separator,
        width: cells.len(),
        columns: HashMap::new(),
        is_export: cells.first().is_some_and(|(_, name)| name == "id"),
    };
    for (column, (at, name)) in cells.iter().enumerate() {
        let name = name.to_lowercase();
        let Some(known) = COLUMNS.iter().find(|known| **known == name) else {
            continue;
        };
        let known = if *known == "id" { "match" } else { known };
        if header.columns.insert(known, column).is_some() {
            return Err(lines.wrong(*at, &format!("a second column {name}")));
        }
    }
    let is_seats =
        header.has(&["match", "bot"]) && (header.has(&["place"]) || header.has(&["points"]));
    if header.has(&["a", "b", "result"]) == is_seats {
        return Err(lines.wrong(
            0,
            "the first line must name the columns: a,b,result, or match,deal,bot,place,points",
        ));
    }
    Ok(header)
}

/// Returns the most frequent separator in a line.
fn separator(line: &str) -> u8 {
    let count = |separator: &u8| line.bytes().filter(|byte| byte == separator).count();
    // If several separators are equally frequent, use the last one.
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(count)
        .unwrap_or(b',')
}

/// Splits a line into its cells (RFC 4180, with any separator).
fn cells(lines: &Lines, line: &str, separator: u8) -> Result<Cells, String> {
    let separator = char::from(separator);
    let mut found = Cells::new();
    let mut at = 0;
    loop {
        let begin = at;
        let rest = &line[at..];
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut cell = String::new();
            let mut left = quoted;
            loop {
                let Some(end) = left.find('"') else {
                    return Err(lines.wrong(
                        begin,
                        "the quote that begins here does not end on this line",
                    ));
                };
                cell.push_str(&left[..end]);
                left = &left[end + 1..];
                match left.strip_prefix('"') {
                    Some(more) => {
                        cell.push('"');
                        left = more;
                    }
                    None => break,
                }
            }
            at = line.len() - left.len();
            if !(left.is_empty() || left.starts_with(separator)) {
                return Err(lines.wrong(at, "text after a closing quote"));
            }
            found.push((begin, cell.trim().to_owned()));
        } else {
            let end = rest.find(separator).unwrap_or(rest.len());
            found.push((begin, rest[..end].trim().to_owned()));
            at += end;
        }
        if at == line.len() {
            return Ok(found);
        }
        at += separator.len_utf8();
    }
}

/// Reads the next row that is not blank.
fn row(lines: &mut Lines, header: &Header) -> Result<Option<Cells>, String> {
    while let Some(line) = lines.whole()? {
        let cells = cells(lines, &line, header.separator)?;
        if cells.iter().all(|(_, cell)| cell.is_empty()) {
            continue;
        }
        if cells.len() != header.width {
            let why = format!(
                "{} cells, but the first line has {}",
                cells.len(),
                header.width
            );
            return Err(lines.wrong(line.len(), &why));
        }
        return Ok(Some(cells));
    }
    Ok(None)
}

/// Numbers of deals, by their names.
#[derive(Default)]
struct Deals {
    named: HashMap<u64, u32>,
    count: u32,
}

impl Deals {
    /// Returns the number of the deal with this name. Without a name, returns the number of a new deal.
    fn number(&mut self, name: Option<&str>) -> u32 {
        let next = self.count + 1;
        let number = name.map_or(next, |name| *self.named.entry(hash(name)).or_insert(next));
        self.count = self.count.max(number);
        number
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the date of a row, if it has one.
fn day(lines: &Lines, header: &Header, cells: &Cells) -> Result<Option<Day>, String> {
    let Some((at, text)) = header.cell(cells, "date") else {
        return Ok(None);
    };
    match lines::day(text) {
        Some(day) => Ok(Some(day)),
        None => Err(lines.wrong(*at, "this is not a date: write it as 2026-11-22")),
    }
}

fn bot(
    lines: &Lines,
    header: &Header,
    (at, name): &(usize, String),
    pool: &mut Pool,
) -> Result<u32, String> {
    let name = if header.is_export {
        name.strip_prefix('\'').unwrap_or(name)
    } else {
        name
    };
    pool.bot(Identity::of_name(name))
        .map_err(|why| lines.wrong(*at, &why))
}

/// Adds a game of two bots.
fn duel(
    lines: &Lines,
    header: &Header,
    cells: &Cells,
    (series, deals): (u32, &mut Deals),
    pool: &mut Pool,
) -> Result<(), String> {
    let names = [
        header.must(lines, cells, "a")?,
        header.must(lines, cells, "b")?,
    ];
    let (at, result) = header.must(lines, cells, "result")?;
    let places = match result.replace(',', ".").as_str() {
        "1-0" | "1" | "1.0" => [1, 2],
        "0-1" | "0" | "0.0" => [2, 1],
        "1/2-1/2" | "½-½" | "1/2" | "½" | "0.5" | ".5" | "0.5-0.5" => [1, 1],
        "*" => {
            pool.leave_out("without a result", 1);
            return Ok(());
        }
        _ => {
            return Err(lines.wrong(
                *at,
                "a result is the score of bot a: 1, 0.5, 0, 1-0, 1/2-1/2 or 0-1; * means that there is none",
            ));
        }
    };
    let bots = [
        bot(lines, header, names[0], pool)?,
        bot(lines, header, names[1], pool)?,
    ];
    let deal = header.cell(cells, "deal").map(|(_, deal)| deal.as_str());
    let seats = places.map(|place| Seat {
        place,
        ..Seat::default()
    });
    let game = Game {
        series,
        deal: deals.number(deal),
        round: None,
        which: lines.line() as u32,
        day: day(lines, header, cells)?,
        bots: &bots,
        seats: &seats,
    };
    pool.add(&game).map_err(|why| lines.wrong(0, &why))
}

/// A match whose seats are being read.
struct Open {
    name: String,
    line: u64,
    deal: Option<String>,
    day: Option<Day>,
    bots: Vec<u32>,
    places: Vec<Option<u8>>,
    points: Vec<f64>,
    failed: Vec<bool>,
}

/// Adds matches from rows that are seats. The rows of a match must follow each other.
fn seats(
    lines: &mut Lines,
    header: &Header,
    (series, deals): (u32, &mut Deals),
    pool: &mut Pool,
) -> Result<(), String> {
    let mut known: HashSet<u64> = HashSet::new();
    let mut open: Option<Open> = None;
    while let Some(cells) = row(lines, header)? {
        let (at, name) = header.must(lines, &cells, "match")?;
        if open.as_ref().is_some_and(|open| open.name != *name)
            && let Some(open) = open.take()
        {
            close(lines, &open, (series, deals), pool)?;
        }
        if open.is_none() && !known.insert(hash(name)) {
            return Err(lines.wrong(
                *at,
                "this match has rows further up: put all rows of a match below each other",
            ));
        }
        let deal = header.cell(&cells, "deal").map(|(_, deal)| deal.clone());
        let day = day(lines, header, &cells)?;
        let open = open.get_or_insert_with(|| Open {
            name: name.clone(),
            line: lines.line(),
            deal: deal.clone(),
            day,
            bots: Vec::new(),
            places: Vec::new(),
            points: Vec::new(),
            failed: Vec::new(),
        });
        if open.deal != deal {
            return Err(lines.wrong(*at, "the rows of a match have different deals"));
        }
        if open.bots.len() >= MAX_SEATS {
            return Err(lines.wrong(*at, &format!("a match has at most {MAX_SEATS} seats")));
        }
        let place = match header.cell(&cells, "place") {
            None if header.has(&["place"]) => {
                return header.must(lines, &cells, "place").map(|_| ());
            }
            None => None,
            Some((at, text)) => match text.parse() {
                Ok(place @ 1..) => Some(place),
                _ => return Err(lines.wrong(*at, "a place is a whole number from 1 to 255")),
            },
        };
        let points = match header.cell(&cells, "points") {
            None if place.is_some() => 0.0,
            None => return header.must(lines, &cells, "points").map(|_| ()),
            Some((at, text)) => {
                let number = text.replace(',', ".").parse().ok();
                let number = number.filter(|number: &f64| number.is_finite());
                number.ok_or_else(|| lines.wrong(*at, "points are a number, such as 12 or 7.5"))?
            }
        };
        let bot = bot(lines, header, header.must(lines, &cells, "bot")?, pool)?;
        open.bots.push(bot);
        open.places.push(place);
        open.points.push(points);
        open.failed.push(header.cell(&cells, "fault").is_some());
    }
    open.map_or(Ok(()), |open| close(lines, &open, (series, deals), pool))
}

/// Adds a match once all its seats have been read.
fn close(
    lines: &Lines,
    open: &Open,
    (series, deals): (u32, &mut Deals),
    pool: &mut Pool,
) -> Result<(), String> {
    let wrong = |what: &str| lines.wrong_at(open.line, what);
    if open.bots.len() < 2 {
        return Err(wrong(
            "the match that begins here has one row: each seat needs its own",
        ));
    }
    let better = |points: f64| open.points.iter().filter(|other| **other > points).count() as u8;
    let seat = |seat: usize| Seat {
        place: open.places[seat].unwrap_or_else(|| 1 + better(open.points[seat])),
        has_failed: open.failed[seat],
        points: 0,
    };
    let seats: Vec<Seat> = (0..open.bots.len()).map(seat).collect();
    let game = Game {
        series,
        deal: deals.number(open.deal.as_deref()),
        round: None,
        which: open.line as u32,
        day: open.day,
        bots: &open.bots,
        seats: &seats,
    };
    pool.add(&game).map_err(|why| wrong(&why))
}
