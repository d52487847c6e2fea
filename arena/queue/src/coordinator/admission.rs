//! Workers that offer to play, and what they say of how they are getting on.

use arena_tournament::printable::clean;
use arena_tournament::spec::Spec;
use async_nats::Message;

use super::Desk;
use super::stage::{Lost, Stage};
use super::workers::Change;
use crate::message::{self, Answer, Hello, Status};
use arena_session::{Observer, Ongoing};

/// The most workers that are turned away by name.
const MOST_REFUSED: usize = 1_000;

impl Desk {
    /// Answers a worker that offers to play.
    pub(super) async fn admit(&mut self, offer: Message, observer: &mut impl Observer) {
        let (Some(reply), Ok(hello)) = (offer.reply, serde_json::from_slice::<Hello>(&offer.payload)) else { return };
        let answer = match self.objection(&hello) {
            Some(why) => {
                self.once(observer, format!("worker {} is refused: {why}", message::shortened(&hello.worker)));
                Answer::Refused(why)
            }
            None if self.workers.has_namesake(&hello) => {
                Answer::NotNow(format!("a worker named {} is here already: wait, or take another --name", hello.worker))
            }
            None => {
                self.refused.remove(&hello.worker);
                self.meet(hello, observer);
                Answer::Welcome(Box::new(self.welcome.clone()))
            }
        };
        // A worker that gets no answer offers again.
        let _ = self.client.publish(reply, message::encode(&answer).into()).await;
    }

    fn meet(&mut self, hello: Hello, observer: &mut impl Observer) {
        let name = hello.worker.clone();
        let is_new = !self.workers.is_here(&name);
        self.workers.join(hello);
        for (_, worker) in self.workers.here().filter(|(known, _)| is_new && **known == name) {
            observer.news(&format!("worker     {}", worker.describe()));
        }
    }

    /// What is to be said against a worker.
    fn objection(&mut self, hello: &Hello) -> Option<String> {
        if !hello.is_sound() {
            return Some("its offer is not one of a worker".into());
        }
        if !self.workers.knows(&hello.worker) && !self.workers.has_room() {
            return Some("there are too many workers".into());
        }
        let spec: &Spec = &self.welcome.spec;
        let wanted = spec.conditions.isolation;
        if self.shut_out.contains(&hello.worker) {
            return Some("its results were wrong, so it is not believed any more".into());
        }
        if let Some(why) = self.build.differs(&hello.build, self.others) {
            return Some(message::shortened(&why));
        }
        if spec.bots.iter().any(|bot| bot.is_program()) && !hello.isolation.contains(&wanted) {
            let word = message::word(&wanted);
            return Some(format!(
                "the tournament wants isolation = {word:?} for its bots, which that machine cannot have ({})",
                clean(&hello.best)
            ));
        }
        None
    }

    /// Has a worker that joined another coordinator offer again, to hear why it is refused.
    fn turn_away(&mut self, name: String) {
        if message::is_name(&name) && self.refused.len() < MOST_REFUSED {
            self.refused.insert(name);
        }
    }

    /// Takes in how a worker is getting on.
    pub(super) async fn take_status(
        &mut self,
        message: &Message,
        stage: &mut Stage<'_>,
        ongoing: &mut Ongoing<'_, impl Observer>,
    ) {
        let Ok(status) = serde_json::from_slice::<Status>(&message.payload) else { return };
        let name = status.worker.clone();
        if self.shut_out.contains(&name) || name != status.hello.worker {
            return;
        }
        if !self.workers.knows(&name) {
            // It joined before this coordinator began.
            if self.objection(&status.hello).is_some() {
                self.turn_away(name);
                return;
            }
            self.meet(status.hello.clone(), ongoing.observer);
        }
        for change in self.workers.update(&status, |key| stage.is_open(key)) {
            match change {
                Change::GivenBack(key) => stage.given_back(key),
                Change::Begun(key) => match stage.begun(key, &name) {
                    Lost::Again => {}
                    Lost::GivenUp(by) => {
                        // If that fails it is tried again when the next one begins it.
                        let _ = self.give_up(key, &by, stage, ongoing).await;
                    }
                },
            }
        }
    }
}
