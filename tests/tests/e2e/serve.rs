//! The web server: the pages it shows, who may see them, and the load it withstands.

use std::io::{Read, Write};
use std::net::TcpStream;

use arena_tests::Scratch;
use arena_tests::serve::Server;

/// Serves a folder with a small tournament in `runs/t`.
fn served(flags: &[&str]) -> (Scratch, Server) {
    let scratch = Scratch::new();
    scratch.printed(
        "run -q --seed 1 --deals 3 --bot a=builtin:random --bot b=builtin:exact --out runs/t",
    );
    let server = Server::start(scratch.path(), flags);
    (scratch, server)
}

#[test]
fn all_that_is_known_of_a_tournament_is_there() {
    let (scratch, server) = served(&[]);
    let list = server.get("/");
    assert!(
        list.status == 200 && list.body.contains("/t/runs%2Ft") && list.body.contains("6 of 6"),
        "{}",
        list.body
    );
    let pages = [
        "",
        "/matches",
        "/charts",
        "/pairs",
        "/faults",
        "/tv",
        "/match?id=d1%2Fa%2Fb",
    ];
    for page in pages {
        let answer = server.get(&format!("/t/runs%2Ft{page}"));
        assert!(
            answer.status == 200 && answer.body.ends_with("</html>"),
            "{page}: {answer:?}"
        );
    }
    let report = std::fs::read_to_string(scratch.path().join("runs/t/report.html")).unwrap();
    assert_eq!(server.get("/t/runs%2Ft/report").body, report);
    // Wait until the match has been judged. The page is then the same, with links to other pages.
    while server.get("/t/runs%2Ft/judged?id=d1%2Fa%2Fb").status == 204 {}
    scratch.printed("show runs/t d1/a/b --out match.html");
    let replay = std::fs::read_to_string(scratch.path().join("match.html")).unwrap();
    let page = server.get("/t/runs%2Ft/match?id=d1%2Fb%2Fa").body;
    assert!(
        page.contains("?id=d1%2Fa%2Fb\">← previous") && page.contains("?id=d2%2Fa%2Fb\">next →"),
        "{page:.9000}"
    );
    let page = server.get("/t/runs%2Ft/match?id=d1%2Fa%2Fb").body;
    let (ways, rest) = page.split_once("</nav>").unwrap();
    assert_eq!([ways.split_once("<nav").unwrap().0, rest].concat(), replay);
    assert!(
        server.get("/rules/coda").body.contains("<h1>Coda</h1>")
            && server.get("/rules/chess").status == 404
    );
}

#[test]
fn a_season_is_rated_over_its_evenings_and_links_to_them() {
    let scratch = Scratch::new();
    let evening = |game: &str, bots: &str, dir: &str| {
        scratch.printed(&format!("run -q {game} --deals 12 {bots} --out {dir}"));
    };
    evening("--seed 1", "--bot random --bot exact", "evenings/1");
    let server = Server::start(scratch.path(), &["--points", "10,8", "--best", "1"]);
    assert!(!server.get("/").body.contains("/season/"), "one evening");
    assert_eq!(server.get("/season/code-777").status, 404);
    evening("--seed 2", "--bot random --bot exact", "evenings/2");
    evening(
        "--seed 3 --game digit-code",
        "--bot random --bot entropy",
        "evenings/3",
    );
    // The list of tournaments is scanned at most once a second.
    let list = loop {
        let list = server.get("/").body;
        if list.contains("/season/coda") {
            break list;
        }
    };
    assert!(!list.contains("/season/digit"), "{list}");
    let page = server.get("/season/coda").body;
    for part in [
        "<h1>Season of Coda</h1>",
        "exact is ahead of random",
        "href=\"/t/evenings%2F1\"",
        "href=\"/t/evenings%2F2\"",
        "Points of the season",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("entropy"), "another game: {page}");
    // A new evening counts at once.
    evening("--seed 4", "--bot inferring --bot exact", "evenings/4");
    while !server.get("/season/coda").body.contains("inferring") {}
}

