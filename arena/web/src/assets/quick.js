// Buttons that start a match against a bot.

for (const button of elements("#quick button")) button.addEventListener("click", () => start(button));

/** Starts a match against the bot of a button. */
async function start(button) {
  const { game } = button.closest("section").dataset;
  const seats = [{ person: recall("name") ?? "guest" }, { builtin: button.dataset.bot }];
  const answer = await post("/play", { game, seats, hints: true });
  if (answer.failed) elements("#quick [role=alert]")[0].textContent = answer.why;
  else location.assign(answer.seats[0].address);
}
