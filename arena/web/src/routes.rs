//! What is answered at which address.

use std::sync::Arc;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_ledger::matches::{Filter, Listing};
use arena_ledger::newest::Number;
use arena_results::viewer::Replay;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::answer::{self, Answer, Problem, SELF_CONTAINED, Shared, parsed, read};
use super::catalogue::Found;
use super::parts::Part;
use super::{Site, access, assets, live, pages, seats};
use arena_session::report as reports;

/// The largest body of a request, in bytes.
const LARGEST: usize = 64 * 1024;

/// All addresses, for those who may look.
pub fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(list))
        .route("/static/{name}", get(asset))
        .route("/t/{key}", get(standings))
        .route("/t/{key}/events", get(events))
        .route("/t/{key}/matches", get(matches))
        .route("/t/{key}/match", get(replay))
        .route("/t/{key}/charts", get(charts))
        .route("/t/{key}/pairs", get(pairs))
        .route("/t/{key}/faults", get(faults))
        .route("/t/{key}/report", get(report))
        .route("/t/{key}/tv", get(tv))
        .route("/t/{key}/next", get(next))
        .route("/play", get(seats::lobby).post(seats::open))
        .route("/seat/{key}", get(seats::page))
        .route("/seat/{key}/events", get(seats::events))
        .route("/seat/{key}/answer", post(seats::answer))
        .route("/seat/{key}/hint", post(seats::hint))
        .route("/seat/{key}/leave", post(seats::leave))
        .route("/seat/{key}/replay", get(seats::replay))
        .fallback(async || Problem::NotFound("There is no such page.".into()))
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(Arc::clone(&site), access::guard))
        .with_state(site)
}

/// A tournament's folder.
fn find(site: &Site, key: &str) -> Answer<Found> {
    let missing = || Problem::NotFound("There is no such tournament in the folder that is served.".into());
    site.catalogue.find(key).ok_or_else(missing)
}

async fn list(State(site): Shared) -> Answer<Html<String>> {
    let page = spawn_blocking(move || {
        let all = site.catalogue.all().into_iter();
        let opened = all.map(|found| {
            let ledger = Ledger::open_read_only(&found.dir).map_err(anyhow::Error::from);
            (found, ledger)
        });
        pages::list(&opened.collect::<Vec<_>>())
    });
    Ok(page.await.context("the tournaments could not be listed")?)
}

async fn asset(Path(name): Path<String>) -> Answer<Response> {
    let asset = assets::find(&name).ok_or_else(|| Problem::NotFound("There is no such file.".into()))?;
    let headers = [(header::CONTENT_TYPE, asset.kind), (header::CACHE_CONTROL, "max-age=31536000, immutable")];
    Ok((headers, asset.text.as_str()).into_response())
}

/// A page of a tournament with a part that is made of its ledger.
async fn with_part(site: &Site, key: &str, part: Part, end: &'static str) -> Answer<Html<String>> {
    let found = find(site, key)?;
    let made = site.parts.get(&found, part).await?;
    read(found, move |found, ledger| {
        let body = if end.is_empty() { pages::standings(found, &made.text) } else { pages::part(&made.text) };
        Ok(pages::of_tournament(found, ledger, end, &body))
    })
    .await
}

async fn standings(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    with_part(&site, &key, Part::Standings, "").await
}

async fn charts(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    with_part(&site, &key, Part::Charts, "/charts").await
}

async fn pairs(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    with_part(&site, &key, Part::Comparisons, "/pairs").await
}

async fn faults(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    with_part(&site, &key, Part::Faults, "/faults").await
}

async fn report(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let made = site.parts.get(&find(&site, &key)?, Part::Report).await?;
    Ok((SELF_CONTAINED, Html(made.text.clone())).into_response())
}

async fn events(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let found = find(&site, &key)?;
    live::stream(&site, &found).ok_or(Problem::Busy)
}

async fn matches(
    State(site): Shared,
    Path(key): Path<String>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Answer<Html<String>> {
    let (found, filter) = (find(&site, &key)?, parsed(filter)?);
    read(found, move |found, ledger| {
        let listing = Listing::of(ledger, &filter)?;
        let body = pages::matches(found, &ledger.spec().names(), &filter, &listing);
        Ok(pages::of_tournament(found, ledger, "/matches", &body))
    })
    .await
}

/// Which match.
#[derive(Deserialize)]
struct Which {
    id: String,
}

async fn replay(
    State(site): Shared,
    Path(key): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Answer<Response> {
    let (found, Which { id }) = (find(&site, &key)?, parsed(which)?);
    read(found, move |found, ledger| {
        // Names of strangers are of no match.
        let played = ledger.find(&id).ok().flatten();
        let played = played.ok_or_else(|| Problem::NotFound("There is no such finished match.".into()))?;
        answer::replay(found, ledger, &played)
    })
    .await
}

async fn tv(State(site): Shared, Path(key): Path<String>, RawQuery(query): RawQuery) -> Answer<Html<String>> {
    let found = find(&site, &key)?;
    let is_kiosk =
        query.is_some_and(|query| query.split('&').any(|part| part == "kiosk" || part.starts_with("kiosk=")));
    read(found, move |found, ledger| Ok(pages::tv(found, ledger, is_kiosk))).await
}

/// What a screen has shown: the numbers of the newest match and of the oldest one.
#[derive(Deserialize)]
struct Shown {
    newest: Option<Number>,
    oldest: Option<Number>,
}

/// A match for a screen.
#[derive(Serialize)]
struct ForScreen {
    number: Number,
    replay: Replay,
}

/// The newest match that a screen has not shown; of older ones the next; the newest again if it has shown all.
async fn next(
    State(site): Shared,
    Path(key): Path<String>,
    shown: Result<Query<Shown>, QueryRejection>,
) -> Answer<Response> {
    let (found, shown) = (find(&site, &key)?, parsed(shown)?);
    read(found, move |found, ledger| {
        let Some((number, newest)) = ledger.newest(None)? else { return Ok(StatusCode::NO_CONTENT.into_response()) };
        let is_new = shown.newest.is_none_or(|newest| number > newest);
        let older = if is_new { None } else { ledger.newest(shown.oldest)? };
        let (number, played) = older.unwrap_or((number, newest));
        Ok(Json(ForScreen { number, replay: reports::replay(&found.dir, ledger, &played, None)? }).into_response())
    })
    .await
}
