//! Implements [`Table`] for a match of a concrete game.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;

use super::{Builtin, Happening, Json, Knowledge, RawRecord, Refused, Table, Wants, action};
use crate::deduction::Deduction;
use crate::fault::Fault;
use crate::frames::{Frame, frames, guesses};
use crate::game::{Game, Prompt as _, View as _, Vocabulary};
use crate::insight::{Insight, insights};
use crate::machine::Match;
use crate::outcome::Verdict;
use crate::player::{self, Player, Start, bot_seed};
use crate::record::{Record, RecordOf, Replied, Reply};
use crate::replay::BadRecord;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// A match, with the built-in bots that play or advise in it.
pub struct Typed<G: Game> {
    game: Match<G>,
    bots: BySeat<Option<Box<dyn Player<G>>>>,
    /// The replies that bots have chosen but not yet made.
    chosen: BySeat<Option<Reply<G::Action>>>,
    /// The views of the seats that have asked for one.
    views: BySeat<Option<G::View>>,
    /// The view of the spectators, and the number of events that they have been shown.
    public: Option<(G::View, usize)>,
    /// The bots that advise people, by seat.
    advisers: BySeat<Option<Adviser<G>>>,
}

/// A bot that follows a person's match, with the number of events that it has been handed.
type Adviser<G> = (Box<dyn Player<G>>, usize);

impl<G: Game> Typed<G> {
    pub fn new(game: Match<G>) -> Self {
        let seats = game.record().seats;
        Self {
            game,
            bots: BySeat::new(seats, |_| None),
            chosen: BySeat::new(seats, |_| None),
            views: BySeat::new(seats, |_| None),
            public: None,
            advisers: BySeat::new(seats, |_| None),
        }
    }

    /// Creates a bot and starts its match.
    fn join(&self, seat: Seat, bot: &Builtin, move_ms: Option<u64>) -> Option<Box<dyn Player<G>>> {
        let mut player = bot.make::<G>()?;
        let record = self.game.record();
        player.start(&Start {
            rules: &record.rules,
            seat,
            seats: record.seats,
            seed: bot_seed(record.seed, seat),
            move_ms,
        });
        Some(player)
    }

    /// Returns the view of a seat, and keeps it up to date from now on.
    fn followed(&mut self, seat: Seat) -> &mut G::View {
        let (game, record) = (&self.game, self.game.record());
        self.views[seat].get_or_insert_with(|| {
            let mut view = G::View::new(&record.rules, record.seats, seat);
            for event in &game.events()[..game.seen(seat)] {
                G::shown_to(event, seat)
                    .iter()
                    .for_each(|event| view.see(event));
            }
            view
        })
    }

    /// Returns the events since the seat's last turn, and updates the seat's view if there is one.
    fn new_events(&mut self, seat: Seat) -> Vec<G::Event> {
        let events: Vec<G::Event> = self.game.new_events(seat).collect();
        if let Some(view) = &mut self.views[seat] {
            events.iter().for_each(|event| view.see(event));
        }
        events
    }

    /// Asks the built-in bot in this seat for a reply.
    fn choice(&mut self, seat: Seat) -> Reply<G::Action> {
        match &mut self.bots[seat] {
            Some(bot) => player::act(&mut self.game, seat, bot.as_mut()),
            None => Reply::Failed(Fault::left()),
        }
    }

    fn take(&mut self, seat: Seat, reply: Reply<G::Action>) -> Result<(), Refused> {
        Ok(self.game.reply(seat, reply)?)
    }
}

impl<G: Game> Table for Typed<G> {
    fn to_act(&self) -> Set<Seat> {
        self.game.to_act()
    }

    fn replies(&self) -> usize {
        self.game.record().replies.len()
    }

    fn verdict(&self) -> Option<&Verdict> {
        self.game.verdict()
    }

    fn broken(&self) -> Option<&str> {
        self.game.broken()
    }

    fn fault(&self, seat: Seat) -> Option<&Fault> {
        self.game.fault(seat)
    }

