//! Building blocks of responses.

use std::sync::Arc;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_results::viewer;
use arena_tournament::played::Played;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::Markup;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalogue::TournamentFolder;
use super::{Site, pages};
use arena_session::report;

/// Headers of a page that has its own content security policy. They forbid framing.
pub const SELF_CONTAINED: [(header::HeaderName, &str); 1] =
    [(header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'")];

pub type Shared = State<Arc<Site>>;

/// Error page: the status code and the reason.
pub struct Problem(pub StatusCode, pub String);

/// Returns a "not found" error.
pub fn missing(why: &str) -> Problem {
    Problem(StatusCode::NOT_FOUND, why.to_owned())
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        let error = error.into();
        let status = match error.downcast_ref() {
            Some(LedgerError::None(_)) => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, format!("{error:#}"))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self(status, why) = self;
        let title = status.canonical_reason().unwrap_or_default();
        (status, pages::problem(title, &why)).into_response()
    }
}

pub type Answer<T> = Result<T, Problem>;

/// The query of an address, or the reason why it cannot be parsed.
pub type Asked<T> = Result<Query<T>, QueryRejection>;

/// Returns the parsed query of an address.
pub fn parsed<T>(query: Asked<T>) -> Answer<T> {
    query
        .map(|Query(query)| query)
        .map_err(|error| Problem(StatusCode::BAD_REQUEST, error.body_text()))
}

/// The query of a page that polls for news, which identifies the last news that the page received.
#[derive(Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct After {
    /// Hash of the content that the page shows.
    pub after: String,
    /// Number of events that the page has received.
    pub events: usize,
    /// The epoch of the server that sent the events.
    pub epoch: u64,
}

/// Query that names a match by its id.
#[derive(Deserialize)]
pub struct MatchId {
    pub id: String,
}

/// Returns the response to a page that polls for news. Without news, the response is empty.
pub fn news(new: Option<Value>) -> Response {
    new.map_or_else(
        || StatusCode::NO_CONTENT.into_response(),
        |new| Json(new).into_response(),
    )
}

/// Computes something from a ledger, on a worker thread.
pub async fn read<T: Send + 'static>(
    site: &Site,
    found: TournamentFolder,
    compute: impl FnOnce(&TournamentFolder, &Ledger) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    site.work
        .read(found.dir.clone(), move |ledger| compute(&found, ledger))
        .await
}

/// Returns the page of a match, with nothing hidden and with links to other pages. If `judging` is given, the page polls it for the
/// judgement.
pub fn replay(
    found: &TournamentFolder,
    ledger: &Ledger,
    played: &Played,
    ways: &Markup,
    judging: Option<&str>,
) -> Answer<Response> {
    let replay = report::replay(&found.dir, ledger, played, None, viewer::GUESSES)?;
    Ok((SELF_CONTAINED, Html(viewer::html(&replay, ways, judging)?)).into_response())
}
