//! The command line for shells and readers: completions, the manual, and usage errors.

use arena_tests::Scratch;
use arena_tests::process::Command;

/// Returns bash's completions for the last of these words.
fn offered(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let script = format!(
        "source completions; COMP_WORDS=({}); COMP_CWORD={last}; _arena arena '{}' '{before}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words[last]
    );
    let output = Command::new("bash")
        .current_dir(scratch.path())
        .args(["-c", &script])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let scratch = Scratch::new();
    scratch.write("completions", &scratch.printed("tools completions bash"));
    assert_eq!(offered(&scratch, &["arena", "ver"]), ["verify"]);
    assert_eq!(offered(&scratch, &["arena", "faults", "--o"]), ["--only"]);
    assert_eq!(
        offered(&scratch, &["arena", "export", "t", "--as", "j"]),
        ["jsonl"]
    );
    assert!(offered(&scratch, &["arena", "extend", "--se"]).is_empty());
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(
            scratch
                .printed(&format!("tools completions {shell}"))
                .contains("pairs-per-round"),
            "{shell}"
        );
    }
}

#[test]
fn the_manual_has_every_command_and_flag() {
    let scratch = Scratch::new();
    scratch.printed("tools man pages");
    for command in ["run", "compare", "check", "tools doctor", "tools man"] {
        let file = format!("pages/arena-{}.1", command.replace(' ', "-"));
        let page = std::fs::read_to_string(scratch.path().join(file)).unwrap();
        let page = page.replace("\\-", "-");
        let help = scratch.printed(&format!("{command} --help"));
        let flags = help.lines().filter_map(|line| {
            line.trim()
                .split([' ', ','])
                .find(|word| word.starts_with("--"))
        });
        for flag in flags {
            assert!(page.contains(flag), "{command} {flag}");
        }
    }
}

#[cfg(feature = "all")]
#[test]
fn man_shows_a_page_without_a_warning() {
    let scratch = Scratch::new();
    scratch.printed("tools man pages");
    let page = ["--warnings", "-l", "pages/arena-extend.1"];
    let man = Command::new("man")
        .current_dir(scratch.path())
        .args(page)
        .output()
        .unwrap();
    let (read, warned) = (
        String::from_utf8_lossy(&man.stdout),
        String::from_utf8_lossy(&man.stderr),
    );
    assert!(
        read.contains("arena-extend") && warned.is_empty(),
        "{warned}"
    );
}

#[test]
fn every_command_is_in_a_group_of_the_help() {
    let scratch = Scratch::new();
    let (help, _) = (scratch.printed("-h"), scratch.printed("tools man pages"));
    let groups = help.split("\n\nOptions:").next().unwrap();
    assert!(groups.lines().all(|line| line.len() <= 80), "{groups}");
    let first = ["arena run", "arena match", "arena serve", "arena new"];
    for (line, words) in groups.lines().zip(first) {
        assert!(line.trim_start().starts_with(words), "{groups}");
    }
    let entries = groups
        .lines()
        .skip(first.len())
        .filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let mut grouped: Vec<String> = entries.map(|(name, _)| name.to_owned()).collect();
    let pages = std::fs::read_dir(scratch.path().join("pages")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let command = |page: String| Some(page.strip_prefix("arena-")?.strip_suffix(".1")?.to_owned());
    let is_of_arena = |name: &String| !name.starts_with("tools-");
    let mut all: Vec<String> = pages.filter_map(command).filter(is_of_arena).collect();
    grouped.sort();
    all.sort();
    assert_eq!(grouped, all);
    for words in ["bot random", "schema"] {
        let help = scratch.printed(&format!("{words} --help"));
        assert_eq!(
            help,
            scratch
                .printed(&format!("tools {words} --help"))
                .replace(" tools", "")
        );
    }
}

#[test]
fn the_short_help_has_the_common_flags_and_the_long_one_all() {
    let scratch = Scratch::new();
    for (command, rare) in [
        ("run", "--log-wire"),
        ("compare", "--alpha"),
        ("match", "--no-clock"),
        ("check", "--disk-mb"),
    ] {
        let (short, long) = (
            scratch.printed(&format!("{command} -h")),
            scratch.printed(&format!("{command} --help")),
        );
        assert!(
            short.contains("--game <GAME>") && !short.contains(rare) && long.contains(rare),
            "{command}: {short}"
        );
    }
}

/// Asserts that these words are refused with an error that contains all parts.
fn refused(words: &str, parts: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("my_bot.py", "");
    let said = scratch.refused(words);
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!scratch.path().join("runs").exists());
}

#[test]
fn a_command_without_quotes_is_put_together() {
    let whole = "--bot \"mine=python3 my_bot.py\"";
    for words in ["match", "run", "plan", "init"] {
        refused(
            &format!("{words} --bot mine=python3 my_bot.py"),
            &["my_bot.py is a separate word after", whole],
        );
    }
    refused(
        "compare mine=python3 my_bot.py exact",
        &[": \"mine=python3 my_bot.py\""],
    );
}

#[test]
fn a_flag_of_another_command_is_refused() {
    refused("extend t --seed 3", &["unexpected argument '--seed'"]);
}

#[test]
fn a_built_in_bot_is_known_by_its_name() {
    let scratch = Scratch::new();
    let told =
        |words: &str| scratch.printed(&format!("match --rule rounds=1 --seed 1 {words} --json"));
    let plain = told("--bot a=builtin:exact --bot random=builtin:random");
    assert_eq!(told("--bot a=exact --bot random"), plain);
    let plan = scratch.printed("plan --seconds 0 --bot exact --bot b=random");
    assert!(plan.contains("bots                2"), "{plan}");
    scratch.printed(
        "compare a=exact b=random --rule rounds=1 --max-deals 2 --no-clock --seed 1 -q --out c",
    );
    scratch.printed("init t.toml --bot best=exact");
    let file = std::fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    assert!(
        file.contains("name = \"best\"") && file.contains("builtin = \"exact\""),
        "{file}"
    );
    refused(
        "match --bot a=exakt --bot b=random",
        &[
            "there is no program exakt",
            "did you mean the built-in bot \"exact\"?",
        ],
    );
    refused(
        "match --bot exakt --bot b=random",
        &[
            "no bot named \"exakt\" is built in for coda",
            "did you mean \"exact\"?",
        ],
    );
    refused(
        "compare exakt random",
        &["error: exakt: no bot named", "did you mean \"exact\"?"],
    );
}

/// If a program has the same name, the program is meant.
#[test]
fn a_program_goes_before_a_built_in_bot() {
    let scratch = Scratch::new();
    scratch.write_program("exact", "#!/bin/sh\nexit 7\n");
    let path = format!(
        "{}:{}",
        scratch.path().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = scratch.command("match --rule rounds=1 --bot a=exact --bot b=random");
    let told = String::from_utf8(command.env("PATH", path).output().unwrap().stdout).unwrap();
    assert!(told.contains("a forfeited (crash)"), "{told}");
}
