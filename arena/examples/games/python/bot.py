"""Bids its highest card for a prize of 4 or 5, and its lowest for any other."""

import json
import sys

for line in sys.stdin:  # one message per line, until the arena closes the pipe
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"games": ["bids"]}}), flush=True)
    elif kind == "turn":
        worth = [event["prize"]["worth"] for event in body["events"] if "prize" in event][-1]
        cards = body["prompt"][0]["bid"]["card"]
        card = max(cards) if worth >= 4 else min(cards)
        print(json.dumps({"id": body["id"], "action": {"bid": {"card": card}}}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)  # the bot's log
