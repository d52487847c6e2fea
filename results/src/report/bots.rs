//! Pages about single bots, each for its author only, and the public page of all bots.

use maud::{Markup, html};

use super::page::page;
use super::{Instructive, evidence, instructive, parts, rounds};
use crate::analysis::Analysis;
use crate::faults::Failure;
use crate::table::{self, counted, decimal, span};
use arena_statistics::interval::MIN_DEALS_FOR_POINTS;
use arena_statistics::standings::Standing;
use arena_tournament::printable::clean;
use arena_tournament::spec::{LeftOut, Spec};

/// Contents of a bot's page.
pub struct OfBot<'a> {
    /// Name of the bot.
    pub name: &'a str,
    /// First forfeits of the bot, with their evidence.
    pub forfeits: &'a [Failure],
    /// Most instructive matches of the bot.
    pub matches: &'a [Instructive],
    /// End of the bot's log, if it has one.
    pub log: Option<&'a str>,
    /// Reason that a newer version of the bot did not enter, if one was refused.
    pub refused: Option<&'a str>,
    /// Address of the list of all bots, if there is one.
    pub all: Option<&'a str>,
    /// Function that returns the address of the matches that the first bot lost to the second, if those matches have pages.
    pub lost: Option<fn(&str, &str) -> String>,
    /// The bot's costliest mistake according to the judge, if known.
    pub worst: Option<Worst>,
}

/// Mistake found by the judge.
pub struct Worst {
    /// Id of the match.
    pub id: String,
    /// Number of the reply in the match.
    pub turn: usize,
    /// Description of the action played and the better one.
    pub words: String,
    /// Address of the match at that turn, if it has a page.
    pub address: Option<String>,
}

/// Renders the page of a bot that plays.
pub fn of_bot(spec: &Spec, analysis: &Analysis, bot: &OfBot<'_>) -> String {
    let name = bot.name;
    let rows = &analysis.standings.standings;
    let row = rows.iter().find(|row| row.bot == name);
    let count = row.map_or(0, |row| row.forfeits.total);
    let pairs = table::pairs_of(analysis, name);
    let cell = |head: &str, row: usize| {
        let column = pairs.columns.iter().find(|column| column.head == head)?;
        Some(column.cells[row].as_str())
    };
    let lost_to = |row: usize| {
        let other = cell("against", row)?;
        (cell("L", row)? != "0").then_some(bot.lost?(name, other))
    };
    let body = html! {
        p.result { (place(row, rows.len())) }
        @if let Some(why) = bot.refused { p { "Your newer version did not enter:" } pre tabindex="0" { (why) } }
        h2 { "Against each other bot" }
        @if bot.lost.is_some() { p { "A name leads to the matches that were lost to it." } }
        (parts::linked("This bot against each that it met", &pairs, &lost_to))
        @if let Some(worst) = &bot.worst {
            h2 { "Costliest mistake, by the judge" }
            p { (parts::link(worst.address.as_deref(), &format!("{}, turn {}", clean(&worst.id), worst.turn))) ": " (worst.words) "." }
        }
        h2 { "Faults" }
        @if bot.forfeits.is_empty() { p { "No forfeits." } }
        @else { p { (counted(count, "forfeit")) ". Each kind once, with the first of it:" } (evidence::listed(bot.forfeits)) }
        @if let Some(log) = bot.log { details { summary { "The end of its log: what it wrote to standard error" } pre tabindex="0" { (log) } } }
        h2 { "Matches worth a look" }
        (instructive::section(bot.matches))
    };
    of_name(spec, name, bot.all, bot.matches, &body)
}

/// Renders the page of a bot that does not play.
pub fn of_left_out(spec: &Spec, left_out: &LeftOut) -> String {
    let body = html! { p.result { "This bot does not play." } pre tabindex="0" { (left_out.why) } };
    of_name(spec, &left_out.name, None, &[], &body)
}

