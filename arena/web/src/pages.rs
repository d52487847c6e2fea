//! Pages around the parts that are rendered from ledgers.

use std::collections::BTreeMap;

use arena_bots::roster;
use arena_engine::seat::Seat;
use arena_engine::table::{self, Entry};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_ledger::lock::Lock;
use arena_ledger::matches::{Filter, Index, Listing, MATCHES_PER_PAGE, Row};
use arena_results::html::page;
use arena_runner::offer::{scalar, words};
use arena_session::report::Ways;
use arena_tournament::entrant::Entrant;
use arena_tournament::printable::clean;
use arena_tournament::spec::{Plan, Spec};
use axum::response::Html;
use maud::{Markup, PreEscaped, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use pulldown_cmark::{Options, Parser};
use serde_json::{Value, json};

use super::assets;
use super::catalogue::{self, TournamentFolder};
use super::play::Table;

/// Pages of a tournament: suffix of the address, and title.
const PAGES: [(&str, &str); 7] = [
    ("", "Standings"),
    ("/matches", "Matches"),
    ("/charts", "Charts"),
    ("/pairs", "Pairs"),
    ("/faults", "Faults"),
    ("/report", "Report"),
    ("/tv", "TV"),
];

const RESULTS: [(&str, &str); 5] = [
    ("any", "any result"),
    ("won", "won"),
    ("drawn", "drawn"),
    ("lost", "lost"),
    ("forfeit", "forfeited"),
];
const ORDERS: [(&str, &str); 4] = [
    ("deal", "by deal"),
    ("last", "last deal first"),
    ("clearest", "clearest first"),
    ("closest", "closest first"),
];

/// Returns a text percent-encoded for an address.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Returns the address of a game's rules.
fn rules_of(game: &str) -> String {
    format!("/rules/{game}")
}

/// Returns the address of a page of a tournament.
pub fn address(found: &TournamentFolder, end: &str) -> String {
    format!("/t/{}{end}", encoded(&found.key))
}

/// Returns the address that judges a match.
pub fn judged(found: &TournamentFolder, id: &str) -> String {
    address(found, "/judged?id=") + &encoded(id)
}

/// The addresses to which pages of bots link.
pub const OF_BOTS: Ways = Ways {
    lost: |bot, other| {
        let [bot, other] = [bot, other].map(encoded);
        format!("matches?bot={bot}&other={other}&result=lost")
    },
    turn: |id, turn| format!("match?id={}#turn={turn}", encoded(id)),
};

/// Renders a page with the server's style and scripts.
fn styled(title: &str, scripts: &[&str], body: &Markup) -> Html<String> {
    let head = html! {
        link rel="stylesheet" href=[assets::href("style.css")];
        @for href in scripts.iter().filter_map(|script| assets::href(script)) { script type="module" src=(href) {} }
    };
    Html(page(title, None, &head, body))
}

/// Renders an error page.
pub fn problem(title: &str, why: &str) -> Html<String> {
    let body = html! { (bar(None, false)) main { h1 { (title) } p { (why) } } };
    styled(title, &[], &body)
}

/// Renders the navigation bar: the pages of a tournament with the current one marked, and the rules of its game. Only people who may set
/// up tables are offered to play.
fn bar(tournament: Option<(&TournamentFolder, &str, &str)>, can_play: bool) -> Markup {
    html! {
        nav.bar aria-label="Pages" {
            ul {
                li { a href="/" { "All tournaments" } }
                @if can_play { li { a href="/play" { "Play" } } }
                @if let Some((found, current, game)) = tournament {
                    @for (end, name) in PAGES {
                        li { a href=(address(found, end)) aria-current=[(end == current).then_some("page")] { (name) } }
                    }
                    li { a href=(rules_of(game)) { "Rules" } }
                }
            }
        }
    }
}

/// Renders a page of a tournament.
pub fn of_tournament(
    found: &TournamentFolder,
    ledger: &Ledger,
    end: &str,
    body: &Markup,
) -> Html<String> {
    let name = clean(&ledger.spec().name);
    let page = PAGES.iter().find(|(of, _)| *of == end);
    let title = page.map_or("", |(_, name)| name);
    let script = match end {
        "" => "live.js".to_owned(),
        "/pairs" | "/faults" => "ways.js".to_owned(),
        "/tv" => format!("tv-{}.js", ledger.spec().plan.game),
        _ => String::new(),
    };
    let body = html! {
        (bar(Some((found, end, &ledger.spec().plan.game)), false))
        header { h1 { bdi { (name) } ": " (title) } (variant(&ledger.spec().plan)) }
        main { h2.unseen { (title) } (body) }
    };
    styled(&format!("{title} · {name}"), &[&script], &body)
}

/// Renders the list of all tournaments and of people's matches. If `can_play`, it has a button that starts a match immediately.
pub fn list(all: impl Iterator<Item = TournamentFolder>, can_play: bool) -> Html<String> {
    let [mut tournaments, mut matches] = [vec![], vec![]];
    let mut games = BTreeMap::<String, usize>::new();
    for found in all {
        if found.is_of_bot {
            tournaments.push(unshown(
                &found,
                "not shown, since it is in a bot's folder: serve that folder to see it",
            ));
            continue;
        }
        let ledger = Ledger::open_read_only(&found.dir);
        if matches!(ledger, Err(LedgerError::None(_))) {
            continue;
        }
        match of_people(&found, &ledger) {
            Some(row) => matches.push(row),
            None => {
                if let Some(game) = ledger.as_ref().ok().and_then(catalogue::game) {
                    *games.entry(game.to_owned()).or_default() += 1;
                }
                tournaments.push(entry(&found, ledger));
            }
        }
    }
    let seasons: Vec<&String> = games
        .iter()
        .filter(|(_, tournaments)| **tournaments > 1)
        .map(|(game, _)| game)
        .collect();
    let body = html! {
        (bar(None, can_play))
        header { h1 { "Tournaments" } }
        main {
            @if can_play { (quick()) }
            @if tournaments.is_empty() { p { "There is no tournament in this folder yet: " code { "arena run" } " plays one." } }
            @else { div.box tabindex="0" role="region" aria-label="Tournaments" { table {
                thead { tr {
                    th scope="col" { "tournament" } th scope="col" { "folder" } th scope="col" { "game" } th.number scope="col" { "bots" }
                    th.number scope="col" { "matches" } th scope="col" { "state" }
                } }
                tbody { @for row in tournaments { (row) } }
            } } }
            @if !seasons.is_empty() { p {
                "One rating over all tournaments of a game:"
                @for game in seasons { " " a href={ "/season/" (encoded(game)) } { (game) } }
            } }
            @if !matches.is_empty() {
                h2 { "Matches of people" }
                div.box tabindex="0" role="region" aria-label="Matches of people" { table {
                    thead { tr { th scope="col" { "seats, with points" } th scope="col" { "folder" } th scope="col" { "game" } th scope="col" { "winner" } } }
                    tbody { @for row in matches { (row) } }
                } }
            }
        }
    };
    styled("Tournaments", &["quick.js"], &body)
}

/// Renders the line of a finished match of people; `None` for any other folder.
fn of_people(found: &TournamentFolder, ledger: &Result<Ledger, LedgerError>) -> Option<Markup> {
    let ledger = ledger.as_ref().ok()?;
    if !ledger.spec().bots.iter().any(Entrant::is_person) {
        return None;
    }
    let index = Index::new(ledger).ok()?;
    let row = index.page(ledger, &Filter::default()).ok()?.rows.pop()?;
    Some(html! { tr {
        th scope="row" { a href={ (address(found, "/match?id=")) (encoded(&row.id)) } { (seated(&row)) } }
        td { bdi { (clean(&found.key)) } } td { (ledger.spec().plan.game) } td { (winner(&row)) }
    } })
}

/// Renders the form that starts a match of the first game with one click. The form offers two bots: the weakest one that does not play at
/// random, and the strongest.
fn quick() -> Markup {
    let games = table::games().iter();
    let game = games.take(1).find(|game| game.seats.contains(&2));
    let levels = |game: &Entry| {
        let bots: Vec<&str> = roster::names(game.name).skip(1).collect();
        let [easy, medium, .., hard] = bots[..] else {
            return bots.into_iter().map(|bot| (bot, bot)).collect();
        };
        vec![("Easy", easy), ("Medium", medium), ("Hard", hard)]
    };
    html! { @if let Some(game) = game { section #quick.card aria-labelledby="quick-title" data-game=(game.name) {
        h2 #quick-title { "Play " (game.title) " now" }
        p { "Win against a bot. " a href=(rules_of(game.name)) { "Rules of " (game.title) } }
        @for (level, bot) in levels(game) { button type="button" data-bot=(bot) { (level) } " " }
        p.problem role="alert" {}
    } } }
}

