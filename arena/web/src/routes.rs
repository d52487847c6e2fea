//! The routes: the handler of each address.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use arena_ledger::ledger::Ledger;
use arena_ledger::matches::{Filter, Index, Row};
use arena_results::viewer::{self, GUESSES};
use arena_runner::short_hash::short_hash;
use arena_tournament::played::Played;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use maud::PreEscaped;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use super::access::Owner;
use super::answer::{
    self, After, Answer, Asked, MatchId, SELF_CONTAINED, Shared, missing, news, parsed, read,
};
use super::catalogue::TournamentFolder;
use super::parts::{Made, Part};
use super::work::Client;
use super::{Site, access, assets, pages, season, seats};
use arena_session::{judgements, report as reports};

type Key = Path<String>;

/// Timeout of a request for news.
const NEWS_TIMEOUT: Duration = Duration::from_secs(2);

/// Minimum size of a compressed response, in bytes.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// Returns the router for all addresses.
pub fn router(site: Arc<Site>) -> Router {
    let compression = CompressionLayer::new().compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES));
    let guard = middleware::from_fn_with_state(Arc::clone(&site), access::guard);
    let mut router = Router::new()
        .route("/", get(list))
        .route("/static/{name}", get(asset))
        .route("/rules/{game}", get(rules))
        .route("/season/{game}", get(season::page))
        .route("/t/{key}/news", get(standings_news))
        .route("/t/{key}/matches", get(matches))
        .route("/t/{key}/match", get(replay))
        .route("/t/{key}/judged", get(judged))
        .route("/t/{key}/bot", get(bot))
        .route("/t/{key}/report", get(report))
        .route("/t/{key}/tv", get(tv))
        .route("/t/{key}/next", get(next))
        .route("/play", get(seats::lobby).post(seats::open))
        .route("/play/close", post(seats::close))
        .route("/play/mine", post(seats::mine))
        .route("/watch/{key}", get(seats::page))
        .route("/watch/{key}/news", get(seats::seat_news))
        .route("/watch/{key}/replay", get(seats::replay))
        .route("/seat/{key}", get(seats::page))
        .route("/seat/{key}/news", get(seats::seat_news))
        .route("/seat/{key}/rematch", post(seats::rematch))
        .route("/seat/{key}/answer", post(seats::answer))
        .route("/seat/{key}/hint", post(seats::hint))
        .route("/seat/{key}/leave", post(seats::leave))
        .route("/seat/{key}/replay", get(seats::replay));
    for (end, part) in PARTS {
        let page = move |site: Shared, key: Key| with_part(site, key, part, end);
        router = router.route(&format!("/t/{{key}}{end}"), get(page));
    }
    router
        .fallback(async || missing("There is no such page."))
        .layer(guard)
        .layer(compression)
        .with_state(site)
}

/// Pages of a tournament that contain a part, by the suffix of the address.
const PARTS: [(&str, Part); 4] = [
    ("", Part::Standings),
    ("/charts", Part::Charts),
    ("/pairs", Part::Comparisons),
    ("/faults", Part::Faults),
];

/// Returns the folder of a tournament.
fn find(site: &Site, key: &str) -> Answer<TournamentFolder> {
    site.catalogue
        .find(key)
        .ok_or_else(|| missing("There is no such tournament in the folder that is served."))
}

async fn list(
    State(site): Shared,
    Extension(owner): Extension<Option<Owner>>,
) -> Answer<Html<String>> {
    let shared = Arc::clone(&site);
    let can_play = site.has_play && owner == Some(Owner::Host);
    let list = move |client: Client| {
        let all = shared.catalogue.all().into_iter();
        let all = all.take_while(|_| !client.is_closed());
        Ok(pages::list(all, can_play))
    };
    site.work.run(list).await
}

async fn rules(Path(game): Path<String>) -> Answer<Html<String>> {
    pages::rules(&game).ok_or_else(|| missing("There is no such game."))
}

async fn asset(Path(name): Path<String>) -> Answer<Response> {
    let asset = assets::find(&name).ok_or_else(|| missing("There is no such file."))?;
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    Ok((headers, asset.text.as_str()).into_response())
}

/// Responds with a page of a tournament that contains a part.
async fn with_part(
    State(site): Shared,
    Path(key): Key,
    part: Part,
    end: &'static str,
) -> Answer<Html<String>> {
    let found = find(&site, &key)?;
    let made = site.part(&found, part).await?;
    read(&site, found, move |found, ledger| {
        let body = PreEscaped(made.of.clone());
        let body = if part == Part::Standings {
            pages::standings(found, ledger.spec(), &body, &short_hash(&made.of))
        } else {
            body
        };
        Ok(pages::of_tournament(found, ledger, end, &body))
    })
    .await
}

/// Responds with a part that is a separate page.
async fn alone(State(site): Shared, Path(key): Key, part: Part) -> Answer<Response> {
    let made = site.part(&find(&site, &key)?, part).await?;
    Ok((SELF_CONTAINED, Html(made.of.clone())).into_response())
}

