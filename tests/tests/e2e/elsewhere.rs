//! Bots that run on other machines, to which their commands connect.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use arena_tests::process::Command;
use arena_tests::{Scratch, arena};

/// A server that prints a free port, and runs its command-line arguments for each connection.
const SERVER: &str = r#"
import socketserver, subprocess, sys

class Bot(socketserver.BaseRequestHandler):
    def handle(self):
        subprocess.run(sys.argv[1:], stdin=self.request, stdout=self.request)

with socketserver.ThreadingTCPServer(('127.0.0.1', 0), Bot) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
"#;

#[test]
fn a_bot_is_reached_over_the_network() {
    let scratch = Scratch::new();
    let mut server = Command::new("python3");
    server
        .args(["-c", SERVER])
        .arg(arena())
        .args(["bot", "exact"]);
    let mut server = server.stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    let mut printed = BufReader::new(server.stdout.take().unwrap());
    printed.read_line(&mut port).unwrap();
    scratch.write(
        "t.toml",
        &format!(
            "deals = 5\nseed = 1\n[[bots]]\nname = 'far'\ncommand = 'nc 127.0.0.1 {}'\nnetwork = true\n\
             [[bots]]\nname = 'near'\nbuiltin = 'exact'\n",
            port.trim()
        ),
    );
    scratch.printed("run -q --trust t.toml --out t");
    scratch.write(
        "same.toml",
        "deals = 5\nseed = 1\n[[bots]]\nname = 'far'\nbuiltin = 'exact'\n\
         [[bots]]\nname = 'near'\nbuiltin = 'exact'\n",
    );
    scratch.printed("run -q same.toml --out same");
    assert_eq!(scratch.printed("export t"), scratch.printed("export same"));
}
