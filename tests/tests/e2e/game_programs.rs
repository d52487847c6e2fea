//! Games that are programs. All features of the arena work with them, and no bot is blamed for their faults.

use std::fs;
use std::path::Path;

use arena_tests::serve::Server;
use arena_tests::{Scratch, root};
use serde_json::Value;

use crate::browser::{look, modules};

/// A bot that plays every game at random.
const BOT: &str = r#"import json, random, sys
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "bot"}}), flush=True)
    elif kind == "start":
        chance = random.Random(body["seed"])
    elif kind == "turn":
        (name, fields), = chance.choice(body["prompt"]).items()
        action = {name: {key: chance.choice(legal) for key, legal in fields.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
"#;

/// Returns a folder with the game in `g`, a bot in `bot`, and a tournament of four seats. `changes` replaces parts of the game's code.
fn scratch(changes: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    let (from, to) = (
        root().join("arena/examples/games/python"),
        scratch.path().join("g"),
    );
    fs::create_dir_all(&to).unwrap();
    for file in ["game.py", "referee.py", "game.toml", "rules.md"] {
        let mut text = fs::read_to_string(from.join(file)).unwrap();
        if file == "game.py" {
            for (old, new) in changes {
                assert!(text.contains(old), "the game has no {old:?}");
                text = text.replacen(old, new, 1);
            }
        }
        fs::write(to.join(file), text).unwrap();
    }
    fs::create_dir_all(scratch.path().join("bot")).unwrap();
    scratch.write("bot/bot.py", BOT);
    scratch.write("t.toml", &tournament(4));
    scratch
}

/// Describes a tournament of as many bots as seats, one of them a program.
fn tournament(seats: usize) -> String {
    let builtin: String = (1..seats)
        .map(|number| format!("[[bots]]\nname = 'b{number}'\nbuiltin = 'random'\n"))
        .collect();
    format!(
        "game = './g'\nseed = 12345678\ndeals = 6\nseats = {seats}\n{builtin}\
         [[bots]]\nname = 'mine'\ncommand = 'python3 bot.py'\ndir = 'bot'\n"
    )
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn jobs_kills_shards_and_machines_give_the_same_bytes() {
    let scratch = scratch(&[]);
    scratch.printed("run -q t.toml --deals 60 --jobs 1 --out one");
    let export = scratch.printed("export one");
    assert!(export.contains(r#""opened""#) && export.contains(r#""game":"bids@"#));
    scratch.printed("run -q t.toml --deals 60 --jobs 2 --out two");
    assert_eq!(scratch.printed("export two"), export);
    for point in ["created", "after-append:1", "before-report"] {
        let mut run = scratch.command("run -q t.toml --deals 60 --out killed");
        let killed = run.env("ARENA_CRASH", point).output().unwrap();
        assert!(!killed.status.success(), "{point}");
    }
    scratch.printed("run -q t.toml --deals 60 --out killed");
    assert_eq!(scratch.printed("export killed"), export);
    let parts = [1, 2, 3].map(|part| {
        scratch.printed(&format!(
            "run -q t.toml --deals 60 --shard {part}/3 --out part-{part}"
        ));
        format!("part-{part}")
    });
    scratch.printed(&format!("merge merged {}", parts.join(" ")));
    assert_eq!(scratch.printed("export merged"), export);
    // Another machine has neither the game's folder nor a cache.
    let elsewhere = Scratch::new();
    copy(&scratch.path().join("merged"), &elsewhere.path().join("t"));
    let there = |words: &str| {
        let mut command = elsewhere.command(words);
        command.env("XDG_CACHE_HOME", elsewhere.path().join("cache"));
        let output = command.output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "arena {words}: {log}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(there("verify t").contains("240 of 240 matches are finished and whole"));
    assert_eq!(there("export t"), export);
    let first: Value = serde_json::from_str(export.lines().next().unwrap()).unwrap();
    let show = format!("show t {}", first["id"].as_str().unwrap());
    assert!(there(&show).contains("The cards are dealt."));
    fs::remove_dir_all(elsewhere.path().join("t/games")).unwrap();
    let lost = elsewhere
        .command("verify t")
        .env("XDG_CACHE_HOME", elsewhere.path().join("none"))
        .output()
        .unwrap();
    let lost =
        String::from_utf8_lossy(&lost.stderr).into_owned() + &String::from_utf8_lossy(&lost.stdout);
    assert!(
        lost.contains("there is no copy of the game bids@"),
        "{lost}"
    );
}

#[test]
fn every_command_takes_a_game_by_its_folder() {
    let scratch = scratch(&[]);
    let formats = [
        "round-robin --seats 2",
        "round-robin --seats 3",
        "swiss --seats 2 --rounds 2",
        "gauntlet --seats 2",
        "knockout --seats 2",
        "ladder --seats 2",
        "balanced --seats 3",
    ];
    for (number, format) in formats.iter().enumerate() {
        scratch.printed(&format!(
            "run -q t.toml --deals 2 --format {format} --out f{number}"
        ));
        assert!(
            scratch
                .printed(&format!("verify f{number}"))
                .contains("whole"),
            "{format}"
        );
    }
    assert!(
        scratch
            .printed("games ./g")
            .contains("In each of five rounds")
    );
    assert!(scratch.printed("bots ./g").contains("builtin:random"));
    assert!(scratch.printed("schema ./g").contains("Bids: the lines"));
    assert!(scratch.printed("plan t.toml").contains("bids"));
    scratch.printed("match --game ./g --seats 2 --bot a=random --bot b=random --out match.html");
    scratch.printed("init new.toml --game ./g");
    scratch.printed("run -q new.toml --deals 2");
    scratch.arena(
        "compare -q --game ./g --max-deals 20 a=builtin:random b=builtin:random --out compared",
    );
    scratch.printed("new python kit --game ./g");
    scratch.printed("run -q kit/duel.toml --deals 2 --out kit-t");
    assert!(scratch.printed("faults kit-t").contains("no faults"));
    let check = scratch.printed("check --game ./g --matches-each 2 python3 bot/bot.py");
    assert!(
        check.contains("bids@") && check.contains("ready for tournaments"),
        "{check}"
    );
    assert!(scratch.printed("check --game ./g").contains("passed"));
    let analysed = scratch.arena("analyse f0 --bot mine");
    let why = String::from_utf8_lossy(&analysed.stderr).into_owned();
    assert!(!analysed.status.success() && why.contains("bids"), "{why}");
}

#[test]
fn a_changed_game_is_another_tournament() {
    let scratch = scratch(&[]);
    scratch.printed("run -q t.toml --out t");
    let file = scratch.path().join("g/game.py");
    let text = fs::read_to_string(&file).unwrap() + "# changed\n";
    fs::write(&file, text).unwrap();
    let plan = scratch.printed("plan t.toml --out t");
    assert!(plan.contains("game"), "{plan}");
    let again = scratch.arena("run t.toml --out t");
    let news = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success() && news.contains("bids@"), "{news}");
    let kept = fs::read_dir(scratch.path().join("t/games")).unwrap();
    assert_eq!(kept.count(), 2, "the earlier matches need their game");
}

/// Returns a folder with a game that has this change. A game that sleeps has half a second for each answer.
fn faulty(old: &str, new: &str) -> Scratch {
    let scratch = scratch(&[(old, new)]);
    if new.contains("sleep") {
        let file = scratch.path().join("g/game.toml");
        fs::write(file, "command = 'python3 game.py'\nanswer_ms = 500\n").unwrap();
    }
    scratch
}

/// A fault that a game can have: a change of its code, and the message that the arena prints.
struct Fault {
    old: &'static str,
    new: &'static str,
    why: &'static str,
}

const PLAY: &str = "        self.bids[seat] = action[\"bid\"][\"card\"]\n";
const END: &str = "        return {\"points\": self.points}\n";

#[test]
fn a_failed_game_stops_the_run_and_blames_no_bot() {
    for Fault { old, new, why } in [
        Fault {
            old: PLAY,
            new: "        raise SystemExit('cannot go on')\n",
            why: "cannot go on",
        },
        Fault {
            old: PLAY,
            new: "        import sys; sys.__stdout__.write('hello\\n'); sys.__stdout__.flush()\n",
            why: "is not one of the messages",
        },
        Fault {
            old: PLAY,
            new: "        import time; time.sleep(100)\n",
            why: "has not answered within 0.5 s",
        },
        Fault {
            old: PLAY,
            new: "        self.say({'bids': {'text': 'x' * 3000000}})\n",
            why: "more than 1048576 bytes",
        },
        Fault {
            old: END,
            new: "        return {\"points\": [99] * len(self.points)}\n",
            why: "99 points, outside the announced 0 to 15",
        },
        Fault {
            old: END,
            new: "        return {\"points\": [1]}\n",
            why: "a value for each of the 4 seats",
        },
        Fault {
            old: "{seat: [{\"bid\": {\"card\": self.hands[seat]}}] for seat in waiting}",
            new: "{seat: [{\"bid\": {\"card\": []}}] for seat in waiting}",
            why: "at least one value for each field",
        },
        Fault {
            old: "{seat: [{\"bid\": {\"card\": self.hands[seat]}}] for seat in waiting}",
            new: "{7: [{\"bid\": {\"card\": [1]}}]}",
            why: "it asks seat 7 to act, which does not exist",
        },
    ] {
        let scratch = faulty(old, new);
        let run = scratch.arena("run -q t.toml");
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        // If not even the first match can be dealt, nothing was started, and the exit code is 2.
        assert!(matches!(run.status.code(), Some(1 | 2)), "{new}: {said}");
        assert!(
            said.contains(why) && said.contains("the game bids failed"),
            "{new}: {said}"
        );
        if scratch.path().join("t").exists() {
            assert!(
                said.contains("match d") && said.contains("arena run t"),
                "{new}: {said}"
            );
            assert!(!scratch.printed("export t").contains("\"faults\""), "{new}");
        }
    }
}

#[test]
fn a_check_shows_what_a_game_does_not_keep() {
    for Fault { old, new, why } in [
        Fault {
            old: PLAY,
            new: "        if action['bid']['card'] == 7: raise Illegal('not seven')\n        self.bids[seat] = action['bid']['card']\n",
            why: "offers is refused: not seven",
        },
        Fault {
            old: "referee.play(Bids)",
            new: "def first(self, seat, action):\n    self.bids[seat] = self.hands[seat][0]\n    self.open()\n\n\nreferee.check = lambda action, prompt: None\nBids.play = first\nreferee.play(Bids)",
            why: "an action that its prompt does not offer",
        },
        Fault {
            old: END,
            new: "        return {\"points\": [16] * len(self.points)}\n",
            why: "outside the announced 0 to 15",
        },
        Fault {
            old: "        self.say = say\n",
            new: "        self.say = say\n        import time; chance.seed(time.time_ns())\n",
            why: "give another match in",
        },
        Fault {
            old: "        self.say = say\n",
            new: "        self.say = say\n        chance.seed(hash('a word'))\n",
            why: "give another match in another process",
        },
        Fault {
            old: "        self.say = say\n",
            new: "        self.say = say\n        Bids.dealt = getattr(Bids, 'dealt', 0) + 1\n        chance.seed(Bids.dealt)\n",
            why: "give another match in",
        },
        Fault {
            old: PLAY,
            new: "        self.bids[seat] = card = action['bid']['card']\n        if card == getattr(Bids, 'before', 0): self.say({'same': {}})\n        Bids.before = card\n",
            why: "match",
        },
        Fault {
            old: "{seat: [{\"bid\": {\"card\": self.hands[seat]}}] for seat in waiting}",
            new: "{seat: [{\"bid\": {\"card\": self.hands[seat]}}] for seat in waiting[:1]}",
            why: "",
        },
        Fault {
            old: "{seat: [{\"bid\": {\"card\": self.hands[seat]}}] for seat in waiting}",
            new: "{seat: [{\"bid\": {\"card\": self.hands[seat], \"hint\": [sum(self.bids.values())]}}] for seat in waiting[:1]}",
            why: "shows what another seat has chosen",
        },
        Fault {
            old: "        del self.prizes[0]\n",
            new: "        self.hands = [[*hand, 1] for hand in self.hands]\n",
            why: "has not ended after",
        },
        Fault {
            old: "        self.playing -= set(seats)\n",
            new: "        pass\n",
            why: "which has forfeited",
        },
        Fault {
            old: "        self.bids[seat] = self.hands[seat][0]\n",
            new: "        import time; time.sleep(100)\n",
            why: "has not answered within 0.5 s",
        },
    ] {
        let scratch = faulty(old, new);
        let checked = scratch.arena("check --game ./g --seats 3");
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let error = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert_eq!(
            checked.status.success(),
            why.is_empty(),
            "{new}: {said}{error}"
        );
        assert!(said.contains(why), "{new}: {said}{error}");
    }
}

#[test]
fn a_seat_is_sent_only_what_it_may_see() {
    let scratch = scratch(&[]);
    scratch.write("t.toml", &tournament(2));
    scratch.printed("run -q t.toml --log-wire");
    let logs = fs::read_dir(scratch.path().join("t/logs"))
        .unwrap()
        .flatten();
    let text: String = logs
        .filter_map(|log| fs::read_to_string(log.path()).ok())
        .collect();
    assert!(
        text.contains(r#"{"hand""#) && !text.contains("hands"),
        "{text}"
    );
}

#[test]
fn bad_folders_and_rules_are_explained() {
    let scratch = scratch(&[]);
    let refused = |words: &str, why: &str| {
        let output = scratch.arena(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(said.contains(why), "{words}: {said}");
    };
    let game = "run -q --bot a=random --bot b=random --game";
    refused(&format!("{game} ./none"), "there is no folder ./none");
    refused(&format!("{game} ./bot"), "bot/game.toml: ");
    refused(
        &format!("{game} ./g --rule rounds=9"),
        "rounds must be 1 to 5, not 9",
    );
    refused(
        &format!("{game} ./g --rule round=3"),
        "did you mean `rounds`?",
    );
    refused(&format!("{game} ./g --rule rounds=true"), "rounds");
    refused(&format!("{game} ./g --seats 5"), "bids is for 2 to 4 seats");
    let toml = |text: &str, why: &str| {
        fs::write(scratch.path().join("g/game.toml"), text).unwrap();
        refused(&format!("{game} ./g"), why);
    };
    toml("command = 'python3 none.py'\n", "none.py");
    toml("command = 'no-such-program'\n", "no-such-program");
    toml("command = 'python3 game.py'\nnetwork = true\n", "network");
    toml("command = 'echo {}'\n", "its first line is not `game`");
    toml("command = 'python3 ../bot/bot.py'\n", "outside its folder");
    toml("command = 'cat rules.md'\n", "its first line is not `game`");
}

#[test]
fn its_pages_are_played_and_watched() {
    let scratch = scratch(&[]);
    scratch.write("t.toml", &tournament(2));
    scratch.printed("run -q t.toml");
    scratch.printed("show t d1/b1/mine --out match.html");
    look(
        "replay.mjs",
        &modules(),
        &scratch.path().join("match.html"),
        &[],
    );
    let server = Server::start(scratch.path(), &["--game", "./g"]);
    let games: Value = serde_json::from_str(&scratch.printed("games ./g --json")).unwrap();
    let name = games["games"][0]["name"].as_str().unwrap();
    look("play.mjs", &modules(), Path::new(&server.link()), &[name]);
    assert!(
        scratch
            .printed(&format!("verify played/{name}-1"))
            .contains("whole")
    );
}

/// Creates a game in a language, and plays and checks it.
fn begin(language: &str) {
    let scratch = Scratch::new();
    scratch.printed(&format!("new game {language} my-game"));
    scratch.printed("run -q --deals 5 my-game/cup.toml");
    let faults = scratch.printed("faults my-game/cup");
    assert!(faults.contains("no faults"), "{language}: {faults}");
    let checked = scratch.printed("check --game ./my-game");
    assert!(
        checked.contains("This game is ready"),
        "{language}: {checked}"
    );
}

#[test]
fn a_new_game_is_playable_at_once() {
    begin("python");
    begin("javascript");
    let refused = Scratch::new().arena("new game cobol my-game");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_new_game_in_rust_is_built_first() {
    begin("rust");
}
