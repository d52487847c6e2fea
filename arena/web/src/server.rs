//! The connections, with their limits.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

/// The most connections at a time; further ones are closed at once.
const CONNECTIONS: usize = 512;
/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(10);
/// How long a client may read nothing while there is something for it.
const UNREAD: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes.
const LARGEST_HEAD: usize = 16 * 1024;
/// The pause after a connection that could not be taken.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers requests until it is stopped.
pub async fn serve(
    listener: std::net::TcpListener,
    router: Router,
    stopped: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut stopped = pin!(stopped);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopped => return Ok(()),
        };
        match (accepted, Arc::clone(&room).try_acquire_owned()) {
            (Ok((stream, _)), Ok(place)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    answer(stream, router).await;
                    drop(place);
                });
            }
            (Ok(_), Err(_)) => {}
            // Files may have run out, which passes.
            (Err(_), _) => sleep(PAUSE).await,
        }
    }
}

/// Answers the requests of a connection.
async fn answer(stream: TcpStream, router: Router) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let stream = TokioIo::new(Box::pin(stream));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST_HEAD);
    // A client that disconnects is no error.
    let _ = http.serve_connection(stream, TowerToHyperService::new(router)).await;
}
