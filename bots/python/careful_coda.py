"""A Coda bot that looks at the table: it never names a panel that it can see, or that has missed before."""
import json
import random
import sys


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
    numbers = [f"{colour}{number}" for number in range(12)]
    possible = [panel for panel in numbers
                if (not low or low[-1] < order(panel)) and (not high or order(panel) < high[0])]
    if view["dashes"]:                                      # a dash can be anywhere
        possible.append(f"{colour}-")
    return [panel for panel in possible if panel not in seen and (seat, panel) not in tried]


def attack(prompt, view, tried, chance):
    """Attacks the panel with the fewest candidates, or stops if that is too uncertain."""
    found = []
    for option in prompt:
        for seat in option.get("attack", {}).get("seat", []):
            for position in option["attack"]["position"]:
                found.append((candidates(view, tried, seat, position), seat, position))
    fewest, seat, position = min(found, key=lambda place: len(place[0]) or 99)
    if len(fewest) > 2 and {"stop": {}} in prompt:
        return {"stop": {}}
    panel = chance.choice(fewest or ["D0"])
    tried.add((seat, panel))
    return {"attack": {"seat": seat, "position": position, "face": panel[1:]}}


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "careful", "games": ["coda"]}}), flush=True)
    elif kind == "start":
        chance, tried = random.Random(body["seed"]), set()
    elif kind == "turn":
        if any("round_started" in event for event in body["events"]):
            tried.clear()                                   # new panels: earlier attacks no longer help
        (name, values), = body["prompt"][0].items()
        if name == "attack":
            action = attack(body["prompt"], body["view"], tried, chance)
        else:                                               # set_up, draw, expose: any choice will do
            action = {name: {key: chance.choice(legal) for key, legal in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
