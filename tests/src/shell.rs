//! Bots in shell.

/// Becomes ready, and waits for its first turn.
pub const READY: &str = "read -r hello; echo '{\"ready\":{}}'; read -r start; read -r turn\n";

/// A bot that says this at its first turn, where `$id` is the turn's.
pub fn answering(answer: &str) -> String {
    format!("{READY} id=${{turn#*\\\"id\\\":}}; id=${{id%%,*}}; echo \"{answer}\"; cat > /dev/null")
}
