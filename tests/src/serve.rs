//! A server of the arena's pages, and requests to it, byte by byte.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{Child, Command, Printed};
use crate::{PATIENCE, arena};

/// The time between two requests for news.
const PAUSE: Duration = Duration::from_millis(20);

/// A running `arena serve`, which ends with it.
pub struct Server {
    child: Child,
    /// What it prints after its address.
    printed: Mutex<Printed>,
    /// Where it listens.
    pub address: SocketAddr,
    /// What lets a browser in.
    pub token: String,
}

/// What came back.
#[derive(Debug, Default)]
pub struct Answer {
    /// The status; 0 if nothing came.
    pub status: u16,
    /// The head, all letters small.
    pub head: String,
    /// The body.
    pub body: String,
}

/// Somebody with a token.
#[derive(Clone, Copy)]
pub struct Visitor<'a> {
    server: &'a Server,
    token: &'a str,
}

impl Visitor<'_> {
    /// The lines of a head that a browser would send.
    pub fn head(self, method: &str, path: &str) -> String {
        let address = self.server.address;
        let port = self.server.address.port();
        let token = self.token;
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nCookie: arena_{port}={token}\r\n")
    }

    /// A page, as a browser asks for it.
    pub fn get(self, path: &str) -> Answer {
        self.server
            .ask(&(self.head("GET", path) + "Connection: close\r\n\r\n"))
    }

    /// What a page of this server posts as JSON.
    pub fn post(self, path: &str, body: &str) -> Answer {
        let (host, length) = (self.server.address, body.len());
        let more = format!(
            "Origin: http://{host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        self.server.ask(&(self.head("POST", path) + &more + body))
    }
}

/// Ends the server if its thread panics, so that no other thread waits for what that would have done.
pub struct Player<'a>(&'a Server);

impl Drop for Player<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.child.kill();
        }
    }
}

impl Server {
    /// Serves a folder.
    pub fn start(dir: &Path, flags: &[&str]) -> Self {
        Self::start_with(arena(), dir, flags)
    }

    /// Serves a folder with another program than the arena.
    pub fn start_with(program: &Path, dir: &Path, flags: &[&str]) -> Self {
        let mut serve = Command::new(program);
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
            // It must not wait for somebody who reads.
            printed: Mutex::new(Printed::read(lines)),
            address,
            token,
        }
    }

    /// Presses Ctrl-C; returns what it has printed.
    pub fn interrupted(&mut self) -> String {
        self.child.signal("INT");
        self.child.wait().unwrap();
        let printed = self.printed.get_mut().unwrap().all();
        String::from_utf8(printed).unwrap()
    }

    /// One of the threads that play with each other here, as long as it holds this.
    pub fn player(&self) -> Player<'_> {
        Player(self)
    }

    /// What comes back to somebody with another token.
    pub fn with_token<'a>(&'a self, token: &'a str) -> Visitor<'a> {
        Visitor {
            server: self,
            token,
        }
    }

    /// The address to open.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// The lines of a head that a browser would send.
    pub fn head(&self, method: &str, path: &str) -> String {
        self.with_token(&self.token).head(method, path)
    }

    /// A page, as a browser asks for it.
    pub fn get(&self, path: &str) -> Answer {
        self.with_token(&self.token).get(path)
    }

    /// What a page of this server posts as JSON.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.with_token(&self.token).post(path, body)
    }

    /// What a seat or the standings of a tournament are sent, one update after the other, as their pages ask for them.
    pub fn updates(&self, page: &str) -> impl Iterator<Item = Value> + use<'_> {
        let (mut token, page) = (String::new(), page.to_owned());
        std::iter::from_fn(move || {
            let asked = Instant::now();
            while asked.elapsed() < PATIENCE {
                let answer = self.get(&format!("{page}/news?after={token}"));
                if answer.status == 200 {
                    let mut news: Value = serde_json::from_str(&answer.body).unwrap();
                    token = news
                        .as_object_mut()
                        .unwrap()
                        .remove("token")?
                        .as_str()?
                        .to_owned();
                    return Some(news);
                }
                assert_eq!(answer.status, 204, "{answer:?}");
                sleep(PAUSE);
            }
            None
        })
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes, and reads until the other end closes.
    pub fn ask(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        let mut all = Vec::new();
        // Whoever is refused may find the door closed before all is said.
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

    /// The memory that it has taken, in bytes, where that can be known.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(1024 * line.trim().trim_end_matches(" kB").parse::<u64>().ok()?)
    }
}
