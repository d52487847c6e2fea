//! Recognises pages and exports that the arena wrote. Such files do not belong to a bot, even in the bot's folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::html::GENERATOR;

/// Maximum number of bytes read from the beginning of a file.
const MAX_START_BYTES: u64 = 4096;
/// Beginnings of exports as CSV, up to the columns that all tables of a kind share.
const CSV: [&str; 4] = [
    "id,tournament,game,",
    "id,deal,",
    "bot,file\n",
    "bot,rank,best_rank,worst_rank,",
];

/// Returns `true` for a page, or for an export as CSV or JSON Lines, compressed or not. All other files of the arena are recognised by
/// their names.
pub fn is_ours(path: &Path) -> bool {
    let read = |from: &mut dyn Read| {
        let mut start = Vec::new();
        from.take(MAX_START_BYTES).read_to_end(&mut start)?;
        Ok::<_, io::Error>(start)
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let start = match ending {
        Some("html" | "csv" | "jsonl") => File::open(path).and_then(|mut file| read(&mut file)),
        Some("zst") => File::open(path)
            .and_then(zstd::Decoder::new)
            .and_then(|mut file| read(&mut file)),
        _ => return false,
    };
    start.is_ok_and(|start| begins_as_ours(&String::from_utf8_lossy(&start)))
}

fn begins_as_ours(text: &str) -> bool {
    let is_page = text.starts_with("<!DOCTYPE html>") && text.contains(GENERATOR);
    let is_match = text.starts_with("{\"id\":\"") && text.contains("\"deal\":");
    is_page || is_match || CSV.iter().any(|columns| text.starts_with(columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn pages_and_exports_are_recognised_and_other_files_are_not() {
        let page = crate::html::page("a match", Some("default-src 'none'"), &html! {}, &html! {});
        let lines = "{\"id\":\"d1/a/b\",\"game\":\"coda\",\"rules\":{},\"seed\":1,\"deal\":1}\n";
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            is_ours(&path)
        };
        assert!(written("match.html", page.as_bytes()));
        assert!(written("all.jsonl", lines.as_bytes()));
        assert!(written("seats.csv", b"id,deal,seat,bot,opponents\n"));
        assert!(written(
            "links.csv",
            b"bot,file\nmine,4b67149796075980.html\n"
        ));
        let packed = zstd::encode_all(lines.as_bytes(), 1).unwrap();
        assert!(written("all.jsonl.zst", &packed));
        assert!(!written("bot.py", lines.as_bytes()));
        assert!(!written("page.html", b"<!DOCTYPE html><title>mine</title>"));
        assert!(!written("openings.csv", b"id,move,weight\n"));
        assert!(!written("book.jsonl", b"{\"id\":\"e4\",\"weight\":2}\n"));
        assert!(!written(
            "weights.zst",
            &zstd::encode_all(&b"abc"[..], 1).unwrap()
        ));
        assert!(!written("broken.zst", b"abc"));
    }
}
