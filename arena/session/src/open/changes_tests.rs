//! Tables of test cases: the content of a folder, the request, and the decision.

use std::path::Path;

use arena_engine::chance::Seed;
use arena_tournament::entrant::{Bot, Entrant, HashedFile, Program, SOURCES};
use arena_tournament::formats::Choice;
use arena_tournament::sample::tournament;
use arena_tournament::spec::LeftOut;
use arena_tournament::test::{Sprt, Test};

use super::*;

type Edit = fn(&mut Spec);

fn unedited(_: &mut Spec) {}

/// Returns a tournament of the built-in bot a and the programs b and c, with their files.
fn three_bots() -> Spec {
    let mut spec = tournament(&["a", "b", "c"], 2, 20);
    for bot in &mut spec.bots[1..] {
        *bot = program(&bot.name);
    }
    spec
}

fn program(name: &str) -> Entrant {
    let program = Program {
        command: vec!["python3".into(), "bot.py".into()],
        dir: format!("/bots/{name}").into(),
        ..Program::default()
    };
    Entrant {
        files: vec![file("bot.py", "1"), file(SOURCES, "1")],
        ..Entrant::new(name, Bot::Program(program))
    }
}

fn file(name: &str, sha256: &str) -> HashedFile {
    HashedFile {
        file: name.into(),
        sha256: sha256.into(),
    }
}

/// Changes the files of a bot.
fn improve(bot: &mut Entrant) {
    bot.files[1] = file(SOURCES, "2");
}

fn seed(number: u64) -> Seed {
    Seed::try_from(number).unwrap()
}

/// Returns the content of a folder that holds this tournament, with 12 finished matches on 3 deals.
fn begun(spec: Spec) -> StoredTournament {
    StoredTournament {
        spec,
        finished: 12,
        last_deal: 3,
    }
}

fn request(spec: Spec, terms: Terms) -> Requested {
    Requested {
        spec,
        dir: "/t".into(),
        terms,
        shard: None,
        fresh_seed: seed(99),
    }
}

/// Returns the lines of a decision and its effect, or the error.
fn told(requested: &Requested, held: Option<&StoredTournament>) -> String {
    let opened = match decide(requested, held) {
        Ok(opened) => opened,
        Err(why) => return format!("refused: {why}"),
    };
    let effect = match &opened.effect {
        Effect::Begins => "begins".into(),
        Effect::Continues => "continues".into(),
        Effect::Redescribes => "redescribes".into(),
        Effect::Grows => "grows".into(),
        Effect::StartsOver { bots, .. } if bots.is_empty() => "starts over".into(),
        Effect::StartsOver { bots, .. } => format!("starts over for {bots:?}"),
    };
    let lines: Vec<String> = opened.lines().chain([effect]).collect();
    lines.join("; ")
}

/// Checks the decisions after each of these edits to the tournament of a folder.
fn check(held: &StoredTournament, terms: Terms, cases: &[(Edit, &str)]) {
    for (edit, expected) in cases {
        let mut spec = held.spec.clone();
        edit(&mut spec);
        let found = told(&request(spec, terms), Some(held));
        match expected.strip_prefix("refused: ") {
            Some(why) => assert!(
                found.starts_with("refused: ") && found.contains(why),
                "{found}"
            ),
            None => assert_eq!(found, *expected, "{terms:?}"),
        }
    }
}

fn left_out(name: &str, is_gone: bool) -> LeftOut {
    LeftOut {
        name: name.into(),
        why: "why".into(),
        is_gone,
    }
}