#[test]
fn a_match_that_is_looked_at_is_judged_once_and_its_worst_move_is_named() {
    let (scratch, server) = served(&[]);
    let file = scratch.path().join("runs/t/judged.jsonl");
    let page = || server.get("/t/runs%2Ft/match?id=d1%2Fa%2Fb").body;
    let asks = "data-source=\"/t/runs%2Ft/judged?id=d1%2Fa%2Fb\"";
    assert!(page().contains(asks) && page().contains("connect-src 'self'") && !file.exists());
    let bot = || server.get("/t/runs%2Ft/bot?name=a").body;
    assert!(!bot().contains("Costliest mistake"));
    let judged = || server.get("/t/runs%2Ft/judged?id=d1%2Fa%2Fb");
    let answer = loop {
        match judged() {
            answer if answer.status == 200 => break answer,
            answer => assert_eq!(answer.status, 204),
        }
    };
    let replay: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let moves = replay["frames"].as_array().unwrap().iter();
    let mut moves = moves.flat_map(|frame| frame["moves"].as_array().unwrap());
    assert!(moves.any(|one| {
        let lesson = one["lesson"].as_str();
        lesson.is_some_and(|lesson| lesson.contains("better:")) && one["judged"]["listed"] == true
    }));
    assert_eq!(judged().body, answer.body);
    let kept = std::fs::read_to_string(file).unwrap();
    assert_eq!(kept.lines().count(), 1, "it is judged once");
    assert!(!page().contains(asks) && !page().contains("connect-src"));
    let bot = bot();
    assert!(bot.contains("\"match?id=d1%2Fa%2Fb#turn="), "{bot:.9000}");
    assert!(bot.contains("\"matches?bot=a&amp;other=b&amp;result=lost\""));
    assert_eq!(server.get("/t/runs%2Ft/judged?id=d9%2Fa%2Fb").status, 404);
}

#[test]
fn matches_are_found_by_bot_result_and_order() {
    let (_scratch, server) = served(&[]);
    let listed = |query: &str| -> Vec<String> {
        let answer = server.get(&format!("/t/runs%2Ft/matches?{query}"));
        assert_eq!(answer.status, 200, "{query}");
        answer
            .body
            .split("/match?id=")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect()
    };
    let all = listed("");
    assert_eq!(all.len(), 6);
    let mut last = listed("order=last");
    last.reverse();
    assert_eq!(last, all);
    let count = |result: &str| listed(&format!("bot=a&result={result}")).len();
    assert_eq!(count("won") + count("drawn") + count("lost"), 6);
    assert_eq!(count("won"), listed("bot=b&result=lost").len());
    assert_eq!(
        [
            listed("bot=nobody").len(),
            listed("result=forfeit").len(),
            listed("page=1").len()
        ],
        [0, 0, 0]
    );
    assert_eq!(server.get("/t/runs%2Ft/matches?result=%3Cb%3E").status, 400);
    assert_eq!(
        server
            .get("/t/runs%2Ft/matches?page=99999999999999999999")
            .status,
        400
    );
}

#[test]
fn a_screen_gets_the_longest_match_of_a_few_then_the_next_and_begins_again() {
    let (_scratch, server) = served(&[]);
    let next = |seen: &[String]| -> (String, u64) {
        let body = server
            .get(&format!("/t/runs%2Ft/next?seen={}", seen.join(",")))
            .body;
        let next: serde_json::Value = serde_json::from_str(&body).unwrap();
        let frames = next["replay"]["frames"].as_array().unwrap();
        let turns = frames
            .iter()
            .flat_map(|frame| frame["moves"].as_array().unwrap());
        (
            next["key"].as_str().unwrap().to_owned(),
            turns
                .map(|turn| turn["turn"].as_u64().unwrap())
                .max()
                .unwrap(),
        )
    };
    let (mut seen, mut lengths) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        let (key, turns) = next(&seen);
        assert!(!seen.contains(&key));
        seen.push(key);
        lengths.push(turns);
    }
    assert!(
        lengths.is_sorted_by(|one, other| one >= other),
        "{lengths:?}"
    );
    assert_eq!(next(&seen).0, seen[0]);
}

