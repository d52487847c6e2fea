//! `arena new`: its bots build, play without a fault and beat a random bot. Bots are built in the sandbox.
#![cfg(unix)]

use std::fs;

use arena_tests::process::Command;
use arena_tests::sandbox::on_path;
use arena_tests::{Scratch, root};
use serde_json::Value;

/// The languages, each with a game other than Coda with which its bot template is tested.
const LANGUAGES: [(&str, &str); 8] = [
    ("c", "code-777"),
    ("cpp", "digit-code"),
    ("go", "crack-the-code"),
    ("java", "digit-code"),
    ("javascript", "code-777"),
    ("python", "crack-the-code"),
    ("rust", "code-777"),
    ("typescript", "digit-code"),
];

/// Returns a command in a subfolder, with a separate cache for built bots.
fn arena(scratch: &Scratch, dir: &str, words: &str) -> Command {
    let mut command = on_path(scratch.command(words));
    command
        .current_dir(scratch.path().join(dir))
        .env("XDG_CACHE_HOME", scratch.path().join("cache"));
    command
}

/// Runs a command, asserts success, and returns its standard output and its log.
fn run(scratch: &Scratch, dir: &str, words: &str) -> [String; 2] {
    let output = arena(scratch, dir, words).output().unwrap();
    let [text, log] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{words}: {log}");
    [text, log]
}

/// Creates a bot, plays it against a random bot and returns its score, asserting that it has not failed.
fn duel(scratch: &Scratch, language: &str, game: &str, deals: u32) -> f64 {
    let dir = format!("{language}-{game}");
    run(scratch, "", &format!("new {language} {dir} --game {game}"));
    let file = scratch.path().join(&dir).join("duel.toml");
    let text = fs::read_to_string(&file).unwrap();
    let bot = text
        .lines()
        .filter(|line| line.starts_with("command") || line.starts_with("build"));
    let bot: String = bot.map(|line| format!("{line}\n")).collect();
    let random = "[[bots]]\nname = \"random\"\nbuiltin = \"random\"\n";
    fs::write(
        file,
        format!(
            "game = {game:?}\ndeals = {deals}\nseed = 7\n[[bots]]\nname = {dir:?}\n{bot}{random}"
        ),
    )
    .unwrap();
    run(scratch, &dir, "run -q duel.toml");
    let shown: Value = serde_json::from_str(&run(scratch, &dir, "show duel --json")[0]).unwrap();
    let rows = shown["standings"]["standings"]
        .as_array()
        .or(shown["standings"].as_array())
        .unwrap();
    let row = rows.iter().find(|row| row["bot"] == dir.as_str()).unwrap();
    let number = |key: &str| {
        row[key]
            .as_f64()
            .unwrap_or_else(|| panic!("no {key}: {row}"))
    };
    assert_eq!(
        row["forfeits"]["total"],
        0,
        "{dir}: {}",
        run(scratch, &dir, "faults duel")[0]
    );
    (number("wins") + number("draws") / 2.0) / number("matches")
}

/// Runs the commands of a kit's README, in the folder of a bot that has played its duel.
fn follow_readme(scratch: &Scratch, dir: &str) {
    let folder = scratch.path().join(dir);
    let old = scratch.path().join(format!("{dir}-old"));
    let copied = Command::new("cp").arg("-r").args([&folder, &old]).status();
    assert!(copied.unwrap().success());
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let quoted = page.split('`').skip(1).step_by(2);
    let commands: Vec<&str> = quoted
        .filter_map(|quoted| quoted.strip_prefix("arena "))
        .filter(|words| *words != "run")
        .collect();
    let of = |verb: &str| commands.iter().any(|words| words.starts_with(verb));
    assert!(
        ["run", "show", "check", "compare"].into_iter().all(of),
        "{dir}: {commands:?}"
    );
    for words in commands {
        let words = words.replace("excluding", "random");
        let more = if words.starts_with("compare") {
            " --max-deals 4 -q"
        } else {
            ""
        };
        run(scratch, dir, &(words + more));
    }
}

#[test]
fn the_kit_of_each_language_plays_well_and_without_a_fault() {
    let scratch = Scratch::new();
    for (language, other) in LANGUAGES {
        let score = duel(&scratch, language, "coda", 20);
        assert!(score >= 0.9, "{language} scores {score} against random");
        follow_readme(&scratch, &format!("{language}-coda"));
        duel(&scratch, language, other, 3);
    }
}

