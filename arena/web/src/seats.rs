//! Responses to people who play: the lobby, and the seats, each of which has a secret address.

use std::sync::Arc;

use arena_bots::roster;
use arena_engine::seat::Seat;
use arena_tournament::printable::clean;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer::{
    self, After, Answer, Asked, MatchId, Problem, Shared, missing, news, parsed, read,
};
use super::play::{NOT_YET_ASKED, NewTable, Reply, State as Match, Table, UNSAVED};
use super::{Site, pages};

const REMOVED: &str = "The match was removed.";
const ONLY_WATCHING: &str = "This link is for watching only.";
const NO_PLAY: &str = "Other machines reach this server, so nobody can play here unless it is started with --allow-play.";

/// Responds with the page that sets up tables.
pub async fn lobby(State(site): Shared) -> Answer<Html<String>> {
    if !site.has_play {
        return Err(Problem(StatusCode::FORBIDDEN, NO_PLAY.into()));
    }
    Ok(pages::lobby(&site.tables.choices())?)
}

/// Returns an error that a script shows.
fn refused(status: StatusCode, why: impl Into<String>) -> Response {
    (status, Json(json!({"why": why.into()}))).into_response()
}

/// Sets up a table.
pub async fn open(State(site): Shared, wanted: Result<Json<NewTable>, JsonRejection>) -> Response {
    if !site.has_play {
        return refused(StatusCode::FORBIDDEN, NO_PLAY);
    }
    let wanted = match wanted {
        Ok(Json(wanted)) => wanted,
        Err(error) => return refused(StatusCode::BAD_REQUEST, error.body_text()),
    };
    match site.tables.open(wanted, Vec::new()) {
        Ok(table) => {
            let names = table.spec.names();
            let seat = |(seat, key): (Seat, &str)| json!({"name": names[seat.index()], "address": format!("/seat/{key}")});
            let seats: Vec<Value> = table.people().map(seat).collect();
            Json(json!({"seats": seats, "watch": table.watch_address()})).into_response()
        }
        Err(error) => refused(StatusCode::BAD_REQUEST, format!("{error:#}")),
    }
}

/// Ends a match whose people have left.
pub async fn close(State(site): Shared, closed: Result<Json<MatchId>, JsonRejection>) -> Response {
    match closed {
        Ok(Json(MatchId { id })) if site.tables.close(&id) => {
            StatusCode::NO_CONTENT.into_response()
        }
        Ok(_) => refused(
            StatusCode::NOT_FOUND,
            "There is no such match, or it is over.",
        ),
        Err(error) => refused(StatusCode::BAD_REQUEST, error.body_text()),
    }
}

/// Request with the keys of the seats that a browser remembers.
#[derive(Deserialize)]
pub struct Remembered {
    keys: Vec<String>,
}

/// Responds with the state of the matches that a browser remembers, if they are known here.
pub async fn mine(State(site): Shared, Json(Remembered { keys }): Json<Remembered>) -> Response {
    let known = keys.iter().filter_map(|key| {
        let (table, seat) = site.tables.find(key)?;
        let name = clean(&table.spec.name);
        Some(json!({"key": key, "name": name, "game": table.spec.plan.game, "state": table.standing(seat?)}))
    });
    Json(json!({"matches": known.collect::<Vec<Value>>()})).into_response()
}

fn find(site: &Site, key: &str) -> Answer<(Arc<Table>, Option<Seat>)> {
    site.tables
        .find(key)
        .ok_or_else(|| missing("There is no such seat, or its match is long over."))
}

/// Returns the seat that a key grants.
fn seated(site: &Site, key: &str) -> Answer<(Arc<Table>, Seat)> {
    match find(site, key)? {
        (table, Some(seat)) => Ok((table, seat)),
        _ => Err(Problem(StatusCode::FORBIDDEN, ONLY_WATCHING.into())),
    }
}

/// Responds with the page of a seat or of a spectator.
pub async fn page(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    let (table, seat) = find(&site, &key)?;
    Ok(pages::seat(&table, seat)?)
}

/// Query of a page that polls for news, with a name for its browser.
#[derive(Deserialize)]
pub struct Browser {
    #[serde(default)]
    browser: String,
}

/// Responds with the news for the page of a seat or of a spectator.
pub async fn seat_news(
    State(site): Shared,
    Path(key): Path<String>,
    after: Asked<After>,
    browser: Asked<Browser>,
) -> Answer<Response> {
    let ((table, seat), after) = (find(&site, &key)?, parsed(after)?);
    let Browser { browser } = parsed(browser)?;
    Ok(news(table.news(seat, &after, &browser)))
}

/// Request with the action for the question of a turn.
#[derive(Deserialize)]
pub struct Chosen {
    turn: u32,
    action: Box<RawValue>,
}

pub async fn answer(
    State(site): Shared,
    Path(key): Path<String>,
    chosen: Result<Json<Chosen>, JsonRejection>,
) -> Answer<Response> {
    let (table, seat) = seated(&site, &key)?;
    Ok(match chosen {
        Ok(Json(Chosen { turn, action })) => {
            let action = action.get().to_owned();
            reply(&table, seat, Reply::Act { turn, action })
        }
        Err(error) => refused(StatusCode::BAD_REQUEST, error.body_text()),
    })
}

/// Makes the person leave, which forfeits the match.
pub async fn leave(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = seated(&site, &key)?;
    Ok(reply(&table, seat, Reply::Leave))
}

/// Opens the table of the rematch, unless it is open already.
pub async fn rematch(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = seated(&site, &key)?;
    let opened = table.rematch(seat, |wanted, opened| site.tables.open(wanted, opened));
    Ok(opened.map_or_else(
        |error| refused(StatusCode::CONFLICT, format!("{error:#}")),
        |()| StatusCode::NO_CONTENT.into_response(),
    ))
}

fn reply(table: &Table, seat: Seat, reply: Reply) -> Response {
    match table.reply(seat, reply) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(why @ (NOT_YET_ASKED | UNSAVED)) => refused(StatusCode::SERVICE_UNAVAILABLE, why),
        Err(why) => refused(StatusCode::CONFLICT, why),
    }
}

/// Responds with the action of the strongest bot and its reasons. The use of the hint is noted with the move.
pub async fn hint(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = seated(&site, &key)?;
    let Some(hint) = table.hint(seat) else {
        return Ok(refused(StatusCode::CONFLICT, "There is no hint now."));
    };
    let bot = roster::strongest(&table.spec.plan.game);
    Ok(Json(json!({"hint": hint, "bot": bot.name, "why": bot.about})).into_response())
}

/// Responds with the replay of a finished match, with nothing hidden.
pub async fn replay(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = find(&site, &key)?;
    let Match::Kept { key, id, .. } = table.state() else {
        return Ok(refused(
            StatusCode::CONFLICT,
            "What others know is shown only when the match is over.",
        ));
    };
    let found = site.catalogue.find(&key).ok_or_else(|| missing(REMOVED))?;
    read(&site, found, move |found, ledger| {
        let played = ledger.find(&id)?.ok_or_else(|| missing(REMOVED))?;
        let ways = seat.map(|_| pages::new_match_link()).unwrap_or_default();
        answer::replay(found, ledger, &played, &ways, None)
    })
    .await
}
