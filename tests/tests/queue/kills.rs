//! Workers, the coordinator and the server of a queue are killed repeatedly, and nothing is lost or duplicated.

use std::thread;
use std::time::Duration;

use arena_engine::chance::{Chance, Seed};
use arena_tests::many::{Scene, coordinator};
use arena_tests::nats::log;
use arena_tests::process::Child;
use arena_tests::until;

/// Number of times that each of the three is killed.
const KILLS: u32 = 10;
const WORKERS: usize = 3;

#[test]
fn thirty_kills_change_nothing() {
    let mut chance: Chance = Seed::try_from(20_261_122).unwrap().stream("kills", 0);
    let mut kills = [0; 3];
    for number in 0.. {
        let head = ["deals = 300", "format = 'swiss'\nrounds = 4\ndeals = 60"][number % 2];
        let Scene {
            scratch,
            mut server,
            expected,
        } = Scene::new(head);
        let mut workers: Vec<Child> = (0..WORKERS)
            .map(|worker| server.worker(&scratch, &format!("w{worker}")))
            .collect();
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
                    std::mem::replace(&mut workers[chance.below(WORKERS as u32) as usize], new)
                        .kill();
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
        // After the last kill, nothing is disturbed. A coordinator that finds no server exits, and is restarted.
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
        assert!(
            scratch.printed("export many") == expected,
            "after {kills:?} kills: {said}"
        );
        scratch.printed("verify many");
        if kills == [KILLS; 3] {
            return;
        }
    }
}
