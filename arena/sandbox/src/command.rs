//! Resolves the files that a command names, for a bot that runs from a copy of them.

use std::path::{Component, Path, PathBuf};

use crate::access::{
    around, chain, follow, grant, is_of_machine, is_path, is_plain, is_trusted, linked, on_path,
    paths, shebang,
};
use crate::copied::Copied;
use crate::interpreter;
use crate::paths::resolved;

/// Installations that a bot may read in addition to the system and its own files.
#[derive(Debug, Default)]
pub struct Named {
    /// Installations named by the bot's command, including targets of links and shebang lines.
    pub by_command: Vec<PathBuf>,
    /// Interpreters reached through links and shebang lines in the bot's own files.
    pub by_files: Vec<PathBuf>,
}

/// Finds the installations that a bot needs. Paths outside the bot's folder are trusted if the command names them, because the command was
/// written by the person who runs the bot. Links and shebang lines in the bot's folder are not trusted, so they grant access to
/// interpreters only.
pub fn named_in(command: &[String], copied: &Copied, read: &[PathBuf]) -> Named {
    let mut named = Named::default();
    let own: Vec<PathBuf> = copied.roots.iter().map(|root| copied.at(root)).collect();
    let program = command
        .first()
        .filter(|word| !is_path(word))
        .and_then(|word| on_path(word));
    let words = paths(command).map(|word| resolved(&copied.at(&copied.dir).join(word)));
    for path in program.into_iter().chain(words) {
        let is_own = |path: &PathBuf| is_plain(path) && own.iter().any(|own| path.starts_with(own));
        if is_own(&path) {
            let next = |path: &PathBuf| {
                linked(path)
                    .or_else(|| shebang(path))
                    .map(|path| resolved(&path))
            };
            let steps =
                chain(&path, next).take_while(|path| is_own(path) || is_trusted(path, read));
            steps
                .filter(|path| !is_own(path))
                .for_each(|path| grant(&mut named.by_files, around(&path)));
        } else if is_of_machine(&path) {
            follow(&path).for_each(|path| grant(&mut named.by_command, around(&path)));
        } else if !path.is_dir() && !path.is_file() && path.exists() {
            grant(&mut named.by_command, path);
        }
    }
    for folders in [&mut named.by_command, &mut named.by_files] {
        folders.retain(|path| !read.iter().any(|granted| path.starts_with(granted)));
    }
    named
}

/// Returns the command with paths into the copy. The program, the script, and paths that lead out of the bot's folder become absolute,
/// because the bot runs in another folder. The last link of a path is not resolved, because a virtual environment is found by the location
/// of its link to the interpreter.
pub fn located(command: &[String], copied: &Copied) -> Vec<String> {
    let script = interpreter::script(command);
    let located = |(index, word): (usize, &String)| {
        let leads_out = Path::new(word)
            .components()
            .any(|part| part == Component::ParentDir);
        let is_meant = index == 0 && is_path(word) || Some(word.as_str()) == script || leads_out;
        let path = copied.at(&resolved(&copied.dir.join(word)));
        let absolute = (is_meant && path.exists()).then_some(path);
        absolute
            .and_then(|path| path.to_str().map(str::to_owned))
            .unwrap_or_else(|| copied.in_text(word))
    };
    command.iter().enumerate().map(located).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use arena_tournament::entrant::Program;

    use super::*;
    use crate::access::system;

    #[test]
    fn links_and_first_lines_in_a_bots_folder_open_interpreters_only() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let files = [
            "good/bin/tool",
            "good/lib/x",
            "uv/bin/python3.12",
            "uv/lib/python3.12/os.py",
            "bot/.venv/bin/x",
            "bot/in",
        ];
        for file in files.map(|file| home.join(file)) {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let link = |at: &str, to: &str| symlink(to, home.join("bot").join(at)).unwrap();
        let links = [
            ("tool", "../good/bin/tool"),
            ("folder", "../good/bin"),
            ("own", "in"),
            ("twice", "tool"),
        ];
        links.into_iter().for_each(|(at, to)| link(at, to));
        link(
            ".venv/bin/python",
            home.join("uv/bin/python3.12").to_str().unwrap(),
        );
        link("system", "/usr/bin/env");
        fs::write(
            home.join("bot/line"),
            format!("#!{}/good/bin/tool\n", home.display()),
        )
        .unwrap();
        let granted = |word: &str| {
            let command = ["sh".to_owned(), word.to_owned()];
            let program = Program {
                command: command.to_vec(),
                dir: home.join("bot"),
                ..Program::default()
            };
            let named = named_in(&command, &Copied::in_place(&program), &system());
            assert_eq!(named.by_command, Vec::<PathBuf>::new(), "{word}");
            named.by_files
        };
        for word in [
            "tool",
            "twice",
            "folder/tool",
            "own",
            "system",
            "line",
            "-rf",
            "in",
        ] {
            assert_eq!(granted(word), Vec::<PathBuf>::new(), "{word}");
        }
        assert_eq!(granted(".venv/bin/python"), [home.join("uv")]);
    }
}
