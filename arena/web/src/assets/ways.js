// Links from counts of matches to these matches.

/** The results that are counted by columns. */
const RESULTS = { W: "won", D: "drawn", L: "lost", matches: "any", forfeits: "forfeit" };
/** Column of three numbers, and its separator. */
const [THREE, DASH] = ["W–D–L", "–"];

/** Links the numbers and names in the tables below an element. */
function lead(root) {
  const [base] = /^\/t\/[^/]+/.exec(location.pathname) ?? [];
  const link = (cell, end, query, hash = "", isThere = /[1-9\p{L}]/u) => {
    if (!isThere.test(cell.textContent)) return;
    const anchor = document.createElement("a");
    anchor.href = `${base}/${end}?${new URLSearchParams(query)}${hash}`;
    anchor.append(...cell.childNodes);
    cell.append(anchor);
  };
  for (const place of root.querySelectorAll("[data-at]")) link(place, "match", { id: place.dataset.at }, `#turn=${place.dataset.turn}`);
  for (const table of root.querySelectorAll("table:has(th[scope=row])")) {
    const heads = [...table.tHead.rows[0].cells];
    for (const row of table.tBodies[0].rows) {
      const head = row.querySelector("th[scope=row]");
      const bot = head.querySelector("bdi")?.textContent;
      const other = row.querySelector("td.name bdi")?.textContent ?? "";
      [...row.cells].forEach((cell, nth) => {
        const against = cell.matches(".cell") ? heads[nth].title : other;
        if (cell === head) link(cell.querySelector("bdi"), "bot", { name: bot });
        else if (cell.matches(".cell")) link(cell, "matches", { bot, other: against }, "", /\d/);
        else if (heads[nth].textContent === THREE) cell.replaceChildren(...cell.textContent.split(DASH).flatMap((number, of) => {
          const part = document.createElement("span");
          part.append(number);
          link(part, "matches", { bot, other: against, result: RESULTS[THREE.split(DASH)[of]] });
          return of > 0 ? [DASH, part] : [part];
        }));
        else if (heads[nth].textContent in RESULTS) link(cell, "matches", { bot, other: against, result: RESULTS[heads[nth].textContent] });
      });
    }
  }
}

lead(document);
