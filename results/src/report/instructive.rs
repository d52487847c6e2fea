//! Most instructive matches of a tournament: each kind of fault, each bot's clearest win and loss.

use arena_tournament::deals::Scored;
use arena_tournament::schedule::match_id;
use arena_tournament::spec::Spec;
use maud::{Markup, PreEscaped, html};

use crate::analysis::Analysis;
use crate::faults::{Failure, Words, kinds};
use crate::table::counted;
use crate::viewer;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;

/// Maximum number of matches in a report.
const MAX_MATCHES: usize = 12;
/// Maximum total size of a report's matches, in bytes. Each bot of the field reduces this size by `BYTES_PER_BOT`, for its rows.
const MAX_BYTES: usize = 1_200_000;
const BYTES_PER_BOT: usize = 1_850;
/// Maximum number of matches on a bot's page.
const MAX_MATCHES_PER_BOT: usize = 3;

/// Script that shows the match of the pressed button.
const SHOW: &str = r#"
let shown = null;
const root = document.getElementById("replay");
for (const button of document.querySelectorAll("[data-match]")) {
  button.addEventListener("click", () => {
    shown?.remove();
    shown = showReplay(root, unpacked(JSON.parse(document.getElementById(button.dataset.match).textContent)), { isAlone: false });
    root.focus();
    root.scrollIntoView();
  });
}
"#;

/// Match in a report, with its replay.
#[derive(Clone, Debug)]
pub struct Instructive {
    /// Id of the match.
    id: String,
    /// Reasons that the match is instructive, in sentences.
    why: Vec<String>,
    /// Replay data, as JSON.
    data: String,
}

/// A bot's clearest win and clearest loss so far, each with the lead in points.
type Extremes = [Option<(i32, Scored)>; 2];

/// A match to show in the list of instructive matches.
pub struct Candidate {
    /// Bot that makes the match worth a look.
    bot: String,
    why: String,
    id: String,
}

/// Selects the most instructive matches, beginning with one for each kind of forfeit: of all bots, or a smaller number for one bot.
pub fn instructive(
    ledger: &Ledger,
    candidates: &[Candidate],
    bot: Option<&str>,
    forfeits: &[Failure],
    words: Words<'_>,
) -> Result<Vec<Instructive>, LedgerError> {
    let mut chosen: Vec<Instructive> = Vec::new();
    let rows = BYTES_PER_BOT * ledger.spec().bots.len();
    let (mut size, mut tried) = (rows.min(MAX_BYTES), Vec::new());
    let most = if bot.is_some() {
        MAX_MATCHES_PER_BOT
    } else {
        MAX_MATCHES
    };
    let of_fault = |group: &Vec<&Failure>| Candidate {
        bot: group[0].bot.clone(),
        why: format!("{} fails: {}", clean(&group[0].bot), group[0].cause),
        id: group[0].r#match.clone(),
    };
    let failing: Vec<Candidate> = kinds(forfeits).iter().map(of_fault).collect();
    let is_wanted = |one: &&Candidate| bot.is_none_or(|bot| bot == one.bot);
    for Candidate { why, id, .. } in failing.iter().chain(candidates).filter(is_wanted) {
        if let Some(same) = chosen.iter_mut().find(|one| one.id == *id) {
            same.why.push(why.clone());
            continue;
        }
        if chosen.len() == most || tried.contains(&id) {
            continue;
        }
        tried.push(id);
        let Some(played) = ledger.find(id)? else {
            continue;
        };
        // This program cannot show records made under other versions of the rules, so leave them out.
        let spec = ledger.spec();
        let Some(data) = data(&played, spec, forfeits, words) else {
            continue;
        };
        if size + data.len() <= MAX_BYTES {
            size += data.len();
            chosen.push(Instructive {
                id: id.clone(),
                why: vec![why.clone()],
                data,
            });
        }
    }
    Ok(chosen)
}

fn data(played: &Played, spec: &Spec, forfeits: &[Failure], words: Words<'_>) -> Option<String> {
    let logs = viewer::Logs::new();
    let replay = viewer::replay(played, spec, &logs, None, words, viewer::GUESSES);
    let mut replay = replay.ok()?;
    for failure in &mut replay.forfeits {
        // Take the logs from `forfeits`, where they may be redacted or missing.
        let place = |of: &Failure| (of.r#match.clone(), of.seat);
        let mut known = forfeits.iter();
        let known = known.find(|known| place(known) == place(failure));
        failure.log = known.map(|known| known.log.clone()).unwrap_or_default();
    }
    viewer::data(&replay).ok()
}

/// Returns each bot's clearest win and loss, best bot first.
pub fn candidates(ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Candidate>, LedgerError> {
    let names = ledger.spec().names();
    let mut of_bots: Vec<Extremes> = names.iter().map(|_| Extremes::default()).collect();
    ledger.scores(|scored| {
        // A match with a forfeit shows little of how bots play.
        if scored.seats.iter().all(|seat| seat.fault.is_none()) {
            note(&mut of_bots, &scored);
        }
        Ok::<_, LedgerError>(())
    })?;
    let mut found = Vec::new();
    for row in &analysis.standings.standings {
        let Some(bot) = analysis.index(&row.bot) else {
            continue;
        };
        for (kind, extreme) in ["win", "loss"].into_iter().zip(&of_bots[bot]) {
            let Some((by, scored)) = extreme else {
                continue;
            };
            let bots: Vec<&str> = scored.bots.iter().map(|bot| names[*bot].as_str()).collect();
            let points = counted(by.unsigned_abs().into(), "point");
            found.push(Candidate {
                bot: row.bot.clone(),
                why: format!("the clearest {kind} of {}, by {points}", clean(&row.bot)),
                id: match_id(scored.deal, &bots),
            });
        }
    }
    Ok(found)
}

/// Keeps a match if it is the clearest win or loss of one of its bots so far. Of equally clear matches, the first one is kept.
fn note(of_bots: &mut [Extremes], scored: &Scored) {
    for (seat, bot) in scored.bots.iter().enumerate() {
        let points = scored.seats[seat].points;
        let others = scored.seats.iter().enumerate();
        let others = others.filter(|(other, _)| *other != seat);
        let Some(best) = others.map(|(_, seated)| seated.points).max() else {
            continue;
        };
        for (kept, by) in of_bots[*bot].iter_mut().zip([points - best, best - points]) {
            if by > kept.as_ref().map_or(0, |(by, _)| *by) {
                *kept = Some((by, scored.clone()));
            }
        }
    }
}

/// Returns the script of a page that holds matches.
pub(super) fn script(game: &str) -> String {
    viewer::script(game) + SHOW
}

/// Renders the list of matches, the place where one is shown, and the replay data.
pub(super) fn section(matches: &[Instructive]) -> Markup {
    if matches.is_empty() {
        return html! { p { "No match is finished yet." } };
    }
    html! {
        p { "Press one to see it move by move." }
        ul.matches {
            @for (number, one) in matches.iter().enumerate() {
                li { button type="button" data-match={ "match-" (number) } { bdi { (clean(&one.id)) } } " " (one.why.join(", ")) }
            }
        }
        div #replay tabindex="-1" {}
        @for (number, one) in matches.iter().enumerate() {
            script id={ "match-" (number) } type="application/json" { (PreEscaped(&one.data)) }
        }
    }
}
