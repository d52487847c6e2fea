//! People at tables of the server: who may take which seat, what they are sent, and what becomes of their matches.

use std::io::{Read, Write};
use std::net::TcpStream;

use arena_tests::serve::Server;
use arena_tests::{Scratch, arena};
use serde_json::{Value, json};

/// Opens a table, and returns the addresses of its human seats.
fn opened(server: &Server, wanted: &Value) -> Vec<String> {
    let answer = server.post("/play", &wanted.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    let opened: Value = serde_json::from_str(&answer.body).unwrap();
    opened["seats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| seat["address"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the first legal action of a question.
fn first_action(question: &Value) -> Value {
    let option = question["prompt"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_object()
        .unwrap();
    let (kind, fields) = option.iter().next().unwrap();
    let values = fields
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, legal)| (name.clone(), legal[0].clone()));
    json!({ kind: values.collect::<serde_json::Map<_, _>>() })
}

/// Returns an action that hides the first value for each place.
fn first_code(question: &Value) -> Value {
    let legal = question["prompt"][0]["hide"]["code"].as_array().unwrap();
    let code: Vec<&Value> = legal.iter().map(|legal| &legal[0]).collect();
    json!({ "hide": { "code": code } })
}

/// Opens a table, and returns the addresses of its human seats and the address for spectators.
fn opened_to_watch(server: &Server, wanted: &Value) -> (Vec<String>, String) {
    let seats = opened(server, wanted);
    let page = server.get(&seats[0]).body;
    let watch = page.split("\"watch\":\"").nth(1).unwrap();
    (seats, watch.split('"').next().unwrap().to_owned())
}

fn answer(server: &Server, seat: &str, question: &Value, action: &Value) -> u16 {
    let body = json!({"turn": question["turn"], "action": action}).to_string();
    server.post(&format!("{seat}/answer"), &body).status
}

fn two_people() -> Value {
    json!({"game": "coda", "rules": {"rounds": 1}, "seats": [{"person": "ann"}, {"person": "bob"}], "hints": true})
}

/// Plays a seat to the end, and checks everything that it is sent. Returns the events that the seat saw.
fn sit(server: &Server, seats: &[String], seat: usize) -> String {
    let _player = server.player();
    let (mut happened, mut answered) = (String::new(), Value::Null);
    for update in server.updates(&seats[seat]) {
        happened += &update["happened"].to_string();
        let steps = update["happened"]
            .as_array()
            .unwrap()
            .iter()
            .map(|happening| &happening["view"]);
        for view in steps
            .chain([&update["view"]])
            .filter(|_| update["ending"].is_null())
        {
            let row = &view["codes"][1 - seat];
            // The opponent must not know standing panels.
            for position in row["standing"].as_array().into_iter().flatten() {
                let panel = row["panels"][position.as_u64().unwrap() as usize]
                    .as_str()
                    .unwrap();
                assert!(panel.ends_with('?'), "{panel}");
            }
        }
        // The question is sent again when others open or close their pages.
        if update["question"].is_object() && update["question"]["turn"] != answered {
            answered = update["question"]["turn"].clone();
            assert_eq!(server.get(&format!("{}/replay", seats[seat])).status, 409);
            assert_eq!(
                answer(
                    server,
                    &seats[seat],
                    &update["question"],
                    &first_action(&update["question"])
                ),
                204
            );
        }
        if update["kept"] == true {
            return happened;
        }
    }
    panic!("the match does not end")
}

/// Watches a match of Coda to the end, and checks everything that is sent to spectators. Returns the events that they saw.
fn watch(server: &Server, page: &str) -> String {
    let _player = server.player();
    let mut happened = String::new();
    for update in server.updates(page) {
        assert!(update["question"].is_null() && update["moments"].is_null());
        for happening in update["happened"].as_array().unwrap() {
            happened += &happening.to_string();
            let (kind, event) = happening["event"]
                .as_object()
                .unwrap()
                .iter()
                .next()
                .unwrap();
            // Withdrawn and exposed panels are public.
            let is_secret =
                matches!(kind.as_str(), "took" | "set_up" | "drew") || event["standing"] == true;
            let panels = ["panels", "code"].map(|name| event[name].as_array());
            let panels = panels.into_iter().flatten().flatten();
            for panel in panels.chain(event.get("panel")).filter(|_| is_secret) {
                assert!(panel.as_str().unwrap().ends_with('?'), "{happening}");
            }
            let view = &happening["view"];
            for row in view["codes"].as_array().into_iter().flatten() {
                for position in row["standing"].as_array().unwrap() {
                    let panel = &row["panels"][position.as_u64().unwrap() as usize];
                    assert!(panel.as_str().unwrap().ends_with('?'), "{happening}");
                }
            }
            let aside = &view["aside"]["panel"];
            assert!(aside.as_str().is_none_or(|panel| panel.ends_with('?')));
        }
        if update["kept"] == true {
            return happened;
        }
        if update["ending"].is_null() {
            let status = server.get(&format!("{page}/replay")).status;
            // The match may have ended meanwhile.
            assert!(status == 409 || server.updates(page).next().unwrap()["kept"] == true);
        }
    }
    panic!("the match does not end")
}

#[test]
fn two_people_play_and_neither_is_sent_what_the_other_knows() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let (seats, public) = opened_to_watch(&server, &two_people());
    for act in ["answer", "hint", "leave", "rematch"] {
        let body = json!({"turn": 0, "action": {"set_up": {"dark": 2}}}).to_string();
        let page = public.replace("/watch/", "/seat/");
        assert_eq!(server.post(&format!("{page}/{act}"), &body).status, 403);
    }
    let (first, second, onlooker) = std::thread::scope(|scope| {
        let onlooker = scope.spawn(|| watch(&server, &public));
        let is_seen = |update: Value| update["watching"] == 1;
        assert!(server.updates(&seats[0]).any(is_seen));
        let first = scope.spawn(|| sit(&server, &seats, 0));
        let second = sit(&server, &seats, 1);
        (first.join().unwrap(), second, onlooker.join().unwrap())
    });
    assert_ne!(first, second, "each has its own sight of what happened");
    let count = |text: &str| text.matches("\"sentence\"").count();
    assert_eq!(count(&onlooker), count(&first), "onlookers miss nothing");
    assert!(onlooker != first && onlooker != second);
    for seat in &seats {
        assert!(
            server
                .get(&format!("{seat}/replay"))
                .body
                .contains("id=\"replay\"")
        );
    }
    assert!(
        scratch
            .printed("verify played/coda-1")
            .starts_with("1 of 1 matches are finished and whole")
    );
    assert!(
        scratch
            .printed("show played/coda-1")
            .contains("single match, 2 seats, 1 match on 1 deal")
    );
    let list = server.get("/").body;
    let (tournaments, people) = list.split_once("Matches of people").unwrap();
    assert!(
        !tournaments.contains("played") && people.contains("played%2Fcoda%2D1/match?id="),
        "{list}"
    );
}

#[test]
fn a_rematch_is_opened_once_and_leads_everybody_there() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let (seats, watch) = opened_to_watch(&server, &two_people());
    let rematch = |seat: &str| {
        let host = server.address;
        let more = format!(
            "Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
        );
        // A guest has no token.
        let answer = server.ask(&format!("POST {seat}/rematch HTTP/1.1\r\n{more}"));
        answer.status
    };
    assert_eq!(rematch(&seats[0]), 409, "the match is not over");
    for seat in &seats {
        server.post(&format!("{seat}/leave"), "{}");
    }
    assert!(
        server
            .updates(&seats[1])
            .any(|update| update["kept"] == true && update["rematch"].is_null())
    );
    assert_eq!([rematch(&seats[1]), rematch(&seats[0])], [204; 2]);
    let next = |page: &str| {
        let update = server.updates(page).next().unwrap();
        update["rematch"].as_str().unwrap().to_owned()
    };
    let moved = [next(&seats[0]), next(&seats[1])];
    assert!(!seats.contains(&moved[0]) && moved[0] != moved[1]);
    assert_eq!(server.get("/play").body.matches("bob · ann").count(), 1);
    for (page, seat) in [(&moved[0], "\"seat\":1"), (&moved[1], "\"seat\":0")] {
        assert!(server.get(page).body.contains(seat), "{page}");
    }
    assert!(server.get(&next(&watch)).body.contains("\"seat\":null"));
    let keys: Vec<&str> = seats
        .iter()
        .chain(&moved)
        .map(|seat| seat.strip_prefix("/seat/").unwrap())
        .chain(["0123"])
        .collect();
    let mine = server.post("/play/mine", &json!({ "keys": keys }).to_string());
    let mine: Value = serde_json::from_str(&mine.body).unwrap();
    let states = mine["matches"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["over", "over", "your move", "your move"]);
}

