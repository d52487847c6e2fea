//! Referee for Coda, based only on the printed rules and the exported events, independent of the engine.

use serde_json::Value;

use crate::exported::{Exported, Found};

/// A panel in a code.
#[derive(Clone, Debug, PartialEq)]
struct Panel {
    name: String,
    standing: bool,
}

#[derive(Default)]
struct Table {
    codes: Vec<Vec<Panel>>,
    taken: Vec<Vec<String>>,
    pool: Vec<String>,
    aside: Option<String>,
    acting: usize,
    hits: usize,
    attacked: bool,
    turn_over: bool,
    /// True if the seat stopped after a hit, so that its drawn panel joins the code standing.
    stopped: bool,
    late: bool,
    /// The seat that has just lost its last standing panel. The next event must announce it.
    fallen: Option<usize>,
}

/// Replays an exported match event by event, checks that every event was legal, and recomputes the score sheets and the outcome.
pub fn check(exported: &Value) -> Vec<i64> {
    let seats = exported["seats"].as_array().unwrap().len();
    let rounds = exported["rules"]["rounds"].as_u64().unwrap();
    // Columns: hits, exposures, round wins, bonus.
    let mut sheets = vec![[0; 4]; seats];
    let mut out = vec![false; seats];
    let mut round = 0;
    let mut forfeits = Forfeits {
        moments: vec![None; seats],
        stages: vec![],
    };
    let mut table = Table::default();
    for event in exported["events"].as_array().unwrap() {
        let (kind, body) = event.as_object().unwrap().iter().next().unwrap();
        let seat = |key: &str| body[key].as_u64().map(|seat| seat as usize);
        let place = || body["position"].as_u64().unwrap() as usize;
        let panel = || body["panel"].as_str().unwrap().to_owned();
        assert_eq!(table.fallen.is_some(), kind == "eliminated");
        match kind.as_str() {
            "round_started" => {
                round += 1;
                assert_eq!(body["round"], round);
                let first = (0..seats)
                    .map(|step| (round as usize - 1 + step) % seats)
                    .find(|seat| !out[*seat]);
                assert_eq!(seat("first"), first, "the first seat rotates");
                table = Table::new(seats, first.unwrap(), &exported["rules"]);
            }
            "took" => {
                let panels: Vec<&str> = body["panels"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|p| p.as_str().unwrap())
                    .collect();
                assert!(panels.is_sorted_by_key(|panel| (
                    panel.starts_with('L'),
                    order(panel).is_none(),
                    order(panel)
                )));
                panels.iter().for_each(|panel| table.take(panel));
                table.taken[seat("seat").unwrap()] =
                    panels.into_iter().map(str::to_owned).collect();
            }
            "set_up" => {
                let playing = out.iter().filter(|out| !**out).count();
                let panels = exported["rules"]["panels"].as_u64().unwrap_or(4) as usize;
                table.set_up(
                    seat("seat").unwrap(),
                    body,
                    if playing == 4 { panels.min(3) } else { panels },
                );
            }
            "drew" => table.draw(seat("seat").unwrap(), panel()),
            "attacked" => {
                let (by, target) = (seat("seat").unwrap(), seat("target").unwrap());
                let hit = table.attack(by, target, place(), &panel());
                assert_eq!(body["hit"], hit);
                sheets[by][0] += i64::from(hit);
            }
            "stopped" => {
                assert!(
                    seat("seat") == Some(table.acting) && table.hits > 0,
                    "stopping takes a hit"
                );
                (table.turn_over, table.stopped) = (true, true);
            }
            "inserted" => table.insert(
                seat("seat").unwrap(),
                place(),
                &panel(),
                body["standing"] == true,
            ),
            "exposed" => {
                let (seat, place) = (seat("seat").unwrap(), place());
                assert!(out[seat] || seat == table.acting && table.aside.is_none());
                assert_eq!(
                    table.codes[seat][place],
                    Panel {
                        name: panel(),
                        standing: true
                    }
                );
                let lowest = table.codes[seat].iter().position(|panel| panel.standing);
                assert!(!table.late || out[seat] || lowest == Some(place));
                table.codes[seat][place].standing = false;
                table.turn_over = true;
                table.fallen = (!out[seat] && !table.stands(seat)).then_some(seat);
            }
            "eliminated" => {
                let (seat, by) = (seat("seat").unwrap(), seat("by"));
                assert_eq!(
                    table.fallen.take(),
                    Some(seat),
                    "a code is exposed when no panel stands"
                );
                assert_eq!(by, (seat != table.acting).then_some(table.acting));
                if let Some(by) = by {
                    sheets[by][1] += 1;
                }
            }
            "late" => table.is_late(seat("seat").unwrap()),
            "withdrew" => {
                forfeits.add(seat("seat").unwrap(), round, &table);
                out[seat("seat").unwrap()] = true;
                table.turn_over |= seat("seat") == Some(table.acting);
                table.stopped = false;
            }
            "round_ended" => {
                let standing: Vec<usize> = (0..seats).filter(|seat| table.stands(*seat)).collect();
                assert!(standing.len() < 2 && table.aside.is_none());
                if let Some(winner) = seat("winner") {
                    assert!(standing == [winner] || table.codes.iter().all(Vec::is_empty));
                    let panels = table.codes[winner].iter().filter(|panel| panel.standing);
                    let bonus: i64 = panels
                        .filter_map(|panel| panel.name[1..].parse::<i64>().ok())
                        .sum();
                    assert_eq!(body["bonus"], bonus);
                    sheets[winner][2] += 1;
                    sheets[winner][3] += bonus;
                }
            }
            other => panic!("there is no event {other} in Coda"),
        }
    }
    let left = out.iter().filter(|out| !**out).count();
    assert!(
        round == rounds || left < 2,
        "{round} of {rounds} rounds were played"
    );
    let column = |source: usize| sheets.iter().map(|sheet| sheet[source]).collect();
    let sources = [
        ("hits", 1, column(0)),
        ("exposures", 3, column(1)),
        ("round_wins", 5, column(2)),
        ("bonus", 1, column(3)),
    ];
    Found {
        sources: &sources,
        forfeited: &forfeits.moments,
    }
    .compare(Exported(exported))
}