fn entry(found: &TournamentFolder, ledger: Result<Ledger, LedgerError>) -> Markup {
    match ledger {
        Ok(ledger) => {
            let (spec, played) = (ledger.spec(), ledger.count().unwrap_or_default());
            let all = spec.matches();
            let state = match (Lock::is_held(&found.dir), played >= all) {
                (true, _) => "running",
                (false, true) => "finished",
                (false, false) => "not finished",
            };
            html! { tr {
                th scope="row" { a href=(address(found, "")) { bdi { (clean(&spec.name)) } } }
                td { bdi { (clean(&found.key)) } } td { (spec.plan.game) } td.number { (spec.bots.len()) }
                td.number { (played) " of " (all) } td { (state) }
            } }
        }
        Err(error) => unshown(found, &format!("cannot be read: {error}")),
    }
}

/// Renders the line of a folder whose tournament is not shown.
fn unshown(found: &TournamentFolder, why: &str) -> Markup {
    html! { tr {
        th scope="row" { bdi { (clean(&found.key)) } }
        td colspan="5" { (clean(why)) }
    } }
}

/// Renders the standings, which a script updates.
pub fn standings(found: &TournamentFolder, spec: &Spec, part: &Markup, token: &str) -> Markup {
    html! {
        p.state #connection role="status" {}
        div #live data-source=(address(found, "/news")) data-token=(token) { (part) }
        @let left_out = spec.left_out.iter().filter(|bot| !bot.name.is_empty());
        @let left_out: Vec<String> = left_out.map(|bot| clean(&bot.name)).collect();
        @if !left_out.is_empty() { p.state { "Not playing: " (left_out.join(", ")) "." } }
    }
}

