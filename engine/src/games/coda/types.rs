//! The public types of Coda: rules, actions and events, and the points that events score.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel::{Colour, Deck, Face, NUMBERS, Panel, Shown};
use crate::game::{self, within};
use crate::outcome::Source;
use crate::seat::{BySeat, Seat};

/// The sources of points, as in the official tournament rules.
pub(super) const SCORING: &[Source] = &[
    Source {
        name: "hits",
        worth: 1,
    },
    Source {
        name: "exposures",
        worth: 3,
    },
    Source {
        name: "round_wins",
        worth: 5,
    },
    Source {
        name: "bonus",
        worth: 1,
    },
];

/// The counts of a seat for all sources of points.
pub(super) type Counts = [i32; SCORING.len()];

/// Number of first panels per seat in the standard game of two or three seats, which is also the maximum.
const HAND: u8 = 4;

/// The variant of Coda.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Rounds per game, 1 to 99; the official tournament rules play 3.
    pub rounds: u8,
    /// Advanced play, true or false: a dark and a light dash are added.
    pub dashes: bool,
    /// Numbers of each colour, 2 to 12, from 0 up; fewer than 12 make a small game to learn by or to solve.
    #[serde(skip_serializing_if = "is_standard")]
    #[schemars(extend("default" = NUMBERS))]
    pub numbers: u8,
    /// First panels of each seat, 1 to 4; at most 3 when four play.
    #[serde(skip_serializing_if = "is_usual")]
    #[schemars(extend("default" = HAND))]
    pub panels: u8,
    /// Number of late moves of a seat in one match that cost only the clock penalty, 0 to 255; the next one forfeits.
    pub late_moves: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            rounds: 3,
            dashes: false,
            numbers: NUMBERS,
            panels: HAND,
            late_moves: 2,
        }
    }
}

impl Rules {
    /// Returns the number of panels that each seat takes at the set-up of a table of `seats`.
    pub fn hand(&self, seats: usize) -> u8 {
        if seats == 4 {
            self.panels.min(3)
        } else {
            self.panels
        }
    }

    /// Returns the panels in play.
    pub fn deck(&self) -> Deck {
        Deck {
            numbers: self.numbers,
            dashes: self.dashes,
        }
    }
}

/// Returns `true` for the standard number of first panels, which is not serialised.
fn is_usual(panels: &u8) -> bool {
    *panels == HAND
}

/// Returns `true` for the standard count of numbers, which is not serialised.
pub(super) fn is_standard(numbers: &u8) -> bool {
    *numbers == NUMBERS
}

impl game::Rules for Rules {
    fn check(&self, seats: usize) -> Result<(), String> {
        within("rounds", self.rounds, 1..=99)?;
        within("numbers", self.numbers, 2..=NUMBERS)?;
        within("panels", self.panels, 1..=HAND)?;
        let (hand, all) = (self.hand(seats), Panel::all(self.deck()).len());
        if usize::from(hand) * seats > all {
            return Err(format!(
                "{seats} seats with {hand} panels each need more than the {all} there are"
            ));
        }
        Ok(())
    }

    /// Computes the bounds. Each panel counts at most once per round for a seat: as a hit, worth 1, or as its number if it stands in the
    /// winner's own code. A code holds only panels that its owner took; with two seats, which draw in turn until the pool is empty, that is
    /// half of all panels. Each other code is eliminated once, and the round is won once.
    fn points(&self, seats: usize) -> RangeInclusive<i32> {
        let all = Panel::all(self.deck());
        let own = if seats == 2 { all.len() / 2 } else { all.len() };
        let mut worth: Vec<i32> = all.into_iter().map(|panel| panel.face().value()).collect();
        worth.sort_unstable_by_key(|value| -value);
        let panels: i32 = worth
            .iter()
            .enumerate()
            .map(|(nth, value)| if nth < own { 1.max(*value) } else { 1 })
            .sum();
        let [hits, exposures, round_wins, bonus] = SCORING else {
            unreachable!("there are four sources of points")
        };
        assert_eq!([hits.worth, bonus.worth], [1, 1]);
        let round = panels + exposures.worth * (seats as i32 - 1) + round_wins.worth;
        0..=round * i32::from(self.rounds)
    }

    fn variants() -> Vec<Self> {
        let small = Self {
            numbers: 4,
            panels: 1,
            ..Self::default()
        };
        let full = Self {
            numbers: 6,
            dashes: true,
            panels: 3,
            rounds: 1,
            ..Self::default()
        };
        vec![
            Self::default(),
            Self {
                dashes: true,
                rounds: 2,
                ..Self::default()
            },
            small,
            full,
        ]
    }
}

/// An action of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Take that many dark panels at the set-up.
    SetUp {
        /// The number of dark ones among the first panels.
        dark: u8,
    },
    /// Put the dashes of the set-up into your code.
    PlaceDashes {
        /// The number of your numbered panels that stand before the dark dash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dark: Option<u8>,
        /// The number of your other panels, the dark dash included, that stand before the light dash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        light: Option<u8>,
    },
    /// Put the panel you drew at this position of your code.
    Place {
        /// The position of the panel in your code.
        position: u8,
    },
    /// Draw a panel of this colour.
    Draw {
        /// The colour to draw.
        colour: Colour,
    },
    /// Name an opponent's panel.
    Attack {
        /// The opponent's seat.
        seat: Seat,
        /// The position in the opponent's code, 0 being the lowest.
        position: u8,
        /// The named face.
        face: Face,
    },
    /// End the turn after a hit.
    Stop {},
    /// Expose your own panel at this position.
    Expose {
        /// The position in your code.
        position: u8,
    },
}

