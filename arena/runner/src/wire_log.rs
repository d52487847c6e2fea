//! Every line between the arena and a bot's process, kept in a file with the moment at which it passed.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use super::logs;
use super::observer::{Observer, Passed};

/// How much is kept for each process, in bytes.
const MOST: usize = 16 << 20;

/// The lines of one process.
#[derive(Debug)]
pub struct WireLog {
    file: File,
    began: Instant,
    left: usize,
}

impl WireLog {
    /// Opens `BOT-PID.wire` in the folder.
    pub fn open(folder: &Path, bot: &str, pid: u32) -> Option<Self> {
        let file = logs::open(folder, &format!("{bot}-{pid}"), "wire")?;
        Some(Self { file, began: Instant::now(), left: MOST })
    }

    fn write(&mut self, sign: char, line: &[u8]) {
        if self.left == 0 {
            return;
        }
        let mut text = format!("{sign} {} ", self.began.elapsed().as_micros()).into_bytes();
        text.extend(line);
        text.push(b'\n');
        if text.len() > self.left {
            text = format!("# {} MiB are kept of a process; what follows is left out\n", MOST >> 20).into();
            self.left = text.len();
        }
        self.left -= text.len();
        // A log that cannot be written must not disturb the match.
        let _ = self.file.write_all(&text);
    }
}

impl Observer for WireLog {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        match passed {
            Passed::Sent => self.write('<', line),
            Passed::Received => self.write('>', line),
            Passed::Dropped | Passed::Violated | Passed::Answered(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_full_says_so_once() {
        let folder = std::env::temp_dir().join(format!("arena-wire-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut log = WireLog::open(&folder, "a/b", 7).unwrap();
        log.observe(Passed::Sent, b"{\"hello\":{}}");
        log.left = 30;
        log.observe(Passed::Received, &[b'x'; 40]);
        log.observe(Passed::Sent, b"more");
        let text = std::fs::read_to_string(folder.join("a%2fb-7.wire")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("< ") && lines[0].ends_with(" {\"hello\":{}}"), "{text}");
        assert!(lines[1].starts_with("# 16 MiB"), "{text}");
    }
}