#[test]
fn each_kit_says_what_its_duel_does() {
    let scratch = Scratch::new();
    for (language, ..) in LANGUAGES {
        run(&scratch, "", &format!("new {language} {language}"));
        let read =
            |name: &str| fs::read_to_string(scratch.path().join(language).join(name)).unwrap();
        let (bot, duel): (toml::Table, toml::Table) = (
            read("bot.toml").parse().unwrap(),
            read("duel.toml").parse().unwrap(),
        );
        let mine = &duel["bots"].as_array().unwrap()[0];
        assert!(
            ["command", "build"]
                .iter()
                .all(|key| bot.get(*key) == mine.get(*key)),
            "{language}: {bot} {mine}"
        );
        assert_eq!(
            duel["bots"].as_array().unwrap()[1]["builtin"].as_str(),
            Some("excluding")
        );
        let lines = read("README.md").lines().count();
        assert!(lines <= 14, "{language}: README.md has {lines} lines");
        let folder = fs::read_dir(scratch.path().join(language))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let is_bot = |path: &std::path::PathBuf| {
            path.file_stem()
                .is_some_and(|stem| stem.eq_ignore_ascii_case("bot"))
                && path.extension().unwrap() != "toml"
        };
        let bot = folder.into_iter().find(is_bot).unwrap();
        let lines = fs::read_to_string(&bot).unwrap().lines().count();
        // These two are written as their formatters have it, which takes more lines.
        let most = if ["rust", "typescript"].contains(&language) {
            95
        } else {
            60
        };
        assert!(lines <= most, "{} has {lines} lines", bot.display());
    }
    let again = scratch.refused("new python python");
    assert!(again.contains("not an empty folder"), "{again}");
    assert!(scratch.refused("new pyton mine").contains("python"));
    for name in ["1st", "a b", "..", "über", "x/y.z", ""] {
        let output = scratch.command("new python").arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn bots_in_python_need_no_later_version_than_their_page_says() {
    let scratch = Scratch::new();
    for (kit, game) in [
        ("python", "coda"),
        ("python", "digit-code"),
        ("llm", "code-777"),
    ] {
        let dir = format!("{kit}-{game}");
        run(&scratch, "", &format!("new {kit} {dir} --game {game}"));
        let page = fs::read_to_string(scratch.path().join(dir).join("README.md")).unwrap();
        assert!(page.contains("Python 3.8 or later"), "{page}");
    }
    let parse = "import ast, pathlib, sys\nfor folder in sys.argv[1:]:\n    files = list(pathlib.Path(folder).glob('*.py'))\n    \
                 assert files, folder\n    for file in files:\n        text = file.read_text('utf-8')\n        \
                 ast.parse(text, str(file), feature_version=(3, 8))\n        \
                 assert 'removeprefix' not in text and 'removesuffix' not in text, file\n";
    let parsed = Command::new("python3")
        .current_dir(scratch.path())
        .args(["-c", parse, "python-coda", "python-digit-code"])
        .arg("llm-code-777")
        .arg(root().join("bots/python"))
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&parsed.stderr);
    assert!(parsed.status.success(), "{why}");
}

#[test]
fn an_agent_that_follows_its_page_gets_what_it_says() {
    let scratch = Scratch::new();
    run(&scratch, "", "new python mine");
    let page = fs::read_to_string(scratch.path().join("mine/AGENTS.md")).unwrap();
    follow(&scratch, "mine", &page, 11);
}

#[test]
fn an_agent_that_has_only_the_program_gets_what_its_page_says() {
    let scratch = Scratch::new();
    let page = scratch.printed("help agents");
    assert!(page.lines().count() <= 60, "{page}");
    follow(&scratch, "", &page, 17);
}

/// Runs the commands of a page for coding agents in one folder, and reads the JSON that they print.
fn follow(scratch: &Scratch, dir: &str, page: &str, count: usize) {
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("$ "))
        .collect();
    assert_eq!(commands.len(), count, "{page}");
    for command in commands {
        // So few deals cannot tell equal bots apart, so the test stays undecided.
        let short = command
            .replace("--for 20m", "--max-deals 6")
            .replace("--quiet duel", "--quiet --deals 4 duel");
        let path = format!(
            "{}:{}",
            arena_tests::arena().parent().unwrap().display(),
            std::env::var("PATH").unwrap()
        );
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &short])
            .current_dir(scratch.path().join(dir))
            .env("PATH", path);
        let output = shell
            .env("XDG_CACHE_HOME", scratch.path().join("cache"))
            .output()
            .unwrap();
        let wanted = if short.contains("--max-deals") { 3 } else { 0 };
        assert_eq!(
            output.status.code(),
            Some(wanted),
            "{short}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        if command.contains("--json") {
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(found["version"].is_number(), "{short}: {found}");
        }
    }
}

