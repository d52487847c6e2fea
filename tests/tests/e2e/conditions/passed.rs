//! Checks that the value of a variable passed to a bot does not leak anywhere.

use std::fs;
use std::path::Path;

use arena_tests::Scratch;
use arena_tests::sandbox::levels;

/// A secret that must not be found anywhere, with characters that JSON escapes.
const KEY: &str = "sk-\"planted\\key-7f3a";

/// A bot that leaks its secret in all its output, and then forfeits.
const CARELESS: &str = r#"
import json, os, sys
key = os.environ.get("API_KEY", "none")
print("the key is", key, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        ready = {"name": key, "version": key}
    elif "turn" in message:
        for part in (key[:5], key[5:]):
            os.write(2, part.encode())
        turn = message["turn"]
        print(json.dumps({"id": turn["id"], "action": {key: key}, "note": key}), key, flush=True)
        continue
    else:
        continue
    print(json.dumps({"ready": ready}), flush=True)
"#;

/// Returns the path of a file below the folder that contains the bytes.
fn found(folder: &Path, bytes: &[u8]) -> Option<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find_map(|path| match path.is_dir() {
            true => found(&path, bytes),
            false => fs::read(&path)
                .unwrap()
                .windows(bytes.len())
                .any(|part| part == bytes)
                .then(|| path.display().to_string()),
        })
}

#[test]
fn a_key_that_is_passed_is_found_nowhere_afterwards() {
    for level in levels() {
        let scratch = Scratch::new();
        scratch.write("bot.py", CARELESS);
        let bots = ["pass_env = ['API_KEY']", ""]
            .iter()
            .zip(["careless", "other"])
            .map(|(keys, name)| {
                format!("[[bots]]\nname = '{name}'\ncommand = 'python3 bot.py'\n{keys}\n")
            });
        let bots: String = bots.collect();
        scratch.write(
            "t.toml",
            &format!("isolation = '{level}'\ndeals = 2\nseed = 5\n{bots}"),
        );
        let mut said = Vec::new();
        for words in [
            "check --trust t.toml",
            "match --log-wire wire --bot b=builtin:random --bot",
            "run -q --trust --log-wire t.toml",
            "show t",
            "show t --json",
            "faults t",
            "faults t --json",
            "show t d1/careless/other --json",
            "report t",
            "export t matches",
            "export t moves",
            "repro t d1/careless/other careless",
        ] {
            let mut command = scratch.command(words);
            if words.starts_with("match") {
                command.arg("a=python3 bot.py");
            }
            let output = command.env("API_KEY", KEY).output().unwrap();
            said.extend([words.as_bytes(), &output.stdout, &output.stderr].concat());
        }
        scratch.write("said", &String::from_utf8_lossy(&said));
        let json = serde_json::to_string(KEY).unwrap();
        for bytes in [KEY, &json[1..json.len() - 1], "planted"] {
            assert_eq!(
                found(scratch.path(), bytes.as_bytes()),
                None,
                "{level}: {bytes}"
            );
        }
        let log = fs::read_to_string(scratch.path().join("t/logs/careless.log")).unwrap();
        assert!(log.contains("the key is [API_KEY]\n"), "{log}");
        let log = fs::read_to_string(scratch.path().join("t/logs/other.log")).unwrap();
        assert!(log.contains("the key is none\n"), "{log}");
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("\\\"note\\\": \\\"[API_KEY]\\\""), "{said}");
    }
}
