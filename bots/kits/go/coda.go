// {{name}} plays Coda. Make it stronger here: protocol.go does the talking.
package main

import (
	"math/rand"
	"sort"
)

// Bot plays one match. Each match has its own Bot, so memory of a match is a field.
type Bot struct {
	chance *rand.Rand   // draw all random numbers from it: then a match can be played again
	missed [][][]string // what was named in vain: for each seat some panels for each position
}

func NewBot(start Start, chance *rand.Rand) *Bot { return &Bot{chance, make([][][]string, start.Seats)} }

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
	answers := map[string]func(Turn, Legal) Action{"set_up": b.setUp, "draw": b.draw, "attack": b.attack, "expose": b.expose}
	if answer, known := answers[turn.Prompt[0].Kind]; known {
		return answer(turn, turn.Prompt[0].Legal)
	}
	return RandomAction(turn.Prompt[0], b.chance) // where dashes go
}

func (b *Bot) setUp(legal Legal) Action { // half dark, half light tells least
	return Action{"set_up": {"dark": legal["dark"][len(legal["dark"])/2]}}
}
