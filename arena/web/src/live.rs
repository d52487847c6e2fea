//! Standings that move: each tournament that somebody watches is followed once, however many watch.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::sleep;

use super::Site;
use super::catalogue::Found;
use super::parts::{Made, Part};

/// The time from one look at a ledger to the next.
const LOOK: Duration = Duration::from_secs(1);
/// The most that watch at a time.
const WATCHERS: usize = 384;

type News = Option<Arc<Made>>;

/// The tournaments that are followed.
#[derive(Default)]
pub struct Live(Mutex<HashMap<PathBuf, watch::Sender<News>>>);

impl Live {
    /// The news of a tournament from now on; none if too many watch.
    fn watch(&self, site: &Arc<Site>, found: &Found) -> Option<watch::Receiver<News>> {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.values().map(watch::Sender::receiver_count).sum::<usize>() >= WATCHERS {
            return None;
        }
        if let Some(sender) = followed.get(&found.dir) {
            return Some(sender.subscribe());
        }
        let (sender, receiver) = watch::channel(None);
        followed.insert(found.dir.clone(), sender.clone());
        tokio::spawn(follow(Arc::clone(site), found.clone(), sender));
        Some(receiver)
    }

    /// True if nobody watches any more, and then it is forgotten.
    fn is_left(&self, found: &Found, sender: &watch::Sender<News>) -> bool {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_left = sender.receiver_count() == 0;
        if is_left {
            followed.remove(&found.dir);
        }
        is_left
    }
}

/// Looks at the ledger as long as somebody watches.
async fn follow(site: Arc<Site>, found: Found, sender: watch::Sender<News>) {
    while !site.live.is_left(&found, &sender) {
        // A ledger that cannot be read now may be there again soon.
        if let Ok(made) = site.parts.get(&found, Part::Standings).await {
            sender.send_if_modified(|last| {
                let is_new = last.as_ref().is_none_or(|last| last.text != made.text);
                if is_new {
                    *last = Some(made);
                }
                is_new
            });
        }
        sleep(LOOK).await;
    }
}

/// The standings of a tournament whenever they change, as server-sent events. Who reads slowly misses some, and gets the newest.
pub fn stream(site: &Arc<Site>, found: &Found) -> Option<Response> {
    let mut receiver = site.live.watch(site, found)?;
    receiver.mark_changed();
    let news = stream::unfold(receiver, |mut receiver| async move {
        loop {
            receiver.changed().await.ok()?;
            let news = receiver.borrow_and_update().clone();
            if let Some(made) = news {
                let event = Event::default().event("standings").data(&made.text);
                return Some((Ok::<_, Infallible>(event), receiver));
            }
        }
    });
    Some(Sse::new(news).keep_alive(KeepAlive::default()).into_response())
}
