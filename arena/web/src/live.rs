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
/// The standings of a tournament whenever they change. All who watch share what is made.
pub fn stream(site: Arc<Site>, found: Found) -> Response {
    let news =
        stream::unfold((site, found, None), |(site, found, last): (_, _, Option<Arc<Made<String>>>)| async move {
            loop {
                // A ledger that cannot be read now may be there again soon.
                if let Ok(made) = site.part(&found, Part::Standings).await
                    && last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &made) && last.of != made.of)
                {
                    let event = Event::default().event("standings").data(&made.of);
                    return Some((Ok::<_, Infallible>(event), (site, found, Some(made))));
                }
                sleep(CHECK).await;
            }
        });
    Sse::new(news).keep_alive(KeepAlive::default()).into_response()
}