/// The moments at which seats forfeited.
struct Forfeits {
    moments: Vec<Option<usize>>,
    /// For each moment, the round. If the seat forfeited by its set-up choice, also that choice, because such choices are simultaneous.
    stages: Vec<(u64, Option<bool>)>,
}

impl Forfeits {
    fn add(&mut self, seat: usize, round: u64, table: &Table) {
        let stage = (
            round,
            table.codes[seat]
                .is_empty()
                .then(|| table.taken[seat].is_empty()),
        );
        if stage.1.is_none() || self.stages.last() != Some(&stage) {
            self.stages.push(stage);
        }
        self.moments[seat] = Some(self.stages.len());
    }
}

impl Table {
    fn new(seats: usize, first: usize, rules: &Value) -> Self {
        let numbers = rules["numbers"].as_u64().unwrap_or(12);
        let mut pool: Vec<String> = (0..numbers)
            .flat_map(|number| [format!("D{number}"), format!("L{number}")])
            .collect();
        if rules["dashes"] == true {
            pool.extend(["D-".into(), "L-".into()]);
        }
        Self {
            codes: vec![vec![]; seats],
            taken: vec![vec![]; seats],
            pool,
            acting: first,
            ..Self::default()
        }
    }

    fn set_up(&mut self, seat: usize, body: &Value, panels: usize) {
        let code: Vec<String> = body["code"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p.as_str().unwrap().to_owned())
            .collect();
        // A seat that forfeited meanwhile may still have been counted when the panels were taken.
        assert!(code.len() == panels || code.len() == 3 && panels == 4);
        assert!(ascends(code.iter().map(String::as_str)));
        let mut taken = std::mem::take(&mut self.taken[seat]);
        taken.sort_unstable();
        let mut same = code.clone();
        same.sort_unstable();
        if taken.is_empty() {
            code.iter().for_each(|panel| self.take(panel));
        } else {
            assert_eq!(taken, same, "the code is of the panels that were taken");
        }
        self.codes[seat] = code
            .into_iter()
            .map(|name| Panel {
                name,
                standing: true,
            })
            .collect();
    }