    fn record(&self) -> RawRecord {
        let record: &RecordOf<G> = self.game.record();
        let replies = record.replies.iter();
        Record {
            game: record.game.clone(),
            rules_version: record.rules_version,
            rules: Json::new(&record.rules),
            seats: record.seats,
            seed: record.seed,
            replies: replies
                .map(|Replied(seat, reply)| Replied(*seat, reply.as_ref().map(Json::new)))
                .collect(),
        }
    }

    fn record_text(&self) -> Json {
        Json::new(self.game.record())
    }

    fn reply(&mut self, seat: Seat, reply: Reply<&str>) -> Result<(), Refused> {
        let reply = match reply {
            Reply::Act(text) => Reply::Act(action::read(text).map_err(Refused::Unreadable)?),
            Reply::Late => Reply::Late,
            Reply::Failed(fault) => Reply::Failed(fault),
        };
        self.take(seat, reply)
    }

    fn write_turn(&mut self, seat: Seat, wants: Wants, line: &mut Vec<u8>) {
        if wants.view {
            self.followed(seat);
        }
        let mut events = self.new_events(seat);
        if !wants.events {
            events.clear();
        }
        line.extend_from_slice(b"\"events\":");
        write(line, &events);
        line.extend_from_slice(b",\"prompt\":");
        write(line, &self.game.prompt(seat));
        if let (true, Some(view)) = (wants.view, &self.views[seat]) {
            line.extend_from_slice(b",\"view\":");
            write(line, view);
        }
        line.push(b',');
    }

    fn write_events(&mut self, seat: Seat, line: &mut Vec<u8>) {
        let events = self.new_events(seat);
        write(line, &events);
    }

    fn seat(&mut self, seat: Seat, bot: &Builtin, move_ms: Option<u64>) -> bool {
        let player = self.join(seat, bot, move_ms);
        self.bots[seat] = player;
        self.bots[seat].is_some()
    }

    fn choose(&mut self, seat: Seat) {
        self.chosen[seat] = Some(self.choice(seat));
    }

    fn reply_as_chosen(&mut self, seat: Seat) -> Result<(), Refused> {
        let chosen = self.chosen[seat].take();
        self.take(seat, chosen.unwrap_or(Reply::Failed(Fault::left())))
    }

    fn bots_play(&mut self) {
        loop {
            let mut to_act = self.game.to_act().into_iter();
            let Some(seat) = to_act.find(|seat| self.bots[*seat].is_some()) else {
                return;
            };
            let reply = self.choice(seat);
            if self.game.reply(seat, reply).is_err() {
                return;
            }
        }
    }

    fn end_bots(&mut self) {
        let Some(verdict) = self.game.verdict() else {
            return;
        };
        let outcome = verdict.outcome.clone();
        for (seat, bot) in Seat::all(self.bots.len())
            .into_iter()
            .zip(self.bots.iter_mut())
        {
            if let (Some(bot), None) = (bot, self.game.fault(seat)) {
                bot.end(&mut self.game.new_events(seat), &outcome);
            }
        }
    }

    fn prompt(&self, seat: Seat) -> Json {
        Json::new(&self.game.prompt(seat))
    }

    fn view(&mut self, seat: Seat) -> Json {
        Json::new(self.followed(seat))
    }

    fn news(&mut self, seat: Seat, names: &BySeat<String>) -> Vec<Happening> {
        self.followed(seat);
        let events: Vec<G::Event> = self.game.new_events(seat).collect();
        let view = self.followed(seat);
        events
            .iter()
            .map(|event| happening::<G>(event, view, names))
            .collect()
    }

    fn public_news(&mut self, names: &BySeat<String>) -> Vec<Happening> {
        let (events, record) = (self.game.events(), self.game.record());
        let (view, shown) = self
            .public
            .get_or_insert_with(|| (G::View::new(&record.rules, record.seats, Seat(0)), 0));
        let seats = record.seats;
        let new = events[*shown..].iter();
        let new = new.filter_map(|event| G::seen_by_all(event, seats));
        *shown = events.len();
        new.map(|event| happening::<G>(&event, view, names))
            .collect()
    }