/// Renders the public page: all bots, their pairings and, once the tournament is closed, replays. It does not quote any text written by
/// bots.
pub fn public(spec: &Spec, analysis: &Analysis, matches: &[Instructive]) -> String {
    let left_out = spec.left_out.iter().filter(|bot| !bot.name.is_empty());
    let body = html! {
        header { h1 { bdi { (spec.name) } } p.what { (table::heading(&analysis.standings)) } }
        main {
            (parts::boxed("Best first", &html! {
                thead { tr {
                    th.number scope="col" { "#" } th.head scope="col" { "bot" } th.number scope="col" { "points/match" }
                    @for head in ["won", "drawn", "lost", "forfeited"] { th.number scope="col" { (head) } }
                } }
                tbody {
                    @for row in &analysis.standings.standings { tr {
                        td.number { (row.rank) } th scope="row" { bdi { (clean(&row.bot)) } } td.number { (decimal(row.points_per_match)) }
                        @for count in [row.wins, row.draws, row.losses, row.forfeits.total] { td.number { (count) } }
                    } }
                    @for bot in left_out { tr {
                        td.number { "–" } th scope="row" { bdi { (clean(&bot.name)) } } td colspan="5" { "does not play" }
                    } }
                }
            }))
            (rounds::bracket(analysis))
            @if !analysis.rounds.is_empty() { h2 { "Rounds" } (rounds::all(analysis)) }
            h2 { "Pairings" }
            (super::page::pairs(analysis))
            @if spec.closed { h2 { "Matches worth a look" } (instructive::section(matches)) }
        }
    };
    page(spec, &spec.name, matches, &body)
}

fn of_name(
    spec: &Spec,
    name: &str,
    all: Option<&str>,
    matches: &[Instructive],
    body: &Markup,
) -> String {
    let body = html! {
        header {
            h1 { bdi { (clean(name)) } }
            p.what { "In " bdi { (spec.name) } ". " @if let Some(all) = all { a href=(all) { "All bots" } } }
        }
        main { (body) }
    };
    page(spec, &clean(name), matches, &body)
}

/// Describes a row of the standings of `bots` bots in a sentence.
fn place(row: Option<&Standing>, bots: usize) -> String {
    let Some(row) = row else {
        return "It has not played yet.".into();
    };
    if row.matches == row.forfeits.total {
        return match row.matches {
            0 => "It has not played yet.".into(),
            all => format!("It forfeited all of its {}.", counted(all, "match")),
        };
    }
    let [best, worst] = row.ranks;
    let range = if row.interval_deals < MIN_DEALS_FOR_POINTS {
        String::new()
    } else {
        format!(" (with 95% confidence {best} to {worst})")
    };
    format!(
        "Rank {} of {bots}{range}, {} points per match{}; {}: {} won, {} drawn, {} lost, {} forfeited.",
        row.rank,
        decimal(row.points_per_match),
        table::within(row.interval, span),
        counted(row.matches, "match"),
        row.wins,
        row.draws,
        row.losses,
        row.forfeits.total
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_statistics::standings::Forfeits;

    #[test]
    fn a_rank_has_a_range_only_where_results_tell_one() {
        let row = |interval_deals, forfeited| Standing {
            rank: 10,
            ranks: [2, 12],
            matches: 110,
            interval_deals,
            forfeits: Forfeits {
                total: forfeited,
                ..Forfeits::default()
            },
            ..Standing::default()
        };
        let shown = |deals, forfeited| place(Some(&row(deals, forfeited)), 12);
        assert!(shown(10, 109).starts_with("Rank 10 of 12 (with 95% confidence 2 to 12), "));
        assert!(shown(9, 3).starts_with("Rank 10 of 12, "));
        assert_eq!(shown(10, 110), "It forfeited all of its 110 matches.");
        assert_eq!(place(Some(&Standing::default()), 12), place(None, 12));
    }
}
