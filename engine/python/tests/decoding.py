"""Decodes the view of a seat from its observation, with only the schema."""

import numpy as np

FACES = [*map(str, range(12)), "-"]
CARDS = ["G1", "Y2", "K3", "N4", "R5", "K5", "G6", "P6", "P7", "Y7", "B7"]
LINES = "ABCDEFGHIJKLMNOPQRS"
PAIRS = ["TU", "UV", "WX", "XY", "TW", "UX", "VY"]


def slices(obs, fields):
    """Returns the slices by name, as nested lists; a single number without a list."""
    found = {}
    for field in fields:
        size = int(np.prod(field["shape"]))
        part = obs[field["start"]:field["start"] + size].reshape(field["shape"]).tolist()
        found[field["name"]] = part[0] if field["shape"] == [1] else part
    return found


def view(game, obs, fields, rules):
    """Returns the view, with the names of the protocol."""
    parts = slices(obs, fields)
    seat = parts["seat"] - 1
    seats = next(field["high"] for field in fields if field["name"] == "seat")

    def absolute(values):
        return [values[(at - seat) % seats] for at in range(seats)]

    def who(number):
        return None if number == 0 else (number - 1 + seat) % seats

    return {"coda": coda, "code-777": code_777, "crack-the-code": crack, "digit-code": digit}[game](parts, rules, seat, absolute, who)


def panel(colour, face):
    return "?DL"[colour] + (FACES[face - 1] if face else "?")


def coda(parts, rules, seat, absolute, who):
    rows = [{"panels": [panel(c, f) for c, f in zip(colours, faces) if c], "standing": [at for at, up in enumerate(standing) if up]}
            for colours, faces, standing in zip(parts["colours"], parts["faces"], parts["standing"])]
    owner, colour, face = parts["aside"]
    return {
        "seat": seat, "round": parts["round"], "rounds": rules.get("rounds", 3), "dashes": rules.get("dashes", False),
        **({"numbers": rules["numbers"]} if rules.get("numbers", 12) != 12 else {}),
        "codes": absolute(rows), "taken": [panel(c, f) for c, f in parts["taken"] if c],
        "aside": {"seat": who(owner), "panel": panel(colour, face)} if owner else None,
        "pool": dict(zip(("dark", "light"), parts["pool"])), "points": absolute(parts["points"]),
    }


def code_777(parts, rules, seat, absolute, who):
    def rack(cards):
        return [CARDS[card - 1] for card in cards] if cards[0] else None

    owner, question, answer = parts["last"]
    words = {29: "first", 30: "second", 31: "same"}
    return {
        "seat": seat, "racks": absolute([rack(cards) for cards in parts["racks"]]),
        "dummies": [rack(cards) for cards in parts["dummies"] if cards[0]],
        "last": {"seat": who(owner), "question": question, "answer": words.get(answer, {"count": answer - 1})} if owner else None,
        "asked": [at + 1 for at, asked in enumerate(parts["asked"]) if asked], "questions": parts["questions"], "pile": parts["pile"],
        "discards": [CARDS[card - 1] for card in parts["discards"] if card], "points": absolute(parts["points"]),
    }


def crack(parts, rules, seat, absolute, who):
    boards = [[{"code": code, "pins": dict(zip(("black", "white"), pins))} for code, pins in zip(codes, both) if code[0]]
              for codes, both in zip(parts["guesses"], parts["pins"])]
    return {"seat": seat, "attempts": rules.get("attempts", 12),
            "codes": absolute([code if code[0] else None for code in parts["codes"]]), "guesses": absolute(boards)}


def digit(parts, rules, seat, absolute, who):
    def places(flags):
        return sorted((at + seat) % len(flags) for at, flag in enumerate(flags) if flag)

    return {
        "seat": seat, "game": parts["game"], "first": who(parts["first"]), "master": who(parts["master"]),
        "code": "".join(str(digit - 1) for digit in parts["code"]) if parts["code"][0] else None,
        "solving": places(parts["solving"]), "wrong": absolute(parts["wrong"]), "last_chance": bool(parts["last_chance"]),
        "wins": absolute(parts["wins"]), "withdrawn": places(parts["withdrawn"]),
        "sheet": [line(who(owner), *rest) for owner, *rest in parts["sheet"] if owner],
    }


def line(seat, number, answer, above, below):
    at = number - 1
    if at == 122:
        return {"declared": {"seat": seat, "code": f"{above:03}{below:03}", "right": bool(answer)}}
    if at < 19:
        return {"asked_line": {"seat": seat, "line": LINES[at], "filled": answer}}
    if at < 25:
        return {"asked_parity": {"seat": seat, "digit": "TUVWXY"[at - 19], "parity": ["even", "odd"][answer]}}
    if at < 32:
        return {"asked_larger": {"seat": seat, "pair": PAIRS[at - 25], "larger": PAIRS[at - 25][answer]}}
    column, row = divmod(at - 32, 10)
    return {"asked_place": {"seat": seat, "column": LINES[column], "row": LINES[9 + row], "filled": bool(answer)}}
