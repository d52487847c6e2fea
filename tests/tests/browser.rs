//! The report in a real browser: wide and narrow, light and dark, and nothing of what strangers wrote acts.
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;

use arena_tests::{Scratch, arena, has, required, root};

/// Names that would be markup, code or another direction of writing if they were more than names.
const NAMES: [&str; 5] = [
    "<script>alert(1)<b>",
    "\"><img src=x onerror=alert(1)>",
    "--><style><svg onload=alert(1)>",
    "=HYPERLINK(\"x\") & 'co' 日本語🦀 of a length that is most",
    "עברית",
];

/// Where playwright-core is, if it is there.
fn playwright() -> Option<PathBuf> {
    let modules = arena().parent()?.parent()?.join("browser");
    let here = modules.join("node_modules/playwright-core/package.json").is_file();
    assert!(here || !required(), "playwright-core is required and not found: tests/run installs it");
    if !here {
        eprintln!("SKIPPED: there is no playwright-core in {}", modules.display());
    }
    here.then_some(modules)
}

#[test]
fn the_report_is_read_wide_and_narrow_light_and_dark() {
    if !has("node") || !has("chromium") {
        return;
    }
    let Some(modules) = playwright() else { return };
    let scratch = Scratch::new();
    // It fails with markup in its log and in its answer.
    let says = "read hello; echo '{\"ready\":{}}'; read start; read turn; echo '<img src=x onerror=alert(2)>' >&2; echo '<script>alert(3)</script>'";
    scratch.write("bad.sh", says);
    let bot = |name: &&str| {
        let plays = if **name == *NAMES[1] { "command = 'sh bad.sh'" } else { "builtin = 'random'" };
        format!("[[bots]]\nname = {}\n{plays}\n", serde_json::to_string(name).unwrap())
    };
    let bots: String = NAMES.iter().map(bot).collect();
    let title = serde_json::to_string("</title><script>alert(4)</script>").unwrap();
    scratch.write("t.toml", &format!("name = {title}\ndeals = 12\n{bots}[rules]\nrounds = 1\n"));
    scratch.printed("run -q t.toml --out t");
    let page = scratch.path().join("t/report.html");
    assert!(page.metadata().unwrap().len() < 3_000_000);
    let mut node = Command::new("node");
    node.arg(root().join("tests/browser/report.mjs")).arg(modules).arg("/usr/bin/chromium").arg(&page);
    node.arg(serde_json::to_string(&NAMES).unwrap());
    if let Some(shots) = std::env::var_os("ARENA_TEST_SHOTS") {
        node.arg(shots);
    }
    let output = node.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_report_is_the_same_whenever_it_is_written() {
    let scratch = Scratch::new();
    scratch.printed("run -q --deals 3 --bot a=builtin:random --bot b=builtin:exact --out t");
    let page = std::fs::read_to_string(scratch.path().join("t/report.html")).unwrap();
    scratch.printed("report t --out again.html");
    assert_eq!(std::fs::read_to_string(scratch.path().join("again.html")).unwrap(), page);
    let forum = scratch.printed("report t --markdown");
    assert!(
        forum.contains("| \\# | bot | pts/match | 95% | ranks | Elo over next |") && forum.contains("- seed: `1`"),
        "{forum}"
    );
    assert_eq!(scratch.printed("report t --json"), scratch.printed("show t --json"));
    assert!(scratch.printed("show t --pairs").contains("against"));
    assert!(scratch.printed("show t --ratings").contains("Elo above b"));
    assert!(scratch.printed("show t --pairs --csv").starts_with("bot,against,"));
}
