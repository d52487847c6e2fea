//! What answers to requests have in common.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_results::ledger::Ledger;
use arena_results::played::Played;
use arena_results::viewer::Replay;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::task::spawn_blocking;

use super::catalogue::Found;
use super::{Site, pages};
use crate::tournament::report;

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

/// Computes something with a ledger, away from those who wait for short answers.
pub async fn read<T: Send + 'static>(
    found: &Found,
    compute: impl FnOnce(&Ledger) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let dir = found.dir.clone();
    spawn_blocking(move || compute(&Ledger::open_read_only(&dir)?)).await.context("it could not be computed")?
}

/// A match, move by move, with nothing hidden.
pub fn replay_of(found: &Found, ledger: &Ledger, played: &Played) -> anyhow::Result<Replay> {
    let whole = Whole { dir: &found.dir, ledger, played };
    games::visit(&ledger.spec().plan.game, whole).context("this program does not know the game")?
}

struct Whole<'a> {
    dir: &'a Path,
    ledger: &'a Ledger,
    played: &'a Played,
}

impl Visitor for Whole<'_> {
    type Out = anyhow::Result<Replay>;

    fn visit<G: Game>(self) -> Self::Out {
        Ok(report::replay::<G>(self.dir, self.ledger, self.played, None)?)
    }
}
