//! Parts of the page: tables, lists of sentences, charts.

use maud::{Markup, PreEscaped, html};

use crate::chart::Drawn;
use crate::crosstable::{Cell, Crosstable};
use crate::table::{CellKind, Table, percent, signed};

/// A table in a box of its own, which scrolls where the screen is narrow, and what its numbers mean.
pub(super) fn table(caption: &str, table: &Table) -> Markup {
    let rows = table.columns.first().map_or(0, |column| column.cells.len());
    let row_head = table.columns.iter().position(|column| column.kind == CellKind::Name);
    let body = html! {
        thead { tr { @for column in &table.columns { th scope="col" class=[class(column.kind)] { (column.head) } } } }
        tbody {
            @for row in 0..rows {
                tr {
                    @for (index, column) in table.columns.iter().enumerate() {
                        @let cell = &column.cells[row];
                        @if Some(index) == row_head { th scope="row" { bdi { (cell) } } }
                        @else if column.kind == CellKind::Name { td.name { bdi { (cell) } } }
                        @else { td class=[class(column.kind)] { (cell) } }
                    }
                }
            }
        }
    };
    html! { (boxed(caption, &body)) (sentences(&table.notes)) }
}

/// Numbers stand to the right.
fn class(kind: CellKind) -> Option<&'static str> {
    (kind == CellKind::Number).then_some("number")
}

/// A table's body with its caption in a box that can be scrolled, also by keys.
pub(super) fn boxed(caption: &str, body: &Markup) -> Markup {
    html! {
        div.box tabindex="0" role="region" aria-label=(caption) { table { caption { span { (caption) } } (body) } }
    }
}

/// Sentences below each other; nothing for none.
pub(super) fn sentences(notes: &[String]) -> Markup {
    html! { @if !notes.is_empty() { ul.notes { @for note in notes { li { (note) } } } } }
}

/// The results of each bot against each other one. Bots are numbered above the columns, since their names would be too wide.
pub(super) fn crosstable(caption: &str, crosstable: &Crosstable, show: fn(&Cell) -> String) -> Markup {
    let body = html! {
        thead {
            tr {
                th scope="col" { "bot" }
                @for (index, bot) in crosstable.bots.iter().enumerate() {
                    th.number scope="col" title=(bot) aria-label={ "against " (bot) } { (index + 1) }
                }
            }
        }
        tbody {
            @for (index, (bot, cells)) in crosstable.bots.iter().zip(&crosstable.cells).enumerate() {
                tr {
                    th scope="row" { (index + 1) ". " bdi { (bot) } }
                    @for cell in cells { td.number { (cell.as_ref().map_or_else(|| "·".into(), show)) } }
                }
            }
        }
    };
    boxed(caption, &body)
}

/// A cell's score in per cent.
pub(super) fn score(cell: &Cell) -> String {
    percent(cell.score)
}

/// A cell's difference of points.
pub(super) fn points(cell: &Cell) -> String {
    cell.points.map_or_else(|| percent(None), |points| signed(points, 2))
}

/// A chart with its title and caption.
pub(super) fn chart(chart: &Drawn) -> Markup {
    // The drawing is our own: its texts were escaped when they were drawn.
    let svg = chart.svg.find("<svg").map_or("", |start| &chart.svg[start..]);
    html! {
        figure id={ "chart-" (chart.name) } {
            h3 { (chart.title) }
            div.box.chart tabindex="0" role="img" aria-label=(chart.alt) { (PreEscaped(svg)) }
            figcaption { (chart.caption) }
        }
    }
}
