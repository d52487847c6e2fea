//! The types of Coda that leave the engine: rules, actions and events, and the points that events score.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel::{Colour, Deck, Face, NUMBERS, Panel, Shown};
use crate::game::{self, within};
use crate::outcome::Source;
use crate::seat::{BySeat, Seat};

/// The sources of points, after the official tournament rules.
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

/// The count of each source of points for a seat.
pub(super) type Counts = [i32; SCORING.len()];

/// The first panels of each seat in the standard game of two or three, and the most that there can be.
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
    /// Late moves of a seat that the clock penalty covers in one match, 0 to 255; the next one forfeits.
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
    /// The panels that each seat takes at the set-up of a table of `seats`.
    pub fn hand(&self, seats: usize) -> u8 {
        if seats == 4 {
            self.panels.min(3)
        } else {
            self.panels
        }
    }

    /// The panels in play.
    pub fn deck(&self) -> Deck {
        Deck {
            numbers: self.numbers,
            dashes: self.dashes,
        }
    }
}

/// True for the first panels of the standard game, which are not written.
fn is_usual(panels: &u8) -> bool {
    *panels == HAND
}

/// True for the numbers of the standard game, which are not written.
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

    /// In a round every panel counts once for a seat at most: as a hit, which is worth 1, or, standing in its own code when it
    /// wins, as its number. Its code has no more panels than it took, which of two seats, that draw in turn until the pool
    /// is empty, is half of all. The code of each other seat is exposed once, and the round is won once.
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
    /// Put the panel you drew at that position of your code.
    Place {
        /// The position that it has then.
        position: u8,
    },
    /// Draw a panel of that colour.
    Draw {
        /// The colour.
        colour: Colour,
    },
    /// Name an opponent's panel.
    Attack {
        /// The opponent's seat.
        seat: Seat,
        /// The position in the opponent's code, 0 being the lowest.
        position: u8,
        /// The face that you name.
        face: Face,
    },
    /// End the turn after a hit.
    Stop {},
    /// Expose your own panel at that position.
    Expose {
        /// The position in your code.
        position: u8,
    },
}

/// Something that happened. Panels that a seat may not see are hidden (`D?`) in the event that it gets.
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
        /// Who.
        seat: Seat,
        /// Dark ones first, lowest first, dashes last: this is not the order of the code.
        panels: ArrayVec<Shown, 4>,
    },
    /// A seat stood up its first code.
    SetUp {
        /// Whose.
        seat: Seat,
        /// Its code, lowest first.
        code: ArrayVec<Shown, 4>,
    },
    /// A seat began its turn by drawing a panel, which now lies aside.
    Drew {
        /// Who.
        seat: Seat,
        /// The panel.
        panel: Shown,
    },
    /// A seat named an opponent's panel. On a hit that panel is exposed.
    Attacked {
        /// The attacker.
        seat: Seat,
        /// The opponent.
        target: Seat,
        /// The position in the opponent's code.
        position: u8,
        /// The panel that the attacker named.
        panel: Panel,
        /// True if it is that panel.
        hit: bool,
    },
    /// A seat ended its turn after a hit.
    Stopped {
        /// Who.
        seat: Seat,
    },
    /// The panel drawn was put into its owner's code; those at this position and above move up by one.
    Inserted {
        /// Whose.
        seat: Seat,
        /// Its position now.
        position: u8,
        /// The panel.
        panel: Shown,
        /// True if it stands; if not, it is exposed.
        standing: bool,
    },
    /// A seat exposed a panel of its own.
    Exposed {
        /// Whose.
        seat: Seat,
        /// The position in its code.
        position: u8,
        /// The panel.
        panel: Panel,
    },
    /// The last panel of a code was exposed.
    Eliminated {
        /// Whose code.
        seat: Seat,
        /// The attacker who exposed the last panel; null if it was not an attack.
        by: Option<Seat>,
    },
    /// A seat's time was over, and it pays the clock penalty.
    Late {
        /// Who.
        seat: Seat,
    },
    /// A seat forfeited the match; its code is exposed, and nobody scores for that.
    Withdrew {
        /// Who.
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
    /// The seat that the event scores for, and the count of each source of points.
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

/// An event as a sentence.
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
                "{} attacks {}'s panel {position}: \"{panel}\": {result}.",
                name(seat),
                name(target)
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
            format!("{} inserts {panel} at {position}, {how}.", name(seat))
        }
        Event::Exposed {
            seat,
            position,
            panel,
        } => {
            format!("{} exposes {panel} at {position}.", name(seat))
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
