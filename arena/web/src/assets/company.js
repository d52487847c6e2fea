// The other people at the table (spectators, and other browsers with this seat), and links to further matches.

const company = byId("company");
const companyWords = el("span", {});
/** Address of the rematch when the end was first shown. The page moves on immediately to a rematch that is opened later. */
let rematch;

company.append(companyWords);
company.after(el("a", { class: "state", href: facts.watch, target: "_blank" }, seat === null ? "Link for watching" : "Link for others to watch"));
if (seat !== null) remember("mine", [here, ...(recall("mine") ?? []).filter((other) => other !== here)].slice(0, 20));

/** Shows the other people who are present. Once the match has been stored, moves on to the rematch as soon as one is opened. */
function showCompany(update) {
  const words = [
    update.watching > 0 ? `${count(update.watching, "viewer")}.` : "",
    update.elsewhere ? "This seat is also open in another browser." : "",
  ].filter(Boolean).join(" ");
  // Screen readers may repeat text that is set again, so set it only if it has changed.
  if (companyWords.textContent !== words) companyWords.textContent = words;
  if (!update.kept) return;
  if (rematch === null && update.rematch) location.assign(update.rematch);
  rematch = update.rematch;
}

/** Returns the controls that lead to the next match of the same people and bots. */
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
