// Bids its highest card for a prize of 4 or 5, and its lowest for any other.
import { createInterface } from "node:readline";

const send = (message) => console.log(JSON.stringify(message));

createInterface({ input: process.stdin }).on("line", (line) => {
  const [[kind, body]] = Object.entries(JSON.parse(line)); // each message is an object with a single key
  if (kind === "hello") {
    send({ ready: { games: ["bids"] } });
  } else if (kind === "turn") {
    const { worth } = body.events.findLast(({ prize }) => prize).prize;
    const cards = body.prompt[0].bid.card;
    send({ id: body.id, action: { bid: { card: worth >= 4 ? Math.max(...cards) : Math.min(...cards) } } });
  } else if (kind === "error") {
    console.error(body.message); // the bot's log
  }
});