#[test]
fn the_bots_of_the_page_on_other_languages_play() {
    let page = fs::read_to_string(root().join("bots/kits/README.md")).unwrap();
    let scratch = Scratch::new();
    for (program, fence, file) in [
        ("lua5.4", "```lua bot.lua\n", "bot.lua"),
        ("ruby", "```ruby bot.rb\n", "bot.rb"),
    ] {
        let (_, rest) = page.split_once(fence).unwrap();
        scratch.write(file, rest.split_once("```").unwrap().0);
        for game in ["coda", "code-777", "crack-the-code", "digit-code"] {
            let said = run(
                &scratch,
                "",
                &format!("check --game {game} --matches-each 1 {program} {file}"),
            );
            assert!(said[0].contains("ready for tournaments"), "{said:?}");
        }
    }
}

/// Writes a bot that is built from `bot.py` into `build/`, and prints a word to its log.
fn built(scratch: &Scratch, build: &str) {
    fs::create_dir_all(scratch.path().join("mine")).unwrap();
    fs::copy(
        root().join("bots/python/first_bot.py"),
        scratch.path().join("mine/bot.py"),
    )
    .unwrap();
    scratch.write(
        "t.toml",
        &format!(
            "deals = 2\nseed = 3\n[[bots]]\nname = \"mine\"\ndir = \"mine\"\ncommand = \"python3 build/bot.py\"\nbuild = '''{build}'''\n\
             [[bots]]\nname = \"random\"\nbuiltin = \"random\"\n"
        ),
    );
}

#[test]
fn a_bot_is_built_once_and_plays_on_as_it_entered() {
    let scratch = Scratch::new();
    built(&scratch, "mkdir build && cp bot.py build/");
    assert!(run(&scratch, "", "run t.toml")[1].contains("bot mine: built in"));
    assert!(!run(&scratch, "", "run t.toml")[1].contains("built"));
    assert!(
        !scratch.path().join("mine/build").exists(),
        "the folder of the sources is left as it was"
    );
    scratch.write("mine/bot.py", "print('changed')");
    run(&scratch, "", "extend t --deals 4");
    run(&scratch, "", "run -q t");
    let matches = run(&scratch, "", "export t")[0].clone();
    assert_eq!(
        (matches.lines().count(), matches.contains("\"cause\"")),
        (8, false),
        "{matches}"
    );
    // When its tournament file is run, the edited bot plays, and its earlier matches are set aside.
    let said = run(&scratch, "", "run t.toml")[1].clone();
    assert!(
        said.contains("changed    mine starts again without results")
            && said.contains("arena show "),
        "{said}"
    );
    assert_eq!(run(&scratch, "", "export t/earlier/1")[0], matches);
    assert!(run(&scratch, "", "export t")[0].contains("\"cause\""));
}

#[test]
fn a_build_that_fails_is_told_with_its_last_lines_and_nothing_is_played() {
    for (build, reason) in [
        (
            "echo first; echo bot.c:3: no such thing >&2; exit 3",
            "bot.c:3: no such thing",
        ),
        ("touch ../../outside /usr/outside", "outside"),
        ("ln -s nowhere link", "link"),
        ("kill -9 $$", "KILL"),
        ("exec 3<>/dev/tcp/1.1.1.1/53 || exit 9", "failed"),
    ] {
        let scratch = Scratch::new();
        built(&scratch, build);
        let output = arena(&scratch, "", "run -q t.toml").output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{build}: {why}");
        assert!(
            why.contains("bot mine cannot be built") && why.contains(reason),
            "{build}: {why}"
        );
        assert!(
            fs::read_dir(scratch.path().join("cache/coda-arena/built"))
                .unwrap()
                .next()
                .is_none(),
            "{build}"
        );
    }
}