/// Renders a screen that plays one match after another.
pub fn tv(found: &TournamentFolder, ledger: &Ledger, is_kiosk: bool) -> Html<String> {
    let body = html! {
        p { span #caption role="status" { "Looking for a match." } }
        p.now #stakes {}
        div #screen data-source=(address(found, "/next")) {}
        @if !is_kiosk { p.state { a href={ (address(found, "/tv")) "?kiosk" } { "For a projector" } ": larger, and without controls." } }
    };
    let Html(page) = of_tournament(found, ledger, "/tv", &body);
    if !is_kiosk {
        return Html(page);
    }
    Html(page.replacen("<body>", "<body class=\"kiosk\">", 1))
}

/// Renders the list of matches that a query selects.
pub fn matches(
    found: &TournamentFolder,
    names: &[String],
    page: usize,
    query: &BTreeMap<String, String>,
    listing: &Listing,
) -> Markup {
    let mut bots = vec![("", "any bot")];
    bots.extend(names.iter().map(|name| (name.as_str(), name.as_str())));
    let fields = [
        ("Bot", "bot", &*bots),
        ("Result", "result", &RESULTS),
        ("Against", "other", &bots),
        ("Order", "order", &ORDERS),
    ];
    html! {
        form method="get" action=(address(found, "/matches")) {
            @for (label, name, options) in fields { label { (label) select name=(name) {
                @for (value, text) in options {
                    option value=(value) selected[query.get(name).is_some_and(|chosen| chosen == value)] { (clean(text)) }
                }
            } } }
            button type="submit" { "Show" }
        }
        p.state { (counted(listing, page)) }
        @if !listing.rows.is_empty() { div.box tabindex="0" role="region" aria-label="Matches" { table {
            thead { tr { th scope="col" { "match" } th scope="col" { "bots by seat, with points" } th scope="col" { "winner" } th scope="col" { "forfeits" } } }
            tbody { @for row in &listing.rows { (listed(found, row)) } }
        } } }
        nav.pager aria-label="Pages of the list" {
            @if page > 0 { a href=(other_page(found, query, page - 1)) { "← earlier" } }
            @if page + 1 < listing.pages() { a href=(other_page(found, query, page + 1)) { "later →" } }
        }
    }
}

fn counted(listing: &Listing, page: usize) -> String {
    let first = page.saturating_mul(MATCHES_PER_PAGE);
    match listing.rows.len() {
        0 if listing.total == 0 => "No finished match fits this filter.".into(),
        0 => format!("{} matches; there is no such page.", listing.total),
        rows => {
            let last = first + rows;
            format!("{} to {last} of {} matches.", first + 1, listing.total)
        }
    }
}

fn listed(found: &TournamentFolder, row: &Row) -> Markup {
    let seats = row.bots.iter().zip(&row.seats);
    let faults =
        seats.filter_map(|(bot, seat)| Some(format!("{}: {}", clean(bot), seat.fault.as_ref()?)));
    html! { tr {
        th scope="row" { a href={ (address(found, "/match?id=")) (encoded(&row.id)) } { bdi { (clean(&row.id)) } } }
        td { (seated(row)) } td { (winner(row)) }
        td { (faults.collect::<Vec<_>>().join(", ")) }
    } }
}

/// Renders the bots of a match by seat, with their points.
fn seated(row: &Row) -> Markup {
    let seats = row.bots.iter().zip(&row.seats);
    html! { @for (nth, (bot, seat)) in seats.enumerate() { @if nth > 0 { " · " } bdi { (clean(bot)) } " " (seat.points) } }
}

fn winner(row: &Row) -> Markup {
    let seats = row.bots.iter().zip(&row.seats);
    let winners: Vec<&String> = seats
        .filter(|(_, seat)| seat.place == 1)
        .map(|(bot, _)| bot)
        .collect();
    html! { @if winners.len() == 1 { bdi { (clean(winners[0])) } } @else { "drawn" } }
}

/// Returns the address of another page of the list of matches.
fn other_page(found: &TournamentFolder, query: &BTreeMap<String, String>, page: usize) -> String {
    let others = query.iter().filter(|(name, _)| *name != "page");
    let others: String = others
        .map(|(name, value)| format!("{}={}&", encoded(name), encoded(value)))
        .collect();
    format!("{}?{others}page={page}", address(found, "/matches"))
}

/// Embeds a value for the scripts of a page. It is escaped so that it cannot end its element.
fn data(value: &Value) -> serde_json::Result<Markup> {
    let text = serde_json::to_string(value)?.replace('<', "\\u003c");
    Ok(html! { script #data type="application/json" { (PreEscaped(text)) } })
}

/// Renders the page that sets up tables.
pub fn lobby(choices: &Value) -> serde_json::Result<Html<String>> {
    let body = html! {
        (bar(None, true))
        header { h1 { "Play" } }
        main {
            (quick())
            div #lobby {}
        }
        (data(choices)?)
    };
    Ok(styled("Play", &["lobby.js"], &body))
}

/// Renders the rules of a game from its document.
fn rules_in_full(game: &str) -> Option<Markup> {
    let text = table::find(game)?.rules_page;
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, Parser::new_ext(text, Options::ENABLE_TABLES));
    // Blocks that are too wide for a phone can be scrolled, also with the keyboard.
    let html = html.replace("<pre>", "<pre tabindex=\"0\">");
    let html = html.replace("</table>", "</table></div>");
    let mut parts = html.split("<table>");
    let mut boxed = parts.next().unwrap_or_default().to_owned();
    for (nth, table) in (1..).zip(parts) {
        boxed += &format!(
            "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Table {nth}\"><table>{table}"
        );
    }
    Some(html! { div.rules { (PreEscaped(boxed)) } })
}

/// Renders the page with the rules of a game, if there is such a game.
pub fn rules(game: &str) -> Option<Html<String>> {
    let (text, title) = (rules_in_full(game)?, table::find(game)?.title);
    let body = html! { (bar(None, false)) main { (text) } };
    Some(styled(&format!("Rules of {title}"), &[], &body))
}

/// Renders the rules that differ from the standard, if there are any.
fn variant(plan: &Plan) -> Markup {
    let usual = table::find(&plan.game)
        .map(Entry::standard_rules)
        .unwrap_or_default();
    let played = plan.rules.as_object().into_iter().flatten();
    let others: Vec<String> = played
        .filter(|(name, value)| usual.get(name.as_str()) != Some(value))
        .map(|(name, value)| format!("{} {}", words(name), scalar(value)))
        .collect();
    html! { @if !others.is_empty() { p.state { "Variant: " (others.join(", ")) "." } } }
}

/// Renders the links of a match in a tournament: to the list of matches, and to the previous and the next match.
pub fn ways(found: &TournamentFolder, game: &str, beside: &[Option<String>; 2]) -> Markup {
    let of = |id: &String| address(found, "/match?id=") + &encoded(id);
    let [before, after] = beside;
    html! { nav.pager aria-label="Matches" {
        a href=(address(found, "/matches")) { "All matches" }
        @if let Some(id) = before { a href=(of(id)) { "← previous" } }
        @if let Some(id) = after { a href=(of(id)) { "next →" } }
        a href=(rules_of(game)) { "Rules" }
    } }
}

/// Renders the link from a person's match to a new one.
pub fn new_match_link() -> Markup {
    html! { nav.pager aria-label="Pages" { a href="/play" { "Play" } } }
}

/// Renders the page of a person's seat or, without a seat, of the table as spectators see it.
pub fn seat(table: &Table, seat: Option<Seat>) -> serde_json::Result<Html<String>> {
    let spec = &table.spec;
    let bots: Vec<String> = spec.names().iter().map(|name| clean(name)).collect();
    let title = bots.join(" · ");
    let people: Vec<Seat> = table.people().map(|(seat, _)| seat).collect();
    let facts = json!({
        "game": spec.plan.game, "rules": spec.plan.rules, "bots": bots, "seat": seat, "hints": table.has_hints, "people": people,
        "watch": table.watch_address(),
    });
    let body = html! {
        header.slim { h1 { bdi { (title) } } (variant(&spec.plan)) p.state #connection role="status" {} p.state #company role="status" {} }
        main #table {}
        details { summary { "Rules" } (rules_in_full(&spec.plan.game).unwrap_or_default()) }
        (data(&facts)?)
    };
    let script = format!("seat-{}.js", spec.plan.game);
    Ok(styled(&title, &[&script], &body))
}
