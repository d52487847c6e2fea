//! The prompts of Coda: the legal actions of a seat.

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel::{Colour, Face};
use super::types::Action;
use crate::chance::Chance;
use crate::game::{self, Illegal, not_now, one_of};
use crate::seat::{MAX_SEATS, Seat};
use crate::set::Set;

/// The legal actions of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub ArrayVec<Choice, MAX_SEATS>);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// At the set-up: the number of dark ones among your first panels; the rest are light.
    SetUp {
        /// The possible numbers of dark panels.
        dark: Set<u8>,
    },
    /// At the set-up, if you took dashes: their places.
    PlaceDashes {
        /// The possible numbers of your numbered panels before the dark dash; left out if you have no dark dash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dark: Option<Set<u8>>,
        /// The possible numbers of your other panels, the dark dash included, before the light dash; left out if you have no light dash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        light: Option<Set<u8>>,
    },
    /// The panel you drew goes into your code at more than one possible place.
    Place {
        /// The positions it may take.
        position: Set<u8>,
    },
    /// At the start of a turn: the colour of the panel to draw.
    Draw {
        /// The colours left in the pool.
        colour: Set<Colour>,
    },
    /// Attack a standing panel of an opponent; there is one such option per opponent.
    Attack {
        /// The opponent's seat.
        seat: Set<Seat>,
        /// The positions of the opponent's standing panels, 0 being the lowest.
        position: Set<u8>,
        /// The faces you may name.
        face: Set<Face>,
    },
    /// After a hit: end your turn.
    Stop {},
    /// After a miss with an empty pool: expose one of your own panels.
    Expose {
        /// The positions of your standing panels.
        position: Set<u8>,
    },
}

impl Prompt {
    /// Returns `true` if the turn may be ended.
    pub fn may_stop(&self) -> bool {
        self.0.last() == Some(&Choice::Stop {})
    }
}

impl From<Choice> for Prompt {
    fn from(choice: Choice) -> Self {
        Self([choice].into_iter().collect())
    }
}

impl game::Prompt<Action> for Prompt {
    #[inline]
    fn pick(&self, chance: &mut Chance) -> Action {
        chance.pick(&self.0).pick(chance)
    }

    #[inline]
    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let permitted = self.0.iter().find_map(|choice| choice.permits(*action));
        permitted.unwrap_or_else(|| match *action {
            Action::Attack { seat, .. }
                if self
                    .0
                    .iter()
                    .any(|choice| matches!(choice, Choice::Attack { .. })) =>
            {
                Err(Illegal(format!(
                    "seat {seat} is not an opponent with a standing panel"
                )))
            }
            _ => Err(not_now(action, &self.0)),
        })
    }
}

impl Choice {
    #[inline]
    fn pick(&self, chance: &mut Chance) -> Action {
        match *self {
            Choice::SetUp { dark } => Action::SetUp {
                dark: dark.pick(chance),
            },
            Choice::PlaceDashes { dark, light } => {
                let dark = dark.map(|places| places.pick(chance));
                Action::PlaceDashes {
                    dark,
                    light: light.map(|places| places.pick(chance)),
                }
            }
            Choice::Place { position } => Action::Place {
                position: position.pick(chance),
            },
            Choice::Draw { colour } => Action::Draw {
                colour: colour.pick(chance),
            },
            Choice::Attack {
                seat,
                position,
                face,
            } => Action::Attack {
                seat: seat.pick(chance),
                position: position.pick(chance),
                face: face.pick(chance),
            },
            Choice::Stop {} => Action::Stop {},
            Choice::Expose { position } => Action::Expose {
                position: position.pick(chance),
            },
        }
    }

    /// Checks an action of this kind; for an attack option, an attack on its seat. `None` if this option does not apply to the action.
    #[inline]
    fn permits(&self, action: Action) -> Option<Result<(), Illegal>> {
        Some(match (action, self) {
            (Action::SetUp { dark }, Choice::SetUp { dark: legal }) => one_of("dark", dark, *legal),
            (
                Action::PlaceDashes { dark, light },
                Choice::PlaceDashes {
                    dark: darks,
                    light: lights,
                },
            ) => dash("dark", dark, *darks).and_then(|()| dash("light", light, *lights)),
            (Action::Draw { colour }, Choice::Draw { colour: legal }) => {
                one_of("colour", colour, *legal)
            }
            (Action::Place { position }, Choice::Place { position: legal })
            | (Action::Expose { position }, Choice::Expose { position: legal }) => {
                one_of("position", position, *legal)
            }
            (
                Action::Attack {
                    seat,
                    position,
                    face,
                },
                Choice::Attack {
                    seat: seats,
                    position: positions,
                    face: faces,
                },
            ) if seats.contains(seat) => {
                one_of("position", position, *positions).and_then(|()| one_of("face", face, *faces))
            }
            (Action::Stop {}, Choice::Stop {}) => Ok(()),
            _ => return None,
        })
    }
}

/// Checks the place chosen for a dash.
fn dash(colour: &str, place: Option<u8>, legal: Option<Set<u8>>) -> Result<(), Illegal> {
    match (place, legal) {
        (Some(place), Some(legal)) => one_of(colour, place, legal),
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Illegal(format!("the {colour} dash must be placed"))),
        (Some(_), None) => Err(Illegal(format!("there is no {colour} dash to place"))),
    }
}
