"""{{name}} plays Coda. Make it stronger here: protocol.py does the talking."""
from protocol import play, random_action


class Bot:
    """One match. Each match has its own Bot, so memory of a match is a field."""

    def __init__(self, start, chance):
        self.chance = chance        # draw all random numbers from it, so that matches can be repeated
        self.missed = {}            # failed attacks: for each seat, the panels named at each position

    def learn(self, event):
        (kind, of), = event.items()
        if kind == "set_up":
            self.missed[of["seat"]] = [set() for _ in of["code"]]
        elif kind == "attacked" and not of["hit"]:
            self.missed[of["target"]][of["position"]].add(of["panel"])
        elif kind == "inserted":
            self.missed[of["seat"]].insert(of["position"], set())       # the panels from there on moved up by one

    def act(self, turn):
        (kind, legal), = turn["prompt"][0].items()
        if kind == "set_up": return self.set_up(legal)
        if kind == "draw": return self.draw(legal)
        if kind == "attack": return self.attack(turn["prompt"], turn["view"])
        if kind == "expose": return self.expose(legal)
        return random_action({kind: legal}, self.chance)                # the places of dashes

    def set_up(self, legal):
        return {"set_up": {"dark": legal["dark"][len(legal["dark"]) // 2]}}     # an even split leaves the most codes possible

    def draw(self, legal):
        return {"draw": {"colour": self.chance.choice(legal["colour"])}}     # Try: the colour that others hide most of.

    def attack(self, prompt, view):
        attacks = [option["attack"] for option in prompt if "attack" in option]         # one for each opponent
        places = [(seat, position, [face for face in attack["face"] if self.fits(view, seat, position, face)])
                  for attack in attacks for seat in attack["seat"] for position in attack["position"]]
        self.chance.shuffle(places)                     # so that ties are broken at random
        seat, position, faces = min(places, key=lambda place: len(place[2]))
        if {"stop": {}} in prompt and len(faces) > 2:   # a miss exposes the panel that you drew. Try: 1 or 3.
            return {"stop": {}}
        return {"attack": {"seat": seat, "position": position, "face": self.chance.choice(faces)}}

    def fits(self, view, seat, position, face):
        """True if the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps."""
        def order(panel):
            return int(panel[1:]), panel[0]             # by number, then dark (D) before light (L)
        rows = [code["panels"] for code in view["codes"]]
        panel = rows[seat][position][0] + face          # such as D7 or L11; the colour, D or L, is visible
        exposed = [(at, other) for at, other in enumerate(rows[seat]) if other[1].isdigit()]
        in_order = face == "-" or all((at < position) == (order(other) < order(panel)) for at, other in exposed)
        seen = view["aside"] and view["aside"]["panel"] == panel or any(panel in row for row in rows)
        return in_order and not seen and panel not in self.missed[seat][position]

    def expose(self, legal):
        return {"expose": {"position": legal["position"][0]}}   # the lowest, which is worth least


play("{{name}}", ["{{game}}"], Bot)