#[test]
fn a_seat_opens_so_many_rematches_and_no_more() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let wanted =
        json!({"game": "crack-the-code", "seats": [{"person": "ann"}, {"builtin": "random"}]});
    let mut seat = opened(&server, &wanted).remove(0);
    let mut opened = 0;
    let refused = loop {
        assert_eq!(server.post(&format!("{seat}/leave"), "{}").status, 204);
        assert!(server.updates(&seat).any(|update| update["kept"] == true));
        let answer = server.post(&format!("{seat}/rematch"), "{}");
        if answer.status != 204 {
            break answer;
        }
        let mut updates = server.updates(&seat);
        let next = updates.find_map(|update| Some(update["rematch"].as_str()?.to_owned()));
        seat = next.unwrap();
        opened += 1;
    };
    assert_eq!((refused.status, opened), (409, 20), "{refused:?}");
    assert!(refused.body.contains("ask the host"), "{refused:?}");
    let again = server.post(&format!("{seat}/rematch"), "{}");
    assert_eq!(again.status, 409, "{again:?}");
}

#[test]
fn what_was_accepted_survives_the_death_of_the_server() {
    let scratch = Scratch::new();
    let to_die = || Server::start_to_die(scratch.path(), "accepted");
    let asked = |server: &Server, seat: &str, from: u64| {
        let is_asked = |update: &Value| {
            update["question"]["turn"]
                .as_u64()
                .is_some_and(|turn| turn >= from)
        };
        let update = server.updates(seat).find(is_asked);
        update.unwrap()["question"].clone()
    };
    let wanted = json!({"game": "crack-the-code", "seats": [{"person": "ann"}, {"person": "bob"}]});
    // Both seats hide a code at the same time, so the first answer waits for the second.
    let server = to_die();
    let seats = opened(&server, &wanted);
    let question = asked(&server, &seats[0], 0);
    let hidden = first_code(&question);
    assert_eq!(answer(&server, &seats[0], &question, &hidden), 0);
    server.died();
    let server = to_die();
    assert_eq!(asked(&server, &seats[0], 0)["is_sent"], true);
    assert_eq!(answer(&server, &seats[0], &question, &hidden), 204);
    assert_eq!(answer(&server, &seats[0], &question, &json!(null)), 409);
    let other = asked(&server, &seats[1], 0);
    assert_eq!(other["is_sent"], false);
    assert_eq!(answer(&server, &seats[1], &other, &first_code(&other)), 0);
    server.died();
    let server = to_die();
    assert_eq!(asked(&server, &seats[0], 2)["is_sent"], false);
    let leave = |server: &Server| server.post(&format!("{}/leave", seats[0]), "{}").status;
    assert_eq!(leave(&server), 0);
    server.died();
    let server = Server::start(scratch.path(), &[]);
    assert!(
        server
            .updates(&seats[1])
            .any(|update| update["kept"] == true)
    );
    assert_eq!(leave(&server), 204);
    let played = scratch.printed("export played/crack-the-code-1");
    assert!(played.contains("has left the match"), "{played}");
    let open = std::fs::read_dir(scratch.path().join("played/.open")).unwrap();
    let saved = open.filter(|entry| entry.as_ref().unwrap().path().extension().is_some());
    assert_eq!(saved.count(), 0, "who leaves too late brings nothing back");
}

