// Requests with a timeout, and polling for news. No page holds a connection open, because a browser allows only six for all pages of a
// server.

/** Timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;

function wait(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

/** Returns the status and the text of a response; status 0 if there is none. */
async function request(address, options = {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT);
  try {
    const response = await fetch(address, { ...options, signal: abort.signal });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: "" };
  } finally {
    clearTimeout(timer);
  }
}

/** Posts JSON and returns the response if it is JSON. `isLost` is true if the request may not have arrived, or must be sent again. */
async function post(address, body = {}) {
  const { status, text } = await request(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (status === 204) return {};
  const [failed, isLost] = [status !== 200, status === 0 || status >= 500];
  try {
    return { ...JSON.parse(text), failed, isLost };
  } catch {
    return { why: "The server cannot be reached.", failed, isLost };
  }
}

/**
 * Polls an address, which ends in `?` or `&`, for news after the last ones, which `token` names: `take` receives them, and `pause` returns the milliseconds to the next request, null to stop.
 * A page polls at once when it is shown again. Returns a function that polls now.
 */
function follow(address, token, take, pause) {
  const state = /** @type {HTMLElement} */ (document.getElementById("connection"));
  let isGone = false;
  let [timer, asking] = [0, /** @type {Promise<void> | null} */ (null)];
  const look = async () => {
    const { status, text } = await request(address + new URLSearchParams(token));
    isGone = [401, 404].includes(status);
    const words = [200, 204].includes(status) ? "" : isGone ? "Not connected: this link is no longer valid." : "Not connected; trying again.";
    // Screen readers may read text again that is set again, so set it only if it has changed.
    if (state.textContent !== words) state.textContent = words;
    if (status === 200) {
      const news = JSON.parse(text);
      token = news.token;
      take(news);
    }
  };
  const again = () => {
    asking = null;
    const milliseconds = isGone ? null : pause();
    if (milliseconds !== null) timer = setTimeout(ask, milliseconds);
  };
  const ask = async () => {
    // A pending response may be outdated.
    await asking?.catch(() => {});
    clearTimeout(timer);
    asking ??= look().finally(again);
    return asking;
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && pause() !== null) ask(); });
  ask();
  return ask;
}
