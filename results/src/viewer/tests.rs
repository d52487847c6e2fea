use crate::faults::Words;
use arena_engine::by_name;
use arena_engine::frames::frames;
use arena_engine::games::{self, coda::Coda};
use arena_engine::record::RecordOf;
use serde_json::json;

use super::*;
use arena_tournament::sample;

fn played(bots: [&str; 2]) -> (Played, Spec) {
    (sample::really(1, 1, &bots, None), sample::tournament(&bots, 2, 1))
}

#[test]
fn what_is_new_adds_up_to_the_views() {
    let (played, spec) = played(["ann", "bob"]);
    let replay = of::<Coda>(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let record: RecordOf<Coda> = serde_json::from_str(&played.record).unwrap();
    let frames = frames::<Coda>(&record).unwrap();
    assert_eq!(replay.frames.len(), frames.len());
    let mut views = [Map::new(), Map::new()];
    for (step, frame) in replay.frames.iter().zip(frames) {
        for ((view, sight), (_, seen)) in views.iter_mut().zip(&step.seats).zip(frame.seats.seats()) {
            view.extend(sight.as_ref().unwrap().view.clone());
            assert_eq!(Value::Object(view.clone()), serde_json::to_value(&seen.view).unwrap());
        }
    }
    let changed: usize = replay.frames.iter().skip(1).map(|step| step.seats[0].as_ref().unwrap().view.len()).sum();
    assert!(changed < replay.frames.len() * views[0].len() / 2, "only what is new is there");
}

#[test]
fn of_one_seat_there_is_nothing_of_others() {
    let (played, spec) = played(["ann", "bob"]);
    let whole = of::<Coda>(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let replay = of::<Coda>(&played, &spec, &Logs::new(), Some(Seat(1)), Words::All, GUESSES).unwrap();
    for (step, of_all) in replay.frames.iter().zip(&whole.frames) {
        assert!(step.all.is_none() && step.seats[0].is_none());
        assert!(step.moves.iter().all(|reaction| reaction.seat == Seat(1)));
        let [mine, same] = [step, of_all].map(|step| serde_json::to_value(&step.seats[1]).unwrap());
        assert_eq!(mine, same);
    }
    assert!(whole.frames.iter().any(|step| step.moves.iter().any(|reaction| reaction.seat == Seat(0))));
}

#[test]
fn a_page_holds_its_match_and_nothing_that_acts() {
    let evil = "</script><img src=x onerror=alert(1)>\u{202e}";
    let (played, spec) = played([evil, "bob"]);
    let replay = of::<Coda>(&played, &spec, &Logs::new(), None, Words::All, GUESSES).unwrap();
    let page = html(&replay, &maud::Markup::default()).unwrap();
    assert!(!page.contains("<img") && !page.contains('\u{202e}'));
    assert_eq!(page.matches("</script>").count(), 2);
    let start = page.find("type=\"application/json\">").unwrap();
    let data = &page[start + "type=\"application/json\">".len()..];
    let data: Value = serde_json::from_str(&data[..data.find("</script>").unwrap()]).unwrap();
    assert_eq!(data["frames"].as_array().unwrap().len(), replay.frames.len());
    assert_eq!(data["bots"], json!(replay.bots));
    assert!(data["bots"][0].as_str().unwrap().starts_with("</script>"));
}

#[test]
fn a_page_has_the_picture_of_its_own_game_alone() {
    for own in games::NAMES {
        let script = script(own);
        for name in games::NAMES {
            let table = by_name!(name, G => G::TABLE).flatten().unwrap();
            assert_eq!(script.contains(table), name == own, "{name} on a page of {own}");
        }
    }
    assert!(script("of its first day").contains("drawTree"), "without a picture, views are shown");
}
