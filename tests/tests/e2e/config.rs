//! Invalid tournament files: each error has its location and advice, and nothing is started.

use std::fs;

use arena_tests::Scratch;

/// Returns the usage errors that the arena prints, without colours.
fn errors(scratch: &Scratch, words: &str) -> String {
    let output = scratch
        .command(words)
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "arena {words}: {said}");
    assert!(
        output.stdout.is_empty() && !scratch.path().join("runs").exists(),
        "something was started"
    );
    said
}

/// Asserts that a command prints exactly these words on standard error.
fn check(file: &str, words: &str, expected: &str) {
    let scratch = Scratch::new();
    scratch.write("t.toml", file);
    assert_eq!(errors(&scratch, words).trim_end(), expected.trim());
}

/// A file with wrong keys and numbers. These are checked first, and all errors are reported at once.
const KEYS: &str = r#"nmae = "friday"
deals = 0
seats = "2"

[[bots]]
name = "a"
builtn = "exact"
"#;

const KEYS_SAID: &str = r#"
error: there is no key "nmae"
 --> t.toml:1:1
  |
1 | nmae = "friday"
  | ^^^^ did you mean `name`?

error: `deals` must be at least 1, not 0
 --> t.toml:2:9
  |
2 | deals = 0
  |         ^ write 1 or more

error: `seats` must be a whole number, found string
 --> t.toml:3:9
  |
3 | seats = "2"
  |         ^^^ write a number, without quotes

error: there is no key "builtn"
 --> t.toml:7:1
  |
7 | builtn = "exact"
  | ^^^^^^ did you mean `builtin`?

4 problems; nothing was started
"#;

/// A file with wrong combinations of values. These are checked second.
const VALUES: &str = r#"format = "gauntlet"
rounds = 3

[rules]
rounds = 300

[[bots]]
name = "a"
builtin = "exakt"

[[bots]]
name = "a"
builtin = "random"

[[bots]]
name = "c"
command = "python3 'my_bot.py"

[[bots]]
name = "d"

[[bots]]
name = "e"
builtin = "exact"
command = "sh"

[[bots]]
builtin = "exact"
"#;

const VALUES_SAID: &str = r#"
error: `rounds` is for swiss and ladder, not for gauntlet
 --> t.toml:2:10
  |
2 | rounds = 3
  |          ^ remove it, or choose the format swiss or ladder

error: this must be a whole number within its range, not integer `300`
 --> t.toml:5:10
  |
5 | rounds = 300
  |          ^^^
  |
  = help: rounds: Rounds per game, 1 to 99; the official tournament rules play 3.

error: no bot named "exakt" is built in for coda
 --> t.toml:9:11
  |
9 | builtin = "exakt"
  |           ^^^^^^^
  |
  = help: did you mean "exact"? there is also: "random", "excluding", "inferring",
          "bayesian", "rollouts", "concealing"

error: two bots are named "a"
  --> t.toml:12:8
   |
 8 | name = "a"
   |        --- the first is here
...
12 | name = "a"
   |        ^^^ rename one of the two

error: the command "python3 'my_bot.py" has an unclosed quote
  --> t.toml:17:11
   |
17 | command = "python3 'my_bot.py"
   |           ^^^^^^^^^^^^^^^^^^^^ a command is split into words as in a shell

error: this bot has neither `builtin` nor `command`
  --> t.toml:19:1
   |
19 | [[bots]]
   | ^^^^^^^^
   |
   = help: add a line below: builtin = "..." or command = "..."

error: this bot has both `builtin` and `command`
  --> t.toml:25:11
   |
24 | builtin = "exact"
   |           ------- the other
25 | command = "sh"
   |           ^^^^ remove one of the two

error: this bot has no name
  --> t.toml:27:1
   |
27 | [[bots]]
   | ^^^^^^^^ add a line below, such as name = "mine"

8 problems; nothing was started
"#;

#[test]
fn mistakes_are_shown_at_once() {
    check(KEYS, "run t.toml", KEYS_SAID);
    check(VALUES, "run t.toml", VALUES_SAID);
}