    fn take(&mut self, panel: &str) {
        let at = self
            .pool
            .iter()
            .position(|other| other == panel)
            .expect("a panel is taken from the pool");
        self.pool.remove(at);
    }

    fn stands(&self, seat: usize) -> bool {
        self.codes[seat].iter().any(|panel| panel.standing)
    }

    /// Passes the turn to the next seat if the turn is over.
    fn pass(&mut self) {
        if self.turn_over {
            let seats = self.codes.len();
            let next = (1..=seats)
                .map(|step| (self.acting + step) % seats)
                .find(|seat| self.stands(*seat));
            self.acting = next.expect("somebody stands");
            (self.hits, self.attacked, self.turn_over) = (0, false, false);
            (self.stopped, self.late) = (false, false);
        }
    }

    fn draw(&mut self, seat: usize, panel: String) {
        self.pass();
        assert!(
            seat == self.acting && self.aside.is_none() && !self.attacked,
            "one draws once, at the start of a turn"
        );
        self.take(&panel);
        self.aside = Some(panel);
    }

    fn attack(&mut self, by: usize, target: usize, place: usize, named: &str) -> bool {
        self.pass();
        assert!(by == self.acting && target != by);
        assert!(
            self.aside.is_some() || self.pool.is_empty() || self.attacked,
            "one draws before attacking"
        );
        let panel = &mut self.codes[target][place];
        assert!(panel.standing && panel.name[..1] == named[..1]);
        let hit = panel.name == named;
        panel.standing &= !hit;
        self.attacked = true;
        self.hits += usize::from(hit);
        self.turn_over = !hit;
        self.fallen = (!self.stands(target)).then_some(target);
        hit
    }

    /// Applies the penalty for a late move. The drawn panel is exposed or, without one, the lowest panel, and the turn ends. If the seat
    /// had to choose a colour, the colour is chosen at random.
    fn is_late(&mut self, seat: usize) {
        if self.codes[seat].is_empty() {
            return;
        }
        if seat != self.acting {
            self.pass();
        }
        assert_eq!(seat, self.acting);
        if self.aside.is_some() || self.attacked || self.pool.is_empty() {
            (self.turn_over, self.stopped, self.late) = (true, false, true);
        }
    }

    fn insert(&mut self, seat: usize, place: usize, panel: &str, standing: bool) {
        assert!(seat == self.acting && self.aside.take().as_deref() == Some(panel));
        self.codes[seat].insert(
            place,
            Panel {
                name: panel.to_owned(),
                standing,
            },
        );
        assert!(ascends(
            self.codes[seat].iter().map(|panel| panel.name.as_str())
        ));
        let others = (0..self.codes.len())
            .filter(|other| *other != seat && self.stands(*other))
            .count();
        assert_eq!(standing, self.stopped || others == 0);
    }
}

/// Sort key of a panel in a code: by number, dark before light; `None` for a dash, which may stand anywhere.
fn order(panel: &str) -> Option<(u32, char)> {
    Some((panel[1..].parse().ok()?, panel.chars().next()?))
}

/// Returns true if the numbers ascend; dashes may stand anywhere.
fn ascends<'a>(code: impl Iterator<Item = &'a str>) -> bool {
    code.filter_map(order).is_sorted_by(|low, high| low < high)
}
