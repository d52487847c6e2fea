//! Live standings, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::sleep;

use super::Site;
use super::catalogue::Found;
use super::parts::{Made, Part};

/// The time from one check of a ledger to the next.
const CHECK: Duration = Duration::from_secs(1);
/// The most who watch at a time.
pub const WATCHERS: usize = 384;

/// The standings of a tournament whenever they change; none if too many watch. All who watch share what is made.
pub fn stream(site: Arc<Site>, found: Found) -> Option<Response> {
    let place = Arc::clone(&site.watchers).try_acquire_owned().ok()?;
    let news = stream::unfold(
        (site, found, place, None),
        |(site, found, place, last): (_, _, _, Option<Arc<Made>>)| async move {
            loop {
                // A ledger that cannot be read now may be there again soon.
                if let Ok(made) = site.parts.get(&found, Part::Standings).await
                    && last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &made) && last.text != made.text)
                {
                    let event = Event::default().event("standings").data(&made.text);
                    return Some((Ok::<_, Infallible>(event), (site, found, place, Some(made))));
                }
                sleep(CHECK).await;
            }
        },
    );
    Some(Sse::new(news).keep_alive(KeepAlive::default()).into_response())
}
