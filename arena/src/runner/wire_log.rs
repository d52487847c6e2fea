//! Every line between the arena and a bot's process, kept in a file with the moment at which it passed.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use super::evidence::open_file;

/// How much is kept for each process, in bytes.
const MOST: usize = 16 << 20;

/// Which way a line goes.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// To the bot.
    ToBot,
    /// From the bot.
    FromBot,
}

/// The lines of one process.
#[derive(Debug)]
pub struct WireLog {
    file: File,
    began: Instant,
    left: usize,
}

/// One direction of a process's lines.
#[derive(Debug)]
pub struct Tap(Rc<RefCell<WireLog>>, Way);

impl WireLog {
    /// Opens `BOT-PID.wire` in the folder; returns a tap for each direction.
    pub fn open(folder: &Path, bot: &str, pid: u32) -> Option<[Tap; 2]> {
        let file = open_file(folder, &format!("{bot}-{pid}"), "wire")?;
        let log = Rc::new(RefCell::new(Self { file, began: Instant::now(), left: MOST }));
        Some([Way::ToBot, Way::FromBot].map(|way| Tap(Rc::clone(&log), way)))
    }

    fn write(&mut self, way: Way, line: &[u8]) {
        let sign = match way {
            Way::ToBot => '<',
            Way::FromBot => '>',
        };
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

impl Tap {
    /// Notes a line that passes now.
    pub fn note(&self, line: &[u8]) {
        self.0.borrow_mut().write(self.1, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_full_says_so_once() {
        let folder = std::env::temp_dir().join(format!("arena-wire-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [to, from] = WireLog::open(&folder, "a/b", 7).unwrap();
        to.note(b"{\"hello\":{}}");
        from.0.borrow_mut().left = 30;
        from.note(&[b'x'; 40]);
        to.note(b"more");
        let text = std::fs::read_to_string(folder.join("a_b-7.wire")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("< ") && lines[0].ends_with(" {\"hello\":{}}"), "{text}");
        assert!(lines[1].starts_with("# 16 MiB"), "{text}");
    }
}
