//! The pages: what stands around the parts that are made of ledgers.

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_ledger::lock::Lock;
use arena_ledger::matches::{Filter, Listing, Order, PAGE, ResultFilter, Row};
use arena_results::html::page;
use arena_tournament::printable::clean;
use axum::response::Html;
use maud::{Markup, PreEscaped, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::Value;

use super::assets;
use super::catalogue::Found;
use super::play::{Lobby, Table};

/// The pages of a tournament: the end of their addresses, and their names.
const PAGES: [(&str, &str); 7] = [
    ("", "Standings"),
    ("/matches", "Matches"),
    ("/charts", "Charts"),
    ("/pairs", "Pairs"),
    ("/faults", "Faults"),
    ("/report", "Report"),
    ("/tv", "TV"),
];

const RESULTS: [(ResultFilter, &str, &str); 5] = [
    (ResultFilter::Any, "any", "any result"),
    (ResultFilter::Won, "won", "won"),
    (ResultFilter::Drawn, "drawn", "drawn"),
    (ResultFilter::Lost, "lost", "lost"),
    (ResultFilter::Forfeit, "forfeit", "forfeited"),
];
const ORDERS: [(Order, &str, &str); 4] = [
    (Order::Deal, "deal", "by deal"),
    (Order::Last, "last", "last deal first"),
    (Order::Clearest, "clearest", "clearest first"),
    (Order::Closest, "closest", "closest first"),
];

/// A text as part of an address.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The address of a page of a tournament.
pub fn address(found: &Found, end: &str) -> String {
    format!("/t/{}{end}", encoded(&found.key))
}

/// A page with the style and the scripts of this server.
fn styled(title: &str, scripts: &[&str], body: &Markup) -> Html<String> {
    let head = html! {
        link rel="stylesheet" href=[assets::href("style.css")];
        @for href in scripts.iter().filter_map(|script| assets::href(script)) { script type="module" src=(href) {} }
    };
    Html(page(title, None, &head, body))
}

/// A page that says something and no more; without a style, since whoever sees it may not load one.
pub fn bare(title: &str, what: &Markup) -> Html<String> {
    Html(page(title, None, &html! {}, &html! { main { h1 { (title) } (what) } }))
}

/// A page about something that went wrong.
pub fn trouble(title: &str, why: &str) -> Html<String> {
    let body = html! {
        (bar(None))
        main { h1 { (title) } p { (why) } p { a href="/" { "All tournaments" } } }
    };
    styled(title, &[], &body)
}

/// What leads to the pages of a tournament, of which this is the current one.
fn bar(tournament: Option<(&Found, &str)>) -> Markup {
    html! {
        nav.bar aria-label="Pages" {
            ul {
                li { a href="/" { "All tournaments" } }
                @if tournament.is_none() { li { a href="/play" { "Play" } } }
                @if let Some((found, current)) = tournament {
                    @for (end, name) in PAGES {
                        li { a href=(address(found, end)) aria-current=[(end == current).then_some("page")] { (name) } }
                    }
                }
            }
        }
    }
}

/// A page of a tournament.
pub fn of_tournament(found: &Found, ledger: &Ledger, end: &str, body: &Markup) -> Html<String> {
    let name = clean(&ledger.spec().name);
    let title = PAGES.iter().find(|(of, _)| *of == end).map_or("", |(_, name)| name);
    let script = match end {
        "" => "live.js".to_owned(),
        "/tv" => format!("tv-{}.js", ledger.spec().plan.game),
        _ => String::new(),
    };
    let body = html! {
        (bar(Some((found, end))))
        header { h1 { bdi { (name) } ": " (title) } }
        main { (body) }
    };
    styled(&format!("{title} · {name}"), &[&script], &body)
}

/// All tournaments.
pub fn list(all: &[(Found, anyhow::Result<Ledger>)]) -> Html<String> {
    let body = html! {
        (bar(None))
        header { h1 { "Tournaments" } }
        main {
            @if all.is_empty() { p { "There is no tournament in this folder yet: " code { "arena run" } " plays one." } }
            @else { div.box tabindex="0" role="region" aria-label="Tournaments" { table {
                thead { tr {
                    th scope="col" { "tournament" } th scope="col" { "game" } th.number scope="col" { "bots" }
                    th.number scope="col" { "matches" } th scope="col" { "state" } th scope="col" { "folder" }
                } }
                tbody { @for (found, ledger) in all { (entry(found, ledger)) } }
            } } }
        }
    };
    styled("Tournaments", &[], &body)
}

fn entry(found: &Found, ledger: &anyhow::Result<Ledger>) -> Markup {
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
                td { (spec.plan.game) } td.number { (spec.bots.len()) }
                td.number { (played) " of " (all) } td { (state) } td { bdi { (clean(&found.key)) } }
            } }
        }
        Err(error) => html! { tr {
            th scope="row" { bdi { (clean(&found.key)) } }
            td colspan="5" { "cannot be read: " (clean(&format!("{error:#}"))) }
        } },
    }
}

