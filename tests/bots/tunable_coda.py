"""A Coda bot with two numbers: the farther AIM is from 0.6, the more of its attacks fail; IDLE, in its environment, changes nothing."""
import argparse
import json
import os
import random
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("--aim", type=float, default=0.6)
aim, idle = arguments.parse_args().aim, float(os.environ.get("IDLE", "0"))


def order(panel):
    """Sort key of a panel such as "D7" or "L11" in a code: by number, dark before light."""
    return int(panel[1:]), panel[0]


def candidates(view, tried, seat, position):
    """Returns the panels that can stand at this place, as far as the table shows."""
    rows = [code["panels"] for code in view["codes"]]
    seen = {panel for row in rows for panel in row} | {view["aside"] and view["aside"]["panel"]}
    row, colour = rows[seat], rows[seat][position][0]
    low = [order(panel) for panel in row[:position] if panel[1].isdigit()]
    high = [order(panel) for panel in row[position + 1:] if panel[1].isdigit()]
    possible = [panel for panel in (f"{colour}{number}" for number in range(12))
                if (not low or low[-1] < order(panel)) and (not high or order(panel) < high[0])]
    return [panel for panel in possible if panel not in seen and (seat, panel) not in tried]


def attack(prompt, view, tried, chance):
    """Attacks the place with the fewest candidates, or stops if it has more than two."""
    found = [(candidates(view, tried, seat, position), seat, position)
             for option in prompt for seat in option.get("attack", {}).get("seat", [])
             for position in option["attack"]["position"]]
    fewest, seat, position = min(found, key=lambda place: len(place[0]) or 99)
    if len(fewest) > 2 and {"stop": {}} in prompt:
        return {"stop": {}}
    panel = chance.choice(fewest or ["D0"])
    if chance.random() < 2 * abs(aim - 0.6):
        return {"attack": {"seat": seat, "position": position, "face": "11" if panel[1:] != "11" else "0"}}
    tried.add((seat, panel))
    return {"attack": {"seat": seat, "position": position, "face": panel[1:]}}


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "tunable", "games": ["coda"]}}), flush=True)
    elif kind == "start":
        chance, tried = random.Random(body["seed"]), set()
    elif kind == "turn":
        if any("round_started" in event for event in body["events"]):
            tried.clear()
        (name, values), = body["prompt"][0].items()
        if name == "attack":
            action = attack(body["prompt"], body["view"], tried, chance)
        else:
            action = {name: {key: chance.choice(legal) for key, legal in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
