//! Bids its highest card for a prize of 4 or 5, and its lowest for any other.
mod json;
use json::{parse, Json};

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let message = parse(&line).expect("the arena sends JSON");
        match message.only() {
            ("hello", _) => println!(r#"{{"ready":{{"games":["bids"]}}}}"#),
            ("turn", turn) => {
                let prizes = turn["events"].list().iter();
                let prizes = prizes.map(|event| event["prize"]["worth"].number());
                let is_worth_it = prizes.rev().find(|worth| *worth > 0) >= Some(4);
                let cards = turn["prompt"][0]["bid"]["card"].list().iter();
                let cards = cards.map(Json::number);
                let card = if is_worth_it {
                    cards.max()
                } else {
                    cards.min()
                };
                let (id, card) = (&turn["id"], card.expect("a hand is not empty"));
                println!(r#"{{"id":{id},"action":{{"bid":{{"card":{card}}}}}}}"#);
            }
            ("error", error) => eprintln!("{}", error["message"].text()), // the bot's log
            _ => {}
        }
    }
}
