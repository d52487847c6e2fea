// {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.go does the talking.
package main

import "math/rand"

// Bot plays one match. Each match has its own Bot, so memory of a match is a field.
type Bot struct {
	start  Start      // its Rules, your Seat, and how many Seats there are
	chance *rand.Rand // draw all random numbers from it, so that matches can be repeated
}

func NewBot(start Start, chance *rand.Rand) *Bot {
	return &Bot{start, chance}
}

// Learn receives each event once, as you see it: remember what matters.
func (b *Bot) Learn(event Event) {
}

// Act decides. Try: by turn.View, the table as you see it.
func (b *Bot) Act(turn Turn) Action {
	switch option := Pick(turn.Prompt, b.chance); option.Kind {
	// {{each}}
	case "{{kind}}":
		return b.answer{{Kind}}(option)
	// {{end}}
	default:
		return RandomAction(option, b.chance)
	}
}

// {{each}}
// {{help}}
func (b *Bot) answer{{Kind}}(option Option) Action {
	return RandomAction(option, b.chance)
}

// {{end}}
func main() {
	Play("{{name}}", []string{"{{game}}"}, NewBot)
}
