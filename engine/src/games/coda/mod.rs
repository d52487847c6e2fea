//! Coda, also sold as Da Vinci Code: expose the others' codes before yours is exposed; official tournament scoring.

pub mod panel;
pub mod view;
pub mod words;

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use self::panel::{Colour, Face, NUMBERS, PANELS, Panel, Shown};
use self::view::{Counts, Row, SCORING, View, scored};
use self::words::{Action, Choice, Event, Prompt, Rules};
use crate::chance::Seed;
use crate::game::{Ask, Game, Illegal, Late, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// A game of Coda: several rounds, with the points added up.
#[derive(Clone, Debug)]
pub struct Coda {
    rules: Rules,
    seed: Seed,
    /// Seats that have not forfeited.
    playing: Set<Seat>,
    round: u8,
    /// How many panels a seat takes at the set-up of this round: 4, or 3 when four play.
    hand: u8,
    codes: BySeat<Row<Panel>>,
    pool: Set<Panel>,
    /// Each seat's own order of preference over the panels of each colour: a draw takes the first still in the pool,
    /// so that a seat's luck depends as little as possible on what the others do.
    orders: BySeat<[[Panel; NUMBERS as usize]; 2]>,
    counts: BySeat<Counts>,
    late: BySeat<u8>,
    phase: Phase,
}

/// Whose move it is, and of what kind.
#[derive(Clone, Debug)]
enum Phase {
    /// The seats take their first panels; these have said how many dark ones.
    SettingUp(BySeat<Option<u8>>),
    /// The seat chooses the colour of the panel it draws.
    Drawing(Seat),
    /// The seat attacks, or stops after a hit.
    Attacking {
        seat: Seat,
        drawn: Option<Panel>,
        may_stop: bool,
    },
    /// The seat missed with an empty pool and exposes one of its own panels.
    Exposing(Seat),
    Over,
}

impl Game for Coda {
    const NAME: &'static str = "coda";
    const TITLE: &'static str = "Coda";
    const SEATS: RangeInclusive<usize> = 2..=4;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = SCORING;
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, seed: Seed, tell: &mut Vec<Event>) -> Self {
        let mut coda = Self {
            rules: rules.clone(),
            seed,
            playing: Seat::all(seats),
            round: 0,
            hand: 0,
            codes: BySeat::new(seats, |_| Row::empty()),
            pool: Set::EMPTY,
            orders: BySeat::new(seats, |_| unshuffled()),
            counts: BySeat::new(seats, |_| [0; SCORING.len()]),
            late: BySeat::new(seats, |_| 0),
            phase: Phase::Over,
        };
        coda.start_round(tell);
        coda
    }

    fn turn(&self) -> Turn {
        match &self.phase {
            Phase::SettingUp(chosen) => Turn::Act(self.playing.into_iter().filter(|s| chosen[*s].is_none()).collect()),
            Phase::Drawing(seat) | Phase::Attacking { seat, .. } | Phase::Exposing(seat) => Turn::Act(Set::one(*seat)),
            Phase::Over => {
                Turn::Over(Outcome::by_points(SCORING, &self.counts.map(|counts| Breakdown::new(SCORING, counts))))
            }
        }
    }

    fn prompt(&self, seat: Seat) -> Prompt {
        let mut options = ArrayVec::new();
        match &self.phase {
            Phase::SettingUp(_) => options.push(Choice::SetUp { dark: Set::below(self.hand + 1) }),
            Phase::Drawing(_) => options.push(Choice::Draw { colour: self.colours_left() }),
            Phase::Attacking { may_stop, .. } => {
                let opponents = self.codes.seats().filter(|(other, code)| *other != seat && !code.standing.is_empty());
                options.extend(opponents.map(|(other, code)| Choice::Attack {
                    seat: Set::one(other),
                    position: code.standing,
                    face: Face::all(),
                }));
                if *may_stop {
                    options.push(Choice::Stop {});
                }
            }
            Phase::Exposing(_) => options.push(Choice::Expose { position: self.codes[seat].standing }),
            Phase::Over => {}
        }
        Prompt(options)
    }

    fn play(&mut self, seat: Seat, action: &Action, tell: &mut Vec<Event>) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match (*action, &mut self.phase) {
            (Action::SetUp { dark }, Phase::SettingUp(chosen)) => {
                chosen[seat] = Some(dark);
                self.finish_set_up(tell);
            }
            (Action::Draw { colour }, _) => self.draw(seat, colour, tell),
            (Action::Attack { seat: target, position, face }, Phase::Attacking { drawn, .. }) => {
                let drawn = *drawn;
                self.attack(seat, drawn, target, position, face, tell);
            }
            (Action::Stop {}, Phase::Attacking { drawn, .. }) => {
                let drawn = *drawn;
                tell.push(Event::Stopped { seat });
                self.put_in(seat, drawn, Side::Standing, tell);
                self.next_turn(seat, tell);
            }
            (Action::Expose { position }, _) => {
                self.expose(seat, position, tell);
                self.after_exposure(seat, seat, tell);
            }
            _ => unreachable!("the prompt permits only what the phase asks for"),
        }
        Ok(())
    }

    fn overdue(&mut self, seat: Seat, tell: &mut Vec<Event>) -> Late {
        self.late[seat] += 1;
        if self.late[seat] > self.rules.late_moves {
            return Late::Forfeit;
        }
        tell.push(Event::Late { seat });
        let which = u64::from(self.round) << 16 | u64::from(self.late[seat]) << 8 | u64::from(seat.0);
        let mut chance = self.seed.stream("late", which);
        match &self.phase {
            Phase::SettingUp(_) | Phase::Drawing(_) => {
                let action = self.sample(seat, &mut chance);
                self.play(seat, &action, tell).expect("a sampled action is legal");
            }
            Phase::Attacking { drawn: Some(drawn), .. } => {
                let drawn = *drawn;
                self.put_in(seat, Some(drawn), Side::Exposed, tell);
                self.next_turn(seat, tell);
            }
            Phase::Attacking { drawn: None, .. } | Phase::Exposing(_) => {
                let lowest = self.codes[seat].standing.first().expect("a seat that acts has a standing panel");
                self.expose(seat, lowest, tell);
                self.after_exposure(seat, seat, tell);
            }
            Phase::Over => unreachable!("nobody is late once it is over"),
        }
        Late::Penalty
    }

    fn withdraw(&mut self, seats: Set<Seat>, tell: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        for seat in seats {
            tell.push(Event::Withdrew { seat });
            if let Phase::Attacking { seat: attacker, drawn, .. } = self.phase
                && attacker == seat
            {
                self.put_in(seat, drawn, Side::Exposed, tell);
            }
            let standing = self.codes[seat].standing;
            standing.into_iter().for_each(|position| self.expose(seat, position, tell));
        }
        match self.phase {
            Phase::Over => {}
            Phase::SettingUp(_) if self.playing.len() > 1 => self.finish_set_up(tell),
            Phase::SettingUp(_) => self.end_round(self.playing.first(), tell),
            Phase::Drawing(seat) | Phase::Attacking { seat, .. } | Phase::Exposing(seat) => {
                let acting = if seats.contains(seat) { Next::Turn } else { Next::Same };
                self.go_on(seat, acting, tell);
            }
        }
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match event {
            Event::SetUp { seat: owner, code } if *owner != seat => {
                Event::SetUp { seat: *owner, code: code.iter().map(|panel| panel.hidden()).collect() }
            }
            Event::Drew { seat: owner, panel } if *owner != seat => Event::Drew { seat: *owner, panel: panel.hidden() },
            Event::Inserted { seat: owner, position, panel, standing: true } if *owner != seat => {
                Event::Inserted { seat: *owner, position: *position, panel: panel.hidden(), standing: true }
            }
            Event::RoundStarted { .. }
            | Event::SetUp { .. }
            | Event::Drew { .. }
            | Event::Attacked { .. }
            | Event::Stopped { .. }
            | Event::Inserted { .. }
            | Event::Exposed { .. }
            | Event::Eliminated { .. }
            | Event::Late { .. }
            | Event::Withdrew { .. }
            | Event::RoundEnded { .. } => event.clone(),
        }
    }

    fn told(event: &Event, names: &BySeat<String>) -> String {
        words::told(event, names)
    }
}

