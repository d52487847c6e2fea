//! The prompts of Coda: the legal actions of a seat.

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel::{Colour, Face};
use super::types::Action;
use crate::chance::Chance;
use crate::game::{self, Illegal, one_of};
use crate::seat::{MOST_SEATS, Seat};
use crate::set::Set;

/// The most seats of Coda.
const SEATS: usize = 4;

/// The legal actions of a seat. On the wire a list of [`Choice`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "Choices", try_from = "Choices")]
#[schemars(with = "Choices")]
pub enum Prompt {
    /// There is one option.
    One(Choice),
    /// Attack a panel or, after a hit, stop.
    Attack(Attacks),
}

/// The options of a prompt.
pub type Choices = ArrayVec<Choice, MOST_SEATS>;

/// The attacks that are legal, and whether one may stop instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Attacks {
    /// The positions of the opponents' standing panels, by seat.
    pub standing: [Set<u8>; SEATS],
    /// The faces that may be named.
    pub face: Set<Face>,
    /// True if the turn may be ended.
    pub may_stop: bool,
}

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// At the set-up: how many of your first panels are dark; the rest are light.
    SetUp {
        /// The possible numbers of dark panels.
        dark: Set<u8>,
    },
    /// At the set-up, if you took dashes: where they stand.
    PlaceDashes {
        /// The possible numbers of your numbered panels before the dark dash; left out if you have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dark: Option<Set<u8>>,
        /// The possible numbers of your other panels, the dark dash included, before the light dash; left out if you
        /// have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        light: Option<Set<u8>>,
    },
    /// The panel you drew goes into your code, and there is more than one place for it.
    Place {
        /// The positions that it may have then.
        position: Set<u8>,
    },
    /// At the start of a turn: the colour of the panel to draw.
    Draw {
        /// The colours left in the pool.
        colour: Set<Colour>,
    },
    /// Attack a standing panel of an opponent; there is one such option for each opponent.
    Attack {
        /// The opponent's seat.
        seat: Set<Seat>,
        /// The positions of the opponent's standing panels, 0 being the lowest.
        position: Set<u8>,
        /// The faces that may be named.
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
    /// The options one by one.
    pub fn choices(&self) -> Choices {
        match self {
            Prompt::One(choice) => [choice.clone()].into_iter().collect(),
            Prompt::Attack(attacks) => {
                let attack = |seat: Seat| Choice::Attack {
                    seat: Set::one(seat),
                    position: attacks.standing[seat.index()],
                    face: attacks.face,
                };
                attacks.seats().into_iter().map(attack).chain(attacks.may_stop.then_some(Choice::Stop {})).collect()
            }
        }
    }
}

impl Attacks {
    /// The opponents that can be attacked.
    fn seats(&self) -> Set<Seat> {
        let standing = self.standing.iter().zip(0..).filter(|(standing, _)| !standing.is_empty());
        standing.map(|(_, seat)| Seat(seat)).collect()
    }

    #[inline]
    fn permits(&self, seat: Seat, position: u8, face: Face) -> Result<(), Illegal> {
        match self.standing.get(seat.index()) {
            Some(standing) if !standing.is_empty() => {
                one_of("position", position, *standing).and_then(|()| one_of("face", face, self.face))
            }
            _ => Err(Illegal(format!("seat {seat} is not an opponent with a standing panel"))),
        }
    }
}

impl game::Prompt<Action> for Prompt {
    #[inline]
    fn pick(&self, chance: &mut Chance) -> Action {
        let attacks = match self {
            Prompt::One(choice) => return choice.pick(chance),
            Prompt::Attack(attacks) => attacks,
        };
        let seats = attacks.seats();
        let options = seats.len() as u32 + u32::from(attacks.may_stop);
        match seats.into_iter().nth(chance.below(options) as usize) {
            Some(seat) => {
                let position = attacks.standing[seat.index()].pick(chance);
                Action::Attack { seat, position, face: attacks.face.pick(chance) }
            }
            None => Action::Stop {},
        }
    }

