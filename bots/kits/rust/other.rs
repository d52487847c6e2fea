//! {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.rs does the talking.
mod protocol;
use protocol::{random_action, Action, Chance, Event, Legal, Start, Turn};

/// One match. Each match has its own Bot, so memory of a match is a field.
struct Bot {
    chance: Chance, // draw all random numbers from it, so that matches can be repeated
}

impl Bot {
    /// `start` has the `rules`, your `seat`, and how many `seats` there are.
    fn new(_start: &Start, chance: Chance) -> Self {
        Self { chance }
    }

    /// Receives each event once, as you see it: remember what matters.
    fn learn(&mut self, _event: &Event) {}

    /// Try: decide by `turn.view`, the table as you see it.
    fn act(&mut self, turn: &Turn) -> Action {
        let legal = self.chance.pick(&turn.prompt);
        match legal.kind.as_str() {
            // {{each}}
            "{{kind}}" => self.answer_{{kind}}(legal),
            // {{end}}
            _ => random_action(legal, &mut self.chance),
        }
    }
    // {{each}}

    /// {{help}}
    fn answer_{{kind}}(&mut self, legal: &Legal) -> Action {
        random_action(legal, &mut self.chance)
    }
    // {{end}}
}

fn main() {
    protocol::play("{{name}}", &["{{game}}"])
}
