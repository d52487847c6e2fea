//! The connections, with their limits.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

use super::connections::{Connection, Connections};

/// How long the head of a request may take to arrive, and how long a client may take to send an allowed request.
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
    let connections = Arc::new(Connections::default());
    let mut stopped = pin!(stopped);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopped => return Ok(()),
        };
        match accepted {
            Ok((stream, _)) => drop(tokio::spawn(answer(
                stream,
                router.clone(),
                connections.add(),
            ))),
            // Files may have run out, which passes.
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers the requests of a connection.
async fn answer(stream: TcpStream, router: Router, connection: Connection) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let stream = TokioIo::new(Box::pin(stream));
    let connection = Arc::new(connection);
    let (shared, router) = (Arc::clone(&connection), TowerToHyperService::new(router));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&shared));
        router.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LARGEST_HEAD);
    tokio::select! {
        // A client that disconnects is no error.
        _ = http.serve_connection(stream, service) => {}
        () = connection.closed() => {}
        () = stays_unknown(&connection) => {}
    }
}

/// Returns if the client has not sent an allowed request in time.
async fn stays_unknown(connection: &Connection) {
    sleep(HEAD).await;
    if !connection.is_unknown() {
        pending::<()>().await;
    }
}
