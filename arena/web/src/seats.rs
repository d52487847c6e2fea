//! What is answered to people who play: the lobby, and the seats, each of which has its own address that nobody can guess.

use std::convert::Infallible;
use std::sync::Arc;

use arena_bots::roster;
use arena_engine::seat::Seat;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::answer::{self, Answer, Problem, Shared, read};
use super::play::{NewTable, Reply, State as Match, Table};
use super::{Site, pages};
use arena_runner::people::Hint;

/// The page where tables are set up.
pub async fn lobby(State(site): Shared) -> Answer<Html<String>> {
    if !site.has_play {
        return Ok(pages::no_play());
    }
    Ok(pages::lobby(&site.tables.lobby())?)
}

/// The seats of people at a new table.
#[derive(Serialize)]
struct Opened {
    seats: Vec<OpenSeat>,
}

/// A person's seat.
#[derive(Serialize)]
struct OpenSeat {
    name: String,
    address: String,
}

/// Why something was not done, for a script to show.
#[derive(Serialize)]
struct Refused {
    why: String,
}

fn refused(status: StatusCode, why: impl Into<String>) -> Response {
    (status, Json(Refused { why: why.into() })).into_response()
}

/// Sets up a table.
pub async fn open(State(site): Shared, wanted: Result<Json<NewTable>, JsonRejection>) -> Response {
    if !site.has_play {
        return refused(StatusCode::FORBIDDEN, "nobody plays here (arena serve --allow-play)");
    }
    let Json(wanted) = match wanted {
        Ok(wanted) => wanted,
        Err(error) => return refused(StatusCode::BAD_REQUEST, error.body_text()),
    };
    match site.tables.open(&wanted) {
        Ok(table) => {
            let names = table.spec.names();
            let seat = |(seat, key): (Seat, &str)| OpenSeat {
                name: names[seat.index()].clone(),
                address: format!("/seat/{key}"),
            };
            Json(Opened { seats: table.people().map(seat).collect() }).into_response()
        }
        Err(why) => refused(StatusCode::BAD_REQUEST, why),
    }
}

fn find(site: &Site, key: &str) -> Answer<(Arc<Table>, Seat)> {
    site.tables.find(key).ok_or_else(|| Problem::NotFound("There is no such seat, or its match is long over.".into()))
}

/// The page of a seat.
pub async fn page(State(site): Shared, Path(key): Path<String>) -> Answer<Html<String>> {
    let (table, seat) = find(&site, &key)?;
    Ok(pages::seat(&table, seat)?)
}

/// What a seat sees, from the beginning and then as it happens, as server-sent events.
pub async fn events(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = find(&site, &key)?;
    let receiver = table.watch(seat);
    let news = stream::unfold((table, receiver, 0), move |(table, mut receiver, from)| async move {
        receiver.changed().await.ok()?;
        receiver.mark_unchanged();
        let update = table.update(seat, from);
        let next = from + update.count();
        let event = Event::default().event("table").json_data(&update).ok()?;
        Some((Ok::<_, Infallible>(event), (table, receiver, next)))
    });
    Ok(Sse::new(news).keep_alive(KeepAlive::default()).into_response())
}

/// An action, to the question of a turn.
#[derive(Deserialize)]
pub struct Chosen {
    turn: u32,
    action: Box<RawValue>,
}

/// Takes an answer.
pub async fn answer(
    State(site): Shared,
    Path(key): Path<String>,
    chosen: Result<Json<Chosen>, JsonRejection>,
) -> Answer<Response> {
    let (table, seat) = find(&site, &key)?;
    let Json(Chosen { turn, action }) = match chosen {
        Ok(chosen) => chosen,
        Err(error) => return Ok(refused(StatusCode::BAD_REQUEST, error.body_text())),
    };
    Ok(taken(&table, seat, Reply::Act { turn, action: action.get().to_owned() }))
}

/// The person leaves, and forfeits.
pub async fn leave(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = find(&site, &key)?;
    Ok(taken(&table, seat, Reply::Leave))
}

fn taken(table: &Table, seat: Seat, reply: Reply) -> Response {
    match table.reply(seat, reply) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(why) => refused(StatusCode::CONFLICT, why),
    }
}

/// What the strongest bot would do, and why.
#[derive(Serialize)]
struct Advice {
    action: Value,
    words: String,
    bot: &'static str,
    why: &'static str,
}

/// A hint; that it was asked for is noted with the move.
pub async fn hint(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, seat) = find(&site, &key)?;
    let Some(Hint { action, words }) = table.hint(seat) else {
        return Ok(refused(StatusCode::CONFLICT, "There is no hint now."));
    };
    let (bot, why) = roster::strongest(&table.spec.plan.game);
    Ok(Json(Advice { action, words, bot, why }).into_response())
}

/// The replay of the match, with nothing hidden: not before it is over.
pub async fn replay(State(site): Shared, Path(key): Path<String>) -> Answer<Response> {
    let (table, _) = find(&site, &key)?;
    let Match::Kept { key, id } = table.state() else {
        return Ok(refused(StatusCode::CONFLICT, "The match is not over: what others know is not shown before."));
    };
    let found = site.catalogue.find(&key).ok_or_else(|| Problem::NotFound("The match was removed.".into()))?;
    read(found, move |found, ledger| {
        let played = ledger.find(&id)?.ok_or_else(|| Problem::NotFound("The match was removed.".into()))?;
        answer::replay(found, ledger, &played)
    })
    .await
}