/// The standings, which a script keeps as they are.
pub fn standings(found: &Found, part: &str) -> Markup {
    html! {
        p.state { span #connection role="status" { "as of now" } ": matches that are saved appear here at most once a second." }
        // The part was escaped when it was made.
        div #live data-source=(address(found, "/events")) { (PreEscaped(part)) }
    }
}

/// A part of a page that does not change by itself.
pub fn part(part: &str) -> Markup {
    html! { (PreEscaped(part)) }
}

/// A screen that shows match after match.
pub fn tv(found: &Found, ledger: &Ledger, is_kiosk: bool) -> Html<String> {
    let body = html! {
        p { span #caption role="status" { "Looking for a match." } }
        div #screen data-source=(address(found, "/next")) {}
        @if !is_kiosk { p.state { a href={ (address(found, "/tv")) "?kiosk" } { "For a beamer" } ": larger, and without controls." } }
    };
    let Html(page) = of_tournament(found, ledger, "/tv", &body);
    Html(if is_kiosk { page.replacen("<body>", "<body class=\"kiosk\">", 1) } else { page })
}

/// A page of the list of matches.
pub fn matches(found: &Found, names: &[String], filter: &Filter, listing: &Listing) -> Markup {
    let bots = |chosen: &str, any: &str| {
        html! {
            option value="" { (any) }
            @for name in names { option value=(name) selected[name == chosen] { (clean(name)) } }
        }
    };
    html! {
        form method="get" action=(address(found, "/matches")) {
            label { "Bot" select name="bot" { (bots(&filter.bot, "any bot")) } }
            label { "Result" select name="result" {
                @for (result, value, text) in RESULTS { option value=(value) selected[result == filter.result] { (text) } }
            } }
            label { "Against" select name="other" { (bots(&filter.other, "any bot")) } }
            label { "Order" select name="order" {
                @for (order, value, text) in ORDERS { option value=(value) selected[order == filter.order] { (text) } }
            } }
            button type="submit" { "Show" }
        }
        p.state { (counted(listing, filter)) }
        @if !listing.rows.is_empty() { div.box tabindex="0" role="region" aria-label="Matches" { table {
            thead { tr { th scope="col" { "match" } th scope="col" { "bots by seat, with points" } th scope="col" { "winner" } th scope="col" { "forfeits" } } }
            tbody { @for row in &listing.rows { (listed(found, row)) } }
        } } }
        nav.pager aria-label="Pages of the list" {
            @if filter.page > 0 { a href=(turned(found, filter, filter.page - 1)) { "← earlier" } }
            @if filter.page + 1 < listing.pages() { a href=(turned(found, filter, filter.page + 1)) { "later →" } }
        }
    }
}

fn counted(listing: &Listing, filter: &Filter) -> String {
    let first = filter.page.saturating_mul(PAGE);
    match listing.rows.len() {
        0 if listing.total == 0 => "No finished match is like that.".into(),
        0 => format!("{} matches; there is no such page.", listing.total),
        rows => format!("{} to {} of {} matches.", first + 1, first + rows, listing.total),
    }
}

fn listed(found: &Found, row: &Row) -> Markup {
    let seats = || row.bots.iter().zip(&row.seats);
    let winners: Vec<String> = seats().filter(|(_, seat)| seat.place == 1).map(|(bot, _)| clean(bot)).collect();
    let faults = seats().filter_map(|(bot, seat)| Some(format!("{}: {}", clean(bot), seat.fault.as_ref()?)));
    html! { tr {
        th scope="row" { a href=(of_match(found, &row.id)) { bdi { (clean(&row.id)) } } }
        td { @for (nth, (bot, seat)) in seats().enumerate() { @if nth > 0 { " · " } bdi { (clean(bot)) } " " (seat.points) } }
        td { @if winners.len() == 1 { bdi { (winners[0]) } } @else { "drawn" } }
        td { (faults.collect::<Vec<_>>().join(", ")) }
    } }
}

/// The address of a match.
pub fn of_match(found: &Found, id: &str) -> String {
    format!("{}?id={}", address(found, "/match"), encoded(id))
}

/// The address of another page of the list.
fn turned(found: &Found, filter: &Filter, page: usize) -> String {
    let word = |listed: &[(&str, bool)]| listed.iter().find(|(_, is)| *is).map_or("", |(word, _)| *word).to_owned();
    let result = word(&RESULTS.map(|(result, value, _)| (value, result == filter.result)));
    let order = word(&ORDERS.map(|(order, value, _)| (value, order == filter.order)));
    let (bot, other) = (encoded(&filter.bot), encoded(&filter.other));
    format!("{}?bot={bot}&result={result}&other={other}&order={order}&page={page}", address(found, "/matches"))
}

/// A value for the scripts of a page; nothing in it ends the element that holds it.
fn data(value: &impl Serialize) -> serde_json::Result<Markup> {
    let text = serde_json::to_string(value)?.replace('<', "\\u003c");
    Ok(html! { script #data type="application/json" { (PreEscaped(text)) } })
}

/// Where tables are set up.
pub fn lobby(lobby: &Lobby) -> serde_json::Result<Html<String>> {
    let body = html! {
        (bar(None))
        header { h1 { "Play" } }
        main {
            p { "Choose a game, and who sits where. The match is kept in the folder " code { "played" } ", like that of any tournament." }
            div #lobby {}
        }
        (data(lobby)?)
    };
    Ok(styled("Play", &["lobby.js"], &body))
}

/// That nobody plays here.
pub fn no_play() -> Html<String> {
    trouble(
        "Read only",
        "Other machines reach this server, so that nobody plays here unless it is started with --allow-play.",
    )
}

/// A seat as its page needs it.
#[derive(Serialize)]
struct SeatData<'a> {
    rules: &'a Value,
    bots: Vec<String>,
    seat: Seat,
    hints: bool,
}

/// The seat of a person.
pub fn seat(table: &Table, seat: Seat) -> serde_json::Result<Html<String>> {
    let spec = &table.spec;
    let bots: Vec<String> = spec.names().iter().map(|name| clean(name)).collect();
    let title = bots.join(" · ");
    let rules = by_name!(spec.plan.game, G => G::RULES_PAGE).unwrap_or_default();
    let facts = SeatData { rules: &spec.plan.rules, bots, seat, hints: table.has_hints() };
    let body = html! {
        header { h1 { bdi { (title) } } p.state { (spec.plan.game) ". " span #connection role="status" { "connecting" } "." } }
        main #table {}
        details { summary { "Rules" } pre tabindex="0" { (rules) } }
        (data(&facts)?)
    };
    Ok(styled(&title, &[&format!("seat-{}.js", spec.plan.game)], &body))
}