async fn report(site: Shared, key: Key) -> Answer<Response> {
    alone(site, key, Part::Report).await
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

async fn bot(site: Shared, key: Key, name: Asked<Name>) -> Answer<Response> {
    let (found, Name { name }) = (find(&site, &key)?, parsed(name)?);
    let place = move |found: &TournamentFolder, ledger: &Ledger| {
        let judged = fs::metadata(found.dir.join(judgements::FILE)).map_or(0, |file| file.len());
        let place = ledger.spec().bots.iter().position(|bot| bot.name == name);
        Ok(place.map(|place| (place, judged)))
    };
    match read(&site, found, place).await? {
        None => Err(missing("There is no such bot in this tournament.")),
        Some((place, judged)) => alone(site, key, Part::Bot(place, judged)).await,
    }
}

/// Responds with the standings, unless the page already has them. If the work is slow, it continues in the background after the timeout,
/// and the page's connection is freed.
async fn standings_news(
    State(site): Shared,
    Path(key): Key,
    after: Asked<After>,
) -> Answer<Response> {
    let (found, After { after, .. }) = (find(&site, &key)?, parsed(after)?);
    let making = tokio::spawn(async move { site.part(&found, Part::Standings).await });
    let Ok(made) = timeout(NEWS_TIMEOUT, making).await else {
        return Ok(news(None));
    };
    let made = made??;
    let token = short_hash(&made.of);
    let is_new = token != after;
    Ok(news(is_new.then(
        || json!({"token": {"after": token}, "html": made.of}),
    )))
}

/// Returns the index of a tournament's matches, computed or cached.
async fn index(site: &Site, found: &TournamentFolder) -> Answer<Arc<Made<Index>>> {
    site.indices
        .get(&site.work, found, (), |_, ledger| Ok(Index::new(ledger)?))
        .await
}

async fn matches(
    State(site): Shared,
    Path(key): Key,
    filter: Asked<Filter>,
    query: Asked<BTreeMap<String, String>>,
) -> Answer<Html<String>> {
    let found = find(&site, &key)?;
    let filter = parsed(filter)?;
    let query = parsed(query)?;
    let index = index(&site, &found).await?;
    read(&site, found, move |found, ledger| {
        let listing = index.of.page(ledger, &filter)?;
        let body = pages::matches(found, &ledger.spec().names(), filter.page, &query, &listing);
        Ok(pages::of_tournament(found, ledger, "/matches", &body))
    })
    .await
}

async fn replay(State(site): Shared, Path(key): Key, which: Asked<MatchId>) -> Answer<Response> {
    let (found, MatchId { id }) = (find(&site, &key)?, parsed(which)?);
    let index = index(&site, &found).await?;
    let judging = Arc::clone(&site.judging);
    read(&site, found, move |found, ledger| {
        let (played, game) = (finished(ledger, &id)?, &ledger.spec().plan.game);
        let beside = index.of.beside(ledger, &played);
        let ways = pages::ways(found, game, &beside);
        let judging = judging
            .is_wanted(&found.dir, game, &played)
            .then(|| pages::judged(found, &id));
        answer::replay(found, ledger, &played, &ways, judging.as_deref())
    })
    .await
}

/// Returns the finished match with this id.
fn finished(ledger: &Ledger, id: &str) -> Answer<Played> {
    // A malformed id is treated as unknown.
    let played = ledger.find(id).ok().flatten();
    played.ok_or_else(|| missing("There is no such finished match."))
}

/// Responds with a match and its judgement. If there is no judgement, starts the judge, and responds with nothing until it is done.
async fn judged(
    State(site): Shared,
    Path(key): Path<String>,
    which: Asked<MatchId>,
) -> Answer<Response> {
    let (found, MatchId { id }) = (find(&site, &key)?, parsed(which)?);
    let judging = Arc::clone(&site.judging);
    read(&site, found, move |found, ledger| {
        let (played, game) = (finished(ledger, &id)?, &ledger.spec().plan.game);
        if judging.is_wanted(&found.dir, game, &played) {
            judging.begin(&found.dir, game, &played);
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        if judgements::find(&found.dir, game, &played).is_none() {
            return Err(missing("This match is not judged."));
        }
        let replay = reports::replay(&found.dir, ledger, &played, None, GUESSES)?;
        Ok(Json(replay).into_response())
    })
    .await
}

async fn tv(
    State(site): Shared,
    Path(key): Key,
    query: Asked<BTreeMap<String, String>>,
) -> Answer<Html<String>> {
    let (found, is_kiosk) = (find(&site, &key)?, parsed(query)?.contains_key("kiosk"));
    read(&site, found, move |found, ledger| {
        Ok(pages::tv(found, ledger, is_kiosk))
    })
    .await
}

/// Query with the keys of the matches that a screen has shown, separated by commas.
#[derive(Deserialize)]
struct Shown {
    #[serde(default)]
    seen: String,
}

/// Number of candidates for the next match. The one with the most turns is shown, because it stayed open longest.
const CANDIDATES: usize = 12;

/// Responds with the next match for a screen: the longest among the first few worth watching that the screen has not shown. Starts over
/// once the screen has shown all.
async fn next(State(site): Shared, Path(key): Key, shown: Asked<Shown>) -> Answer<Response> {
    let (found, shown) = (find(&site, &key)?, parsed(shown)?);
    let index = index(&site, &found).await?;
    read(&site, found, move |found, ledger| {
        let rows = index.of.to_watch(ledger)?;
        let is_new = |row: &&Row| !shown.seen.split(',').any(|key| key == short_hash(&row.id));
        let mut choice: Vec<&Row> = rows.iter().filter(is_new).take(CANDIDATES).collect();
        if choice.is_empty() {
            choice.extend(rows.iter().take(CANDIDATES));
        }
        let matches = choice
            .into_iter()
            .filter_map(|row| ledger.find(&row.id).transpose());
        let matches = matches.collect::<Result<Vec<_>, _>>()?;
        let Some(played) = matches
            .iter()
            .max_by_key(|played| played.record.as_str().len())
        else {
            return Ok(StatusCode::NO_CONTENT.into_response());
        };
        let replay = reports::replay(&found.dir, ledger, played, None, GUESSES)?;
        Ok(
            Json(json!({"key": short_hash(played.id()), "replay": viewer::packed(&replay)?}))
                .into_response(),
        )
    })
    .await
}
