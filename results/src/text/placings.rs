//! Placings for the terminal.

use arena_tournament::placings::{Pairing, Placings};
use tabled::grid::util::string::get_string_width;

use crate::table::placing_notes;
use arena_tournament::printable::clean;

/// The placings under their title: the pairings of the rounds, or else the bots in their order.
pub(super) fn placings(placings: &Placings, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| clean(name)).collect();
    let mut text = format!("{}\n\n", placings.title());
    if placings.rounds.is_empty() {
        text += &placed(placings, &names);
    }
    for (pairings, round) in placings.rounds.iter().zip(1..) {
        text += &format!("round {round}\n");
        pairings.iter().for_each(|pairing| text += &format!("  {}\n", paired(pairing, &names)));
    }
    let notes = placing_notes(placings, |bot| names[bot].clone());
    if !notes.is_empty() && placings.rounds.is_empty() {
        text.push('\n');
    }
    notes.iter().for_each(|note| text += &format!("{note}\n"));
    text
}

fn placed(placings: &Placings, names: &[String]) -> String {
    let columns = &placings.columns;
    let width = names.iter().map(|name| get_string_width(name)).max().unwrap_or(0).max("bot".len());
    let mut text = String::new();
    if !columns.is_empty() && !placings.rows.is_empty() {
        let heads: String = columns.iter().map(|column| format!("  {}", column.title)).collect();
        text += &format!("   #  {:<width$}{heads}\n", "bot");
    }
    for row in &placings.rows {
        let cells = columns.iter().zip(&row.cells);
        let cells: String =
            cells.map(|(column, cell)| format!("  {:>1$}", column.text(*cell), column.title.chars().count())).collect();
        let name = &names[row.bot];
        let blanks = if columns.is_empty() { 0 } else { width - get_string_width(name) };
        text += &format!("{:>4}  {name}{:blanks$}{cells}\n", row.place, "");
    }
    text
}

fn paired(pairing: &Pairing, names: &[String]) -> String {
    let winner = &names[pairing.winner];
    match pairing.loser {
        Some(loser) => format!("{winner} beats {}, {}", names[loser], pairing.scores().join(" : ")),
        None => format!("{winner} has a bye"),
    }
}