#[test]
fn an_edited_tournament_grows_or_starts_over_and_says_why() {
    let held = begun(three_bots());
    let cases: &[(Edit, &str)] = &[
        (unedited, "continues"),
        (|new| new.plan.deals = 40, "deals      20 → 40; grows"),
        (
            |new| new.plan.deals = 10,
            "size       stays, since the file asks for less than was planned; continues",
        ),
        (
            |new| improve(&mut new.bots[1]),
            "changed    b starts again without results; starts over",
        ),
        (
            |new| new.bots[1].files[0] = file("bot.py", "2"),
            "changed    b starts again without results; starts over",
        ),
        (
            |new| {
                if let Bot::Program(program) = &mut new.bots[2].bot {
                    program.env.insert("LEVEL".into(), "2".into());
                }
            },
            "changed    c starts again without results; starts over",
        ),
        (
            |new| {
                new.plan.deals = 40;
                improve(&mut new.bots[1]);
            },
            "changed    b starts again without results; deals      20 → 40; starts over",
        ),
        (
            |new| new.bots[0].bot = Bot::Builtin("inferring".into()),
            "changed    a starts again without results; starts over",
        ),
        (
            |new| new.bots[0].name = "d".into(),
            "withdrawn  a; new        d enters; starts over",
        ),
        (
            |new| new.bots.push(program("d")),
            "new        d enters; starts over",
        ),
        (
            |new| new.bots.insert(0, program("d")),
            "new        d enters; starts over",
        ),
        (
            |new| new.plan.rules["rounds"] = 1.into(),
            "changed    rules.rounds: 3 in the folder, 1 now; starts over",
        ),
        (
            |new| new.conditions.clock.move_ms = Some(50),
            "changed    move_ms: 1000 in the folder, 50 now; starts over",
        ),
        (
            |new| new.bots.swap(1, 2),
            "changed    the order of the bots; starts over",
        ),
        (
            |new| {
                new.bots.swap(0, 2);
                new.bots[1] = program("d");
            },
            "withdrawn  b; new        d enters; changed    the order of the bots; starts over",
        ),
        (|new| _ = new.bots.remove(2), "withdrawn  c; grows"),
        (|new| new.bots[1].withdrawn = Some(0), "withdrawn  b; grows"),
        (|new| new.anchor = Some("a".into()), "redescribes"),
    ];
    check(&held, Terms::Current, cases);
}

#[test]
fn bots_of_a_folder_play_on_as_they_entered() {
    let held = begun(three_bots());
    let cases: &[(Edit, &str)] = &[
        (unedited, "continues"),
        (
            |new| new.bots[1..].iter_mut().for_each(improve),
            "changed    b, c: the old version plays on; `arena update /t` enters the new version; continues",
        ),
        (
            |new| {
                improve(&mut new.bots[1]);
                new.plan.deals = 40;
            },
            "deals      20 → 40; changed    b: the old version plays on; `arena update /t` enters the new version; grows",
        ),
        (
            |new| new.plan.rules["rounds"] = 1.into(),
            "changed    rules.rounds: 3 in the folder, 1 now; starts over",
        ),
        (
            |new| new.bots[1].bot = Bot::Builtin("exact".into()),
            "changed    b starts again without results; starts over",
        ),
    ];
    check(&held, Terms::Entered, cases);
    let mut spec = three_bots();
    improve(&mut spec.bots[1]);
    let opened = decide(&request(spec, Terms::Entered), Some(&held)).unwrap();
    assert_eq!(opened.spec.bots, held.spec.bots);
}

#[test]
fn shards_and_folders_of_comparisons_do_not_change() {
    let mut spec = three_bots();
    let cases: &[(Edit, &str)] = &[
        (unedited, "continues"),
        (
            |new| improve(&mut new.bots[1]),
            "changed    b: the old version plays on; `arena update /t` enters the new version; continues",
        ),
        (
            |new| new.plan.deals = 40,
            "refused: deals: 20 in the folder, 40 now\n       `arena run /t` continues it unchanged, `arena update /t` brings it in line with its file",
        ),
        (|new| new.bots.push(program("d")), "refused: bots: d is new"),
        (|new| _ = new.bots.remove(2), "refused: bots: c is gone"),
    ];
    check(&begun(spec.clone()), Terms::Unchanged, cases);
    spec.plan.test = Some(Test::Sprt(Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap()));
    let cases: &[(Edit, &str)] = &[
        (
            |new| improve(&mut new.bots[1]),
            "changed    b: the old version plays on; continues",
        ),
        (
            |new| new.plan.deals = 40,
            "refused: `arena compare /t` continues it unchanged, and another --out",
        ),
        (
            |new| new.plan.test = None,
            "refused: /t was played by `arena compare`",
        ),
    ];
    check(&begun(spec), Terms::Unchanged, cases);
}

