//! A running `arena serve`, and raw HTTP requests to it.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Child, Command, Printed};
use crate::{TEST_TIMEOUT, arena};

/// Interval for polling for updates.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A running `arena serve`, which ends when this is dropped.
pub struct Server {
    child: Child,
    /// The output after the line with the address.
    printed: Mutex<Printed>,
    /// The address that the server listens on.
    pub address: SocketAddr,
    /// The token that grants access.
    pub token: String,
}

/// An HTTP response.
#[derive(Debug, Default)]
pub struct Answer {
    /// The HTTP status; 0 if nothing was received.
    pub status: u16,
    /// The response head, in lower case.
    pub head: String,
    /// The response body.
    pub body: String,
}

/// A client with a certain token.
#[derive(Clone, Copy)]
pub struct Visitor<'a> {
    server: &'a Server,
    token: &'a str,
}

impl Visitor<'_> {
    /// Returns the request head that a browser would send.
    pub fn head(self, method: &str, path: &str) -> String {
        let address = self.server.address;
        let port = self.server.address.port();
        let token = self.token;
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nCookie: arena_{port}={token}\r\n")
    }

    /// Requests a page like a browser.
    pub fn get(self, path: &str) -> Answer {
        self.server
            .ask(&(self.head("GET", path) + "Connection: close\r\n\r\n"))
    }

    /// Posts JSON like a page of this server.
    pub fn post(self, path: &str, body: &str) -> Answer {
        let (host, length) = (self.server.address, body.len());
        let more = format!(
            "Origin: http://{host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        self.server.ask(&(self.head("POST", path) + &more + body))
    }
}

/// A guard that stops the server if its thread panics, so that other threads do not wait in vain for this player.
pub struct Player<'a>(&'a Server);

impl Drop for Player<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.child.kill();
        }
    }
}

impl Server {
    /// Starts serving a folder.
    pub fn start(dir: &Path, flags: &[&str]) -> Self {
        Self::start_with(arena(), dir, flags)
    }

    /// Starts serving a folder with a program other than the arena.
    pub fn start_with(program: &Path, dir: &Path, flags: &[&str]) -> Self {
        Self::serve(Command::new(program), dir, flags)
    }

    /// Starts serving a folder with a server that dies at this crash point.
    pub fn start_to_die(dir: &Path, point: &str) -> Self {
        let mut serve = Command::new(arena());
        serve.env("ARENA_CRASH", point);
        Self::serve(serve, dir, &[])
    }

    fn serve(mut serve: Command, dir: &Path, flags: &[&str]) -> Self {
        serve
            .current_dir(dir)
            .arg("serve")
            .arg(dir)
            .args(["--port", "0"])
            .args(flags)
            .stderr(Stdio::piped());
        let mut child = serve.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let link = line
            .trim()
            .strip_prefix("serving    http://")
            .unwrap_or_else(|| panic!("{line}"));
        let (address, token) = link.split_once("/?token=").unwrap();
        let (address, token) = (address.parse().unwrap(), token.to_owned());
        Self {
            child,
            // The output is read by a thread, so that the server never blocks on it.
            printed: Mutex::new(Printed::read(lines)),
            address,
            token,
        }
    }

    /// Waits for the server to die.
    pub fn died(self) {
        self.child.wait().unwrap();
    }

    /// Sends Ctrl-C, and returns all output.
    pub fn interrupted(&mut self) -> String {
        self.child.signal("INT");
        self.child.wait().unwrap();
        let printed = self.printed.get_mut().unwrap().all();
        String::from_utf8(printed).unwrap()
    }

    /// Registers one of several threads that play against each other, until the result is dropped.
    pub fn player(&self) -> Player<'_> {
        Player(self)
    }

    /// Returns a client with another token.
    pub fn with_token<'a>(&'a self, token: &'a str) -> Visitor<'a> {
        Visitor {
            server: self,
            token,
        }
    }

    /// Returns the address to open, including the token.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Returns the request head that a browser would send.
    pub fn head(&self, method: &str, path: &str) -> String {
        self.with_token(&self.token).head(method, path)
    }

    /// Requests a page like a browser.
    pub fn get(&self, path: &str) -> Answer {
        self.with_token(&self.token).get(path)
    }

    /// Posts JSON like a page of this server.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.with_token(&self.token).post(path, body)
    }

    /// Returns the successive updates sent to a page of a seat or of a tournament's standings.
    pub fn updates(&self, page: &str) -> impl Iterator<Item = Value> + use<'_> {
        let (mut token, page) = (Value::Null, page.to_owned());
        std::iter::from_fn(move || {
            let asked = Instant::now();
            while asked.elapsed() < TEST_TIMEOUT {
                let query = token.as_object().into_iter().flatten();
                let query = query.map(|(name, value)| match value.as_str() {
                    Some(text) => format!("{name}={text}"),
                    None => format!("{name}={value}"),
                });
                let query: Vec<String> = query.collect();
                let answer = self.get(&format!("{page}/news?{}", query.join("&")));
                if answer.status == 200 {
                    let mut news: Value = serde_json::from_str(&answer.body).unwrap();
                    token = news["token"].take();
                    return Some(news);
                }
                assert_eq!(answer.status, 204, "{answer:?}");
                sleep(POLL_INTERVAL);
            }
            None
        })
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TEST_TIMEOUT)).unwrap();
        stream
    }

    /// Sends these bytes, and reads until the server closes the connection.
    pub fn ask(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        let mut all = Vec::new();
        // If the server refuses a client, it may close the connection before the request has been sent completely.
        let _ = stream.write_all(request.as_bytes());
        match stream.read_to_end(&mut all) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("{error}"),
        }
        let text = String::from_utf8_lossy(&all);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            return Answer::default();
        };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// Returns the server's memory usage in bytes, where known.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(1024 * line.trim().trim_end_matches(" kB").parse::<u64>().ok()?)
    }
}
