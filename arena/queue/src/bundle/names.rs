//! The names of entries in an archive: plain relative paths with `/` between their parts.

use std::path::{Component, Path};

use anyhow::Context;

use super::IGNORE;

/// The name of a path below a folder, if it can be one: it is UTF-8 without control characters.
pub fn of(path: &Path, base: &Path) -> anyhow::Result<String> {
    let name = path.strip_prefix(base).ok().and_then(Path::to_str);
    let name = name
        .filter(|name| name.is_empty() || is_plain(name))
        .map(str::to_owned);
    name.with_context(|| {
        format!("{path:?} has a name that cannot travel: take UTF-8 without control characters and \\, or list it in {IGNORE}")
    })
}

/// True for a name that leads downwards only.
pub fn is_plain(name: &str) -> bool {
    let is_part = |part: &str| !["", ".", ".."].contains(&part) && !part.contains(['\\', '\0']);
    !name.contains(char::is_control) && name.split('/').all(is_part)
}

/// The name of the folder that holds an entry; that of the tree itself is empty.
pub fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// What a link holds that lies at one name and leads to another.
pub fn link(from: &str, to: &str) -> String {
    let parts = |name: &str| {
        name.split('/')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (from, to) = (parts(parent(from)), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let link: Vec<String> = up.chain(to[shared..].iter().cloned()).collect();
    if link.is_empty() {
        ".".into()
    } else {
        link.join("/")
    }
}

/// The name to which such a link leads. Only what [`link`] makes is read: then no part of it can be a link itself.
pub fn target(from: &str, link: &str) -> Option<String> {
    let mut at: Vec<&str> = parent(from)
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in link.split('/').filter(|part| *part != ".") {
        match part {
            ".." => drop(at.pop()?),
            part => at.push(part),
        }
    }
    let to = at.join("/");
    (self::link(from, &to) == link && (to.is_empty() || is_plain(&to))).then_some(to)
}

/// True if a word that is joined to a folder this deep in a tree cannot lead out of it, whatever links there are.
pub fn stays(word: &str, depth: usize) -> bool {
    let parts: Vec<Component<'_>> = Path::new(word)
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let up = parts
        .iter()
        .take_while(|part| **part == Component::ParentDir)
        .count();
    up <= depth
        && parts[up..]
            .iter()
            .all(|part| matches!(part, Component::Normal(_)))
}
