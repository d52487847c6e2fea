use crate::faults::Words;
use arena_engine::chance::Seed;
use arena_engine::frames::frames;
use arena_engine::game::{Game, Rules as _};
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::Match;
use arena_engine::record::{RecordOf, Replied, Reply};
use arena_engine::replay;
use arena_engine::table;
use serde_json::json;

use super::*;
use arena_tournament::sample;

fn played(bots: [&str; 2]) -> (Played, Spec) {
    (
        sample::really(1, 1, &bots, None),
        sample::tournament(&bots, 2, 1),
    )
}

#[test]
fn what_is_new_adds_up_to_the_views() {
    let (played, spec) = played(["ann", "bob"]);
    let replay = replay(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let record: RecordOf<Coda> = played.record.read().unwrap();
    let names = BySeat::new(2, |_| String::new());
    let frames = frames::<Coda>(&record, &names, None).unwrap();
    assert_eq!(replay.frames.len(), frames.len());
    let mut views = [Map::new(), Map::new()];
    for (step, frame) in replay.frames.iter().zip(frames) {
        for ((view, sight), (_, seen)) in views.iter_mut().zip(&step.seats).zip(frame.seats.seats())
        {
            view.extend(sight.as_ref().unwrap().view.clone());
            assert_eq!(Value::Object(view.clone()), seen.view.value());
        }
    }
    let changed: usize = replay
        .frames
        .iter()
        .skip(1)
        .map(|step| step.seats[0].as_ref().unwrap().view.len())
        .sum();
    assert!(
        changed < replay.frames.len() * views[0].len() / 2,
        "only what is new is there"
    );
}

#[test]
fn of_one_seat_there_is_nothing_of_others() {
    let (played, spec) = played(["ann", "bob"]);
    let whole = replay(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let replay = replay(
        &played,
        &spec,
        &Logs::new(),
        Some(Seat(1)),
        Words::All,
        GUESSES,
    )
    .unwrap();
    for (step, of_all) in replay.frames.iter().zip(&whole.frames) {
        assert!(step.all.is_none() && step.seats[0].is_none());
        assert!(step.moves.iter().all(|reaction| reaction.seat == Seat(1)));
        let [mine, same] = [step, of_all].map(|step| serde_json::to_value(&step.seats[1]).unwrap());
        assert_eq!(mine, same);
    }
    assert!(
        whole
            .frames
            .iter()
            .any(|step| step.moves.iter().any(|reaction| reaction.seat == Seat(0)))
    );
}

/// Plays a match between bots that choose at random.
fn sampled<G: Game>(rules: &G::Rules, bots: &[&str]) -> Played {
    let seed = Seed::try_from(5).unwrap();
    let mut table = Match::<G>::new(rules, bots.len(), seed).unwrap();
    let mut chance = seed.stream("players", 0);
    while !table.is_over() {
        for seat in table.to_act() {
            let action = table.game().sample(seat, &mut chance);
            table.reply(seat, Reply::Act(action)).unwrap();
        }
    }
    let finished = table.finish().unwrap();
    Played {
        record: Json::new(&finished.record),
        ..sample::decided(1, bots, finished.verdict)
    }
}

/// Returns the events that a seat received in a match.
fn sent<G: Game>(played: &Played, seat: Seat) -> Vec<G::Event> {
    let record: RecordOf<G> = played.record.read().unwrap();
    let mut table = replay::table::<G>(&record).unwrap();
    let mut sent: Vec<G::Event> = table.new_events(seat).collect();
    for Replied(of, reply) in &record.replies {
        table.reply(*of, reply.clone()).unwrap();
        sent.extend(table.new_events(seat));
    }
    sent
}

/// Compares the knowledge that is shown with the knowledge that the seats could compute. Returns the number of comparisons.
fn compare_known<G: Game>(rules: &G::Rules, seats: usize) -> usize {
    let bots = &["ann", "bob", "eve", "joe", "pat"][..seats];
    let played = sampled::<G>(rules, bots);
    let spec = sample::tournament(bots, seats, 1);
    let mut spec = spec;
    spec.plan.game = G::NAME.into();
    let replay = replay(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let mut compared = 0;
    for seat in Seat::all(seats) {
        let sent = sent::<G>(&played, seat);
        let (mut seen, mut shown) = (0, None);
        for (nth, step) in replay.frames.iter().enumerate() {
            let own = step.seats[seat.index()].as_ref().unwrap();
            for reaction in step.moves.iter().filter(|reaction| reaction.seat == seat) {
                let then = reaction.known.as_ref();
                let then = then.map(|known| Counted {
                    worlds: known.worlds,
                    likeliest: known.likeliest.clone(),
                });
                assert_eq!(
                    then,
                    shown,
                    "{}: what {seat} knew at {nth} was shown before",
                    G::NAME
                );
            }
            seen += usize::from(own.sight.event.is_some());
            shown = own.known.clone().or(shown);
            let Some(mut known) = G::deduction(rules, seats, seat).filter(|_| nth % 5 == 0) else {
                continue;
            };
            sent[..seen].iter().for_each(|event| known.see(event));
            let likeliest = known.guesses(GUESSES).into_iter();
            let likeliest = likeliest.map(|(action, chance)| Guess {
                action: Json::new(&action),
                chance,
            });
            let likeliest = likeliest.collect();
            assert_eq!(
                shown,
                Some(Counted {
                    worlds: known.worlds(),
                    likeliest
                }),
                "{} at {nth} for {seat}",
                G::NAME
            );
            compared += 1;
        }
        assert_eq!(seen, sent.len());
    }
    compared
}

#[test]
fn what_is_shown_as_known_is_what_a_seat_could_compute_from_what_it_was_sent() {
    fn of_game<G: Game>() -> usize {
        let tables = G::SEATS.flat_map(|seats| {
            G::Rules::variants()
                .into_iter()
                .map(move |rules| (rules, seats))
        });
        let playable = tables.filter(|(rules, seats)| rules.check(*seats).is_ok());
        playable
            .map(|(rules, seats)| compare_known::<G>(&rules, seats))
            .sum()
    }
    assert!(of_game::<Coda>() > 20);
    assert!(of_game::<Code777>() > 20);
    assert!(of_game::<CrackTheCode>() > 20);
    assert!(of_game::<DigitCode>() > 20);
}

#[test]
fn a_page_holds_its_match_and_nothing_that_acts() {
    let evil = "</script><img src=x onerror=alert(1)>\u{202e}";
    let (played, spec) = played([evil, "bob"]);
    let replay = replay(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let page = html(&replay, &maud::Markup::default(), None).unwrap();
    assert!(!page.contains("<img") && !page.contains('\u{202e}'));
    assert_eq!(page.matches("</script>").count(), 2);
    let start = page.find("type=\"application/json\">").unwrap();
    let data = &page[start + "type=\"application/json\">".len()..];
    let data: Value = serde_json::from_str(&data[..data.find("</script>").unwrap()]).unwrap();
    assert_eq!(
        data["frames"].as_array().unwrap().len(),
        replay.frames.len()
    );
    assert_eq!(data["bots"], json!(replay.bots));
    assert!(data["bots"][0].as_str().unwrap().starts_with("</script>"));
}

#[test]
fn the_page_of_a_long_match_is_small() {
    let rules = serde_json::from_value(json!({"attempts": 100})).unwrap();
    let played = sampled::<CrackTheCode>(&rules, &["ann", "bob"]);
    let mut spec = sample::tournament(&["ann", "bob"], 2, 1);
    spec.plan.game = CrackTheCode::NAME.into();
    let replay = replay(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    assert!(replay.frames.len() > 150, "{}", replay.frames.len());
    let page = html(&replay, &maud::Markup::default(), None).unwrap();
    assert!(page.len() < 500_000, "{}", page.len());
}

#[test]
fn a_page_has_the_picture_of_its_own_game_alone() {
    for own in table::games() {
        let script = script(own.name);
        for game in table::games() {
            assert_eq!(
                script.contains(game.table_js.unwrap()),
                game.name == own.name,
                "{} on a page of {}",
                game.name,
                own.name
            );
        }
    }
    assert!(
        script("of its first day").contains("drawTree"),
        "without a picture, views are shown"
    );
}