#[test]
fn a_match_is_kept_once_though_the_server_dies_between() {
    let scratch = Scratch::new();
    let server = Server::start_to_die(scratch.path(), "kept");
    let wanted =
        json!({"game": "crack-the-code", "seats": [{"person": "ann"}, {"builtin": "random"}]});
    let seat = &opened(&server, &wanted)[0];
    server.post(&format!("{seat}/leave"), "{}");
    server.died();
    let server = Server::start(scratch.path(), &[]);
    assert!(server.updates(seat).any(|update| update["kept"] == true));
    assert!(
        scratch
            .printed("verify played/crack-the-code-1")
            .starts_with("1 of 1 matches are finished and whole")
    );
    assert!(!scratch.path().join("played/crack-the-code-2").exists());
}

#[test]
fn two_browsers_in_a_seat_are_told_of_each_other() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seat = &opened(&server, &two_people())[0];
    let news = |browser: &str| {
        let answer = server.get(&format!("{seat}/news?browser={browser}"));
        serde_json::from_str::<Value>(&answer.body).unwrap()["elsewhere"].clone()
    };
    assert!(server.updates(seat).next().is_some());
    assert_eq!(["", "b", ""].map(news), [false, true, true]);
}

#[test]
fn wrong_answers_are_asked_again_and_who_leaves_forfeits() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seats = opened(
        &server,
        &json!({"game": "crack-the-code", "seats": [{"person": "ann"}, {"builtin": "random"}]}),
    );
    let mut updates = server.updates(&seats[0]);
    let mut asked = || {
        updates
            .find(|update| update["question"]["is_sent"] == false)
            .unwrap()["question"]
            .clone()
    };
    let question = asked();
    for nonsense in [
        json!({"hide": {"code": [1]}}),
        json!({"fly": {}}),
        json!(null),
        json!({"hide": {"code": [99, 1, 1, 1, 1]}}),
    ] {
        assert_eq!(answer(&server, &seats[0], &question, &nonsense), 204);
        let again = asked();
        assert!(
            again["problem"].is_string() && again["turn"] == question["turn"],
            "{again}"
        );
    }
    let other = json!({"turn": 99});
    assert_eq!(answer(&server, &seats[0], &other, &json!({})), 409);
    let refused = server.post(
        &format!("{}/answer", seats[0]),
        &json!({"turn": 99, "action": 0}).to_string(),
    );
    assert!(refused.body.contains("no longer open"), "{refused:?}");
    assert_eq!(
        server.post(&format!("{}/answer", seats[0]), "{").status,
        400
    );
    assert_eq!(
        server
            .post(&format!("{}/answer", seats[0]), &"[".repeat(60_000))
            .status,
        400
    );
    assert_eq!(
        server
            .post(&format!("{}/answer", seats[0]), &" ".repeat(70_000))
            .status,
        413
    );
    assert_eq!(
        server.post(&format!("{}/hint", seats[0]), "{}").status,
        409,
        "there are no hints at this table"
    );
    assert_eq!(
        server.post(&format!("{}/leave", seats[0]), "{}").status,
        204
    );
    assert!(updates.any(|update| update["kept"] == true));
    let played = scratch.printed("export played/crack-the-code-1");
    assert!(played.contains("has left the match"), "{played}");
}

