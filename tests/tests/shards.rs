//! A tournament in parts that are played apart and put together again.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use arena_tests::{Scratch, has, python_bot};
use serde_json::Value;

/// A tournament file of so many built-in bots, with these lines before them and a bot in Python where that is here.
fn describe(scratch: &Scratch, game: &str, builtin: &[&str], more: &str) {
    let mut text = format!("game = '{game}'\nseed = 5\n{more}\n");
    for (number, bot) in builtin.iter().enumerate() {
        text += &format!("[[bots]]\nname = 'b{number}'\nbuiltin = '{bot}'\n");
    }
    if has("python3") {
        let file = python_bot("first_bot.py");
        text += &format!("[[bots]]\nname = 'snake'\ncommand = 'python3 {file}'\n");
    }
    scratch.write("t.toml", &text);
}

/// Plays all of so many shards, and returns their folders.
fn play(scratch: &Scratch, parts: u32) -> String {
    let folder = |number| {
        scratch.printed(&format!("run -q t.toml --shard {number}/{parts}"));
        format!("t-{number}-of-{parts}")
    };
    (1..=parts).map(folder).collect::<Vec<_>>().join(" ")
}

#[test]
fn parts_together_are_the_whole() {
    for (game, builtin, parts, more) in [
        ("coda", &["exact", "random", "excluding"][..], 4, "deals = 9"),
        ("coda", &["exact", "random"], 3, "deals = 5\nseats = 3"),
        ("crack-the-code", &["random", "random"], 2, "deals = 7\nformat = 'gauntlet'"),
        (
            "code-777",
            &["random", "random", "random", "random"],
            3,
            "deals = 10\nseats = 3\nformat = 'balanced'\ntables = 2",
        ),
        ("digit-code", &["random", "random", "random"], 5, "deals = 12\nformat = 'balanced'"),
    ] {
        let scratch = Scratch::new();
        describe(&scratch, game, builtin, more);
        let shown = scratch.printed("run -q t.toml --out whole");
        let folders = play(&scratch, parts);
        let merged = scratch.printed(&format!("merge all {folders}"));
        assert_eq!(merged, shown, "{game}, {more}");
        assert!(scratch.printed("export all") == scratch.printed("export whole"), "{game}, {more}");
        for file in ["standings.md", "standings.json", "report.html", "charts", "tournament.toml"] {
            assert!(scratch.path().join("all").join(file).exists(), "{file}");
        }
        assert!(!scratch.path().join(format!("t-1-of-{parts}/report.html")).exists());
        assert_eq!(scratch.printed(&format!("merge all {folders}")), shown, "merged twice");
        assert!(scratch.printed("export all") == scratch.printed("export whole"));
    }
}