#[test]
fn without_the_token_there_is_nothing() {
    let (_scratch, server) = served(&[]);
    let host = server.address;
    let ask = |path: &str, more: &str| {
        server.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n"
        ))
    };
    for path in [
        "/",
        "/t/runs%2Ft",
        "/t/runs%2Ft/news",
        "/t/runs%2Ft/next",
        "/play",
        "/nothing",
    ] {
        let answer = ask(path, "");
        assert!(
            answer.status == 401 && !answer.body.contains("runs"),
            "{path}: {}",
            answer.status
        );
        assert_eq!(ask(path, "Cookie: arena_1=0; arena=; =\r\n").status, 401);
    }
    assert_eq!(ask("/?token=", "").status, 401);
    assert_eq!(ask(&format!("/?token={}0", server.token), "").status, 401);
    let let_in = ask(
        &format!("/t/runs%2Ft/matches?bot=a&token={}", server.token),
        "",
    );
    assert_eq!(let_in.status, 303);
    assert!(
        let_in
            .head
            .contains("location: /t/runs%2ft/matches?bot=a\r\n"),
        "{}",
        let_in.head
    );
    assert!(
        let_in.head.contains("httponly; samesite=lax"),
        "{}",
        let_in.head
    );
}

#[test]
fn other_names_and_other_pages_get_nothing() {
    let (_scratch, server) = served(&[]);
    let port = server.address.port();
    let own = server.head("GET", "/");
    for host in [
        "127.evil.example",
        "evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "10.0.0.1",
        "[::ffff:8.8.8.8]",
    ] {
        let head = own.replace("Host: 127.0.0.1", &format!("Host: {host}"));
        assert_eq!(
            server.ask(&(head + "Connection: close\r\n\r\n")).status,
            421,
            "{host}"
        );
    }
    let no_host = own.replace(&format!("Host: 127.0.0.1:{port}\r\n"), "");
    assert_eq!(
        server.ask(&(no_host + "Connection: close\r\n\r\n")).status,
        421
    );
    let post = |more: &str| {
        server.ask(
            &(server.head("POST", "/")
                + "Connection: close\r\nContent-Length: 2\r\n"
                + more
                + "\r\n{}"),
        )
    };
    let json = "Content-Type: application/json\r\n";
    assert_eq!(post(json).status, 403);
    assert_eq!(
        post(&format!("{json}Origin: http://evil.example\r\n")).status,
        403
    );
    assert_eq!(post(&format!("{json}Origin: null\r\n")).status, 403);
    assert_eq!(
        post(&format!("{json}Origin: http://127.0.0.1:1\r\n")).status,
        403
    );
    let origin = format!("Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(
        post(&format!("{origin}Content-Type: text/plain\r\n")).status,
        415
    );
    assert_eq!(post(&origin).status, 415);
    assert_eq!(post(&format!("{origin}{json}")).status, 405);
    let page = server.get("/");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.head.contains("access-control"));
    let all = server.head("GET", "/t/runs%2Ft/report")
        + "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    let (whole, short) = (server.get("/t/runs%2Ft/report"), server.ask(&all));
    assert!(short.head.contains("content-encoding: gzip") && !whole.head.contains("gzip"));
    assert!(2 * short.body.len() < whole.body.len());
}

