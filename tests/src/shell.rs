//! Bots written as shell scripts.

/// A script that sends `ready` and waits for the first turn.
pub const READY: &str = "read -r hello; echo '{\"ready\":{}}'; read -r start; read -r turn\n";

/// Returns a bot that gives this answer to its first turn, where `$id` is the turn's id.
pub fn answering(answer: &str) -> String {
    format!("{READY} id=${{turn#*\\\"id\\\":}}; id=${{id%%,*}}; echo \"{answer}\"; cat > /dev/null")
}
