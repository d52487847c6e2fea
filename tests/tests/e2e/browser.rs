//! Reports and replays in a real browser, wide and narrow, light and dark. Text from strangers must never be executed.

use std::path::{Path, PathBuf};

use arena_tests::process::Command;
use arena_tests::serve::Server;
use arena_tests::{Scratch, arena, root, target};

/// Path of the browser.
const BROWSER: &str = "/usr/bin/chromium-headless-shell";
/// Names that would act as markup, code or text direction if they were not escaped.
const HARMFUL_NAMES: [&str; 5] = [
    "<script>alert(1)<b>",
    "\"><img src=x onerror=alert(1)>",
    "--><style><svg onload=alert(1)>",
    "=HYPERLINK(\"x\") & 'co' 日本語🦀 of a length that is most",
    "עברית",
];

/// Folder in which `tests/install` puts the packages of `tests/browser/package.json`.
pub fn modules() -> PathBuf {
    target().join("browser")
}

/// Opens a page with a browser script, which prints the problems that it finds.
pub fn look(script: &str, modules: &Path, page: &Path, more: &[&str]) {
    let mut node = Command::new("node");
    node.arg(root().join("tests/browser").join(script))
        .arg(modules)
        .arg(BROWSER)
        .arg(page)
        .args(more);
    if let Some(shots) = std::env::var_os("ARENA_TEST_SHOTS") {
        node.arg(shots);
    }
    let output = node.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{printed}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_report_is_read_wide_and_narrow_light_and_dark() {
    let modules = modules();
    let scratch = Scratch::new();
    // This bot fails with markup in its log and its answer.
    let says = "read hello; echo '{\"ready\":{}}'; read start; read turn; echo '<img src=x onerror=alert(2)>' >&2; echo '<script>alert(3)</script>'";
    scratch.write("bad.sh", says);
    let bot = |name: &&str| {
        let plays = if **name == *HARMFUL_NAMES[1] {
            "command = 'sh bad.sh'"
        } else {
            "builtin = 'random'"
        };
        format!(
            "[[bots]]\nname = {}\n{plays}\n",
            serde_json::to_string(name).unwrap()
        )
    };
    let bots: String = HARMFUL_NAMES.iter().map(bot).collect();
    let title = serde_json::to_string("</title><script>alert(4)</script>").unwrap();
    scratch.write(
        "t.toml",
        &format!("name = {title}\ndeals = 12\n{bots}[rules]\nrounds = 1\n"),
    );
    scratch.printed("run -q --seed 1 t.toml --out t");
    let page = scratch.path().join("t/report.html");
    assert!(page.metadata().unwrap().len() < 3_000_000);
    look(
        "report.mjs",
        &modules,
        &page,
        &[&serde_json::to_string(&HARMFUL_NAMES).unwrap()],
    );
}

#[test]
fn a_match_of_each_game_is_replayed() {
    let modules = modules();
    let games = [
        (
            "coda",
            "--seats 3 --rule rounds=2 --rule dashes=true",
            ["random", "excluding", "exact"],
        ),
        (
            "code-777",
            "--seats 3 --rule points=1 --rule dummy_racks=true",
            ["random", "consistent", "guessing"],
        ),
        ("crack-the-code", "", ["random", "consistent", "entropy"]),
        (
            "digit-code",
            "--seats 3",
            ["random", "consistent", "entropy"],
        ),
    ];
    for (game, words, bots) in games {
        let scratch = Scratch::new();
        let bots: String = (1..)
            .zip(bots)
            .map(|(seat, bot)| format!(" --bot {bot}{seat}=builtin:{bot}"))
            .collect();
        scratch.printed(&format!(
            "run -q --game {game} --deals 1 --seed 2 {words}{bots} --out t"
        ));
        let exported = scratch.printed("export t");
        let first: serde_json::Value =
            serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        scratch.printed(&format!(
            "show t {} --out match.html",
            first["id"].as_str().unwrap()
        ));
        look(
            "replay.mjs",
            &modules,
            &scratch.path().join("match.html"),
            &[],
        );
    }
}

#[test]
fn a_replay_shows_what_strangers_wrote_as_text_alone() {
    let modules = modules();
    let scratch = Scratch::new();
    let bot = r#"
import json, sys
turns = 0
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == 'hello':
        print('{"ready":{}}', flush=True)
    if kind == 'turn':
        turns += 1
        print('<img src=x onerror=alert(3)>', file=sys.stderr, flush=True)
        if turns > 3:
            print('<script>alert(4)</script>', flush=True)
        (name, values), = body['prompt'][0].items()
        action = {name: {key: legal[0] for key, legal in values.items()}}
        note = '</script><img src=x onerror=alert(5)>'
        print(json.dumps({'id': body['id'], 'action': action, 'note': note}), flush=True)
"#;
    scratch.write("bad.py", bot);
    let [evil, name] = ["<script>alert(1)<b>", "--><svg onload=alert(2)>"];
    let bots = format!(
        "[[bots]]\nname = {}\ncommand = 'python3 bad.py'\n[[bots]]\nname = {}\nbuiltin = 'exact'\n",
        serde_json::to_string(evil).unwrap(),
        serde_json::to_string(name).unwrap()
    );
    scratch.write(
        "t.toml",
        &format!("deals = 1\nseed = 3\n{bots}[rules]\nrounds = 1\n"),
    );
    scratch.arena("run -q t.toml --out t");
    let page = scratch.path().join("match.html");
    let mut show = scratch.command("show t --out match.html");
    assert!(
        show.arg(format!("d1/{evil}/{name}"))
            .status()
            .unwrap()
            .success()
    );
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(
        ["alert(3)", "alert(4)", "alert(5)"]
            .iter()
            .all(|evil| text.contains(evil))
            && text.contains("What helps")
    );
    look("replay.mjs", &modules, &page, &[]);
}

#[test]
fn scripts_are_checked_as_code() {
    let modules = modules();
    let scratch = Scratch::new();
    let replays = scratch.path().join("replays");
    std::fs::create_dir(&replays).unwrap();
    let faulty = "--bot c=false --isolation off";
    let random = "--bot c=builtin:random";
    for (game, words) in [
        ("coda", random),
        ("coda", faulty),
        ("code-777", random),
        ("crack-the-code", ""),
        ("digit-code", random),
    ] {
        let seats = 2 + words.matches("--bot").count();
        let dir = format!("{game}{}", words.len());
        let bots = "--bot a=builtin:random --bot b=builtin:random";
        // With all matches forfeited, the command plays them all and still fails.
        scratch.arena(&format!(
            "run -q --game {game} --seats {seats} --deals 1 --seed 2 {bots} {words} --out {dir}"
        ));
        let exported = scratch.printed(&format!("export {dir}"));
        let first: serde_json::Value =
            serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        let replay = scratch.printed(&format!(
            "show {dir} {} --json",
            first["id"].as_str().unwrap()
        ));
        std::fs::write(replays.join(format!("{dir}.json")), replay).unwrap();
        let page = replays.join(format!("{dir}.html"));
        let mut show = scratch.command(&format!("show {dir} {}", first["id"].as_str().unwrap()));
        assert!(show.arg("--out").arg(page).status().unwrap().success());
    }
    let server = Server::start(scratch.path(), &[]);
    let passes = |node: &mut Command| {
        let output = node.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{printed}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let script = |name: &str| root().join("tests/browser").join(name);
    let mut types = Command::new("node");
    let types = types
        .args([&script("scripts.mjs"), &modules])
        .arg(arena())
        .arg(server.link());
    passes(types.arg(scratch.path().join("types")));
    let mut views = Command::new("node");
    let views = views
        .arg("--test")
        .arg(script("view.mjs"))
        .env("MODULES", modules)
        .env("LINK", server.link());
    passes(views.env("REPLAYS", replays));
}

#[test]
fn the_report_is_the_same_whenever_it_is_written() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 3 --bot a=builtin:random --bot b=builtin:exact --out t");
    let page = std::fs::read_to_string(scratch.path().join("t/report.html")).unwrap();
    scratch.printed("report t --out again.html");
    assert_eq!(
        std::fs::read_to_string(scratch.path().join("again.html")).unwrap(),
        page
    );
    assert!(page.contains("shown once the tournament is closed"));
    assert!(scratch.printed("show t --pairs").contains("against"));
    assert!(
        scratch
            .printed("show t --full")
            .contains("Elo: above the average of the field")
    );
    assert!(
        scratch
            .printed("show t --pairs --csv")
            .starts_with("bot,against,")
    );
}

#[test]
fn a_tournament_is_watched_while_it_is_played() {
    let modules = modules();
    let scratch = Scratch::new();
    // A slow bot keeps the match running, and leaves the CPU to the browser.
    let slowly = "import runpy, sys, time\nwrite = sys.stdout.write\nsys.stdout.write = lambda text: (time.sleep(0.005), write(text))[1]\nrunpy.run_path(sys.argv[1], run_name='__main__')\n";
    scratch.write("slowly.py", slowly);
    let command = format!(
        "python3 slowly.py '{}'",
        root().join("bots/python/first_bot.py").display()
    );
    let bot = |name: &&str| {
        let (name, command) = (
            serde_json::to_string(name).unwrap(),
            serde_json::to_string(&command).unwrap(),
        );
        format!("[[bots]]\nname = {name}\ncommand = {command}\n")
    };
    let bots: String = HARMFUL_NAMES.iter().map(bot).collect();
    scratch.write(
        "t.toml",
        &format!("deals = 100000\nseed = 1\n{bots}[rules]\nrounds = 1\n"),
    );
    let _playing = scratch
        .command("run -q t.toml --out t --jobs 1")
        .spawn()
        .unwrap();
    let server = Server::start(scratch.path(), &[]);
    // The page exists once a match is saved.
    while server.get("/t/t").status != 200 {}
    look(
        "site.mjs",
        &modules,
        Path::new(&server.link()),
        &[&serde_json::to_string(&HARMFUL_NAMES).unwrap()],
    );
}

#[test]
fn pages_look_as_they_did() {
    let modules = modules();
    let scratch = Scratch::new();
    let bots =
        |names: [&str; 2]| format!("--bot a=builtin:{} --bot b=builtin:{}", names[0], names[1]);
    let field = [
        (
            "coda",
            bots(["exact", "excluding"]) + " --bot c=builtin:random --rule rounds=1",
        ),
        ("code-777", bots(["consistent", "random"])),
        ("crack-the-code", bots(["consistent", "random"])),
        ("digit-code", bots(["consistent", "random"])),
    ];
    for (game, bots) in field {
        scratch.printed(&format!(
            "run -q --game {game} --seed 5 --deals 12 {bots} --out {game}"
        ));
    }
    let server = Server::start(scratch.path(), &[]);
    let report = scratch.path().join("coda/report.html");
    assert_eq!(
        server.get("/t/coda/report").body,
        std::fs::read_to_string(&report).unwrap(),
        "one report, in two places"
    );
    let accepted = root().join("tests/browser/pictures");
    let new = modules.join("pictures");
    let run = Command::new("node")
        .args([&root().join("tests/browser/pictures.mjs"), &modules])
        .args([BROWSER, &server.link()])
        .args([&report, &accepted, &new])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    // Another version of the browser or its fonts changes how all pages look. Somebody should look at that, but it is not a failure.
    if run.status.code() == Some(3) {
        println!("{printed}");
        return;
    }
    assert_eq!(
        server.get("/t/coda/report").body,
        std::fs::read_to_string(&report).unwrap(),
        "one report, in two places"
    );
    assert!(
        run.status.success(),
        "{printed}\n{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[test]
fn a_person_plays_a_whole_match_of_each_game_by_clicks() {
    let modules = modules();
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 2 --bot a=builtin:random --bot b=builtin:exact --out t");
    let server = Server::start(scratch.path(), &[]);
    look("play.mjs", &modules, Path::new(&server.link()), &[]);
    for game in ["coda", "code-777", "crack-the-code", "digit-code"] {
        let dir = format!("played/{game}-1");
        assert!(
            scratch
                .printed(&format!("verify {dir}"))
                .contains("matches are finished and whole")
        );
        let exported = scratch.printed(&format!("export {dir}"));
        let played: serde_json::Value =
            serde_json::from_str(exported.lines().next().unwrap()).unwrap();
        assert!(
            played["seats"][0] == "<b>Ann" && played["game"] == game,
            "{played}"
        );
        let replay = scratch.printed(&format!(
            "show {dir} {} --json",
            played["id"].as_str().unwrap()
        ));
        assert!(replay.contains("had a hint"), "{game}: the hint is noted");
        assert_eq!(
            replay.contains("\"judged\": {"),
            game == "coda",
            "{game}: where there is a judge, it has judged"
        );
    }
}
