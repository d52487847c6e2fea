//! The HTTP server, with limits on its connections.

use std::collections::VecDeque;
use std::future::{Future, IntoFuture};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

/// Maximum number of open connections.
const MAX_CONNECTIONS: usize = 512;
/// Time after which a connection is closed if nothing is sent or received on it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Delay after a failure to accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Answers requests until the server is stopped.
pub async fn serve(
    listener: std::net::TcpListener,
    router: Router,
    stopped: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let listener = Connections::new(
        TcpListener::from_std(listener)?,
        MAX_CONNECTIONS,
        IDLE_TIMEOUT,
    );
    tokio::select! {
        served = axum::serve(listener, router).into_future() => Ok(served?),
        () = stopped => Ok(()),
    }
}

/// Accepts connections. If there are too many, closes the oldest.
struct Connections {
    listener: TcpListener,
    max: usize,
    idle: Duration,
    /// Open connections, oldest first. Dropping one closes it.
    open: VecDeque<oneshot::Sender<()>>,
}

impl Connections {
    fn new(listener: TcpListener, max: usize, idle: Duration) -> Self {
        Self {
            listener,
            max,
            idle,
            open: VecDeque::new(),
        }
    }

    fn add(&mut self, stream: TcpStream) -> Connection {
        self.open.retain(|connection| !connection.is_closed());
        if self.open.len() >= self.max {
            self.open.pop_front();
        }
        let (open, closed) = oneshot::channel();
        self.open.push_back(open);
        Connection {
            stream,
            closed,
            idle: self.idle,
            deadline: Box::pin(sleep(self.idle)),
            is_over: false,
        }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => return (self.add(stream), address),
                // The process may be out of file descriptors.
                Err(_) => {
                    self.open.pop_front();
                    sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that is closed when it has been idle for too long, or to make room for others.
struct Connection {
    stream: TcpStream,
    closed: oneshot::Receiver<()>,
    idle: Duration,
    deadline: Pin<Box<Sleep>>,
    is_over: bool,
}

impl Connection {
    /// Returns the result of an attempt to read or write, or an error if the connection must be closed.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if moved.is_ready() {
            self.deadline.as_mut().reset(Instant::now() + self.idle);
            return moved;
        }
        self.is_over = self.is_over
            || Pin::new(&mut self.closed).poll(context).is_ready()
            || self.deadline.as_mut().poll(context).is_ready();
        if self.is_over {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.check(context, read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::runtime;

    use super::*;

    #[test]
    fn the_oldest_connection_makes_room_and_idle_ones_end() {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mut connections = Connections::new(listener, 2, IDLE_TIMEOUT);
            let (mut clients, mut served) = (Vec::new(), Vec::new());
            for _ in 0..3 {
                clients.push(TcpStream::connect(address).await.unwrap());
                served.push(connections.accept().await.0);
            }
            let mut byte = [0];
            assert!(served[0].read(&mut byte).await.is_err(), "it made room");
            served.remove(0);
            for (client, served) in clients.iter_mut().skip(1).zip(&mut served) {
                client.write_all(b"x").await.unwrap();
                assert_eq!(served.read(&mut byte).await.unwrap(), 1);
            }
            served.pop();
            connections.idle = Duration::ZERO;
            clients.push(TcpStream::connect(address).await.unwrap());
            let mut idle = connections.accept().await.0;
            assert!(idle.read(&mut byte).await.is_err(), "it was idle");
            clients[1].write_all(b"x").await.unwrap();
            let read = served[0].read(&mut byte).await;
            assert_eq!(read.unwrap(), 1, "closed ones need no room");
        });
    }
}
