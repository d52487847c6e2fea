//! Workers, coordinator and server of a queue are killed again and again, and nothing is lost or doubled.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs;
use std::thread;
use std::time::Duration;

use arena_engine::chance::{Chance, Seed};
use arena_tests::nats::{Running, Server, log, servers, until};
use arena_tests::{Scratch, python_bot};

/// The number of times that each of the three is killed.
const KILLS: u32 = 30;
const WORKERS: usize = 3;

fn tournament(scratch: &Scratch, number: u32) {
    fs::create_dir_all(scratch.path().join("mine")).unwrap();
    fs::copy(python_bot("first_bot.py"), scratch.path().join("mine/bot.py")).unwrap();
    let seed = 4_503_599_627_370_497 + u64::from(number);
    let bots = "[[bots]]\nname = 'p'\ncommand = 'python3 bot.py'\ndir = 'mine'\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n\
                [[bots]]\nname = 'x'\nbuiltin = 'excluding'\n";
    let format = if number.is_multiple_of(2) { "deals = 300" } else { "format = 'swiss'\nrounds = 4\ndeals = 60" };
    scratch.write("t.toml", &format!("seed = {seed}\n{format}\n{bots}"));
}

/// Starts the coordinator until it stays up, or the tournament is over.
fn coordinator(server: &Server, scratch: &Scratch) -> Running {
    server.spawn(scratch, "run t.toml --out many --recheck 20", "run.log")
}

#[test]
fn ninety_kills_change_nothing() {
    let Some(program) = servers().into_iter().next() else { return };
    let mut chance: Chance = Seed::try_from(20_261_122).unwrap().stream("kills", 0);
    let mut kills = [0; 3];
    for number in 0.. {
        let scratch = Scratch::new();
        tournament(&scratch, number);
        scratch.printed("run -q t.toml --out alone");
        let mut server = Server::start(&program, &scratch, &[]);
        let mut workers: Vec<Running> =
            (0..WORKERS).map(|worker| server.worker(&scratch, &format!("w{worker}"))).collect();
        let mut running = coordinator(&server, &scratch);
        let mut started = WORKERS;
        while !running.has_ended() && kills.iter().any(|kills| *kills < KILLS) {
            thread::sleep(Duration::from_millis(u64::from(chance.below(600))));
            let victims: Vec<usize> = (0..3).filter(|victim| kills[*victim] < KILLS).collect();
            let victim = victims[chance.below(victims.len() as u32) as usize];
            match victim {
                0 => {
                    started += 1;
                    let new = server.worker(&scratch, &format!("w{started}"));
                    std::mem::replace(&mut workers[chance.below(WORKERS as u32) as usize], new).kill();
                }
                1 => {
                    running.kill();
                    running = coordinator(&server, &scratch);
                }
                _ => {
                    server.kill();
                    server.again();
                }
            }
            kills[victim] += 1;
        }
        // In the end without being disturbed; a coordinator that met no server ends, and is started again.
        until("the tournament ends", || {
            if !running.has_ended() {
                return false;
            }
            let is_done = running.code() == Some(0);
            if !is_done {
                running = coordinator(&server, &scratch);
            }
            is_done
        });
        let said = log(&scratch, "run.log");
        assert!(scratch.printed("export many") == scratch.printed("export alone"), "after {kills:?} kills: {said}");
        assert!(!said.contains("not believed"), "{said}");
        scratch.printed("verify many");
        if kills == [KILLS; 3] {
            return;
        }
    }
}