#[test]
fn matches_go_on_after_a_restart_where_they_were() {
    let scratch = Scratch::new();
    let program = format!("mine={} bot exact", arena().display());
    let flags = ["--bot", &program];
    let mut server = Server::start(scratch.path(), &flags);
    let wanted = json!({"game": "coda", "rules": {"rounds": 1}, "seats": [{"person": "ann"}, {"program": "mine"}]});
    let seats = opened(&server, &wanted);
    // A function that returns everything that the seat has seen when it is asked for a turn later than this one.
    let asked = |server: &Server, after: i64| {
        let is_later = |update: &Value| {
            update["question"]["turn"]
                .as_i64()
                .is_some_and(|turn| turn > after)
        };
        assert!(server.updates(&seats[0]).any(|update| is_later(&update)));
        server.updates(&seats[0]).next().unwrap()
    };
    let first = asked(&server, -1);
    assert_eq!(
        answer(
            &server,
            &seats[0],
            &first["question"],
            &first_action(&first["question"])
        ),
        204
    );
    let before = asked(&server, first["question"]["turn"].as_i64().unwrap());
    assert!(server.interrupted().contains("unfinished matches saved: 1"));
    let saved = || {
        let all = std::fs::read_dir(scratch.path().join("played/.open"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        all.filter(|path| path.extension().is_some())
            .collect::<Vec<_>>()
    };
    let name = saved()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(
        !seats[0].ends_with(&name),
        "who may read the names of files must not play"
    );
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            saved()[0].metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    server = Server::start(scratch.path(), &flags);
    assert_eq!(
        asked(&server, first["question"]["turn"].as_i64().unwrap()),
        before
    );
    sit(&server, &[seats[0].clone(), String::new()], 0);
    assert_eq!(saved().len(), 0);
    assert!(
        scratch
            .printed("verify played/coda-1")
            .starts_with("1 of 1 matches are finished and whole")
    );
}

#[test]
fn people_see_who_is_away() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seats = opened(&server, &two_people());
    let mut first = server.updates(&seats[0]);
    let mut away = |seats: &[u8]| first.any(|update| update["away"] == json!(seats));
    assert!(away(&[1]));
    server.updates(&seats[1]).next();
    assert!(away(&[]));
    assert!(away(&[1]), "a page that asks no more is gone");
}

#[test]
fn the_host_can_end_a_match() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seats = opened(&server, &two_people());
    let lobby = server.get("/play").body;
    let id = lobby
        .split("\"id\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    assert!(
        seats
            .iter()
            .all(|seat| !lobby.contains(seat.strip_prefix("/seat/").unwrap())),
        "keys are shown once"
    );
    let close = |id: &str| {
        server
            .post("/play/close", &json!({ "id": id }).to_string())
            .status
    };
    assert_eq!([close("0"), close(id)], [404, 204]);
    assert!(
        server
            .updates(&seats[1])
            .any(|update| update["kept"] == true)
    );
    assert!(!server.get("/play").body.contains(id));
}