/// How a drawn panel enters the code.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Standing,
    Exposed,
}

/// Who acts when the round goes on.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// The same seat, in the same phase.
    Same,
    /// The next seat begins its turn.
    Turn,
}

impl Coda {
    fn seats(&self) -> usize {
        self.codes.len()
    }

    fn start_round(&mut self, tell: &mut Vec<Event>) {
        self.round += 1;
        self.hand = if self.playing.len() == 4 { 3 } else { 4 };
        self.pool = Panel::all();
        for seat in Seat::all(self.seats()) {
            self.codes[seat] = Row::empty();
            self.orders[seat] = unshuffled();
            let mut chance = self.seed.stream("draws", u64::from(self.round) << 8 | u64::from(seat.0));
            self.orders[seat].iter_mut().for_each(|order| chance.shuffle(order));
        }
        tell.push(Event::RoundStarted { round: self.round, first: self.first() });
        self.phase = Phase::SettingUp(BySeat::new(self.seats(), |_| None));
    }

    /// The seat that plays first in this round: it rotates from round to round.
    fn first(&self) -> Seat {
        let turn = (self.round as usize - 1) % self.seats();
        Seat(turn as u8).or_next(self.seats(), self.playing).expect("somebody plays")
    }

    /// Deals the first panels once every seat that plays has chosen its colours, beginning with the first seat.
    fn finish_set_up(&mut self, tell: &mut Vec<Event>) {
        let Phase::SettingUp(chosen) = &self.phase else { return };
        if self.playing.into_iter().any(|seat| chosen[seat].is_none()) {
            return;
        }
        let chosen = chosen.clone();
        let first = self.first();
        let seats = self.seats();
        let round_the_table = (0..seats).map(|step| Seat(((first.index() + step) % seats) as u8));
        let playing = self.playing;
        for seat in round_the_table.filter(|seat| playing.contains(*seat)) {
            let dark = chosen[seat].expect("every seat that plays has chosen");
            let mut panels = ArrayVec::<Panel, { PANELS as usize }>::new();
            panels.extend((0..self.hand).map(|nth| {
                let colour = if nth < dark { Colour::Dark } else { Colour::Light };
                self.take(seat, colour)
            }));
            panels.sort_unstable();
            tell.push(Event::SetUp { seat, code: panels.iter().map(|panel| Shown::from(*panel)).collect() });
            self.codes[seat] = Row::standing(panels);
        }
        self.start_turn(first, tell);
    }

