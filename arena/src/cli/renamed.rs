//! Flags that are spelt otherwise now: the old spelling says the new one.

/// The value of such a flag, which there never is.
#[derive(Clone, Copy, Debug)]
pub enum Gone {}

/// Refuses the old spelling.
pub fn renamed(now: &'static str) -> impl Fn(&str) -> Result<Gone, String> + Clone {
    move |_| Err(format!("write {now} here"))
}
