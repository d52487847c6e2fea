//! A program with its own game, as in `arena/examples/own-game`, has all the features of the arena.

use std::path::Path;

use arena_tests::serve::Server;
use arena_tests::{Scratch, own_game};

use crate::browser::{look, modules};

fn scratch() -> Scratch {
    Scratch::with(own_game())
}

#[test]
fn it_has_a_demo_files_a_check_and_a_kit() {
    let scratch = scratch();
    let games = scratch.printed("games");
    assert!(
        games.contains("builtin:halving") && !games.contains("coda"),
        "{games}"
    );
    scratch.printed("run -q --seed 3 --out demo");
    assert!(scratch.printed("verify demo").contains("whole"));
    let standings = scratch.standings("demo").to_string();
    assert!(
        standings.contains("halving") && standings.contains("first-bot"),
        "{standings}"
    );
    assert!(scratch.printed("export demo").contains("\"guessed\""));
    assert!(scratch.printed("schema").contains("Number hunt"));
    scratch.printed("init t.toml");
    scratch.printed("run -q t.toml");
    let program = own_game();
    let check = format!("check -- {} bot halving", program.display());
    assert!(scratch.printed(&check).contains("number-hunt, 2 seats"));
    scratch.printed("new python mine");
    scratch.printed("run -q --trust mine/duel.toml --deals 3 --out mine-t");
    assert!(scratch.printed("faults mine-t").contains("no faults"));
}

#[test]
fn a_person_plays_it_and_watches_it_again() {
    let scratch = scratch();
    scratch.printed("run -q --seed 2 --deals 2 --bot a=random --bot b=random --out t");
    scratch.printed("show t d1/a/b --out match.html");
    look(
        "replay.mjs",
        &modules(),
        &scratch.path().join("match.html"),
        &[],
    );
    let server = Server::start_with(&own_game(), scratch.path(), &[]);
    look(
        "play.mjs",
        &modules(),
        Path::new(&server.link()),
        &["number-hunt"],
    );
    let verified = scratch.printed("verify played/number-hunt-1");
    assert!(
        verified.contains("matches are finished and whole"),
        "{verified}"
    );
}