/// Checks that a class changes only by an update: others share it, so changes to one bot must not stop the rest.
#[test]
fn a_class_changes_by_an_update_only() {
    let mut spec = three_bots();
    spec.local.keep_going = true;
    spec.left_out = vec![left_out("late", false)];
    let cases: &[(Edit, &str)] = &[
        (unedited, "broken     late does not enter: why; continues"),
        (
            |new| {
                improve(&mut new.bots[1]);
                new.left_out.clear();
                new.bots.push(program("d"));
                new.bots.push(program("late"));
                new.bots.remove(2);
            },
            "changed    b: the old version plays on; `arena update /t` enters the new version; \
             new        d: `arena update /t` applies the changes; gone       c: `arena update /t` applies the changes; \
             broken     late does not enter: why; continues",
        ),
        (|new| new.left_out.clear(), "redescribes"),
    ];
    check(&begun(spec), Terms::Unchanged, cases);
}

#[test]
fn nothing_differs_where_settings_are_compared() {
    let mut spec = three_bots();
    let cases: &[(Edit, &str)] = &[
        (unedited, "continues"),
        (
            |new| improve(&mut new.bots[1]),
            "refused: files of b have changed since the tournament began: `arena run /t` continues with the old version",
        ),
        (
            |new| new.plan.deals = 40,
            "refused: holds another tournament",
        ),
    ];
    check(&begun(spec.clone()), Terms::Same, cases);
    spec.tune = vec![arena_tournament::tune::Parameter {
        name: "aim".into(),
        from: 0.into(),
        to: 4.into(),
        start: 1.into(),
        scale: Default::default(),
    }];
    let cases: &[(Edit, &str)] = &[
        (
            |new| improve(&mut new.bots[1]),
            "refused: since the tuning began: `arena tune /t` continues",
        ),
        (|new| new.plan.deals = 40, "refused: holds another tuning"),
    ];
    check(&begun(spec), Terms::Same, cases);
}

#[test]
fn nothing_that_others_share_starts_over_for_an_edited_rule() {
    let mut spec = three_bots();
    spec.bots[0].withdrawn = Some(1);
    let held = begun(spec);
    let cases: &[(Edit, &str)] = &[
        (unedited, "continues"),
        (
            |new| new.plan.rules["rounds"] = 1.into(),
            "refused: these changes make it another tournament:\n         rules.rounds",
        ),
        (
            |new| improve(&mut new.bots[2]),
            "changed    c starts again without results; starts over",
        ),
        (
            |new| new.bots[0].withdrawn = None,
            "back       a starts again without results; starts over",
        ),
        (|new| new.plan.deals = 40, "deals      20 → 40; grows"),
        // A broken version replaces nothing, and a bot whose folder is missing is withdrawn.
        (
            |new| {
                new.bots.remove(2);
                new.left_out.push(left_out("c", false));
            },
            "broken     c plays on in its old version: why; redescribes",
        ),
        (
            |new| {
                new.bots.remove(2);
                new.left_out.push(left_out("c", true));
            },
            "withdrawn  c: why; grows",
        ),
        (
            |new| new.left_out.push(left_out("d", false)),
            "broken     d does not enter: why; redescribes",
        ),
        (
            |new| new.left_out.push(left_out("d", true)),
            "left out   d: why; redescribes",
        ),
    ];
    check(&held, Terms::Shared, cases);
}

