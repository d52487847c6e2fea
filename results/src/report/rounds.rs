//! Rounds of a tournament on pages: pairings and the bracket.

use maud::{Markup, html};

use super::parts;
use crate::analysis::Analysis;
use crate::table;
use arena_tournament::rounds::{Pairing, Round};

/// Returns the heading of a round: its number and, before it is played, a note.
fn title(analysis: &Analysis, round: &Round) -> String {
    let state = if round.finished { "" } else { ", to play" };
    let of = analysis.standings.rounds;
    format!("Round {} of {of}{state}", round.round)
}

/// Renders the round to be played next, for a screen in front of an audience; nothing if there is none.
pub(super) fn next(analysis: &Analysis) -> Markup {
    let next = analysis.rounds.last().filter(|round| !round.finished);
    html! {
        @if let Some(round) = next {
            section.round data-round=(round.round) aria-label="Pairings" {
                h3 { "Round " (round.round) " of " (analysis.standings.rounds) }
                (listed(round))
            }
        }
    }
}

/// Renders the pairings of all rounds, last round first. In a large field, renders lists without points.
pub(super) fn all(analysis: &Analysis) -> Markup {
    let is_large = parts::is_large(analysis.bots.len());
    html! {
        @for round in analysis.rounds.iter().rev() {
            @if is_large { h3 { (title(analysis, round)) } (listed(round)) }
            @else { (parts::table(&title(analysis, round), &table::rounds(std::slice::from_ref(round)))) }
        }
    }
}

/// Renders the pairings of a round as a list, the winner of each first. Pairings with scores show them.
fn listed(round: &Round) -> Markup {
    html! {
        ul.pairings {
            @for Pairing { bots, score, winner, tie_break, .. } in &round.pairings {
                @let first = usize::from(winner.as_ref() == Some(&bots[1]));
                li {
                    bdi { (bots[first]) }
                    @if *score == [0.0; 2] { " – " } @else { " " (score[first]) "–" (score[1 - first]) " " }
                    bdi { (bots[1 - first]) }
                    @if let Some(tie_break) = tie_break { " by " (tie_break.name()) }
                }
            }
            @for bot in &round.byes { li { bdi { (bot) } " has a bye" } }
        }
    }
}

/// Returns the name of a round, given the number of rounds that are left, this one included.
fn name_of(left: usize) -> String {
    match left {
        1 => "Final".into(),
        2 => "Semifinals".into(),
        3 => "Quarterfinals".into(),
        left => format!("Round of {}", 1_usize << left),
    }
}

/// Renders the bracket, with the scores of finished rounds; nothing for formats without one.
pub(super) fn bracket(analysis: &Analysis) -> Markup {
    let bracket = analysis
        .placings
        .iter()
        .flat_map(|placings| &placings.bracket);
    let bracket: Vec<&Vec<Option<String>>> = bracket.collect();
    let rounds = bracket
        .first()
        .map_or(0, |places| places.len().trailing_zeros() as usize);
    let placings = analysis.placings.as_ref();
    let third_place = placings.and_then(|placings| placings.third_place.as_ref());
    let side = |round: usize, bot: Option<Option<&String>>| {
        let found = bot.flatten().and_then(|bot| {
            let (pairing, side) = analysis.pairing_in(round, bot)?;
            let won = pairing.winner.as_ref() == Some(bot);
            Some((pairing.score[side], won, pairing.tie_break))
        });
        let text = match bot {
            None => "?",
            Some(None) => "bye",
            Some(Some(bot)) => bot.as_str(),
        };
        let class = found.is_some_and(|(_, won, _)| won).then_some("won");
        html! {
            div class=[class] {
                bdi { (text) }
                @if let Some((score, won, tie_break)) = found {
                    " " span.number { (format!("{score:.1}")) }
                    @if let Some(tie_break) = tie_break.filter(|_| won) { " " small { "by " (tie_break.name()) } }
                }
            }
        }
    };
    html! {
        @if rounds > 0 {
            div.box.bracket tabindex="0" role="region" aria-label="Bracket" {
                @for round in 0..rounds {
                    section {
                        h3 { (name_of(rounds - round)) }
                        ol {
                            @for pair in 0..bracket[0].len() >> (round + 1) {
                                li { div.pair {
                                    @for place in [2 * pair, 2 * pair + 1] {
                                        (side(round, bracket.get(round).map(|places| places[place].as_ref())))
                                    }
                                } }
                            }
                        }
                    }
                }
                section.champion {
                    h3 { "Champion" }
                    ol { li { div.pair { (side(rounds, bracket.get(rounds).map(|places| places[0].as_ref()))) } } }
                }
                @if let Some(bots) = third_place {
                    section.apart {
                        h3 { "Third place" }
                        ol { li { div.pair { @for bot in bots { (side(rounds - 1, bot.as_ref().map(Some))) } } } }
                    }
                }
            }
        }
    }
}
