//! Workers that offer to play, and their reports of how they are getting on.

use arena_tournament::printable::clean;
use async_nats::Message;
use serde_json::json;

use super::workers::Worker;
use super::{Coordinator, OpenRound};
use crate::message::{self, Answer, Hello, Status};
use crate::queue;

/// The most workers that are refused by name.
pub const MOST_REFUSED: usize = 1_000;

/// How often workers may contradict this machine before it is not believed.
const CONTRADICTED: u32 = 2;

impl Coordinator {
    /// Answers a worker that offers to play.
    pub(super) async fn admit(&mut self, offer: Message, round: &mut OpenRound<'_, '_>) {
        let (Some(reply), Some(name)) = (offer.reply, queue::sender(&offer.subject)) else {
            return;
        };
        let Ok(hello) = serde_json::from_slice::<Hello>(&offer.payload) else {
            return;
        };
        let hello = Hello {
            worker: name.to_owned(),
            ..hello
        };
        let objection = self.objection(&hello);
        let here = self.workers.get(name).filter(|worker| worker.is_here());
        let may_stay = here.is_some() && !self.pulse.released.contains(name);
        let answer = match objection {
            Some(why) => {
                self.once(
                    round,
                    format!(
                        "worker {} is refused: {why}",
                        message::shortened(&hello.worker)
                    ),
                );
                Answer::Refused(why)
            }
            None if here.is_some_and(|here| here.hello.id != hello.id) => Answer::NotNow(format!(
                "a worker named {name} is connected already: wait, or choose another --name"
            )),
            None if !may_stay && self.is_for_others(name) => {
                Answer::NotNow("another tournament on this queue has fewer workers".into())
            }
            None => {
                self.pulse.refused.remove(&hello.worker);
                self.add_worker(hello, round);
                Answer::Welcome(Box::new(self.welcome.clone()))
            }
        };
        // A worker that gets no answer offers again.
        let _ = self
            .queue
            .client
            .publish(reply, message::encode(&answer).into())
            .await;
    }

    fn add_worker(&mut self, hello: Hello, round: &mut OpenRound<'_, '_>) {
        if !self.workers.get(&hello.worker).is_some_and(Worker::is_here) {
            round.news(&format!("worker     {}", hello.describe()));
        }
        self.workers.join(hello);
    }

    /// Why a worker may not take part.
    fn objection(&mut self, hello: &Hello) -> Option<String> {
        if !hello.is_sound() {
            return Some("its offer is not that of a worker".into());
        }
        if self.workers.get(&hello.worker).is_none() && !self.workers.has_room() {
            return Some("there are too many workers".into());
        }
        if self.pulse.excluded.contains(&hello.worker) {
            return Some("it was excluded: its results failed verification".into());
        }
        if let Some(why) = self.build.differs(&hello.build) {
            return Some(message::shortened(&why));
        }
        if self.build.sha256 != hello.build.sha256 && !self.admits_other_builds {
            let why = "its arena is not the same file, though of the same version: copy this one, or start the coordinator with \
                       --other-builds";
            return Some(why.into());
        }
        let spec = &self.welcome.spec;
        let wanted = spec.conditions.isolation;
        if spec.bots.iter().any(|bot| bot.is_program()) && !hello.isolation.contains(&wanted) {
            return Some(format!(
                "the tournament requires isolation = {} for its bots, which that machine does not offer (it has {}; below that it needs --trust)",
                json!(wanted),
                clean(&hello.best)
            ));
        }
        None
    }

    /// Updates a worker by its report of how it is getting on.
    pub(super) async fn update(&mut self, message: &Message, round: &mut OpenRound<'_, '_>) {
        let Some(name) = queue::sender(&message.subject) else {
            return;
        };
        let Ok(mut status) = serde_json::from_slice::<Status>(&message.payload) else {
            return;
        };
        status.hello.worker = name.to_owned();
        if self.pulse.excluded.contains(name) {
            return;
        }
        if self.workers.get(name).is_none() {
            // It joined before this coordinator started. If it is refused, it offers again and gets the reason.
            if self.objection(&status.hello).is_some() {
                if self.pulse.refused.len() < MOST_REFUSED {
                    self.pulse.refused.insert(name.to_owned());
                }
                return;
            }
            self.add_worker(status.hello.clone(), round);
        }
        if let Some(why) = &status.stands_aside {
            self.once(
                round,
                format!("worker {name} stands aside: {}", message::shortened(why)),
            );
            status
                .otherwise
                .into_iter()
                .for_each(|bot| self.contradicted(bot, round));
        }
        self.is_met |= !status.leaves;
        let (given_back, begun) = self
            .workers
            .update(&status, |key| round.units.open.contains_key(&key));
        given_back
            .into_iter()
            .for_each(|key| round.units.given_back(key));
        for key in begun {
            if let Some(losers) = round.units.begun(key, name) {
                // If that fails it is tried again when the next one begins it.
                let _ = self.give_up(key, &losers, round).await;
            }
        }
    }

    /// A bot does not answer on a worker as here. After the second time, unless a worker has played on before, this machine may be
    /// the odd one, or the bot does not follow its seed: nobody is to stand aside for that.
    fn contradicted(&mut self, bot: usize, round: &mut OpenRound<'_, '_>) {
        let Some(opening @ Some(_)) = self.welcome.openings.get_mut(bot) else {
            return;
        };
        let times = self.otherwise.entry(bot).or_default();
        *times += 1;
        if !self.is_met && *times >= CONTRADICTED {
            *opening = None;
            let name = clean(&self.welcome.spec.bots[bot].name);
            round.news(&format!(
                "warning: no worker's bot {name} answers as it does on this machine: workers can play it anyway"
            ));
        }
    }
}
