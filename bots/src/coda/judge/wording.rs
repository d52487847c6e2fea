//! Numbers and words of a judgement.

use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::Action;

use super::super::knowledge::Knowledge;
use super::Tried;
use crate::decision::Valued;

/// Returns the differences between two lists, item by item, up to the length of the shorter one.
pub(super) fn less(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one - other)
        .collect()
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the standard error of the mean.
pub(super) fn error(values: &[f64]) -> f64 {
    let mean = mean(values);
    values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum::<f64>()
        .sqrt()
        / values.len() as f64
}

/// Rounds a value to a useful precision.
pub(super) fn rounded(share: f64) -> f64 {
    // Adding 0.0 turns -0 into 0.
    (share * 1e4).round() / 1e4 + 0.0
}

pub(super) fn valued(knowledge: &Knowledge, tried: &Tried) -> Valued {
    let worth = &tried.worth;
    // Do not round an uncertain hit up to certainty.
    let chance = tried.chance.map(|chance| {
        if tried.is_certain() {
            1.0
        } else {
            rounded(chance).min(1.0 - 1e-4)
        }
    });
    Valued {
        action: in_words(knowledge, tried.action),
        wins: rounded(mean(worth)),
        error: rounded(error(worth)),
        chance,
    }
}

pub(super) fn kind(action: Action) -> &'static str {
    match action {
        Action::Attack { .. } => "attack",
        Action::Stop {} => "stop",
        Action::Draw { .. } => "draw",
        Action::Expose { .. } => "expose",
        Action::SetUp { .. } | Action::PlaceDashes { .. } | Action::Place { .. } => "prepare",
    }
}

fn in_words(knowledge: &Knowledge, action: Action) -> String {
    let codes = &knowledge.known.view.codes;
    match action {
        Action::Attack {
            seat,
            position,
            face,
        } => {
            let panel = Panel::new(codes[seat].panels[usize::from(position)].colour, face);
            let whose = if codes.len() > 2 {
                format!(" of seat {}", seat.0 + 1)
            } else {
                String::new()
            };
            format!("{panel} at {}{whose}", position + 1)
        }
        Action::Draw { colour } => format!("draw {colour}"),
        Action::Expose { position } => format!("expose {}", position + 1),
        other => kind(other).into(),
    }
}
