use super::*;

fn help(fault: &BotFault, clues: &Clues<'_>) -> String {
    super::help(fault, clues).unwrap_or_default()
}

#[test]
fn help_depends_on_what_is_known() {
    let nothing = Clues::default();
    let slow = Clues {
        wall_us: Some(250_000),
        cpu_us: Some(249_000),
        ..nothing
    };
    let idle = Clues {
        cpu_us: Some(900),
        ..slow
    };
    assert!(
        help(&BotFault::Late(Some(Hint::Nothing)), &slow)
            .contains("it computed for 249 ms of 250 ms")
    );
    assert!(
        help(&BotFault::Late(Some(Hint::Nothing)), &idle)
            .starts_with("it slept or waited: it used 0.9 ms of processor time in 250 ms")
    );
    // Other processes used the cores.
    let busy = Clues {
        wall_us: Some(4_000_000),
        ..slow
    };
    let computing = help(&BotFault::Late(Some(Hint::Computing)), &busy);
    assert!(computing.starts_with(
        "it computed for 249 ms of 4000 ms, most of what a busy machine left it: decide"
    ));
    assert!(
        help(&BotFault::Late(Some(Hint::Slow)), &busy)
            .contains("or for a core if the machine was busy")
    );
    assert!(
        help(&BotFault::Late(Some(Hint::Slow)), &slow)
            .starts_with("it answers, but is too slow; it computed for 249 ms")
    );
    assert!(
        help(&BotFault::Late(Some(Hint::Slow)), &idle).contains("so it slept or waited for a file")
    );
    let other = Clues {
        ids: Some((1, 8812)),
        ..nothing
    };
    let other = help(&BotFault::Late(Some(Hint::EarlierTurns)), &other);
    assert!(
        other.starts_with("a reply with the id 1 came while 8812 was open: "),
        "{other}"
    );
    let logged = Clues {
        log: "start\ncannot open weights.bin\n\n",
        ..nothing
    };
    let ended = help(&BotFault::Exited(ProcessEnd::Code(0)), &logged);
    assert!(
        ended.starts_with("it exited; its log says: cannot open weights.bin. If"),
        "{ended}"
    );
    assert!(help(&BotFault::Exited(ProcessEnd::Code(0)), &nothing).starts_with("keep reading"));
    let raised = Clues {
        log: "Traceback\n KeyError: 'x'\n",
        ..nothing
    };
    assert_eq!(
        help(&BotFault::Exited(ProcessEnd::Code(1)), &raised),
        "the error in its log: KeyError: 'x'"
    );
    let old = Clues {
        log: "    match event:\n          ^\nSyntaxError: invalid syntax\n",
        ..nothing
    };
    assert!(help(&BotFault::Exited(ProcessEnd::Code(1)), &old).contains("invalid syntax; where"));
    let refused = Clues {
        log: "PermissionError: [Errno 1] Operation not permitted",
        ..nothing
    };
    assert!(
        help(&BotFault::Exited(ProcessEnd::Code(1)), &refused).contains("map a file in TMPDIR")
    );
    assert!(help(&BotFault::Exited(ProcessEnd::Code(1)), &nothing).contains("catch the error"));
    let memory = BotFault::OverLimit(Excess::Memory(2_048));
    for (command, log, option) in [
        ("java -cp build Bot", "", "-Xmx1024m"),
        ("/usr/lib/jvm/bin/java @java.options Bot", "", "-Xmx1024m"),
        ("sh -c exec\tjava\tBot", "", "-Xmx1024m"),
        (
            "sh run.sh",
            "java.lang.OutOfMemoryError: Java heap space",
            "-Xmx1024m",
        ),
        ("node bot.js", "", "--max-old-space-size=1024,"),
        ("sh run.sh", "", "by -Xmx, Node by"),
    ] {
        let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let clues = Clues {
            command: &command,
            log,
            ..nothing
        };
        let said = help(&memory, &clues);
        assert!(
            said.contains(option) && said.contains("memory_mb"),
            "{command:?}: {said}"
        );
    }
    for (log, status, option) in [
        (
            "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n\tat A.b",
            ProcessEnd::Code(1),
            "-Xmx…m",
        ),
        (
            "FATAL ERROR: Reached heap limit - JavaScript heap out of memory",
            ProcessEnd::Signal("ABRT".into()),
            "--max-old-space-size=…",
        ),
    ] {
        let said = help(&BotFault::Exited(status), &Clues { log, ..nothing });
        let line = log.lines().next().unwrap();
        assert!(said.contains(line) && said.contains(option), "{said}");
    }
    let python = Clues {
        idioms: Idioms {
            flush: Some("flush=True"),
            ..Idioms::default()
        },
        ..nothing
    };
    assert!(
        help(&BotFault::Late(Some(Hint::NoNewline)), &python).ends_with("then flush: flush=True")
    );
}

#[test]
fn a_start_that_failed_is_advised_on_unless_its_fix_is_known() {
    let advice = |why: &str| help(&BotFault::StartFailed(why.into()), &Clues::default());
    assert!(advice("run is not a program for this machine (aarch64)").starts_with("compile it"));
    assert_eq!(advice("run.py is not executable: chmod +x run.py"), "");
    let other = advice("run: there is no such program");
    assert!(
        other.contains("in the bot's folder") && !other.contains("tournament"),
        "{other}"
    );
}