    fn check(&self, seat: Seat, action: &str) -> Result<Json, String> {
        let action = action::read::<G::Action>(action)?;
        let permitted = self.game.prompt(seat).permits(&action);
        permitted.map_err(|illegal| illegal.0)?;
        Ok(Json::new(&action))
    }

    fn advise(&mut self, seat: Seat, bot: &Builtin) -> Option<Json> {
        // Drop an adviser that panics. The next request creates a new one, which sees all events again.
        let adviser = self.advisers[seat].take();
        let prompt = self.game.prompt(seat);
        let advised = catch_unwind(AssertUnwindSafe(|| {
            let (mut player, seen) = match adviser {
                Some(adviser) => adviser,
                None => (self.join(seat, bot, None)?, 0),
            };
            let events = self.game.events();
            let mut new = events[seen..]
                .iter()
                .filter_map(|event| G::shown_to(event, seat));
            let action = player.act(&mut new, &prompt);
            Some((player, events.len(), action))
        }));
        let (player, seen, action) = advised.ok()??;
        self.advisers[seat] = Some((player, seen));
        prompt.permits(&action).is_ok().then(|| Json::new(&action))
    }

    fn knowledge(&self, seat: Seat) -> Option<Box<dyn Knowledge>> {
        let record = self.game.record();
        let mut known = G::deduction(&record.rules, record.seats, seat)?;
        for event in self.game.events() {
            G::shown_to(event, seat)
                .iter()
                .for_each(|event| known.see(event));
        }
        Some(Box::new(known))
    }

    fn events(&self) -> Vec<Json> {
        self.game.events().iter().map(Json::new).collect()
    }

    fn sentences(&self, seat: Option<Seat>, names: &BySeat<String>) -> Vec<String> {
        let events = self.game.events().iter();
        if let Some(seat) = seat {
            return events
                .filter_map(|event| Some(G::describe(&G::shown_to(event, seat)?, names)))
                .collect();
        }
        let record = self.game.record();
        let mut view = G::View::new(&record.rules, record.seats, Seat(0));
        let mut sentences = Vec::new();
        for event in events {
            view.see(event);
            sentences.push(G::describe(event, names));
            sentences.extend(G::drawn(event, &view, names));
        }
        sentences
    }

    fn frames(
        &self,
        names: &BySeat<String>,
        guesses: Option<usize>,
    ) -> Result<Vec<Frame>, BadRecord> {
        frames::<G>(self.game.record(), names, guesses)
    }

    fn insights(&self, most: usize) -> Result<Vec<Insight<Json>>, BadRecord> {
        let insights = insights::<G>(self.game.record(), most)?.into_iter();
        let raw = insights.map(|insight| Insight {
            turn: insight.turn,
            seat: insight.seat,
            action: insight.action.as_ref().map(Json::new),
            worlds: insight.worlds,
            chance: insight.chance,
            likeliest: guesses(insight.likeliest),
            learned: insight.learned,
        });
        Ok(raw.collect())
    }
}

impl<E, A: Vocabulary> Knowledge for Box<dyn Deduction<E, A>> {
    fn worlds(&mut self) -> Option<f64> {
        (**self).worlds()
    }

    fn guesses(&mut self, most: usize) -> Vec<(Json, f64)> {
        guesses((**self).guesses(most))
    }

    fn chance(&mut self, action: &str) -> Option<f64> {
        (**self).chance(&action::read(action).ok()?)
    }
}

/// Adds an event to a view, and returns both for people.
fn happening<G: Game>(event: &G::Event, view: &mut G::View, names: &BySeat<String>) -> Happening {
    view.see(event);
    Happening {
        event: Json::new(event),
        sentence: G::describe(event, names),
        view: Json::new(view),
    }
}

fn write(line: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(line, value).expect("types that leave the engine can be written as JSON");
}
