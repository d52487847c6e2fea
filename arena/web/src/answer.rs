//! What answers to requests have in common.

use std::sync::Arc;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_results::viewer;
use arena_tournament::played::Played;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tokio::task::spawn_blocking;

use super::catalogue::Found;
use super::{Site, pages};
use arena_session::report;

/// A page that says by itself what it may do; it must only not be held by another one.
pub const SELF_CONTAINED: [(header::HeaderName, &str); 1] =
    [(header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'")];

/// What all answers know.
pub type Shared = State<Arc<Site>>;

/// Why there is no answer.
pub enum Problem {
    /// What is asked for is not there.
    NotFound(String),
    /// It makes no sense.
    Wrong(String),
    /// Too many ask.
    Busy,
    /// The arena could not.
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, title, why) = match self {
            Self::NotFound(why) => (StatusCode::NOT_FOUND, "Not found", why),
            Self::Wrong(why) => (StatusCode::BAD_REQUEST, "Not understood", why),
            Self::Busy => {
                let why = "So many watch already that one more would not get anything: try again later.".into();
                (StatusCode::SERVICE_UNAVAILABLE, "Too many", why)
            }
            Self::Failed(error) => (StatusCode::INTERNAL_SERVER_ERROR, "That failed", format!("{error:#}")),
        };
        (status, pages::trouble(title, &why)).into_response()
    }
}

/// What is answered.
pub type Answer<T> = Result<T, Problem>;

/// What an address asks for behind its `?`.
pub fn parsed<T>(query: Result<Query<T>, QueryRejection>) -> Answer<T> {
    query.map(|Query(query)| query).map_err(|error| Problem::Wrong(error.body_text()))
}

/// Computes something with a ledger, away from those who wait for short answers.
pub async fn read<T: Send + 'static>(
    found: Found,
    compute: impl FnOnce(&Found, &Ledger) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let computed = spawn_blocking(move || compute(&found, &Ledger::open_read_only(&found.dir)?));
    computed.await.context("it could not be computed")?
}

/// The page of a match, with nothing hidden.
pub fn replay(found: &Found, ledger: &Ledger, played: &Played) -> Answer<Response> {
    let page = viewer::html(&report::replay(&found.dir, ledger, played, None)?)?;
    Ok((SELF_CONTAINED, Html(page)).into_response())
}
