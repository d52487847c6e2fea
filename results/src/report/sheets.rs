//! Pairings to print, a page for each round.

use arena_tournament::spec::Spec;
use maud::{PreEscaped, html};

use super::page::{POLICY, style};
use crate::analysis::Analysis;
use crate::html;

/// Style that prints each round on a separate page.
const SHEET: &str = ".sheet :is(td,th):first-child{width:3rem}.sheet{break-after:page;font-size:1.15rem}.sheet:last-of-type{break-after:auto}.sheet table{font-size:1em}\
.sheet td,.sheet th{padding:.5rem .6rem}.sheet .result-box{width:6rem;border:1px solid var(--ink)}\
@media print{.sheet{font-size:13pt}.sheet table{font-size:1em}}";

/// Renders a printable page with the pairings of each round on a separate sheet, last round first.
pub fn sheets(tournament: &Spec, analysis: &Analysis) -> String {
    let body = html! {
        @for round in analysis.rounds.iter().rev() {
            section.sheet {
                h1 { bdi { (tournament.name) } }
                h2 { "Round " (round.round) " of " (analysis.standings.rounds) }
                table {
                    thead { tr { th.number scope="col" { "table" } th scope="col" { "bot" } th.number scope="col" { "score" } th.number scope="col" { "score" } th scope="col" { "bot" } } }
                    tbody {
                        @for (pairing, table) in round.pairings.iter().zip(1..) {
                            @let [one, other] = &pairing.bots;
                            tr {
                                td.number { (table) } td { bdi { (one) } }
                                @for score in pairing.score {
                                    td.number.result-box { @if round.finished { (format!("{score:.1}")) } }
                                }
                                td {
                                    bdi { (other) }
                                    @if let (Some(winner), Some(tie_break)) = (&pairing.winner, pairing.tie_break) {
                                        " (" bdi { (winner) } " by " (tie_break.name()) ")"
                                    }
                                }
                            }
                        }
                        @for bot in &round.byes { tr { td {} td { bdi { (bot) } } td colspan="3" { "bye" } } }
                    }
                }
            }
        }
    };
    let head = html! { style { (PreEscaped(style() + SHEET)) } };
    let title = format!("Pairings · {}", tournament.name);
    html::page(&title, Some(POLICY), &head, &body)
}
