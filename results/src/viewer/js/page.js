// Shows the match of the page. On a server, the judgement may be pending: it is added once available.

const shown = showReplay(byId("replay"), unpacked(JSON.parse(byId("data").textContent)));
const judging = document.getElementById("judging");
const RETRY_INTERVAL = 1000;

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
  await new Promise((resolve) => { setTimeout(resolve, RETRY_INTERVAL); });
}
