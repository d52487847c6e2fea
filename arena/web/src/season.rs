//! The season: one rating over all tournaments of a game in the served folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arena_engine::table;
use arena_ledger::ledger::Ledger;
use arena_results::rate::{self, Choices, Frame, SourceRow};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use tokio::sync::Mutex;

use super::answer::{Answer, Problem, SELF_CONTAINED, Shared, missing};
use super::catalogue::{TournamentFolder, game};
use super::parts::is_recent;
use super::{Site, pages};

/// The latest season of each game.
pub type Seasons = Mutex<BTreeMap<String, SeasonPage>>;

/// The page of a season.
#[derive(Clone)]
pub struct SeasonPage {
    /// The tournaments from which the page was computed.
    evenings: Evenings,
    page: Arc<str>,
    at: Instant,
    cost: Duration,
}

/// Folders of tournaments, and when each was last changed.
type Evenings = Vec<(PathBuf, SystemTime)>;

/// Returns the tournaments of a game, by key. Those in folders of bots and those that cannot be read are left out.
fn found(site: &Site, wanted: &str) -> Vec<TournamentFolder> {
    let mut all = site.catalogue.all();
    all.retain(|found| {
        !found.is_of_bot
            && Ledger::open_read_only(&found.dir).is_ok_and(|ledger| game(&ledger) == Some(wanted))
    });
    all.sort_by(|one, other| one.key.cmp(&other.key));
    all
}

/// Responds with the season of a game. It is computed again after a change, but not so often that it would slow down matches.
pub async fn page(State(site): Shared, Path(name): Path<String>) -> Answer<Response> {
    let mut seasons = site.seasons.lock().await;
    let shared = Arc::clone(&site);
    let known = seasons.get(&name).cloned();
    let wanted = name.clone();
    let season = site
        .work
        .run(move |_client| {
            let begun = Instant::now();
            let all = found(&shared, &wanted);
            let evenings: Evenings = all
                .iter()
                .map(|found| (found.dir.clone(), found.changed))
                .collect();
            match known {
                Some(known) if known.evenings == evenings || is_recent(known.at, known.cost) => {
                    Ok(known)
                }
                _ => Ok(SeasonPage {
                    page: compute(&wanted, &all, &shared.season)?.into(),
                    evenings,
                    at: Instant::now(),
                    cost: begun.elapsed(),
                }),
            }
        })
        .await?;
    let page = season.page.to_string();
    seasons.insert(name, season);
    Ok((SELF_CONTAINED, Html(page)).into_response())
}

fn compute(game: &str, all: &[TournamentFolder], choices: &Choices) -> Answer<String> {
    if all.is_empty() {
        return Err(missing(
            "There is no tournament of this game in the folder that is served.",
        ));
    }
    let dirs: Vec<PathBuf> = all.iter().map(|found| found.dir.clone()).collect();
    let pooled =
        rate::rate(&dirs, choices).map_err(|why| Problem(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    let of = |source: &SourceRow| {
        let found = all
            .iter()
            .find(|found| found.dir.display().to_string() == source.path)?;
        Some(pages::address(found, ""))
    };
    let title = table::find(game).map_or(game, |entry| entry.title);
    let frame = Frame {
        title: &format!("Season of {title}"),
        home: Some("/"),
        of: &of,
    };
    Ok(rate::html(&pooled, &frame)?)
}