    /// Takes the panel of that colour which the seat prefers of those in the pool.
    fn take(&mut self, seat: Seat, colour: Colour) -> Panel {
        let order = &self.orders[seat][colour as usize];
        let panel = *order.iter().find(|panel| self.pool.contains(**panel)).expect("the colour is in the pool");
        self.pool.remove(panel);
        panel
    }

    fn colours_left(&self) -> Set<Colour> {
        self.pool.into_iter().map(Panel::colour).collect()
    }

    /// The seat draws, if there is something to draw, and attacks.
    fn start_turn(&mut self, seat: Seat, tell: &mut Vec<Event>) {
        let colours = self.colours_left();
        if colours.is_empty() {
            self.phase = Phase::Attacking { seat, drawn: None, may_stop: false };
        } else if let Some(colour) = colours.only() {
            self.draw(seat, colour, tell);
        } else {
            self.phase = Phase::Drawing(seat);
        }
    }

    fn draw(&mut self, seat: Seat, colour: Colour, tell: &mut Vec<Event>) {
        let panel = self.take(seat, colour);
        tell.push(Event::Drew { seat, panel: panel.into() });
        self.phase = Phase::Attacking { seat, drawn: Some(panel), may_stop: false };
    }

    fn attack(
        &mut self,
        seat: Seat,
        drawn: Option<Panel>,
        target: Seat,
        position: u8,
        face: Face,
        tell: &mut Vec<Event>,
    ) {
        let attacked = self.codes[target].panels[usize::from(position)];
        let panel = Panel::new(attacked.colour(), face);
        let hit = panel == attacked;
        self.tell(Event::Attacked { seat, target, position, panel, hit }, tell);
        if hit {
            self.codes[target].standing.remove(position);
            self.phase = Phase::Attacking { seat, drawn, may_stop: true };
            self.after_exposure(target, seat, tell);
        } else if drawn.is_some() {
            self.put_in(seat, drawn, Side::Exposed, tell);
            self.next_turn(seat, tell);
        } else if let Some(last) = self.codes[seat].standing.only() {
            self.expose(seat, last, tell);
            self.after_exposure(seat, seat, tell);
        } else {
            self.phase = Phase::Exposing(seat);
        }
    }

