//! Commands refer human players to the browser.

use arena_tests::Scratch;

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
