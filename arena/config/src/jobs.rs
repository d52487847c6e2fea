//! Limits the jobs of a run to this machine and its cores.

use arena_sandbox::cores::{MAX_JOBS, allowed, bind, count};

/// Returns an error text if there are too many jobs for the cores of this machine.
pub fn too_many(jobs: usize) -> Option<String> {
    let (cores, most) = (count(), count() * MAX_JOBS);
    (jobs > most).then(|| {
        format!(
            "{jobs} jobs are too many for {cores} cores and could make the machine unusable: use {cores}, or at most {most} \
             with --oversubscribe"
        )
    })
}

/// Restricts this process, which must be single-threaded, to a list of cores such as `0-3,6`.
pub fn restrict(list: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u16>().ok().map(usize::from);
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(number(first)?..=number(last)?)
    };
    let allowed = allowed();
    let chosen: Option<Vec<_>> = list.split(',').map(range).collect();
    let cores: Vec<usize> = chosen
        .ok_or("write numbers of cores, such as 2,3 or 0-3")?
        .into_iter()
        .flatten()
        .collect();
    let is_allowed = !cores.is_empty() && cores.iter().all(|core| allowed.contains(core));
    is_allowed
        .then_some(())
        .ok_or_else(|| format!("the arena may use only the cores {allowed:?}"))?;
    bind(&cores).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cores_that_are_there_can_be_chosen() {
        let first = allowed()[0];
        for wrong in [
            "",
            "x",
            "1-",
            "3-2",
            "-1",
            "65535",
            "0-4294967296",
            &format!("{first},65535"),
        ] {
            assert!(restrict(wrong).is_err(), "{wrong}");
        }
        restrict(&format!("{first}-{first},{first}")).unwrap();
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        assert!(
            status.contains(&format!("Cpus_allowed_list:\t{first}\n")),
            "{status}"
        );
    }
}