#[test]
fn only_changed_bots_play_the_same_deals_again() {
    let mut spec = three_bots();
    let cases: &[(Edit, &str)] = &[
        (
            |new| improve(&mut new.bots[2]),
            "changed    c starts again without results; starts over for [2]",
        ),
        (
            |new| new.bots.push(program("d")),
            "new        d enters; grows",
        ),
    ];
    check(&begun(spec.clone()), Terms::SameDeals, cases);
    spec.plan.format = Choice::read("knockout", Default::default()).unwrap();
    let cases: &[(Edit, &str)] = &[(
        |new| improve(&mut new.bots[2]),
        "changed    c starts again without results; starts over",
    )];
    check(&begun(spec), Terms::SameDeals, cases);
}

#[test]
fn a_format_that_cannot_grow_starts_over_only_if_it_is_nobody_elses() {
    let mut spec = three_bots();
    spec.plan.format = Choice::read("knockout", Default::default()).unwrap();
    let held = begun(spec);
    let more: Edit = |new| new.plan.deals = 40;
    check(
        &held,
        Terms::Current,
        &[(more, "deals      20 → 40; starts over")],
    );
    for terms in [Terms::Shared, Terms::Larger] {
        check(&held, terms, &[(more, "refused: ")]);
    }
}

#[test]
fn a_tournament_is_extended_or_refused() {
    let cases: &[(Edit, &str)] = &[
        (|new| new.plan.deals = 40, "deals      20 → 40; grows"),
        (|new| new.plan.deals = 10, "refused: reduced to 10"),
    ];
    let mut held = begun(three_bots());
    check(&held, Terms::Larger, cases);
    held.finished = 0;
    held.last_deal = 0;
    check(&held, Terms::Larger, cases);
}

#[test]
fn newcomers_of_a_swiss_join_in_the_next_round() {
    let mut spec = three_bots();
    let rounds = |rounds: u32| {
        let options = [("rounds".to_owned(), rounds.into())].into_iter().collect();
        Choice::read("swiss", options).unwrap()
    };
    spec.plan.format = rounds(4);
    let mut held = begun(spec.clone());
    held.last_deal = 30;
    spec.plan.format = rounds(5);
    spec.bots.push(program("d"));
    let requested = request(spec, Terms::Shared);
    assert_eq!(
        told(&requested, Some(&held)),
        "new        d enters; rounds     4 → 5; grows"
    );
    let opened = decide(&requested, Some(&held)).unwrap();
    assert_eq!(opened.spec.bots[3].joined, 3);
    assert_eq!(opened.spec.earlier_sizes, [held.spec.size()]);
}

#[test]
fn before_the_first_match_every_change_is_taken() {
    let held = StoredTournament {
        finished: 0,
        last_deal: 0,
        ..begun(three_bots())
    };
    let cases: &[(Edit, &str)] = &[(
        |new| {
            new.plan.rules["rounds"] = 1.into();
            improve(&mut new.bots[1]);
        },
        "changed    b starts again without results; changed    rules.rounds: 3 in the folder, 1 now; grows",
    )];
    for terms in [Terms::Current, Terms::Shared] {
        check(&held, terms, cases);
    }
}

#[test]
fn a_new_tournament_begins_without_bots_that_are_withdrawn_or_broken() {
    let mut spec = three_bots();
    spec.bots[2].withdrawn = Some(0);
    spec.left_out = vec![left_out("d\u{7}", false), left_out("e", true)];
    let requested = request(spec, Terms::Current);
    assert_eq!(
        told(&requested, None),
        "broken     d\u{fffd} does not enter: why; left out   e: why; begins"
    );
    assert_eq!(decide(&requested, None).unwrap().spec.names(), ["a", "b"]);
}

#[test]
fn nothing_is_played_in_a_closed_tournament_and_no_bot_enters_a_comparison() {
    let mut spec = three_bots();
    spec.plan.test = Some(Test::Sprt(Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap()));
    let all = [Terms::Current, Terms::Entered, Terms::Same, Terms::Shared];
    check(
        &begun(spec.clone()),
        Terms::Shared,
        &[(unedited, "refused: the bots of a comparison cannot change")],
    );
    spec.closed = true;
    for terms in all {
        check(
            &begun(spec.clone()),
            terms,
            &[(unedited, "refused: /t is closed")],
        );
    }
}