#[test]
fn a_class_is_one_line_and_nobody_stops_the_others() {
    let scratch = Scratch::new();
    let bot = fs::read_to_string(root().join("bots/python/first_bot.py")).unwrap();
    let write = |file: &str, text: &str| {
        fs::create_dir_all(scratch.path().join("class").join(file).parent().unwrap()).unwrap();
        scratch.write(&format!("class/{file}"), text);
    };
    for name in ["ann", "b ö", "cleo"] {
        write(&format!("{name}/bot.py"), &bot);
    }
    write("dora/start.py", &bot);
    write(
        "dora/bot.toml",
        "command = 'python3 start.py'\nrestart = 'match'\n",
    );
    write("banner/main.py", &format!("print('hello')\n{bot}"));
    let broken = [
        ("none/readme.txt", "", "neither a bot.toml nor a main file"),
        ("two/main.js", "", "bot.py and main.js"),
        ("typo/bot.toml", "comand = 'x'", "comand"),
        (
            "gone/bot.toml",
            "command = './nothing'",
            "there is no ./nothing",
        ),
        (
            "fails/bot.toml",
            "command = 'build/x'\nbuild = 'echo line 7: oh >&2; exit 2'",
            "line 7: oh",
        ),
        (
            "empty/bot.toml",
            "command = 'build/x'\nbuild = 'true'",
            "there is no build/x",
        ),
        (
            "neighbour/bot.toml",
            "command = 'python3 ../ann/bot.py'",
            "outside its folder",
        ),
        (
            "built-in/bot.toml",
            "command = 'arena bot exact'",
            "starts the arena itself",
        ),
        (
            "outside/bot.toml",
            "command = 'build/x'\nbuild = 'echo 1 > ../ann/bot.py'",
            "fail",
        ),
    ];
    write("two/bot.py", &bot);
    for (file, text, _) in broken {
        write(file, text);
    }
    std::os::unix::fs::symlink("ann", scratch.path().join("class/link")).unwrap();
    write("borrows/readme.txt", "");
    std::os::unix::fs::symlink("../ann/bot.py", scratch.path().join("class/borrows/bot.py"))
        .unwrap();
    write("pipe/readme.txt", "");
    assert!(
        Command::new("mkfifo")
            .arg(scratch.path().join("class/pipe/bot.toml"))
            .status()
            .unwrap()
            .success()
    );
    scratch.write(
        "t.toml",
        "deals = 1\nseed = 3\n[rules]\nrounds = 1\n[[bots]]\nfrom = \"class/*\"\n",
    );
    let output = arena(&scratch, "", "run t.toml").output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{log}");
    for (file, _, why) in broken.into_iter().chain([
        ("link/", "", "is a symbolic link"),
        ("pipe/", "", "not a regular file"),
        ("borrows/", "", "bot.py"),
    ]) {
        let name = file.split('/').next().unwrap();
        let told = log
            .split_once(&format!("broken     {name} does not enter: "))
            .unwrap_or_else(|| panic!("{name}: {log}"))
            .1;
        let told: String = told.lines().take(2).collect();
        assert!(told.contains(why), "{name}: {told}");
    }
    // A change to a student's file during the night has no effect.
    write("ann/bot.py", "raise SystemExit");
    run(&scratch, "", "extend t --deals 2");
    assert_eq!(
        arena(&scratch, "", "run -q t")
            .output()
            .unwrap()
            .status
            .code(),
        Some(1),
        "bots are left out"
    );
    // A bot that has been repaired enters later.
    write("gone/bot.toml", "command = 'python3 bot.py'");
    write("gone/bot.py", &bot);
    scratch.write(
        "t.toml",
        &fs::read_to_string(scratch.path().join("t.toml"))
            .unwrap()
            .replace("deals = 1", "deals = 2"),
    );
    let log = arena(&scratch, "", "run -q t.toml")
        .output()
        .unwrap()
        .stderr;
    let log = String::from_utf8(log).unwrap();
    assert!(
        log.contains("changed    ann: the old version plays on; `arena update"),
        "{log}"
    );
    let output = arena(&scratch, "", "update t").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("new        gone enters\n")
            && text.contains("ann plays on in its old version: does not start: exited"),
        "{text}"
    );
    write("ann/bot.py", &bot);
    let output = arena(&scratch, "", "update t t.toml --yes -q").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(text.starts_with("new        gone enters\n"), "{text}");
    let shown: Value = serde_json::from_str(&run(&scratch, "", "show t --json")[0]).unwrap();
    let rows: Vec<(&str, u64)> = shown["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["bot"].as_str().unwrap(),
                row["forfeits"]["total"].as_u64().unwrap(),
            )
        })
        .collect();
    let mut names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(names, ["ann", "b ö", "banner", "cleo", "dora", "gone"]);
    assert!(
        rows.iter()
            .all(|(name, forfeits)| (*name == "banner") == (*forfeits > 0)),
        "{rows:?}"
    );
    let output = arena(&scratch, "", "check --matches-each 1 t.toml")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let table = &text[text.rfind("\nb ö ").unwrap_or_default()..];
    assert!(
        table.contains("passed") && table.contains("failed: step 1 of 1"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn pseudonyms_are_all_that_everybody_sees_and_each_bot_has_a_page() {
    let scratch = Scratch::new();
    let bot = fs::read_to_string(root().join("bots/python/first_bot.py")).unwrap();
    let folders = ["ann", "bea ö", "carl", "dora", "emil", "fay", "gus", "none"];
    for name in folders {
        fs::create_dir_all(scratch.path().join("class").join(name)).unwrap();
        scratch.write(
            &format!("class/{name}/bot.py"),
            &format!("import sys\nprint('I am {name}!', file=sys.stderr)\n{bot}"),
        );
    }
    let path = |file: &str| scratch.path().join(file);
    scratch.write("class/carl/bot.py", "print('Hello from carl!')");
    scratch.write(
        "class/dora/bot.toml",
        "command = 'build/x'\nbuild = 'echo dora was here; exit 2'",
    );
    fs::remove_dir_all(path("class/emil")).unwrap();
    let roster = "\u{feff}folder;name;e-mail;pseudonym\nbea ö;Bea Ö;b@x;owl\nann;\"Ann; A\";a@x;otter\ncarl;C;c@x;crab\ndora;D;d@x;dodo\n\
                  emil;E;e@x;emu\nfay;F;f@x;otter\n";
    scratch.write("roster.csv", &format!("{roster}gus;G;g@x;grouse\n"));
    let file = "game = 'crack-the-code'\ndeals = 1\nseed = 3\n[rules]\nattempts = 2\n[[bots]]\nfrom = 'class/*'\nroster = 'roster.csv'\n";
    scratch.write("t.toml", file);
    let output = arena(&scratch, "", "run -q t.toml").output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    for why in [
        "dodo does not enter: `echo dora was here",
        "emu: its folder emil is missing",
        "otter (line 7) does not enter: line 3 of the roster has the same pseudonym",
        "left out   not in the roster: ",
    ] {
        assert!(log.contains(why), "{why}: {log}");
    }
    assert_eq!(output.status.code(), Some(1), "{log}");
    run(&scratch, "", "report t --per-bot pages");
    // Public files name no person, and the private files of an author name no other author.
    let id = run(&scratch, "", "export t")[0].lines().find_map(|line| {
        let played: Value = serde_json::from_str(line).unwrap();
        let bots = played["seats"].to_string();
        (bots.contains("crab") && bots.contains("owl"))
            .then(|| played["id"].as_str().unwrap().to_owned())
    });
    let [text, _] = run(&scratch, "", &format!("show t {} --json", id.unwrap()));
    let read = |file: &str| fs::read_to_string(path(file)).unwrap();
    let public: Vec<_> = fs::read_dir(path("pages/public")).unwrap().collect();
    assert_eq!(public.len(), 1);
    let status = read("t/report.html");
    assert!(status.contains("does not play"), "{status}");
    let all = [status, read("pages/public/index.html"), text];
    let own = [
        "otter",
        "owl",
        "crab",
        "dodo",
        "emu",
        "grouse",
        "otter (line 7)",
    ];
    let links = read("pages/private/links.csv");
    assert!(
        links.starts_with("bot,folder,name,e-mail,pseudonym,file\n")
            && links.contains("\notter,ann,Ann; A,a@x,otter,"),
        "{links}"
    );
    let page = |name: &str| {
        let line = links
            .lines()
            .find(|line| line.starts_with(&format!("{name},")));
        let file = line
            .unwrap_or_else(|| panic!("{name}: {links}"))
            .rsplit(',');
        read(&format!(
            "pages/private/{}",
            file.into_iter().next().unwrap()
        ))
    };
    for (page, mine) in all
        .into_iter()
        .map(|page| (page, ""))
        .chain(own.map(|name| (page(name), name)))
    {
        for (folder, pseudonym) in folders.into_iter().zip([
            "otter",
            "owl",
            "crab",
            "dodo",
            "emu",
            "otter (line 7)",
            "grouse",
            "-",
        ]) {
            let secrets = [
                format!("I am {folder}"),
                format!("{folder} was here"),
                format!("class/{folder}"),
                format!("from {folder}!"),
            ];
            let shows = secrets.iter().any(|secret| page.contains(secret));
            assert!(!shows || pseudonym == mine, "{mine:?} shows {folder}");
        }
        assert!(!page.contains("@x") && !page.contains("python3"), "{mine}");
    }
    assert!(page("owl").contains("I am bea ö!") && page("crab").contains("Hello from carl!"));
    assert!(page("dodo").contains("dora was here"));
    let text = run(&scratch, "", "status t")[0].clone();
    assert!(
        text.contains("t: 4 of 8 play") && text.contains("its folder emil is missing"),
        "{text}"
    );
    // Authors keep their pages. Replays become public once the tournament is closed.
    run(&scratch, "", "report t --per-bot pages");
    assert_eq!(read("pages/private/links.csv"), links);
    assert!(!read("pages/public/index.html").contains("data-match="));
    // One bot is withdrawn and one is repaired. Wherever the update was interrupted, nothing is left to do after that.
    scratch.write("roster.csv", roster);
    fs::create_dir_all(path("class/emil")).unwrap();
    scratch.write("class/emil/bot.py", &bot);
    scratch.write("class/ann/bot.py", &format!("{bot}# newer"));
    let crashed = arena(&scratch, "", "update t --yes --same-deals")
        .env("ARENA_CRASH", "restarted")
        .output()
        .unwrap();
    assert!(!crashed.status.success());
    let output = arena(&scratch, "", "update t").output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("nothing to change"), "{log}");
    assert_eq!(output.status.code(), Some(1), "bots are left out");
    arena(&scratch, "", "run -q t.toml").output().unwrap();
    let shown: Value = serde_json::from_str(&run(&scratch, "", "show t --json")[0]).unwrap();
    let mut names: Vec<&str> = shown["bots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["crab", "emu", "grouse", "otter", "owl"]);
    run(&scratch, "", "report t --close --per-bot pages");
    assert!(read("pages/public/index.html").contains("data-match="));
    assert!(
        scratch
            .refused("run t.toml --strict --out other")
            .contains("has the same pseudonym")
    );
}

#[test]
fn a_swiss_takes_who_comes_late() {
    let scratch = Scratch::new();
    let bots = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("[[bots]]\nname = '{name}'\nbuiltin = 'random'\n"))
            .collect::<String>()
    };
    let head = "game = 'crack-the-code'\nformat = 'swiss'\ndeals = 1\nseed = 3\nrounds = 2\n";
    scratch.write("t.toml", &format!("{head}{}", bots(&["a", "b", "c"])));
    run(&scratch, "", "run -q t.toml");
    run(&scratch, "", "extend t --rounds 4");
    scratch.write("t.toml", &format!("{head}{}", bots(&["b", "c", "d"])));
    let [text, log] = run(&scratch, "", "update t --yes -q");
    assert!(text.contains("withdrawn  a\nnew        d enters"), "{text}");
    assert!(
        log.contains("8 matches are planned now, 8 before; 4 are finished")
            || log.contains("12 matches are planned now"),
        "{log}"
    );
    run(&scratch, "", "run -q t");
    assert!(run(&scratch, "", "verify t")[0].contains("whole"));
}

#[test]
fn a_run_stops_when_its_time_is_over() {
    let scratch = Scratch::new();
    let words = "run -q --deals 100000000 --seed 1 --bot a=builtin:exact --bot b=builtin:exact --out t --for 1s";
    let output = arena(&scratch, "", words).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(scratch.refused("run --for 5").contains("such as 90m"));
}
