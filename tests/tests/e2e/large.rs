//! A field of hundreds of bots: pages stay small enough to be opened.

use arena_tests::Scratch;
use arena_tests::serve::Server;

/// Maximum size of a page, in bytes.
const MAX_PAGE_BYTES: usize = 1_000_000;

#[test]
fn pages_of_a_field_of_601_bots_stay_small_and_name_each_bots_opponents() {
    let scratch = Scratch::new();
    let bots: String = (0..601)
        .map(|bot| format!("[[bots]]\nname = 'bot number {bot:03}'\nbuiltin = 'random'\n"))
        .collect();
    let head = "deals = 1\nseed = 1\nformat = 'swiss'\nrounds = 5\n";
    scratch.write("t.toml", &format!("{head}{bots}[rules]\nrounds = 1\n"));
    scratch.printed("run -q t.toml --out t");
    let report = std::fs::read_to_string(scratch.path().join("t/report.html")).unwrap();
    let server = Server::start(scratch.path(), &[]);
    let [standings, news] = ["/t/t", "/t/t/news?after=x"].map(|page| server.get(page).body);
    for page in [&report, &standings, &news] {
        assert!(page.len() < MAX_PAGE_BYTES, "{} bytes", page.len());
        assert!(page.contains("Opponents of each bot") && !page.contains("hatched"));
    }
}
