// Standings that move: each event brings them whole.

const [live, state] = ["live", "connection"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
const source = new EventSource(live.dataset.source ?? "");

source.addEventListener("standings", (event) => {
  state.textContent = "live";
  // The server has escaped all that strangers wrote, and no script runs that it did not send.
  const parsed = new DOMParser().parseFromString(event.data, "text/html");
  const scrolled = [...live.querySelectorAll(".box")].map((box) => box.scrollLeft);
  const focused = [...live.querySelectorAll(".box")].findIndex((box) => box === document.activeElement);
  live.replaceChildren(...parsed.body.childNodes);
  lead(live);
  const boxes = /** @type {NodeListOf<HTMLElement>} */ (live.querySelectorAll(".box"));
  scrolled.forEach((left, nth) => { if (boxes[nth]) boxes[nth].scrollLeft = left; });
  boxes[focused]?.focus();
});
source.addEventListener("open", () => { state.textContent = "live"; });
source.addEventListener("error", () => { state.textContent = "not connected; this page may be out of date"; });