#[test]
fn each_shard_needs_the_same_seed_and_one_round() {
    let mut spec = three_bots();
    spec.local.seed_drawn = true;
    let shard = |spec: &Spec| {
        let requested = request(spec.clone(), Terms::Current);
        requested.of_shard("1/2".parse().ok())
    };
    assert!(told(&shard(&spec), None).contains("each shard would draw its own seed"));
    let held = begun(three_bots());
    assert_eq!(told(&shard(&spec), Some(&held)), "continues");
    spec.plan.format = Choice::read("knockout", Default::default()).unwrap();
    assert!(told(&shard(&spec), None).contains("cannot be split into shards"));
}

#[test]
fn the_seed_of_a_file_counts_unless_its_deals_were_played() {
    let mut kept = three_bots();
    kept.earlier_seeds = vec![seed(5)];
    let held = begun(kept.clone());
    let opened = |number, is_drawn, terms, edit: Edit| {
        let mut spec = kept.clone();
        (spec.plan.seed, spec.local.seed_drawn) = (seed(number), is_drawn);
        edit(&mut spec);
        let opened = decide(&request(spec, terms), Some(&held)).unwrap();
        (opened.spec.plan.seed, opened.spec.earlier_seeds)
    };
    let better: Edit = |new| improve(&mut new.bots[1]);
    let cases: &[(u64, bool, Terms, Edit, u64)] = &[
        (9, true, Terms::Current, unedited, 7),
        (7, false, Terms::Current, unedited, 7),
        (5, false, Terms::Current, unedited, 7),
        (9, false, Terms::Current, unedited, 9),
        (9, false, Terms::Current, better, 9),
        (9, true, Terms::Current, better, 99),
        (7, false, Terms::Current, better, 99),
        (5, false, Terms::Current, better, 99),
        (7, false, Terms::Shared, better, 99),
        (7, false, Terms::SameDeals, better, 7),
    ];
    for (number, is_drawn, terms, edit, expected) in cases {
        let (found, earlier) = opened(*number, *is_drawn, *terms, *edit);
        assert_eq!(found, seed(*expected), "{number} {is_drawn} {terms:?}");
        let restarts = *expected != 7 || *terms == Terms::SameDeals;
        let all = [seed(5), seed(7)];
        assert_eq!(
            earlier,
            all[..1 + usize::from(restarts)],
            "{number} {terms:?}"
        );
    }
}

#[test]
fn effects_are_told() {
    let effect = |terms, edit: Edit| {
        let held = begun(three_bots());
        let mut spec = held.spec.clone();
        edit(&mut spec);
        let opened = decide(&request(spec, terms), Some(&held)).unwrap();
        (opened.summary.join("\n"), opened.finished)
    };
    let better: Edit = |new| improve(&mut new.bots[1]);
    let earlier = Path::new("/t/earlier/1").display();
    for (terms, edit, expected, finished) in [
        (Terms::Current, unedited as Edit, String::new(), 12),
        (
            Terms::Larger,
            |new| new.plan.deals = 40,
            "a bot that is ahead of another stays ahead; other pairs are judged again once all deals are played\n\
             240 matches are planned now, 120 before; 12 are finished"
                .into(),
            12,
        ),
        (
            Terms::Shared,
            |new| _ = new.bots.remove(2),
            "120 matches are planned now, 120 before; 12 are finished".into(),
            12,
        ),
        (
            Terms::Current,
            better,
            format!("starts over on new deals; the matches so far: arena show {earlier}"),
            0,
        ),
        (
            Terms::SameDeals,
            better,
            format!(
                "changed bots play the same deals again, for experiments of your own; the matches so far: arena show {earlier}"
            ),
            0,
        ),
    ] {
        assert_eq!(effect(terms, edit), (expected, finished), "{terms:?}");
    }
}
