"""A Code 777 bot that takes notes: it removes every rack that an answer rules out, and declares the last code left."""
import json
import sys
from collections import Counter
from itertools import combinations_with_replacement

COPIES = {"G1": 1, "Y2": 2, "K3": 3, "N4": 4, "R5": 4, "K5": 1, "G6": 3, "P6": 3, "P7": 1, "Y7": 2, "B7": 4}
MORE = {12: ("*3", "P6"), 13: ("G6", "Y7"), 14: ("*2", "Y7"), 15: ("P6", "G6"), 16: ("B7", "P7 Y7"), 17: ("N", "B"),
        18: ("R", "P"), 19: ("G", "B"), 20: ("Y", "P"), 21: ("K", "N"), 22: ("K", "R"), 23: ("G", "Y")}


def on_rack(question, rack):
    """Questions 1 to 7, each about a rack."""
    numbers, colours, cards = sorted(int(card[1]) for card in rack), {card[0] for card in rack}, set(rack)
    return {1: sum(numbers) >= 18, 2: sum(numbers) <= 12, 3: len(set(numbers)) < len(cards), 4: len(colours) == 3,
            5: len({number % 2 for number in numbers}) == 1, 6: len(cards) < 3,
            7: numbers == list(range(numbers[0], numbers[0] + 3))}[question]


def answer(question, racks):
    """Returns the answer of a player who sees these racks, in the words of the arena."""
    cards = [card for rack in racks for card in rack]
    colours = Counter(card[0] for card in cards)
    if question <= 7:
        return {"count": sum(on_rack(question, rack) for rack in racks)}
    if question <= 11:
        return {"count": {8: len(colours), 9: sum(count >= 3 for count in colours.values()),
                          10: 7 - len({card[1] for card in cards}),
                          11: sum(card in ("G1", "K5", "P7") for card in cards)}[question]}
    first, second = (sum(card in kind.split() or card[0] == kind or "*" + card[1] == kind for card in cards)
                     for kind in MORE[question])
    return "first" if first > second else "second" if first < second else "same"


def note(event):
    """Processes an event: updates the racks of the others and the possible racks of mine."""
    (kind, body), = event.items()
    if kind == "dealt" and body["seat"] == me:
        mine[:] = combinations_with_replacement(COPIES, 3)  # a new rack: any that the copies of the cards allow
    elif kind in ("dealt", "dummy"):
        racks[body.get("seat", f"dummy {len(racks)}")] = body["rack"]
    elif kind == "answered" and body["seat"] != me:         # this seat sees all racks except its own, also mine
        others = [rack for seat, rack in racks.items() if seat != body["seat"]]
        mine[:] = [rack for rack in mine if answer(body["question"], others + [rack]) == body["answer"]]
    elif kind in ("declared", "withdrew"):
        racks.pop(body["seat"], None)
        discards.extend(body["rack"])
    elif kind == "reshuffled":
        discards.clear()
    if kind in ("dealt", "dummy"):                          # a card that I see elsewhere is not on my rack
        seen = Counter(discards) + Counter(card for rack in racks.values() for card in rack)
        mine[:] = [rack for rack in mine if all(rack.count(card) <= COPIES[card] - seen[card] for card in rack)]


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "notes", "games": ["code-777"], "wants": ["events"]}}), flush=True)
    elif kind == "start":
        me, by_colour = body["seat"], body["rules"]["colours"]
        racks, discards, mine = {}, [], []
    elif kind == "turn":
        for event in body["events"]:
            note(event)
        codes = {rack if by_colour else tuple(sorted(int(card[1]) for card in rack)) for rack in mine}
        action = {"pass": {}}
        if len(codes) == 1:                                 # certain
            action = {"declare": {"cards" if by_colour else "numbers": list(codes.pop())}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)
