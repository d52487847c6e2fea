//! Bots that leave: what is planned for the others, and what is drawn, stays as it was.

use super::{
    at_random, balanced, entrant, field, gauntlet, ids, knockout, ladder, name, play, round_robin,
    swiss,
};
use crate::change::Past;
use crate::difference::differences;
use crate::formats::Choice;
use crate::spec::Spec;

/// A format with the number of its bots and of its seats.
fn all() -> Vec<(Choice, usize, usize)> {
    vec![
        (round_robin(), 5, 2),
        (round_robin(), 5, 3),
        (round_robin(), 6, 4),
        (gauntlet(&[0, 2]), 5, 2),
        (balanced(3), 7, 3),
        (swiss(4), 7, 2),
        (knockout(), 6, 2),
        (ladder(4, 2), 5, 2),
    ]
}

fn newer(spec: &Spec, bot: usize) -> (Spec, Past) {
    spec.replaced(bot, spec.bots[bot].bot.clone(), Vec::new())
}

#[test]
fn a_newer_version_changes_nothing_for_others() {
    for (format, bots, seats) in all() {
        let spec = field(format, bots, seats, 4, 5);
        for bot in 0..bots {
            let (changed, past) = newer(&spec, bot);
            assert_eq!(
                (changed.bots[bot].name.clone(), changed.check()),
                (format!("{}@2", name(bot)), vec![])
            );
            let is_drawn = spec.rounds() > 1;
            assert_eq!(past == Past::Stands, is_drawn);
            if is_drawn {
                // The same results give the same rounds, whatever the bot is called.
                let results = play(&spec, at_random).1;
                let drawn = |spec: &Spec| {
                    (1..=spec.rounds())
                        .map(|round| spec.meetings(round, &results))
                        .collect::<Vec<_>>()
                };
                assert_eq!(drawn(&changed), drawn(&spec));
                continue;
            }
            let (old, new) = (&spec.bots[bot].name, &changed.bots[bot].name);
            let planned = |spec: &Spec| ids(spec, &spec.meetings(1, &[]));
            let renamed = |id: &String| {
                id.split('/')
                    .map(|part| if part == old { new.as_str() } else { part })
                    .collect::<Vec<_>>()
                    .join("/")
            };
            assert_eq!(
                planned(&changed),
                planned(&spec).iter().map(renamed).collect()
            );
        }
    }
}

#[test]
fn without_a_bot_the_others_play_what_they_would_have_played_or_it_forfeits() {
    for (format, bots, seats) in all() {
        let spec = field(format, bots, seats, 4, 5);
        for bot in 0..bots {
            let (changed, past) = spec.without(bot, "cheating");
            if past == Past::Stands {
                assert_eq!(changed.bots[bot].disqualified.as_deref(), Some("cheating"));
                assert_eq!(changed.meetings(1, &[]), spec.meetings(1, &[]));
                continue;
            }
            let old = ids(&spec, &spec.meetings(1, &[]));
            let is_left = |id: &&String| !id.split('/').any(|part| part == spec.bots[bot].name);
            assert_eq!(
                ids(&changed, &changed.meetings(1, &[])),
                old.iter().filter(is_left).cloned().collect()
            );
        }
    }
}

#[test]
fn a_file_may_go_on_to_name_the_bots_as_they_entered() {
    for (format, bots, seats) in all() {
        let file = field(format, bots, seats, 4, 5);
        let twice = newer(&newer(&file, 1).0, 1).0;
        assert_eq!(twice.bots[1].name, "bot-1@3");
        let (now, _) = twice.without(3, "cheating");
        let mut read = file.clone();
        read.adopt(&now);
        assert_eq!(
            (differences(&now, &read), read.clone()),
            (vec![], now.clone())
        );
        read.adopt(&now);
        assert_eq!(read, now);
        // It may name new ones beside.
        let mut longer = file.clone();
        longer.bots.push(entrant("late", 1, None));
        longer.adopt(&now);
        assert_eq!(
            longer.names(),
            now.names()
                .into_iter()
                .chain(["late".to_owned()])
                .collect::<Vec<_>>()
        );
    }
}