    /// Turns over a panel of the seat's own code.
    fn expose(&mut self, seat: Seat, position: u8, tell: &mut Vec<Event>) {
        self.codes[seat].standing.remove(position);
        let panel = self.codes[seat].panels[usize::from(position)];
        tell.push(Event::Exposed { seat, position, panel });
    }

    /// Puts the drawn panel, if there is one, into the code of the seat that drew it.
    fn put_in(&mut self, seat: Seat, drawn: Option<Panel>, side: Side, tell: &mut Vec<Event>) {
        let Some(panel) = drawn else { return };
        let code = &mut self.codes[seat];
        let position = code.panels.iter().filter(|other| **other < panel).count() as u8;
        let standing = side == Side::Standing;
        code.insert(position, panel, standing);
        tell.push(Event::Inserted { seat, position, panel: panel.into(), standing });
    }

    /// A panel of `exposed` was turned over in the turn of `acting`: eliminates its owner if it was the last.
    fn after_exposure(&mut self, exposed: Seat, acting: Seat, tell: &mut Vec<Event>) {
        if self.codes[exposed].standing.is_empty() {
            let by = (exposed != acting).then_some(acting);
            self.tell(Event::Eliminated { seat: exposed, by }, tell);
        }
        self.go_on(acting, if exposed == acting { Next::Turn } else { Next::Same }, tell);
    }

    /// The turn of `seat` is over.
    fn next_turn(&mut self, seat: Seat, tell: &mut Vec<Event>) {
        self.go_on(seat, Next::Turn, tell);
    }

    /// Ends the round if at most one code stands; otherwise lets the next one act.
    fn go_on(&mut self, acting: Seat, next: Next, tell: &mut Vec<Event>) {
        let alive: Set<Seat> =
            self.codes.seats().filter(|(_, c)| !c.standing.is_empty()).map(|(seat, _)| seat).collect();
        if alive.len() < 2 {
            self.end_round(alive.first(), tell);
        } else if next == Next::Turn {
            let seat = acting.next(self.seats(), alive).expect("two codes stand");
            self.start_turn(seat, tell);
        }
    }

    fn end_round(&mut self, winner: Option<Seat>, tell: &mut Vec<Event>) {
        if let Phase::Attacking { seat, drawn, .. } = self.phase
            && winner == Some(seat)
        {
            self.put_in(seat, drawn, Side::Standing, tell);
        }
        let bonus = winner.map_or(0, |seat| {
            let code = &self.codes[seat];
            code.standing.into_iter().map(|place| code.panels[usize::from(place)].face().value()).sum()
        });
        self.tell(Event::RoundEnded { winner, bonus }, tell);
        if self.round < self.rules.rounds && self.playing.len() > 1 {
            self.start_round(tell);
        } else {
            self.phase = Phase::Over;
        }
    }

    /// Tells an event that may score, and scores it.
    fn tell(&mut self, event: Event, tell: &mut Vec<Event>) {
        if let Some((seat, scored)) = scored(&event) {
            self.counts[seat].iter_mut().zip(scored).for_each(|(count, more)| *count += more);
        }
        tell.push(event);
    }
}

/// The panels of both colours in order.
fn unshuffled() -> [[Panel; NUMBERS as usize]; 2] {
    Colour::BOTH.map(|colour| {
        let mut panels = Panel::of(colour);
        std::array::from_fn(|_| panels.next().expect("a panel for each number"))
    })
}
