//! Standings as CSV, and the quoting that all CSV here shares.

use crate::analysis::Analysis;
use crate::rating::Rating;
use crate::rating::classic::Classic;
use crate::stats::pair::Pair;
use crate::text::unsafe_to_show;

/// The standings: a header, then a row for each bot, best first. Numbers are exact; missing ones are empty. A rating whose
/// `elo_limit` is not `both` is a bound.
pub fn standings(analysis: &Analysis) -> String {
    let rows = &analysis.standings.standings;
    let sources = rows.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    let mut header = names(&["rank", "bot", "matches", "wins", "draws", "losses", "points", "points_per_match"]);
    header.extend(names(&["low_95", "high_95"]));
    header.extend(sources.iter().map(|(source, _)| source.clone()));
    header.extend(names(&["forfeits", "elo", "elo_low_95", "elo_high_95", "elo_limit"]));
    let mut lines = line(header);
    for row in rows {
        let mut cells = vec![row.rank.to_string(), text(&row.bot)];
        cells.extend([row.matches, row.wins, row.draws, row.losses].map(|count| count.to_string()));
        cells.extend([row.points.to_string(), number(row.points_per_match)]);
        cells.extend(ends(row.interval));
        cells.extend(row.breakdown.0.iter().map(|(_, count)| count.to_string()));
        cells.push(row.forfeits.total.to_string());
        let rating = analysis.ratings.bots.iter().find(|rating| rating.bot == row.bot);
        cells.extend(rating.map_or_else(|| vec![String::new(); 4], strength));
        lines += &line(cells);
    }
    lines
}

/// Every two bots against each other, in order of the tournament file. Where all was won or lost, `elo` is empty.
pub fn pairs(analysis: &Analysis) -> String {
    let mut header = names(&["bot", "against", "matches", "wins", "draws", "losses", "both_forfeited", "blocks"]);
    header.extend(names(&[
        "unfinished_blocks",
        "deals",
        "score",
        "score_low_95",
        "score_high_95",
        "elo",
        "elo_low_95",
    ]));
    header.extend(names(&["elo_high_95", "los", "points_per_deal", "points_low_95", "points_high_95", "t", "p"]));
    header.extend(names(&[
        "p_adjusted",
        "variance_ratio",
        "points_variance_ratio",
        "first_seat_score",
        "deals_needed",
    ]));
    let row = |pair: &Pair| {
        let mut cells = vec![text(&analysis.bots[pair.first]), text(&analysis.bots[pair.second])];
        let counts = [pair.matches, pair.wins, pair.draws, pair.losses, pair.both_forfeited];
        cells.extend(counts.map(|count| count.to_string()));
        cells.extend([pair.blocks, pair.unfinished_blocks, pair.deals].map(|count| count.to_string()));
        let one = pair.estimate;
        cells.push(number(one.map(|one| one.score)));
        cells.extend(ends(one.map(|one| one.score_interval)));
        cells.push(number(one.and_then(|one| crate::stats::elo::of_score(one.score))));
        cells.extend([0, 1].map(|end| number(one.and_then(|one| one.elo_interval[end]))));
        cells.push(number(one.map(|one| one.los)));
        cells.push(number(pair.points.map(|points| points.mean)));
        cells.extend(ends(pair.points.and_then(|points| points.interval)));
        let tests = pair.points.map_or([None; 3], |points| [points.t, points.p, points.adjusted]);
        cells.extend(tests.map(number));
        cells.extend([pair.variance_ratio, pair.points_variance_ratio, pair.first_seat].map(number));
        cells.push(pair.needed.map(|deals| deals.to_string()).unwrap_or_default());
        line(cells)
    };
    line(header) + &analysis.pairs.iter().map(row).collect::<String>()
}

/// The ratings of all bots, strongest first; with the classic systems if they are given, by index of the bots.
pub fn ratings(analysis: &Analysis, classics: Option<&[Classic]>) -> String {
    let mut header = names(&["rank", "bot", "group", "elo", "elo_low_95", "elo_high_95", "elo_limit", "best_rank"]);
    header.extend(names(&["worst_rank", "first", "nash_weight", "nash_skill", "points_effect", "points_effect_error"]));
    if classics.is_some() {
        header.extend(names(&["glicko_2", "glicko_2_deviation", "true_skill", "true_skill_deviation"]));
        header.extend(names(&["weng_lin", "weng_lin_deviation"]));
    }
    let row = |rating: &Rating| {
        let whole = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut cells = vec![whole(rating.rank), text(&rating.bot), rating.group.to_string()];
        cells.extend(strength(rating));
        cells.extend([0, 1].map(|end| whole(rating.ranks.map(|ranks| ranks[end]))));
        cells.extend([rating.first, rating.nash_weight, rating.nash_skill].map(number));
        let points = analysis.ratings.points.iter().flat_map(|points| &points.bots).find(|one| one.bot == rating.bot);
        cells.extend([points.map(|one| one.effect.points), points.map(|one| one.effect.error)].map(number));
        if let Some(classics) = classics {
            let classic = analysis.bots.iter().position(|bot| *bot == rating.bot).and_then(|bot| classics.get(bot));
            let systems = classic.map(|one| [one.glicko_2, one.true_skill, one.weng_lin]);
            let numbers = systems.map(|all| all.map(|one| [one.rating, one.deviation]).concat());
            cells
                .extend(numbers.map_or_else(|| vec![String::new(); 6], |all| all.iter().map(f64::to_string).collect()));
        }
        line(cells)
    };
    line(header) + &analysis.ratings.bots.iter().map(row).collect::<String>()
}

