//! Small Coda for two, one round, with chance as moves of its own: every position can be gone through.

use arena_engine::games::coda::panel::{Colour, Face, PANELS, Panel, Shown};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::seat::Seat;
use arena_engine::set::{Member, Set};

/// A position, with all that is hidden.
#[derive(Clone, Debug)]
pub struct Table {
    rules: Rules,
    codes: [Set<Panel>; 2],
    standing: [Set<Panel>; 2],
    pool: Set<Panel>,
    points: [i32; 2],
    /// The wrong faces named for each panel, by its number.
    missed: [Set<Face>; PANELS as usize],
    phase: Phase,
}

/// Whose move it is, and of what kind.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The first seat has chosen how many dark panels it takes, or is to choose.
    SettingUp(Option<u8>),
    /// A seat takes its first panels: this many dark and light ones are left to take.
    Taking {
        seat: usize,
        left: [u8; 2],
        next: [u8; 2],
    },
    Drawing(usize),
    /// A panel of the colour is drawn.
    Drawn {
        seat: usize,
        colour: Colour,
    },
    Attacking {
        seat: usize,
        drawn: Option<Panel>,
        may_stop: bool,
    },
    Exposing(usize),
    Over,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The seat chooses one of these.
    Act(usize, Vec<Action>),
    /// One of these panels is taken, all equally likely.
    Chance(Vec<Panel>),
    /// The points of both seats.
    Over([i32; 2]),
}

impl Table {
    /// Before the set-up.
    pub fn new(rules: &Rules) -> Self {
        let empty = [Set::EMPTY; 2];
        Self {
            rules: rules.clone(),
            codes: empty,
            standing: empty,
            pool: Panel::all(rules.deck()),
            points: [0; 2],
            missed: [Set::EMPTY; PANELS as usize],
            phase: Phase::SettingUp(None),
        }
    }

    fn of(&self, colour: Colour) -> Set<Panel> {
        self.pool.and(Panel::of(colour, self.rules.deck()))
    }

    /// What comes next.
    pub fn next(&self) -> Next {
        match self.phase {
            Phase::SettingUp(chosen) => {
                let seat = usize::from(chosen.is_some());
                Next::Act(seat, (0..=self.rules.panels).map(|dark| Action::SetUp { dark }).collect())
            }
            Phase::Taking { left, .. } => {
                let wanted = if left[0] > 0 { Colour::Dark } else { Colour::Light };
                let other = if left[0] > 0 { Colour::Light } else { Colour::Dark };
                let of = self.of(wanted);
                Next::Chance(if of.is_empty() { self.of(other) } else { of }.into_iter().collect())
            }
            Phase::Drawing(seat) => Next::Act(seat, Colour::ALL.map(|colour| Action::Draw { colour }).to_vec()),
            Phase::Drawn { colour, .. } => Next::Chance(self.of(colour).into_iter().collect()),
            Phase::Attacking { seat, may_stop, .. } => {
                let other = 1 - seat;
                let attacks = self.places(other).flat_map(|(position, panel)| {
                    let faces = self.open(other, panel).into_iter();
                    faces.map(move |face| Action::Attack { seat: Seat(other as u8), position, face })
                });
                Next::Act(seat, attacks.chain(may_stop.then_some(Action::Stop {})).collect())
            }
            Phase::Exposing(seat) => {
                Next::Act(seat, self.places(seat).map(|(position, _)| Action::Expose { position }).collect())
            }
            Phase::Over => Next::Over(self.points),
        }
    }

    /// The positions of a seat's standing panels.
    fn places(&self, seat: usize) -> impl Iterator<Item = (u8, Panel)> {
        (0u8..).zip(self.codes[seat]).filter(move |(_, panel)| self.standing[seat].contains(*panel))
    }

    /// The faces that a standing panel may have in the eyes of everybody: to name any other tells and gains nothing.
    fn open(&self, seat: usize, panel: Panel) -> Set<Face> {
        let exposed = |seat: usize| self.codes[seat].without(self.standing[seat]);
        let below = exposed(seat).into_iter().filter(|other| *other < panel).last();
        let above = exposed(seat).into_iter().find(|other| *other > panel);
        let fits = |face: &Face| {
            let named = Panel::new(panel.colour(), *face);
            let shown = exposed(0).contains(named) || exposed(1).contains(named);
            !shown && below.is_none_or(|low| low < named) && above.is_none_or(|high| named < high)
        };
        let missed = self.missed[usize::from(panel.index())];
        Face::all(self.rules.deck()).without(missed).into_iter().filter(fits).collect()
    }

