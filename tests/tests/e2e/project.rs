//! The project itself: no crate lists a dependency that it does not use, and the test command refuses unknown words.

use std::fs;
use std::path::Path;

use arena_tests::process::Command;
use arena_tests::root;

/// Returns all Rust code in a folder; empty if there is none.
fn code(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| match path.extension() {
            _ if path.is_dir() => code(path),
            Some(ending) if ending == "rs" => fs::read_to_string(path).unwrap(),
            _ => String::new(),
        })
        .collect()
}

/// Returns true if code names this crate as a path or imports it.
fn names(code: &str, dependency: &str) -> bool {
    let name = dependency.replace('-', "_");
    code.match_indices(&name).any(|(start, _)| {
        let is_whole = !code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &code[start + name.len()..];
        is_whole
            && ["::", ";", " as "]
                .iter()
                .any(|next| rest.starts_with(next))
    })
}

#[test]
fn each_dependency_is_used() {
    let manifest = |folder: &Path| -> toml::Table {
        toml::from_str(&fs::read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap()
    };
    let workspace = manifest(root());
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let mut unused = Vec::new();
    for member in members.iter().map(|member| member.as_str().unwrap()) {
        let (folder, places) = (root().join(member), ["src", "tests", "benches", "examples"]);
        for (section, places) in [
            ("dependencies", &places[..1]),
            ("dev-dependencies", &places),
        ] {
            let code: String = places
                .iter()
                .map(|place| code(&folder.join(place)))
                .collect();
            let manifest = manifest(&folder);
            let listed = manifest.get(section).and_then(toml::Value::as_table);
            let listed = listed.into_iter().flat_map(toml::Table::keys);
            let listed = listed.filter(|dependency| !names(&code, dependency));
            unused.extend(listed.map(|dependency| format!("{member}: {dependency}")));
        }
    }
    assert_eq!(unused, Vec::<String>::new(), "remove these from Cargo.toml");
}

#[test]
fn a_dependency_is_used_where_it_is_named() {
    for code in [
        "use nix::sys;",
        "nix::sys::x()",
        "use nix;",
        "use nix as n;",
    ] {
        assert!(names(code, "nix"), "{code}");
    }
    for code in ["unix::x", "a unix; b", "nixes::x", "// nix is not used"] {
        assert!(!names(code, "nix"), "{code}");
    }
    assert!(names("futures_util::join!", "futures-util"));
}

#[test]
fn the_test_command_prints_its_usage_or_refuses() {
    let run = |word: &str| {
        Command::new(root().join("tests/run"))
            .arg(word)
            .output()
            .unwrap()
    };
    let help = run("--help");
    let printed = String::from_utf8(help.stdout).unwrap();
    assert!(
        help.status.success() && printed.contains("Usage: tests/run"),
        "{printed}"
    );
    let refused = run("--al");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("no option --al") && said.contains("Usage: tests/run"),
        "{said}"
    );
    assert!(refused.stdout.is_empty());
}