/// Something that happened. A seat's copy hides panels that it may not see (`D?`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A round begins: all panels are back in the pool.
    RoundStarted {
        /// The round, counted from 1.
        round: u8,
        /// The seat that plays first.
        first: Seat,
    },
    /// With dashes in play: a seat took its first panels, which are not a code yet.
    Took {
        /// The seat that took the panels.
        seat: Seat,
        /// The panels: dark ones first, lowest first, dashes last. This is not the order of the code.
        panels: ArrayVec<Shown, 4>,
    },
    /// A seat set up its first code.
    SetUp {
        /// The seat that set up its code.
        seat: Seat,
        /// The seat's code, lowest panel first.
        code: ArrayVec<Shown, 4>,
    },
    /// A seat began its turn by drawing a panel, which now lies aside.
    Drew {
        /// The seat that drew.
        seat: Seat,
        /// The drawn panel.
        panel: Shown,
    },
    /// A seat named an opponent's panel. On a hit that panel is exposed.
    Attacked {
        /// The seat that attacked.
        seat: Seat,
        /// The seat that was attacked.
        target: Seat,
        /// The position in the attacked seat's code.
        position: u8,
        /// The named panel.
        panel: Panel,
        /// True if the attack hit.
        hit: bool,
    },
    /// A seat ended its turn after a hit.
    Stopped {
        /// The seat that stopped.
        seat: Seat,
    },
    /// A drawn panel was inserted into its owner's code; panels at this position and above move up by one.
    Inserted {
        /// The seat that owns the code.
        seat: Seat,
        /// The position of the panel in the code.
        position: u8,
        /// The inserted panel.
        panel: Shown,
        /// True if the panel stands, false if it is exposed.
        standing: bool,
    },
    /// A seat exposed a panel of its own.
    Exposed {
        /// The seat that exposed the panel.
        seat: Seat,
        /// The position in the seat's code.
        position: u8,
        /// The exposed panel.
        panel: Panel,
    },
    /// The last panel of a code was exposed.
    Eliminated {
        /// The seat whose code is out.
        seat: Seat,
        /// The attacker who exposed the last panel; null if it was not exposed by an attack.
        by: Option<Seat>,
    },
    /// A seat ran out of time and pays the clock penalty.
    Late {
        /// The seat that was late.
        seat: Seat,
    },
    /// A seat forfeited the match; its code is exposed, which scores for nobody.
    Withdrew {
        /// The seat that forfeited.
        seat: Seat,
    },
    /// The round is over.
    RoundEnded {
        /// The last seat with a standing panel; null if none has one.
        winner: Option<Seat>,
        /// The sum of the numbers on the winner's standing panels.
        bonus: i32,
    },
}

impl Event {
    /// Returns the seat that the event scores for, with the counts that it adds to the sources of points.
    pub(super) fn scored(&self) -> Option<(Seat, Counts)> {
        match self {
            Event::Attacked {
                seat, hit: true, ..
            } => Some((*seat, [1, 0, 0, 0])),
            Event::Eliminated { by: Some(by), .. } => Some((*by, [0, 1, 0, 0])),
            Event::RoundEnded {
                winner: Some(winner),
                bonus,
            } => Some((*winner, [0, 0, 1, *bonus])),
            _ => None,
        }
    }
}

/// Returns a sentence describing an event.
pub(super) fn describe(event: &Event, names: &BySeat<String>) -> String {
    let name = |seat: &Seat| names[*seat].as_str();
    let row = |panels: &[Shown]| {
        panels
            .iter()
            .map(Shown::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    match event {
        Event::RoundStarted { round, first } => {
            format!("Round {round}: {} plays first.", name(first))
        }
        Event::Took { seat, panels } => format!("{} takes {}.", name(seat), row(panels)),
        Event::SetUp { seat, code } => format!("{} sets up {}.", name(seat), row(code)),
        Event::Drew { seat, panel } => format!("{} draws {panel}.", name(seat)),
        Event::Attacked {
            seat,
            target,
            position,
            panel,
            hit,
        } => {
            let result = if *hit { "hit" } else { "miss" };
            format!(
                "{} attacks {}'s panel {}: \"{panel}\": {result}.",
                name(seat),
                name(target),
                position + 1
            )
        }
        Event::Stopped { seat } => format!("{} stops.", name(seat)),
        Event::Inserted {
            seat,
            position,
            panel,
            standing,
        } => {
            let how = if *standing { "standing" } else { "exposed" };
            format!("{} inserts {panel} at {}, {how}.", name(seat), position + 1)
        }
        Event::Exposed {
            seat,
            position,
            panel,
        } => {
            format!("{} exposes {panel} at {}.", name(seat), position + 1)
        }
        Event::Eliminated { seat, by: Some(by) } => {
            format!("{} eliminates {}.", name(by), name(seat))
        }
        Event::Eliminated { seat, by: None } => format!("{} is eliminated.", name(seat)),
        Event::Late { seat } => format!("{} is late and pays the clock penalty.", name(seat)),
        Event::Withdrew { seat } => format!("{} forfeits.", name(seat)),
        Event::RoundEnded {
            winner: Some(winner),
            bonus,
        } => {
            format!("{} wins the round with a bonus of {bonus}.", name(winner))
        }
        Event::RoundEnded { winner: None, .. } => "Nobody wins the round.".into(),
    }
}