#[test]
fn a_redirect_stays_on_this_server() {
    let (_scratch, server) = served(&[]);
    let (host, token) = (server.address, &server.token);
    for path in [
        "//evil.example/a",
        "///evil.example",
        "/\\evil.example",
        "/%2F/evil.example",
        "/%5cevil.example",
        "/%09/evil",
    ] {
        let answer = server.ask(&format!(
            "GET {path}?token={token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ));
        let location = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        assert!(
            answer.status == 400 || location == Some("/"),
            "{path}: {answer:?}"
        );
    }
}

#[test]
fn a_tunnel_leads_here_from_any_port() {
    let (_scratch, server) = served(&[]);
    let ask = |head: &str| server.ask(&format!("{head}Connection: close\r\n\r\n"));
    for host in ["localhost:8080", "127.0.0.1:1", "[::1]:4271"] {
        let entered = ask(&format!(
            "GET /?token={} HTTP/1.1\r\nHost: {host}\r\n",
            server.token
        ));
        let cookie = entered
            .head
            .split("set-cookie: ")
            .nth(1)
            .and_then(|cookie| cookie.split(';').next())
            .unwrap();
        assert_eq!(
            ask(&format!(
                "GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n"
            ))
            .status,
            200,
            "{host}"
        );
        let json = "Content-Type: application/json\r\nContent-Length: 0\r\n";
        let post = format!("POST /play HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{json}");
        assert_eq!(
            ask(&format!("{post}Origin: http://{host}\r\n")).status,
            400,
            "{host}"
        );
        assert_eq!(
            ask(&format!("{post}Origin: http://localhost:3000\r\n")).status,
            403,
            "{host}"
        );
    }
    let elsewhere = ask("GET / HTTP/1.1\r\nHost: evil.example\r\n");
    assert!(
        elsewhere.status == 421 && elsewhere.body.contains("localhost"),
        "{elsewhere:?}"
    );
}

#[test]
fn tokens_are_kept_and_viewers_change_nothing() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 1 --bot a=builtin:random --bot b=builtin:exact --out t");
    let flags = ["--token-file", "token", "--view-token-file", "view"];
    let server = Server::start(scratch.path(), &flags);
    let kept = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
    let (token, view) = (kept("token"), kept("view"));
    assert_eq!(server.token, token);
    assert_eq!(
        Server::start(scratch.path(), &flags).token,
        token,
        "it is the same after a restart"
    );
    for name in ["token", "view"] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            scratch
                .path()
                .join(name)
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
    }
    let viewer = server.with_token(&view);
    for path in [
        "/",
        "/t/t",
        "/t/t/matches",
        "/t/t/match?id=d1%2Fa%2Fb",
        "/t/t/tv",
        "/t/t/next",
    ] {
        let page = viewer.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.body.contains("\"/play\""), "{path} offers to play");
    }
    assert_eq!(
        [
            viewer.get("/play").status,
            viewer.post("/play", "{}").status,
            viewer.post("/", "{}").status
        ],
        [403; 3]
    );
    let same = scratch
        .command("serve --token-file view --view-token-file view --port 0")
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&same.stderr).contains("the same token"),
        "{same:?}"
    );
    scratch.write("token", "short");
    let refused = scratch
        .command("serve --token-file token --port 0")
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("token holds no token"),
        "{refused:?}"
    );
}

#[test]
fn what_a_page_says_never_becomes_a_path() {
    let (scratch, server) = served(&[]);
    std::fs::create_dir(scratch.path().join("secret")).unwrap();
    scratch.write("secret/ledger.sqlite", "no ledger");
    std::fs::write(scratch.path().join("runs/t/secret.css"), "secret").unwrap();
    for key in [
        "..",
        "%2e%2e",
        "..%2Fruns%2Ft",
        "runs%2Ft%2F",
        "runs%2F..%2Fruns%2Ft",
        "runs",
        "%2Fetc",
        "here",
        "%00",
        "runs%2Ft%00",
        "%ff",
    ] {
        let answer = server.get(&format!("/t/{key}"));
        assert!(
            [400, 404].contains(&answer.status),
            "{key}: {}",
            answer.status
        );
    }
    for name in [
        "..%2Fsecret.css",
        "secret.css",
        "%2e%2e%2fstyle.css",
        "style.css%00",
    ] {
        assert_eq!(server.get(&format!("/static/{name}")).status, 404, "{name}");
    }
    for id in [
        "d1",
        "d1%2F..%2Fa",
        "d9%2Fa%2Fb",
        "d1%2Fa",
        "%00",
        "d99999999999%2Fa%2Fb",
        "",
    ] {
        assert_eq!(
            server.get(&format!("/t/runs%2Ft/match?id={id}")).status,
            404,
            "{id}"
        );
    }
    assert_eq!(server.get("/t/runs%2Ft/match").status, 400);
    let broken = server.get("/t/secret");
    assert!(
        broken.status == 500 && broken.body.contains("Internal Server Error"),
        "{broken:?}"
    );
    std::fs::create_dir(scratch.path().join("begun")).unwrap();
    scratch.write("begun/ledger.sqlite", "");
    assert_eq!(server.get("/t/begun").status, 404);
    let list = server.get("/").body;
    assert!(list.contains("cannot be read") && !list.contains("begun"));
}