    /// Chance takes a panel.
    pub fn take(&mut self, panel: Panel, events: &mut Vec<Event>) {
        self.pool.remove(panel);
        match self.phase {
            Phase::Taking { seat, mut left, next } => {
                self.codes[seat].insert(panel);
                left[usize::from(left[0] == 0)] -= 1;
                self.phase = Phase::Taking { seat, left, next };
                if left == [0, 0] {
                    self.standing[seat] = self.codes[seat];
                    let code = self.codes[seat].into_iter().map(Shown::from).collect();
                    events.push(Event::SetUp { seat: Seat(seat as u8), code });
                    if seat == 0 {
                        self.phase = Phase::Taking { seat: 1, left: next, next };
                    } else {
                        self.start_turn(0);
                    }
                }
            }
            Phase::Drawn { seat, .. } => {
                events.push(Event::Drew { seat: Seat(seat as u8), panel: panel.into() });
                self.phase = Phase::Attacking { seat, drawn: Some(panel), may_stop: false };
            }
            _ => unreachable!("chance moves only then"),
        }
    }

    /// A seat acts.
    pub fn act(&mut self, action: Action, events: &mut Vec<Event>) {
        match (self.phase, action) {
            (Phase::SettingUp(None), Action::SetUp { dark }) => {
                events.push(Event::RoundStarted { round: 1, first: Seat(0) });
                self.phase = Phase::SettingUp(Some(dark));
            }
            (Phase::SettingUp(Some(first)), Action::SetUp { dark }) => {
                let split = |dark: u8| [dark, self.rules.panels - dark];
                self.phase = Phase::Taking { seat: 0, left: split(first), next: split(dark) };
            }
            (Phase::Drawing(seat), Action::Draw { colour }) => self.phase = Phase::Drawn { seat, colour },
            (Phase::Attacking { seat, drawn, .. }, Action::Attack { position, face, .. }) => {
                self.attack(seat, drawn, position, face, events);
            }
            (Phase::Attacking { seat, drawn, .. }, Action::Stop {}) => {
                events.push(Event::Stopped { seat: Seat(seat as u8) });
                self.insert(seat, drawn, true, events);
                self.start_turn(1 - seat);
            }
            (Phase::Exposing(seat), Action::Expose { position }) => {
                self.expose(seat, position, events);
                self.start_turn(1 - seat);
            }
            _ => unreachable!("only what was offered is done"),
        }
    }

    fn attack(&mut self, seat: usize, drawn: Option<Panel>, position: u8, face: Face, events: &mut Vec<Event>) {
        let other = 1 - seat;
        let attacked = self.codes[other].into_iter().nth(position.into()).expect("a panel stands there");
        let panel = Panel::new(attacked.colour(), face);
        let hit = panel == attacked;
        events.push(Event::Attacked { seat: Seat(seat as u8), target: Seat(other as u8), position, panel, hit });
        if hit {
            self.points[seat] += 1;
            self.standing[other].remove(attacked);
            self.phase = Phase::Attacking { seat, drawn, may_stop: true };
            if self.standing[other].is_empty() {
                self.points[seat] += 3;
                events.push(Event::Eliminated { seat: Seat(other as u8), by: Some(Seat(seat as u8)) });
                self.insert(seat, drawn, true, events);
                self.end(seat, events);
            }
            return;
        }
        self.missed[usize::from(attacked.index())].insert(face);
        if drawn.is_some() {
            self.insert(seat, drawn, false, events);
            self.start_turn(other);
        } else if self.standing[seat].len() == 1 {
            let (position, _) = self.places(seat).next().expect("one panel stands");
            self.expose(seat, position, events);
            events.push(Event::Eliminated { seat: Seat(seat as u8), by: None });
            self.end(other, events);
        } else {
            self.phase = Phase::Exposing(seat);
        }
    }

    fn insert(&mut self, seat: usize, drawn: Option<Panel>, standing: bool, events: &mut Vec<Event>) {
        let Some(panel) = drawn else { return };
        self.codes[seat].insert(panel);
        if standing {
            self.standing[seat].insert(panel);
        }
        let position = self.codes[seat].into_iter().position(|other| other == panel).expect("it was put in") as u8;
        events.push(Event::Inserted { seat: Seat(seat as u8), position, panel: panel.into(), standing });
    }

    fn expose(&mut self, seat: usize, position: u8, events: &mut Vec<Event>) {
        let panel = self.codes[seat].into_iter().nth(position.into()).expect("a panel stands there");
        self.standing[seat].remove(panel);
        events.push(Event::Exposed { seat: Seat(seat as u8), position, panel });
    }

    fn start_turn(&mut self, seat: usize) {
        let left: Vec<Colour> = Colour::ALL.into_iter().filter(|colour| !self.of(*colour).is_empty()).collect();
        self.phase = match left[..] {
            [] => Phase::Attacking { seat, drawn: None, may_stop: false },
            [colour] => Phase::Drawn { seat, colour },
            _ => Phase::Drawing(seat),
        };
    }

    fn end(&mut self, winner: usize, events: &mut Vec<Event>) {
        let bonus = self.standing[winner].into_iter().map(|panel| panel.face().value()).sum();
        self.points[winner] += 5 + bonus;
        events.push(Event::RoundEnded { winner: Some(Seat(winner as u8)), bonus });
        self.phase = Phase::Over;
    }
}
