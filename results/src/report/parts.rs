//! Building blocks of pages: tables, lists of sentences, charts.

use maud::{Markup, PreEscaped, html};

use crate::chart::{Drawn, palette};
use crate::table::{CellKind, NOTHING, Table, percent};
use arena_statistics::crosstable::{Cell, Crosstable};

/// Maximum number of bots in a crosstable on a page.
const MAX_MATRIX_BOTS: usize = 40;
/// Maximum number of opponents that are listed for a bot.
const MAX_OPPONENTS: usize = 30;

/// Renders a table in a box that scrolls on narrow screens, with the meaning of its numbers.
pub(crate) fn table(caption: &str, table: &Table) -> Markup {
    linked(caption, table, &|_| None)
}

/// Renders a table like `table`, with the head of each row linked to the address of the row's number.
pub(crate) fn linked(
    caption: &str,
    table: &Table,
    address: &dyn Fn(usize) -> Option<String>,
) -> Markup {
    let rows = table.columns.first().map_or(0, |column| column.cells.len());
    let mut columns = table.columns.iter();
    let row_head = columns.position(|column| column.kind == CellKind::Name);
    let body = html! {
        thead {
            tr {
                @for (index, column) in table.columns.iter().enumerate() {
                    @let class = if Some(index) == row_head { Some("head") } else { class(column.kind) };
                    th scope="col" class=[class] { (column.head) }
                }
            }
        }
        tbody.numbers {
            @for row in 0..rows {
                tr {
                    @for (index, column) in table.columns.iter().enumerate() {
                        @let cell = &column.cells[row];
                        @if Some(index) == row_head { th scope="row" { (link(address(row).as_deref(), cell)) } }
                        @else {
                            @match column.kind {
                                CellKind::Name => td.name { bdi { (cell) } },
                                CellKind::Mark => td.mark { (cell) },
                                // Numbers fill most of a large table, so the style of the body is that of numbers.
                                CellKind::Number => td { (cell) },
                            }
                        }
                    }
                }
            }
        }
    };
    html! { (boxed(caption, &body)) (sentences(&table.notes)) }
}

/// Renders a name, as a link if there is an address.
pub(super) fn link(address: Option<&str>, name: &str) -> Markup {
    let name = html! { bdi { (name) } };
    html! { @if let Some(address) = address { a href=(address) { (name) } } @else { (name) } }
}

/// Returns the class of a cell: numbers are aligned right.
fn class(kind: CellKind) -> Option<&'static str> {
    (kind == CellKind::Number).then_some("number")
}

/// Renders a table's body with its caption in a box that can be scrolled, also with the keyboard.
pub(super) fn boxed(caption: &str, body: &Markup) -> Markup {
    html! {
        div.box tabindex="0" role="region" aria-label=(caption) { table { caption { span { (caption) } } (body) } }
    }
}

/// Section of the page that opens and closes.
pub(super) struct Part<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    /// Short description of the contents.
    pub(super) what: String,
    /// True if the section is initially open.
    pub(super) is_open: bool,
    pub(super) body: Markup,
}

/// Renders a section with its heading. The id is on the inner element, so that following a link to it opens the section.
pub(super) fn fold(part: &Part<'_>) -> Markup {
    let head = format!("{}-head", part.id);
    html! {
        details.part open[part.is_open] {
            summary { h2 id=(head) { (part.name) } " " span.what { (part.what) } }
            section id=(part.id) aria-labelledby=(head) { (part.body) }
        }
    }
}

/// Renders sentences as a list; nothing if there are none.
pub(super) fn sentences(notes: &[String]) -> Markup {
    html! { @if !notes.is_empty() { ul.notes { @for note in notes { li { (note) } } } } }
}

/// Renders the results of each bot against each other. Names would be too wide as column headings, so bots are
/// numbered.
pub(crate) fn crosstable(
    caption: &str,
    crosstable: &Crosstable,
    show: fn(&Cell) -> String,
    class: fn(&Cell) -> String,
) -> Markup {
    let body = html! {
        thead {
            tr {
                th.head scope="col" { "bot" }
                @for (index, bot) in crosstable.bots.iter().enumerate() {
                    th.number scope="col" title=(bot) aria-label={ "against " (bot) } { (index + 1) }
                }
            }
        }
        tbody {
            @for (index, (bot, cells)) in crosstable.bots.iter().zip(&crosstable.cells).enumerate() {
                tr {
                    th scope="row" { (index + 1) ". " bdi { (bot) } }
                    @for (column, cell) in cells.iter().enumerate() {
                        @match cell {
                            Some(cell) => td class={ "number cell " (class(cell)) } { (show(cell)) },
                            None if column == index => td.number.cell { "·" },
                            None => td.number.cell.never { (NOTHING) },
                        }
                    }
                }
            }
        }
    };
    boxed(caption, &body)
}

/// Renders for each bot the bots that it met, best first, each with its score in %. Lists at most [`MAX_OPPONENTS`] of them.
pub(super) fn opponents(caption: &str, crosstable: &Crosstable) -> Markup {
    let body = html! {
        thead { tr { th.head scope="col" { "bot" } th scope="col" { "opponents" } } }
        tbody {
            @for (index, (bot, cells)) in crosstable.bots.iter().zip(&crosstable.cells).enumerate() {
                @let met = crosstable.bots.iter().zip(cells).filter_map(|(other, cell)| Some((other, cell.as_ref()?)));
                @let count = met.clone().count();
                tr {
                    th scope="row" { (index + 1) ". " bdi { (bot) } }
                    td {
                        @for (at, (other, cell)) in met.take(MAX_OPPONENTS).enumerate() {
                            @if at > 0 { ", " }
                            bdi { (other) } " " (percent(cell.score))
                        }
                        @if count > MAX_OPPONENTS { ", and " (count - MAX_OPPONENTS) " more" }
                    }
                }
            }
        }
    };
    boxed(caption, &body)
}

/// Returns true if a field of this many bots is shown in lists rather than tables with a row for each pair.
pub(super) fn is_large(bots: usize) -> bool {
    bots > MAX_MATRIX_BOTS
}

/// Returns true if a crosstable would be mostly empty, or too large to read.
pub(super) fn is_sparse(crosstable: &Crosstable) -> bool {
    let bots = crosstable.bots.len();
    let met: usize = crosstable.cells.iter().flatten().flatten().count();
    is_large(bots) || 2 * met < bots * bots.saturating_sub(1)
}

/// Returns the class that colours a cell by its score. The cell is hatched if the two bots never met.
pub(crate) fn heat(cell: &Cell) -> String {
    let class = cell.score.map(palette::heat_class);
    class.unwrap_or_else(|| "never".into())
}

/// Renders a chart with its title and caption, in two sizes; the style shows the one that suits the screen.
pub(crate) fn chart(chart: &Drawn) -> Markup {
    let labels = &chart.labels;
    // The texts of the chart were escaped when it was drawn.
    html! {
        figure id={ "chart-" (labels.name) } {
            h3 { (labels.title) }
            div.chart role="img" aria-label=(labels.alt) {
                div.wide { (PreEscaped(&chart.svg)) }
                div.narrow { (PreEscaped(&chart.narrow)) }
            }
            figcaption { (labels.caption) }
        }
    }
}