/// Opens connections that send these bytes, and keeps them open.
fn held(server: &Server, count: usize, bytes: &str) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes.as_bytes());
        stream
    };
    (0..count).map(connect).collect()
}

#[test]
fn one_seat_locks_out_nobody() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 1 --bot a=builtin:random --bot b=builtin:exact --out t");
    let server = Server::start(scratch.path(), &[]);
    let seats = opened(&server, &two_people());
    let evil = &opened(&server, &two_people())[0];
    let host = format!("Host: {}\r\n", server.address);
    let json = format!(
        "Origin: http://{}\r\nContent-Type: application/json\r\n",
        server.address
    );
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\n{host}\r\n");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| sit(&server, &seats, 0));
        let _player = server.player();
        let mut all = Vec::new();
        for bytes in [
            String::new(),
            "GET / HT".into(),
            get(&format!("{evil}/news")),
            format!("POST {evil}/answer HTTP/1.1\r\n{host}{json}Content-Length: 60000\r\n\r\n{{"),
            get(evil).repeat(20),
        ] {
            all.extend(held(&server, 20, &bytes));
            assert_eq!(server.get("/t/t").status, 200, "{bytes}");
        }
        sit(&server, &seats, 1);
        first.join().unwrap();
    });
}

#[test]
fn an_answer_counts_once_however_often_it_arrives() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let wanted = json!({"game": "crack-the-code", "seats": [{"person": "ann"}, {"person": "bob"}]});
    let seats = opened(&server, &wanted);
    let mut updates = server.updates(&seats[0]);
    let question = updates
        .find(|update| update["question"].is_object())
        .unwrap()["question"]
        .clone();
    let code = |value: usize| {
        let legal = question["prompt"][0]["hide"]["code"].as_array().unwrap();
        json!({"hide": {"code": legal.iter().map(|legal| legal[value].clone()).collect::<Vec<_>>()}})
    };
    // The opponent also hides a code in this turn, so the question stays open.
    let sent: Vec<u16> = [0, 0, 1, 0]
        .map(|value| answer(&server, &seats[0], &question, &code(value)))
        .into();
    assert_eq!(sent, [204, 204, 409, 204]);
    assert!(updates.any(|update| update["question"]["is_sent"] == true));
    assert_eq!(
        answer(&server, &seats[1], &json!({"turn": 1}), &code(1)),
        204
    );
    let shown = updates
        .find(|update| {
            update["happened"]
                .as_array()
                .is_some_and(|events| events.len() > 1)
        })
        .unwrap();
    assert!(
        shown["question"].is_null() || shown["question"]["turn"] != question["turn"],
        "{shown}"
    );
    assert_eq!(
        answer(&server, &seats[0], &question, &code(0)),
        409,
        "that turn is over"
    );
}

#[test]
fn all_pages_of_a_seat_get_its_news() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let wanted = json!({"game": "coda", "seats": [{"person": "ann"}, {"builtin": "random"}]});
    let seat = &opened(&server, &wanted)[0];
    let mut pages: Vec<_> = (0..10).map(|_| server.updates(seat)).collect();
    for page in &mut pages {
        assert!(page.any(|update| update["question"].is_object()));
    }
    assert_eq!(server.post(&format!("{seat}/leave"), "{}").status, 204);
    for page in &mut pages {
        assert!(page.any(|update| update["kept"] == true));
    }
}

