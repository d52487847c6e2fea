//! The end: the bot exits after quit and when its input ends, and leaves nothing behind.

use arena_engine::fault::{Fault, ProcessEnd};
use serde_json::Value;

use super::BotCheck;
use super::probe::Leave;
use super::report::Finding;
use arena_runner::units::millis;
use arena_sandbox::Exit;

impl BotCheck<'_> {
    /// The steps.
    pub(super) async fn leave_steps(&self) -> anyhow::Result<()> {
        for (how, title) in [
            (Leave::Quit, "it exits after quit, leaving nothing behind"),
            (Leave::Close, "it exits when its input ends without quit"),
        ] {
            self.report.begin(title);
            let Some(probe) = self.start_again::<Value>().await? else {
                self.report.end("", vec![not_ready_again()])?;
                continue;
            };
            let (after, exit, evidence) = probe.leave(how).await;
            let fact = after.map(|took| format!("after {} ms of 1000", millis(took))).unwrap_or_default();
            self.report.end(fact, if after.is_none() { vec![too_long(how)] } else { end(&exit, &evidence.stderr) })?;
        }
        Ok(())
    }
}

/// A bot that was ready once and is not when it is started again.
pub fn not_ready_again() -> Finding {
    Finding::failed(
        "it was ready when it was started before, and is not now",
        "see what it leaves from one start to the next: files, locks, ports",
    )
}

fn too_long(how: Leave) -> Finding {
    let fix = match how {
        Leave::Quit => "exit on the quit message, or at the end of the input, without long work at the end",
        Leave::Close => "end the program when reading finds the end of the input: the arena may have gone",
    };
    Finding::failed("it does not exit within 1000 ms, and had to be killed", fix)
}

fn end(exit: &Exit, log: &str) -> Vec<Finding> {
    let (fault, left, mut findings) = (exit.fault(), exit.left, Vec::new());
    if fault != Fault::Exited(ProcessEnd::Code(0)) {
        let fix =
            "nothing is lost by it, but an error hides here: let reading end quietly at quit or the end of the input";
        let finding = Finding::warning(format!("it does not end in order: it {fault}"), fix);
        findings.push(finding.show_log(log));
    }
    if left > 0 {
        let count = if left == 1 { "a child".into() } else { format!("{left} children") };
        findings.push(Finding::warning(
            format!("it left {count} running when it exited; the arena kills what is left"),
            "a script that starts the bot should end with exec, as in: exec python3 my_bot.py; otherwise stop and wait for \
             what you start before you exit",
        ));
    }
    findings
}
