// The match of the page is shown. On a server its judgement may still be under way: it is added when it is there.

const shown = showReplay(byId("replay"), JSON.parse(byId("data").textContent));
const judging = document.getElementById("judging");
const LATER = 1000;

while (judging) {
  const response = document.hidden ? null : await fetch(judging.dataset.source).catch(() => null);
  if (response?.status === 200) {
    shown.judge(await response.json());
    judging.textContent = "The judge has looked at this match.";
    break;
  }
  if (response && response.status !== 204) {
    judging.textContent = "The judge cannot look at this match.";
    break;
  }
  await new Promise((resolve) => { setTimeout(resolve, LATER); });
}
