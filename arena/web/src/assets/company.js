// Who else is here: onlookers, and other browsers with this seat; and the ways to further matches.

const company = byId("company");
const companyWords = el("span", {});
/** The address of the rematch as it was when the end was shown first: one that is opened later leads there at once. */
let rematch;

company.append(companyWords, " ", el("a", { href: facts.watch, target: "_blank" }, seat === null ? "Link for watching" : "Link for others to watch"));
if (seat !== null) remember("mine", [here, ...(recall("mine") ?? []).filter((other) => other !== here)].slice(0, 20));

/** Shows who else is here. Once the match is kept, leads to the rematch when somebody opens it. */
function showCompany(update) {
  const words = [
    update.watching > 0 ? `${count(update.watching, "viewer")}.` : "",
    update.elsewhere ? "This seat is also open on another device." : "",
  ].filter(Boolean).join(" ");
  // What is written again may be read out again.
  if (companyWords.textContent !== words) companyWords.textContent = words;
  if (!update.kept) return;
  if (rematch === null && update.rematch) location.assign(update.rematch);
  rematch = update.rematch;
}

/** What leads to the next match of the same people and bots. */
function again() {
  if (rematch) return el("p", {}, el("a", { href: rematch }, "To the rematch"));
  if (seat === null) return null;
  const problem = el("span", { class: "problem", role: "alert" });
  const press = async () => {
    const { failed, why } = await post(`${here}/rematch`);
    problem.textContent = failed ? `Not opened: ${why}` : "";
    look();
  };
  return el("p", {}, el("button", { type: "button", onclick: press }, "Rematch"), " The same table, and everybody moves on by one seat. ", problem);
}
