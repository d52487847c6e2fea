//! {{name}} plays Coda. Make it stronger here: protocol.rs does the talking.
mod protocol;
use protocol::{order, random_action, Action, Chance, CodaEvent, Event, Json, Start, Turn, View};

/// One match. Each match has its own Bot, so memory of a match is a field.
struct Bot {
    chance: Chance, // draw all random numbers from it, so that matches can be repeated
    missed: Vec<Vec<Vec<String>>>, // failed attacks: for each seat, the panels named at each position
}

impl Bot {
    fn new(start: &Start, chance: Chance) -> Self {
        Self {
            chance,
            missed: vec![vec![]; start.seats],
        }
    }

    fn learn(&mut self, event: &Event) {
        match CodaEvent::new(event) {
            CodaEvent::SetUp { seat, code } => self.missed[seat] = vec![vec![]; code.len()],
            CodaEvent::Attacked {
                target,
                position,
                panel,
                hit: false,
                ..
            } => self.missed[target][position].push(panel),
            // Later positions move up.
            CodaEvent::Inserted { seat, position, .. } => {
                self.missed[seat].insert(position, vec![])
            }
            _ => {}
        }
    }

    fn act(&mut self, turn: &Turn) -> Action {
        match (turn.prompt[0].kind.as_str(), &turn.prompt[0]) {
            ("set_up", legal) => self.set_up(legal["dark"].list()),
            ("draw", legal) => self.draw(legal["colour"].list()),
            ("attack", _) => self.attack(turn),
            ("expose", legal) => self.expose(legal["position"].list()),
            (_, other) => random_action(other, &mut self.chance), // the places of dashes
        }
    }

    /// An even split of the colours leaves opponents the most codes to choose from.
    fn set_up(&self, dark: &[Json]) -> Action {
        Action::new("set_up", [("dark", &dark[dark.len() / 2])])
    }

    /// Try: the colour that others hide most of.
    fn draw(&mut self, colours: &[Json]) -> Action {
        Action::new("draw", [("colour", self.chance.pick(colours))])
    }

    fn attack(&mut self, turn: &Turn) -> Action {
        let mut places = View::places(turn, |view, seat, position, face| {
            self.fits(view, seat, position, face)
        });
        self.chance.shuffle(&mut places); // so that ties are broken at random
        let best = places
            .iter()
            .min_by_key(|place| place.faces.len())
            .expect("there is always one");
        if turn.may("stop") && best.faces.len() > 2 {
            return Action::plain("stop"); // a miss exposes the panel that you drew. Try: 1 or 3.
        }
        best.naming(self.chance.pick(&best.faces))
    }

    /// Returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps.
    fn fits(&self, view: &View, seat: usize, position: usize, face: &str) -> bool {
        let row = &view.codes[seat].panels;
        let panel = format!("{}{face}", &row[position][..1]); // such as D7 or L11; the colour, D or L, is visible
        let mut exposed = row
            .iter()
            .enumerate()
            .filter(|(_, other)| order(other).is_some());
        let in_order = face == "-"
            || exposed.all(|(at, other)| (at < position) == (order(other) < order(&panel)));
        in_order && !view.sees(&panel) && !self.missed[seat][position].contains(&panel)
    }

    /// Exposes the lowest panel, which is worth least.
    fn expose(&self, all: &[Json]) -> Action {
        Action::new("expose", [("position", &all[0])])
    }
}

fn main() {
    protocol::play("{{name}}", &["{{game}}"])
}