#[test]
fn a_slow_client_is_gone_in_time() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seat = &opened(&server, &two_people())[0];
    let origin = format!("Origin: http://{}\r\n", server.address);
    let slow = server.head("POST", &format!("{seat}/answer"))
        + &origin
        + "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{";
    let style = format!(
        "GET /static/style.css HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address
    );
    let all = [
        (String::new(), ""),
        ("GET / HT".into(), ""),
        (style, "HTTP/1.1 200"),
        (slow, "HTTP/1.1 408"),
    ];
    let held = all.map(|(bytes, begins)| (held(&server, 1, &bytes).remove(0), begins));
    for (mut stream, begins) in held {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.starts_with(begins.as_bytes()), "{begins}");
    }
}

#[test]
fn only_who_has_its_address_sits_in_a_seat() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path(), &[]);
    let seats = opened(&server, &two_people());
    let host = server.address;
    let bare = |method: &str, path: &str, more: &str| {
        server
            .ask(&format!(
                "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n"
            ))
            .status
    };
    assert_eq!(bare("GET", &seats[0], ""), 200, "no token is needed");
    assert_eq!(
        [
            bare("GET", "/", ""),
            bare("GET", "/play", ""),
            bare("GET", "/seat/", "")
        ],
        [401; 3]
    );
    assert_eq!(bare("GET", &format!("{}/news", seats[0]), ""), 200);
    assert_eq!(
        [
            bare("GET", "/seat/0123", ""),
            bare("GET", &format!("{}0", seats[0]), "")
        ],
        [401; 2]
    );
    assert_eq!(
        bare("GET", &format!("{}/../../", seats[0]), ""),
        404,
        "nothing leads out of a seat"
    );
    let json = "Content-Type: application/json\r\nContent-Length: 0\r\n";
    for origin in ["", "Origin: http://evil.example\r\n", "Origin: null\r\n"] {
        assert_eq!(
            bare(
                "POST",
                &format!("{}/leave", seats[0]),
                &format!("{json}{origin}")
            ),
            403,
            "{origin}"
        );
    }
    assert_eq!(server.get("/seat/0123").status, 404);
}

#[test]
fn who_listens_to_other_machines_lets_nobody_play_unless_told_to() {
    let scratch = Scratch::new();
    for (flags, status) in [
        (&["--host", "0.0.0.0"][..], 403),
        (&["--host", "0.0.0.0", "--allow-play"], 200),
    ] {
        let server = Server::start(scratch.path(), flags);
        assert_eq!(
            server.post("/play", &two_people().to_string()).status,
            status,
            "{flags:?}"
        );
        assert_eq!(
            server.get("/play").body.contains("id=\"lobby\""),
            status == 200
        );
    }
}

#[cfg(feature = "all")]
#[test]
fn people_play_against_programs_that_were_named_at_the_start_and_no_others() {
    let scratch = Scratch::new();
    scratch.write("mine.py", include_str!("../../../bots/python/first_bot.py"));
    let server = Server::start(scratch.path(), &["--bot", "mine.py"]);
    let against = |sitter: Value| json!({"game": "crack-the-code", "rules": {"attempts": 2}, "seats": [{"person": "ann"}, sitter]});
    for sitter in [
        json!({"program": "sh"}),
        json!({"builtin": "python3 mine.py"}),
        json!({"command": "sh"}),
        json!({"person": "x=sh"}),
    ] {
        assert_eq!(
            server
                .post("/play", &against(sitter.clone()).to_string())
                .status,
            400,
            "{sitter}"
        );
    }
    let seats = opened(&server, &against(json!({"program": "mine"})));
    let over = server.updates(&seats[0]).any(|update| {
        if update["question"].is_object() {
            let question = &update["question"];
            let (kind, fields) = question["prompt"][0]
                .as_object()
                .unwrap()
                .iter()
                .next()
                .unwrap();
            let code: Vec<&Value> = fields["code"]
                .as_array()
                .unwrap()
                .iter()
                .map(|legal| &legal[0])
                .collect();
            answer(
                &server,
                &seats[0],
                question,
                &json!({ kind: {"code": code} }),
            );
        }
        update["kept"] == true || update["failure"].is_string()
    });
    assert!(over);
    assert!(
        scratch
            .printed("export played/crack-the-code-1")
            .contains("\"mine\"")
    );
}