/// Elo, the ends of its interval, and how it is bounded.
fn strength(rating: &Rating) -> Vec<String> {
    let mut cells = vec![number(rating.elo)];
    cells.extend(ends(rating.interval));
    cells.push(rating.limit.name().into());
    cells
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn number(number: Option<f64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn ends(interval: Option<[f64; 2]>) -> [String; 2] {
    [0, 1].map(|end| number(interval.map(|ends| ends[end])))
}

/// One line: cells quoted where they need it.
pub(crate) fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(quoted).collect();
    cells.join(",") + "\n"
}

/// Text from strangers, which no spreadsheet will take for a formula: such text gets a leading apostrophe. So does text
/// that begins with an apostrophe or a control character; who drops one leading apostrophe has every text again.
///
/// A formula may hide behind blanks and what cannot be seen, and be written in wide characters (OWASP 2023, "CSV Injection").
pub(crate) fn text(text: &str) -> String {
    let seen = text.trim_start_matches(|c: char| c.is_whitespace() || unsafe_to_show(c));
    let formula = seen.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let odd = text.starts_with(|c: char| c == '\'' || c.is_control());
    if formula || odd { format!("'{text}") } else { text.into() }
}

/// The cell, in quotes where it holds what some reader may take for its end.
fn quoted(cell: String) -> String {
    let needed = cell.contains([',', ';', '\t', '"', '\n', '\r']) || cell.trim() != cell;
    if needed { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// What stands in a line for a text.
    fn check(name: &str, expected: &str) {
        assert_eq!(line([text(name)]), format!("{expected}\n"), "{name:?}");
    }

    #[test]
    fn strangers_names_are_quoted() {
        check("plain", "plain");
        check("a,b", "\"a,b\"");
        check("a;=1", "\"a;=1\"");
        check("say \"hi\"", "\"say \"\"hi\"\"\"");
        check("two\nlines", "\"two\nlines\"");
        check("a\rb", "\"a\rb\"");
        check("a\tb", "\"a\tb\"");
        check(" pad ", "\" pad \"");
        check("<b>|x|</b>", "<b>|x|</b>");
        check("名前\u{202e}", "名前\u{202e}");
    }

    #[test]
    fn strangers_names_are_no_formulas() {
        check("=1+1", "'=1+1");
        check("+1", "'+1");
        check("-2", "'-2");
        check("@x", "'@x");
        check("＝1", "'＝1");
        check("\tx", "\"'\tx\"");
        check("\rx", "\"'\rx\"");
        check("\nx", "\"'\nx\"");
        check(" =x", "' =x");
        check("\u{feff}=x", "'\u{feff}=x");
        check("\u{200b}\u{202e}@x", "'\u{200b}\u{202e}@x");
        check("=\",\n=1", "\"'=\"\",\n=1\"");
        check("1=1", "1=1");
    }

    #[test]
    fn dropping_one_apostrophe_gives_every_text_again() {
        for name in ["=1", "'=1", "''", "'", "", "x'", "\u{7}x", " 'x"] {
            let written = text(name);
            assert_eq!(written.strip_prefix('\'').unwrap_or(&written), name);
        }
    }

    #[test]
    fn every_bot_has_a_row() {
        let text = standings(&sample::analysis(&["=cmd", "b", "c"], 4));
        let header = "rank,bot,matches,wins,draws,losses,points,points_per_match,low_95,high_95,hits,exposures,round_wins,bonus,\
                      forfeits,elo,elo_low_95,elo_high_95,elo_limit";
        assert_eq!(text.lines().next(), Some(header));
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().any(|line| line.split(',').nth(1) == Some("'=cmd")));
    }

    /// The cells of a text of CSV, read by its rules.
    fn cells(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut letters = text.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(std::mem::take(&mut cell)),
                '\n' if !quoted => {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                c => cell.push(c),
            }
        }
        rows
    }

    #[test]
    fn hostile_names_stay_in_their_cells() {
        let all = sample::analysis(&sample::HOSTILE, 2);
        let classics = vec![crate::rating::classic::Classics::new(1).of(0); 8];
        for (text, rows) in [(standings(&all), 8), (pairs(&all), 28), (ratings(&all, Some(&classics)), 8)] {
            let cells = cells(&text);
            assert_eq!(cells.len(), 1 + rows, "{text}");
            assert!(cells.iter().all(|row| row.len() == cells[0].len()), "{text}");
            let formula = |cell: &String| cell.starts_with(['=', '@', '+']);
            assert!(!cells.iter().flatten().any(formula), "{text}");
            assert!(cells.iter().flatten().any(|cell| cell.starts_with("'=HYPERLINK")), "{text}");
        }
    }
}
