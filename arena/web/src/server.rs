//! HTTP server, with limits on its connections.

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

/// Timeout for receiving the head of a request, and for a client's first allowed request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for a client that does not read its response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of the head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Delay after a failure to accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Answers requests until the server is stopped.
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
            // The process may be out of file descriptors, which is transient.
            Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Answers the requests on a connection.
async fn answer(stream: TcpStream, router: Router, connection: Connection) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let stream = TokioIo::new(Box::pin(stream));
    let connection = Arc::new(connection);
    let (shared, router) = (Arc::clone(&connection), TowerToHyperService::new(router));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&shared));
        router.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES);
    tokio::select! {
        // Disconnecting is not an error.
        _ = http.serve_connection(stream, service) => {}
        () = connection.closed() => {}
        () = stays_unknown(&connection) => {}
    }
}

/// Returns once the client has failed to send an allowed request in time.
async fn stays_unknown(connection: &Connection) {
    sleep(HEAD_TIMEOUT).await;
    if !connection.is_unknown() {
        pending::<()>().await;
    }
}
