//! What program this is and by which rules it plays: all machines of a tournament must agree on that.

use anyhow::Context;
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;

use super::message::Build;
use arena_sandbox::files;

/// This program.
pub fn this() -> anyhow::Result<Build> {
    let program = std::env::current_exe().context("cannot find the program's own file")?;
    let sha256 = files::hash(&program).with_context(|| program.display().to_string())?;
    let rules = games::NAMES
        .iter()
        .filter_map(|name| by_name!(name, G => (G::NAME.to_owned(), G::RULES_VERSION)))
        .collect();
    Ok(Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256,
        rules,
    })
}

impl Build {
    /// Why another machine's program would not play the same matches, if it would not.
    pub fn differs(&self, other: &Self) -> Option<String> {
        if self.version != other.version {
            return Some(format!(
                "its arena is version {}, this one {}",
                other.version, self.version
            ));
        }
        if self.rules != other.rules {
            let shown = |rules: &[(String, u32)]| {
                let each: Vec<String> = rules
                    .iter()
                    .map(|(name, version)| format!("{name} {version}"))
                    .collect();
                each.join(", ")
            };
            return Some(format!(
                "its rules are {}, here {}",
                shown(&other.rules),
                shown(&self.rules)
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_is_refused_with_the_reason() {
        let here = Build {
            version: "1".into(),
            sha256: "a".into(),
            rules: vec![("coda".into(), 1)],
        };
        let check = |other: Build, expected: &str| {
            let reason = here.differs(&other).unwrap_or_default();
            assert!(
                reason.contains(expected) && reason.is_empty() == expected.is_empty(),
                "{reason}"
            );
        };
        check(here.clone(), "");
        check(
            Build {
                version: "2".into(),
                ..here.clone()
            },
            "version 2, this one 1",
        );
        check(
            Build {
                rules: vec![("coda".into(), 2)],
                ..here.clone()
            },
            "coda 2, here coda 1",
        );
        check(
            Build {
                sha256: "b".into(),
                ..here.clone()
            },
            "",
        );
        assert_eq!(this().unwrap().rules.len(), games::NAMES.len());
    }
}
