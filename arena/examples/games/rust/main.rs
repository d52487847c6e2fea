//! Bids: all seats bid a card in secret, and the highest card that no other seat bid wins the prize.
mod json;
mod referee;
use json::{Fields, Json};
use referee::{Game, Illegal, News, Prompts, Start, Views};

const CARDS: i64 = 10;
const PRIZES: i64 = 5;

struct Bids {
    prizes: Vec<i64>,     // the next one first
    hands: Vec<Vec<i64>>, // by seat
    points: Vec<i64>,     // by seat
    playing: Vec<usize>,
    bids: Vec<Option<i64>>, // by seat
}

impl Game for Bids {
    const FACTS: &'static str = r#"{
        "name": "bids",
        "title": "Bids",
        "seats": [2, 4],
        "points": [0, 15],
        "rules": {"rounds": {"default": 5, "about": "number of prizes, 1 to 5"}},
        "forms": [{"action": "bid", "help": "Bid a card in secret.", "fields": [{"name": "card"}]}],
        "players": {"seat": ["winner"], "by_seat": ["hands", "cards", "points"]}
    }"#;

    /// Deals a match. All randomness comes from `start.chance`, so that the same seed gives the same match.
    fn deal(start: &mut Start, news: &mut News) -> Result<Self, Illegal> {
        let (seats, rounds) = (start.seats, start.rules["rounds"].number());
        if !(1..=PRIZES).contains(&rounds) {
            let why = format!("rounds must be 1 to {PRIZES}, not {rounds}");
            return Err(Illegal(why));
        }
        let prizes = start.chance.sample(1..=PRIZES, rounds as usize);
        let hand = |_| start.chance.sample(1..=CARDS, rounds as usize);
        let mut hands: Vec<_> = (0..seats).map(hand).collect();
        hands.iter_mut().for_each(|hand| hand.sort());
        let dealt = Self {
            prizes,
            hands,
            points: vec![0; seats],
            playing: (0..seats).collect(),
            bids: vec![None; seats],
        };
        // Each seat sees its own hand, and only that the others have one.
        news.say("deal", &[("hands", &dealt.hands)], "The cards are dealt.");
        for (seat, hand) in dealt.hands.iter().enumerate() {
            news.show(seat, "deal", &[("hand", hand)]);
        }
        dealt.reveal(news);
        Ok(dealt)
    }

    /// Offers options to each seat that has to act, with the legal values of each field.
    fn act(&self, prompts: &mut Prompts) {
        for &seat in &self.playing {
            if !self.prizes.is_empty() && self.bids[seat].is_none() {
                prompts.offer(seat, "bid", &[("card", &self.hands[seat])]);
            }
        }
    }

    /// Shows each seat the table as it sees it now. Without this function, seats only see events.
    fn views(&self, views: &mut Views) {
        for (seat, hand) in self.hands.iter().enumerate() {
            let prize = self.prizes.first().copied();
            views.show(
                seat,
                &[("prize", &prize), ("points", &self.points), ("hand", hand)],
            );
        }
    }

    /// Carries out an action that the seat's prompt offers. Other seats do not see it until all have bid.
    fn play(&mut self, seat: usize, action: &Json, news: &mut News) {
        self.bids[seat] = Some(action["bid"]["card"].number());
        self.open(news);
    }

    /// Bids the lowest card of a seat that is late. Without this function, the seat would forfeit.
    fn late(&mut self, seat: usize, news: &mut News) -> Result<(), Illegal> {
        self.bids[seat] = self.hands[seat].iter().min().copied();
        self.open(news);
        Ok(())
    }

    /// Removes seats that forfeit. The last seat wins all remaining prizes.
    fn withdraw(&mut self, seats: &[usize], news: &mut News) {
        self.playing.retain(|seat| !seats.contains(seat));
        if self.playing.len() > 1 {
            return self.open(news);
        }
        let worth: i64 = self.prizes.drain(..).sum();
        for &seat in &self.playing {
            self.points[seat] += worth;
            let said = format_args!("@{seat} is alone, and wins {worth}.");
            news.say("walkover", &[("winner", &seat), ("worth", &worth)], said);
        }
    }

    /// Returns the points of all seats, once nobody has to act.
    fn end(&self) -> Fields<'_> {
        vec![("points", &self.points)]
    }
}

impl Bids {
    /// Shows the next prize, if there is one.
    fn reveal(&self, news: &mut News) {
        if let Some(worth) = self.prizes.first() {
            let said = format_args!("The prize is worth {worth}.");
            news.say("prize", &[("worth", worth)], said);
        }
    }

    /// Reveals the bids once all seats have bid.
    fn open(&mut self, news: &mut News) {
        if self.playing.iter().any(|&seat| self.bids[seat].is_none()) {
            return;
        }
        let cards = &self.bids;
        let times = |card| cards.iter().flatten().filter(|bid| *bid == card).count();
        let best = cards
            .iter()
            .flatten()
            .filter(|card| times(*card) == 1)
            .max();
        let winner = best.and_then(|best| cards.iter().position(|bid| *bid == Some(*best)));
        let bid = |(seat, bid): (usize, &Option<i64>)| Some(format!("@{seat} {}", (*bid)?));
        let said: Vec<String> = cards.iter().enumerate().filter_map(bid).collect();
        let mut said = format!("Bids: {}", said.join(", "));
        if let Some(winner) = winner {
            self.points[winner] += self.prizes[0];
            said += &format!("; @{winner} wins the prize");
        }
        said.push('.');
        news.say("opened", &[("cards", cards), ("winner", &winner)], said);
        for (hand, bid) in self.hands.iter_mut().zip(&mut self.bids) {
            let bid = bid.take();
            hand.retain(|card| Some(*card) != bid);
        }
        self.prizes.remove(0);
        self.reveal(news);
    }
}

fn main() {
    referee::play::<Bids>();
}