#[test]
fn requests_that_are_too_large_or_never_end_harm_nobody() {
    let (_scratch, server) = served(&[]);
    let huge = "x".repeat(1 << 20);
    assert!([0, 431].contains(&server.get(&format!("/?{huge}")).status));
    assert!(
        [0, 414, 431].contains(
            &server
                .ask(&(server.head("GET", "/") + "X: " + &huge + "\r\n\r\n"))
                .status
        )
    );
    let origin = format!(
        "Origin: http://{}\r\nContent-Type: application/json\r\n",
        server.address
    );
    let body = server.head("POST", "/") + &origin + "Content-Length: 99999999999\r\n\r\n" + &huge;
    assert_eq!(server.ask(&(body + &huge)).status, 413);
    assert!([0, 400].contains(&server.ask("\0\0\0 nonsense\r\n\r\n").status));
    // Open many connections that send half a request, and many that send requests but never read.
    let silent: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    let deaf: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            let request = server.head("GET", "/t/runs%2Ft/report") + "\r\n";
            stream.write_all(request.repeat(20).as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/t/runs%2Ft").status, 200);
    drop((silent, deaf));
    let memory = server.memory();
    assert!(memory.is_none_or(|bytes| bytes < 150 << 20), "{memory:?}");
}

#[test]
fn ten_thousand_watchers_come_and_go() {
    let (_scratch, server) = served(&[]);
    let request = server.head("GET", "/t/runs%2Ft/news") + "\r\n";
    let mut served = 0;
    // The number of connections is small enough for a process that may open 512 files, and leaves some files for other tests.
    for _ in 0..100 {
        let streams: Vec<Option<TcpStream>> = (0..100)
            .map(|_| {
                let mut stream = server.connect();
                stream.write_all(request.as_bytes()).ok()?;
                Some(stream)
            })
            .collect();
        for mut stream in streams.into_iter().flatten() {
            let mut begin = [0; 12];
            // Clients beyond the limit are refused or disconnected.
            if stream.read_exact(&mut begin).is_ok() {
                served += usize::from(&begin == b"HTTP/1.1 200");
            }
        }
    }
    assert!(served >= 1_000, "{served}");
    let memory = server.memory();
    assert!(memory.is_none_or(|bytes| bytes < 300 << 20), "{memory:?}");
    // Once these clients are gone, there is room again.
    let again = (0..100).any(|_| server.get("/").status == 200);
    assert!(again);
}

#[test]
fn standings_move_while_matches_are_played_and_end_as_they_are_shown() {
    let scratch = Scratch::new();
    scratch
        .printed("run -q --seed 1 --deals 2 --bot a=builtin:random --bot b=builtin:exact --out t");
    let server = Server::start(&scratch.path().join("t"), &[]);
    let mut updates = server
        .updates("/t/here")
        .map(|update| update["html"].as_str().unwrap().to_owned());
    assert!(updates.next().unwrap().contains("4 matches on 2 deals"));
    scratch.printed("extend t --deals 50");
    scratch.printed("run -q t");
    let last = updates
        .find(|news| news.contains("100 matches on 50 deals"))
        .unwrap();
    let page = server.get("/t/here").body;
    assert!(page.contains(&last), "the page and the news are the same");
    let token = page
        .split("data-token=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(
        server.get(&format!("/t/here/news?after={token}")).status,
        204,
        "the page has the news"
    );
}
