//! `arena analyse` gives the same results with any number of jobs, judges each match once, and refuses games without a judge.

use std::fs;

use arena_tests::Scratch;
use serde_json::Value;

/// Runs `arena analyse t` with these flags, and returns its standard output and standard error.
fn analyse(scratch: &Scratch, words: &str) -> (String, String) {
    let output = scratch.arena(&format!("analyse t {words}"));
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{err}");
    (out, err)
}

#[test]
fn decisions_are_judged_once_and_alike() {
    let scratch = Scratch::new();
    scratch.printed(
        "run -q --deals 10 --seed 1 --rule rounds=1 --bot good=builtin:rollouts --bot bad=builtin:random --out t",
    );
    let kept = scratch.path().join("t/judged.jsonl");
    let (first, progress) = analyse(&scratch, "--json --jobs 2");
    assert!(progress.contains("judged     20 new"), "{progress}");
    let found: Value = serde_json::from_str(&first).unwrap();
    let [bad, good] = [0, 1].map(|bot| &found["bots"][bot]);
    let low = |bot: &Value| bot["interval"][0].as_f64().unwrap();
    assert!(
        low(bad) > 0.2 && good["interval"][1].as_f64().unwrap() < low(bad),
        "{first}"
    );
    let worst = &found["decisions"][0];
    assert_eq!(
        (worst["bot"].as_str(), worst["listed"].as_bool()),
        (Some("bad"), Some(true))
    );

    let text = fs::read_to_string(&kept).unwrap();
    assert_eq!(text.lines().count(), 20);
    assert_eq!(
        analyse(&scratch, "--json"),
        (first.clone(), String::new()),
        "nothing is judged again"
    );

    // Add a truncated line, and a line of another version.
    let old = text
        .lines()
        .nth(1)
        .unwrap()
        .replacen("\"key\":\"", "\"key\":\"0", 1);
    let half = &text[..text.len() - 40];
    fs::write(&kept, format!("{half}\n{old}\n")).unwrap();
    let (again, progress) = analyse(&scratch, "--json --jobs 1");
    assert_eq!(again, first);
    assert!(progress.contains("judged     1 new"), "{progress}");
    assert_eq!(fs::read_to_string(&kept).unwrap(), text);

    let (words, _) = analyse(&scratch, "--bot bad");
    assert!(
        words.starts_with("the 12 worst of ")
            && words.contains("20 matches judged")
            && words.contains("Not judged: set-ups")
            && !words.contains("good: "),
        "{words}"
    );
    assert!(
        analyse(&scratch, "")
            .0
            .contains("good plays about as well as the judge: its mistakes are possible mistakes")
    );
    let (of_one, _) = analyse(&scratch, "--match d1/good/bad");
    let replay: Value =
        serde_json::from_str(&scratch.printed("show t d1/good/bad --json")).unwrap();
    let moves = || {
        replay["frames"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|frame| frame["moves"].as_array().unwrap())
    };
    assert!(
        moves()
            .any(|one| one["judged"]["options"].is_array() && one["judged"]["turn"] == one["turn"])
    );
    scratch.printed("reset t --yes");
    assert!(!kept.exists());
    assert!(
        of_one.contains("mistake") && of_one.contains(" wins ") && !of_one.contains('\x1b'),
        "{of_one}"
    );
}

#[test]
fn other_games_have_no_judge() {
    let scratch = Scratch::new();
    scratch.printed("run -q --game code-777 --deals 1 --seed 1 --bot a=builtin:random --bot b=builtin:random --out t");
    let why = scratch.refused("analyse t");
    assert!(
        why.contains("code-777 has no judge") && why.contains("--known"),
        "{why}"
    );
}
