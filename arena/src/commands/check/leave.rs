//! The end: the bot exits when it is asked to and when its input ends, and leaves nothing behind.

use arena_engine::fault::{Fault, ProcessEnd};

use super::Plan;
use super::probe::{Leave, Left};
use super::report::{Finding, Report};
use arena_runner::units::millis;

/// Carries out the steps.
pub async fn steps(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    for (how, title) in [
        (Leave::Quit, "it exits after quit, leaving nothing behind"),
        (Leave::Close, "it exits when its input ends without quit"),
    ] {
        report.begin(title);
        let Some(probe) = plan.start_again().await? else {
            report.end("", vec![not_again()])?;
            continue;
        };
        let left = probe.leave(how).await;
        let fact = left.after.map(|took| format!("after {} ms of 1000", millis(took))).unwrap_or_default();
        report.end(fact, findings(how, &left))?;
    }
    Ok(())
}

/// A bot that was ready once and is not when it is started again.
pub fn not_again() -> Finding {
    Finding::failed(
        "it was ready when it was started before, and is not now",
        "see what it leaves from one start to the next: files, locks, ports",
    )
}

fn findings(how: Leave, left: &Left) -> Vec<Finding> {
    let mut findings = Vec::new();
    if left.after.is_none() {
        findings.push(Finding::failed(
            "it does not exit within 1000 ms, and had to be killed",
            match how {
                Leave::Quit => "exit on the quit message, or at the end of the input, without long work in the end",
                Leave::Close => "end the program when reading finds the end of the input: the arena may have gone",
            },
        ));
    } else if left.exit.fault() != Fault::Exited(ProcessEnd::Code(0)) {
        findings.push(
            Finding::warning(
                format!("it does not end in order: it {}", left.exit.fault()),
                "nothing is lost by it, but an error hides here: let reading end quietly at quit or the end of the input",
            )
            .show_log(&left.stderr),
        );
    }
    if left.after.is_some() && left.exit.left > 0 {
        let many = if left.exit.left == 1 { "a child".into() } else { format!("{} children", left.exit.left) };
        let behind = Finding::warning(
            format!("it left {many} running when it exited; the arena kills what is left"),
            "a script that starts the bot should end with exec, as in: exec python3 my_bot.py; otherwise stop and wait for \
             what you start before you exit",
        );
        findings.push(behind);
    }
    findings
}
