//! `arena verify`: plays every record again by the rules, and says whether the ledger is whole.

use std::process::ExitCode;

use arena_results::ledger::{Ledger, mend};
use arena_results::printable::clean;
use arena_results::verify::{Verified, verify};
use serde_json::json;

use super::print;
use crate::cli::{self, Verify};
use crate::status::status;
use crate::tournament::folder;

/// The number of damaged matches that are text one by one.
const SHOWN: usize = 20;

/// Verifies a ledger, and mends it if that is asked for.
pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let verified = verify(&ledger, |_| Ok(()))?;
    let strangers = if verified.is_whole() { folder::strangers(&ledger)? } else { 0 };
    let planned = ledger.spec().matches();
    let text = if args.json {
        let found = json!({
            "planned": planned, "whole": verified.whole, "damaged": verified.damaged, "file": verified.file,
            "not_planned": strangers,
        });
        format!("{found}\n")
    } else {
        in_words(&verified, planned, strangers)
    };
    let done = print(&text)?;
    if verified.is_whole() && strangers == 0 {
        return Ok(done);
    }
    drop(ledger);
    let shown = args.dir.display();
    if !args.mend {
        status(format_args!("\nkeep what is whole  arena verify {shown} --mend"));
        return Ok(ExitCode::from(cli::FAILURE));
    }
    let (mended, aside) = mend::mend(&args.dir)?;
    status(format_args!("\nmended: {} matches are lost; the damaged ledger is {}", mended.lost(), aside.display()));
    status(format_args!("play what is lost  arena run {shown}"));
    Ok(ExitCode::from(cli::FAILURE))
}

fn in_words(verified: &Verified, planned: u64, strangers: u64) -> String {
    let mut text = format!("{} of {planned} matches are finished and whole\n", verified.whole);
    for complaint in &verified.file {
        text += &format!("the file: {}\n", clean(complaint));
    }
    for damage in verified.damaged.iter().take(SHOWN) {
        let what = if damage.lost { "lost" } else { "can be mended" };
        text += &format!("{}: {} ({what})\n", clean(&damage.r#match), clean(&damage.why));
    }
    if verified.damaged.len() > SHOWN {
        text += &format!("and {} more (--json lists them all)\n", verified.damaged.len() - SHOWN);
    }
    if strangers > 0 {
        text += &format!("{strangers} matches are not part of the plan\n");
    }
    text
}