    #[inline]
    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let permitted = match (self, *action) {
            (Prompt::One(choice), action) => choice.permits(action),
            (Prompt::Attack(attacks), Action::Attack { seat, position, face }) => {
                Some(attacks.permits(seat, position, face))
            }
            (Prompt::Attack(attacks), Action::Stop {}) => attacks.may_stop.then_some(Ok(())),
            (Prompt::Attack(_), _) => None,
        };
        permitted.unwrap_or_else(|| {
            let choices = self.choices();
            let kinds: Vec<&str> = choices.iter().map(Choice::kind).collect();
            Err(Illegal(format!("{} is not legal now: choose {}", action.kind(), kinds.join(" or "))))
        })
    }
}

impl From<Prompt> for Choices {
    fn from(prompt: Prompt) -> Self {
        prompt.choices()
    }
}

/// A list of options that no seat is ever offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these options do not go together")]
pub struct BadChoices;

impl TryFrom<Choices> for Prompt {
    type Error = BadChoices;

    fn try_from(choices: Choices) -> Result<Self, BadChoices> {
        if let [choice] = choices.as_slice()
            && !matches!(choice, Choice::Attack { .. })
        {
            return Ok(Prompt::One(choice.clone()));
        }
        let mut attacks = Attacks { standing: [Set::EMPTY; SEATS], face: Set::EMPTY, may_stop: false };
        for choice in choices {
            match choice {
                Choice::Attack { seat, position, face } => {
                    let seat = seat.only().ok_or(BadChoices)?;
                    *attacks.standing.get_mut(seat.index()).ok_or(BadChoices)? = position;
                    attacks.face = face;
                }
                Choice::Stop {} => attacks.may_stop = true,
                _ => return Err(BadChoices),
            }
        }
        Ok(Prompt::Attack(attacks))
    }
}

impl Choice {
    #[inline]
    fn pick(&self, chance: &mut Chance) -> Action {
        match *self {
            Choice::SetUp { dark } => Action::SetUp { dark: dark.pick(chance) },
            Choice::PlaceDashes { dark, light } => {
                let dark = dark.map(|places| places.pick(chance));
                Action::PlaceDashes { dark, light: light.map(|places| places.pick(chance)) }
            }
            Choice::Place { position } => Action::Place { position: position.pick(chance) },
            Choice::Draw { colour } => Action::Draw { colour: colour.pick(chance) },
            Choice::Attack { seat, position, face } => {
                Action::Attack { seat: seat.pick(chance), position: position.pick(chance), face: face.pick(chance) }
            }
            Choice::Stop {} => Action::Stop {},
            Choice::Expose { position } => Action::Expose { position: position.pick(chance) },
        }
    }

    /// Checks an action of this kind; `None` if it is of another one.
    #[inline]
    fn permits(&self, action: Action) -> Option<Result<(), Illegal>> {
        Some(match (action, self) {
            (Action::SetUp { dark }, Choice::SetUp { dark: legal }) => one_of("dark", dark, *legal),
            (Action::PlaceDashes { dark, light }, Choice::PlaceDashes { dark: darks, light: lights }) => {
                dash("dark", dark, *darks).and_then(|()| dash("light", light, *lights))
            }
            (Action::Draw { colour }, Choice::Draw { colour: legal }) => one_of("colour", colour, *legal),
            (Action::Place { position }, Choice::Place { position: legal })
            | (Action::Expose { position }, Choice::Expose { position: legal }) => one_of("position", position, *legal),
            (
                Action::Attack { seat, position, face },
                Choice::Attack { seat: seats, position: positions, face: faces },
            ) => one_of("seat", seat, *seats)
                .and_then(|()| one_of("position", position, *positions))
                .and_then(|()| one_of("face", face, *faces)),
            (Action::Stop {}, Choice::Stop {}) => Ok(()),
            _ => return None,
        })
    }

    fn kind(&self) -> &'static str {
        match self {
            Choice::SetUp { .. } => "set_up",
            Choice::PlaceDashes { .. } => "place_dashes",
            Choice::Place { .. } => "place",
            Choice::Draw { .. } => "draw",
            Choice::Attack { .. } => "attack",
            Choice::Stop {} => "stop",
            Choice::Expose { .. } => "expose",
        }
    }
}

/// Checks that a dash is placed legally.
fn dash(colour: &str, place: Option<u8>, legal: Option<Set<u8>>) -> Result<(), Illegal> {
    match (place, legal) {
        (Some(place), Some(legal)) => one_of(colour, place, legal),
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Illegal(format!("the {colour} dash must be placed"))),
        (Some(_), None) => Err(Illegal(format!("there is no {colour} dash to place"))),
    }
}
