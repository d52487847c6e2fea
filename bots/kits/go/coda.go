// {{name}} plays Coda. Make it stronger here: protocol.go does the talking.
package main

import "math/rand"

// Bot plays one match. Each match has its own Bot, so memory of a match is a field.
type Bot struct {
	chance *rand.Rand         // draw all random numbers from it, so that matches can be repeated
	missed map[int][][]string // failed attacks: for each seat, the panels named at each position
}

func NewBot(_ Start, chance *rand.Rand) *Bot { return &Bot{chance, map[int][][]string{}} }

func (b *Bot) Learn(event Event) {
	switch e := event.Coda(); {
	case e.Kind == "set_up":
		b.missed[e.Seat] = make([][]string, len(e.Code))
	case e.Kind == "attacked" && !e.Hit:
		b.missed[e.Target][e.Position] = append(b.missed[e.Target][e.Position], e.Panel)
	case e.Kind == "inserted":
		b.missed[e.Seat] = Insert(b.missed[e.Seat], e.Position, nil) // the panels from there on moved up by one
	}
}

func (b *Bot) Act(turn Turn) Action {
	answers := map[string]func(Turn) Action{"set_up": b.setUp, "draw": b.draw, "attack": b.attack, "expose": b.expose}
	if answer, known := answers[turn.Prompt[0].Kind]; known {
		return answer(turn)
	}
	return RandomAction(turn.Prompt[0], b.chance) // the places of dashes
}

func (b *Bot) setUp(t Turn) Action { return Action{"set_up": {"dark": Middle(t.Legal("dark"))}} } // an even split leaves the most codes possible

func (b *Bot) draw(turn Turn) Action {
	return Action{"draw": {"colour": Pick(turn.Legal("colour"), b.chance)}} // Try: the colour that others hide most of.
}

func (b *Bot) attack(turn Turn) Action {
	best := Fewest(Shuffle(turn.Places(b.fits), b.chance)) // so that ties are broken at random
	if turn.May("stop") && len(best.Faces) > 2 {           // a miss exposes the panel that you drew. Try: 1 or 3.
		return Action{"stop": {}}
	}
	return Action{"attack": {"seat": best.Seat, "position": best.Position, "face": Pick(best.Faces, b.chance)}}
}

// fits returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps.
func (b *Bot) fits(view CodaView, seat, position int, face string) bool {
	panel := view.Codes[seat].Panels[position][:1] + face // such as D7 or L11; the colour, D or L, is visible
	for at, other := range view.Codes[seat].Panels {
		if face != "-" && Order(other) >= 0 && (at < position) != (Order(other) < Order(panel)) {
			return false
		}
	}
	return !view.Sees(panel) && !Contains(b.missed[seat][position], panel)
}

func (b *Bot) expose(t Turn) Action { return Action{"expose": {"position": t.Legal("position")[0]}} } // worth least

func main() { Play("{{name}}", []string{"{{game}}"}, NewBot) }
