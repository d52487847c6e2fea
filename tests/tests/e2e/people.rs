//! People are sent to the browser; and a game without people or bots of its own.

use arena_tests::Scratch;

#[test]
fn a_game_in_no_list_and_with_no_bots_of_its_own_has_a_demo_a_file_and_a_check() {
    let scratch = Scratch::new();
    assert!(
        !scratch.printed("games").contains("sample"),
        "it is the tests' own"
    );
    scratch.printed("run -q --game sample --seed 3 --out demo");
    assert!(scratch.printed("verify demo").contains("whole"));
    // With Python its program is a bot in Python.
    let standings = scratch.standings("demo").to_string();
    let programs = ["first-bot", "random-process"];
    assert!(
        programs.iter().any(|name| standings.contains(name)),
        "{standings}"
    );
    scratch.printed("run -q --game sample --seats 3 --seed 3 --out three");
    scratch.printed("init t.toml --game sample");
    scratch.printed("run -q t.toml");
    let myself = arena_tests::arena().display();
    assert!(
        scratch
            .printed(&format!("check --game sample -- {myself} bot random"))
            .contains("sample, 3 seats")
    );
}

#[test]
fn people_play_in_the_browser_only() {
    let scratch = Scratch::new();
    let refuses = |words: &str| {
        let why = scratch.refused(words);
        assert!(
            why.contains("to play yourself, use `arena serve`"),
            "{words}: {why}"
        );
    };
    scratch.write(
        "t.toml",
        "game = 'coda'\n[[bots]]\nname = 'me'\ncommand = 'human'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n",
    );
    for words in [
        "run t.toml",
        "plan t.toml",
        "check t.toml",
        "run --bot me=human --bot b=random",
        "run --bot human --bot random",
        "match --bot me=human --bot rival=exact",
        "match --bot human --bot random",
    ] {
        refuses(words);
    }
    for words in [
        "compare me=human exact",
        "init x.toml --bot me=human",
        "plan --bot me=human --bot b=random",
    ] {
        refuses(words);
    }
    scratch
        .printed("run -q --deals 1 --seed 1 --rule rounds=1 --bot a=random --bot b=random --out t");
    refuses("repro t d1/a/b --seat 0 --program human");
}