/// Checks that a value of the wrong type is reported alone, because nothing else can be checked until it is fixed.
#[test]
fn values_of_other_types_are_pointed_at() {
    for (line, place, why) in [
        (
            "isolation = 'bublewrap'",
            "1:13",
            "did you mean \"bubblewrap\"?",
        ),
        (
            "pin = 'no'",
            "1:7",
            "this must be true or false, not string \"no\"",
        ),
        ("rules = 3", "1:9", "this must be a table, not integer `3`"),
        ("bots = 'a'", "1:8", "this must be a list, not string \"a\""),
        ("name = 3", "1:8", "this must be a string, not integer `3`"),
    ] {
        let scratch = Scratch::new();
        let bots = if line.starts_with("bots") { "" } else { BOTS };
        scratch.write("t.toml", &format!("{line}\n{bots}"));
        let said = errors(&scratch, "run t.toml");
        assert!(
            said.contains(why) && said.contains(&format!("--> t.toml:{place}\n")),
            "{line}: {said}"
        );
    }
}

const BOTS: &str =
    "[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n";

#[test]
fn what_cannot_be_is_noticed_before_the_first_match() {
    let scratch = Scratch::new();
    scratch.write("there.sh", "exit 1");
    let bot =
        |name: &str, command: &str| format!("[[bots]]\nname = '{name}'\ncommand = '{command}'\n");
    let limits = "[limits]\nmemory_mb = 17592186044417\nfile_mb = 17592186044417\n";
    let bots = bot("a", "sh nowhere.sh") + &bot("b", "sh there.sh nowhere.sh");
    scratch.write("t.toml", &format!("{limits}{bots}"));
    let said = errors(&scratch, "run t.toml");
    for part in [
        "`memory_mb` must be at most 8796093022207",
        "`file_mb` must be at most 8796093022207",
        "2 problems",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    scratch.write("t.toml", &bots);
    let said = errors(&scratch, "run t.toml");
    assert!(
        said.contains("there is no file nowhere.sh for sh to run\n") && said.contains("t.toml:3:"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_no_toml_is_pointed_into() {
    let scratch = Scratch::new();
    scratch.write("t.toml", "deals = 3\nseats = two\nname = \"x\n[[bots]\n");
    let said = errors(&scratch, "run t.toml");
    assert!(said.contains("--> t.toml:2:9"), "{said}");
}

#[test]
fn flags_are_told_by_their_names_and_go_before_the_file() {
    let file = format!("game = 'cods'\ndeals = 'many'\n{BOTS}");
    check(
        &file,
        "run t.toml --game coda --deals 0 --rule runds=2",
        "error: --deals 0: `deals` must be at least 1, not 0\n |\n = help: write 1 or more",
    );
    check(
        BOTS,
        "run t.toml --game coda --rule runds=2",
        "error: --rule runds=2: there is no rule \"runds\"\n |\n = help: did you mean `rounds`?",
    );
}

#[test]
fn rules_are_judged_together() {
    let run = |rules: &str| {
        let said = Scratch::new().arena(&format!("match --game coda --seed 1 {rules}"));
        (
            said.status.success(),
            String::from_utf8(said.stderr).unwrap(),
        )
    };
    let few = |rule: &str, panels: u8, all: u8| {
        format!(
            "error: --rule {rule}: 2 seats with {panels} panels each need more than the {all} there are\n"
        )
    };
    assert!(run("--rule numbers=3 --rule panels=1").0);
    let refused = |rule: &str, why: &str| format!("error: --rule {rule}: {why}\n");
    for (rules, all) in [
        ("--rule numbers=3", vec![few("numbers=3", 4, 6)]),
        (
            "--rule numbers=2 --rule panels=3",
            vec![few("numbers=2", 3, 4)],
        ),
        (
            "--rule rounds=0 --rule panels=9",
            vec![
                refused("rounds=0", "rounds must be 1 to 99, not 0"),
                refused("panels=9", "panels must be 1 to 4, not 9"),
            ],
        ),
        (
            "--rule rounds=-1 --rule panels=300 --rule runds=1",
            vec![
                refused(
                    "rounds=-1",
                    "this must be a whole number within its range, not integer `-1`",
                ),
                " = help: rounds: Rounds per game, 1 to 99;".into(),
                refused(
                    "panels=300",
                    "this must be a whole number within its range, not integer `300`",
                ),
                " = help: panels: First panels of each seat, 1 to 4;".into(),
                refused("runds=1", "there is no rule \"runds\""),
                "3 problems".into(),
            ],
        ),
    ] {
        let (is_played, said) = run(rules);
        assert!(!is_played, "{rules}");
        for why in all {
            assert!(said.contains(&why), "{rules}: {said}");
        }
    }
}

#[test]
fn formats_say_for_how_many_seats_they_are() {
    check(
        &format!("format = 'balanced'\n{BOTS}"),
        "run t.toml",
        "error: balanced is for 3 or more seats, not 2\n --> t.toml:1:10\n  |\n1 | format = 'balanced'\n  \
         |          ^^^^^^^^^^ use round-robin or gauntlet",
    );
    check(
        &format!("format = 'swiss'\nseats = 3\n{BOTS}[[bots]]\nname = 'c'\nbuiltin = 'exact'\n"),
        "run t.toml",
        "error: swiss is for 2 seats, not 3\n --> t.toml:1:10\n  |\n1 | format = 'swiss'\n  \
         |          ^^^^^^^ write seats = 2, or use gauntlet or balanced",
    );
}

#[test]
fn a_file_to_begin_with_is_ready_to_run() {
    for game in ["coda", "code-777", "crack-the-code", "digit-code"] {
        let scratch = Scratch::new();
        let output = scratch.arena(&format!("init {game}.toml --game {game}"));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && told.contains(&format!("arena run {game}.toml")),
            "{told}"
        );
        let output = scratch.arena(&format!(
            "run {game}.toml --deals 1 --quiet --jobs 1 --out x"
        ));
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(scratch.standings("x")["played"], 2);
    }
}

#[test]
fn a_file_to_begin_with_takes_bots_and_overwrites_nothing() {
    let scratch = Scratch::new();
    let init = scratch
        .command("init --format gauntlet --bot")
        .arg("mine=none-such 'bot' x")
        .output()
        .unwrap();
    let missing = String::from_utf8_lossy(&init.stderr).into_owned();
    assert!(
        missing.contains("there is no program none-such")
            && !scratch.path().join("tournament.toml").exists()
    );
    let command = format!("mine='{}' bot random", arena_tests::arena().display());
    let init = scratch
        .command("init --bot")
        .arg(&command)
        .output()
        .unwrap();
    assert!(
        init.status.success(),
        "{}",
        String::from_utf8_lossy(&init.stderr)
    );
    scratch.printed("run tournament.toml --deals 1 --quiet --out x");
    assert_eq!(scratch.standings("x")["played"], 6);
    let before = std::fs::read(scratch.path().join("tournament.toml")).unwrap();
    assert!(
        errors(&scratch, "init").contains("tournament.toml exists already and is left as it is")
    );
    assert_eq!(
        std::fs::read(scratch.path().join("tournament.toml")).unwrap(),
        before
    );
    assert!(errors(&scratch, "init none/t.toml").contains("there is no folder"));
    let seats = errors(
        &scratch,
        "init other.toml --game crack-the-code --format balanced",
    );
    assert!(
        seats.contains("balanced is for 3 or more seats, which crack-the-code does not have"),
        "{seats}"
    );
    scratch.printed("init b.toml --format balanced");
    scratch.printed("run b.toml --deals 1 --quiet --out y");
    assert_eq!(scratch.standings("y")["played"], 6);
    let both = errors(&scratch, "init other.toml --game cods --format swis");
    assert!(
        both.contains("did you mean \"coda\"?") && both.contains("did you mean \"swiss\"?"),
        "{both}"
    );
}

#[test]
fn an_anchor_is_one_of_the_bots() {
    let file = format!("anchor = 'c'\n{BOTS}");
    let said = "error: no bot is named \"c\"\n --> t.toml:1:10\n  |\n1 | anchor = 'c'\n  \
                |          ^^^ did you mean \"a\"? there is also: \"b\"";
    check(&file, "run t.toml", said);
    let flag =
        "error: --anchor randon: no bot is named \"randon\"\n |\n = help: did you mean \"random\"?";
    let bots = "--bot random=builtin:random --bot e=builtin:exact";
    check(
        BOTS,
        &format!("run {bots} --anchor randon"),
        &format!("{flag} there is also: \"e\""),
    );
    let scratch = Scratch::new();
    let demo = errors(&scratch, "run --out x --anchor randon");
    assert!(
        demo.contains("--anchor randon") && demo.contains("did you mean \"random\"?"),
        "{demo}"
    );
}

/// Checks that the anchor can be set, changed and removed during a tournament, because no match depends on it.
#[test]
fn another_anchor_may_be_named_at_any_time() {
    let scratch = Scratch::new();
    scratch.write("t.toml", &format!("anchor = 'b'\ndeals = 2\n{BOTS}"));
    let anchor = || {
        let kept = std::fs::read_to_string(scratch.path().join("t/tournament.toml")).unwrap();
        kept.lines()
            .find_map(|line| line.strip_prefix("anchor = ").map(str::to_owned))
    };
    for (words, now) in [
        ("run t.toml -q", Some("\"b\"")),
        ("run t -q", Some("\"b\"")),
        ("run t -q --anchor a", Some("\"a\"")),
        ("run t -q", Some("\"a\"")),
        ("run t -q --anchor b", Some("\"b\"")),
        ("extend t --deals 3", Some("\"b\"")),
        ("run t -q", Some("\"b\"")),
    ] {
        scratch.printed(words);
        assert_eq!(anchor().as_deref(), now, "{words}");
    }
    assert_eq!(scratch.standings("t")["played"], 6);
    scratch.write("t.toml", &format!("deals = 3\n{BOTS}"));
    scratch.printed("run t.toml -q");
    assert_eq!(anchor(), None);
    scratch.printed("verify t");
}

#[test]
fn what_is_given_for_a_tournament_file_is_named() {
    let scratch = Scratch::new();
    scratch.write("my_bot.py", "import json\nA = 1\n");
    fs::write(scratch.path().join("t.toml"), b"name = 'M\xfcller'").unwrap();
    let assignments: String = (0..40).map(|number| format!("A{number} = 1\n")).collect();
    scratch.write("notes", &assignments);
    for (words, expected) in [
        ("run my_bot.py", "`arena run my_bot.py exact` lets it play"),
        ("plan --trust my_bot.py", "`arena check my_bot.py` tests it"),
        (
            "run t.toml my_bot.py",
            "my_bot.py comes after the tournament t.toml: add a bot to it with --bot",
        ),
        (
            "run gone.py exact",
            "gone.py: there is no file or folder gone.py",
        ),
        (
            "run my_bot.py t.toml",
            "no bot named \"t.toml\" is built in",
        ),
        (
            "run .\\t.toml",
            "there is no file .\\t.toml: paths here are written with /",
        ),
        (
            "run t.toml",
            "t.toml is not UTF-8 from line 1 on: save it as UTF-8",
        ),
        (
            "run notes",
            "40 problems, of which the first 10 are shown; nothing",
        ),
    ] {
        let said = errors(&scratch, words);
        assert!(said.contains(expected), "{words}: {said}");
    }
    for (keys, expected) in [
        (
            "dir = \"C:\\bots\"\ncommand = 'sh x'",
            "paths here are written with /, as in ./bot.py",
        ),
        (
            "dir = \"C:\\users\"",
            "in double quotes \\ begins an escape",
        ),
        ("command = 'python3 .\\bot.py'", "this is a Windows path"),
    ] {
        scratch.write("t.toml", &format!("[[bots]]\nname = 'a'\n{keys}\n"));
        let said = errors(&scratch, "run t.toml");
        assert!(said.contains(expected), "{keys}: {said}");
    }
}
