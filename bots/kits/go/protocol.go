// The protocol of the arena. Do not edit: your bot is in bot.go.
//
// Play talks to the arena. It makes a Bot for each match, and calls Learn for each event and Act for each decision.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"os"
	"sort"
	"strconv"
)

// Start is the start of a match.
type Start struct {
	Match uint64          `json:"match"`
	Game  string          `json:"game"`
	Rules json.RawMessage `json:"rules"`
	Seat  int             `json:"seat"` // yours, from 0
	Seats int             `json:"seats"`
	Seed  int64           `json:"seed"`
	Clock Clock           `json:"clock"`
}

// Turn requests a decision: the events since your last turn, your options, and your view.
type Turn struct {
	ID     uint64          `json:"id"`
	Match  uint64          `json:"match"`
	Events []Event         `json:"events"`
	Prompt []Option        `json:"prompt"`
	View   json.RawMessage `json:"view"`
	Clock  Clock           `json:"clock"`
}

// End is the end of a match.
type End struct {
	Match  uint64  `json:"match"`
	Events []Event `json:"events"`
}

// Clock has the time limits for your answers, in milliseconds; nil means no limit.
type Clock struct {
	Move *uint64 `json:"move_ms"`
	Bank *uint64 `json:"bank_ms"`
}

// Event is an event, such as "drew", with its fields.
type Event struct {
	Kind   string
	Fields json.RawMessage
}

// Option is one option of a prompt: an action, with the legal values of each field.
type Option struct {
	Kind  string
	Legal Legal
}

// Legal has the legal values of each field: legal["dark"][0].
type Legal map[string][]any

// Action is your choice: one of the options, with one value for each field: Action{"draw": {"colour": "dark"}}.
type Action map[string]map[string]any

// Legal has the legal values of a field of the first option.
func (t Turn) Legal(field string) []any {
	return t.Prompt[0].Legal[field]
}

// May returns true if there is an option of this kind, such as "stop".
func (t Turn) May(kind string) bool {
	for _, option := range t.Prompt {
		if option.Kind == kind {
			return true
		}
	}
	return false
}

// Play plays until the arena says quit or closes the input.
func Play(name string, games []string, newBot func(Start, *rand.Rand) *Bot) {
	output := os.Stdout
	os.Stdout = os.Stderr // only messages go to standard output; what you print goes to the bot's log
	log.SetFlags(0)
	send := func(message any) {
		line, err := json.Marshal(message)
		check(err)
		if _, err := output.Write(append(line, '\n')); err != nil { // no buffer, so no flush needed
			os.Exit(0) // the arena is gone
		}
	}
	bots := map[uint64]*Bot{}                     // by match
	input := bufio.NewReaderSize(os.Stdin, 1<<16) // not a Scanner: that stops at long lines
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		kind, body := only(line)
		switch kind {
		case "hello":
			send(map[string]any{"ready": map[string]any{"name": name, "games": games}})
		case "start":
			var start Start
			read(body, &start)
			bots[start.Match] = newBot(start, rand.New(rand.NewSource(start.Seed)))
		case "turn":
			var turn Turn
			read(body, &turn)
			bot := bots[turn.Match]
			for _, event := range turn.Events {
				bot.Learn(event)
			}
			send(map[string]any{"id": turn.ID, "action": bot.Act(turn)})
		case "end":
			var end End
			read(body, &end)
			for _, event := range end.Events {
				bots[end.Match].Learn(event)
			}
			delete(bots, end.Match)
		case "error":
			var fault struct{ Message string }
			read(body, &fault)
			fmt.Fprintln(os.Stderr, fault.Message)
		case "quit":
			return
		} // ignore other kinds of messages: they come from a later version
	}
}

// RandomAction returns a random legal action of this option.
func RandomAction(option Option, chance *rand.Rand) Action {
	names := make([]string, 0, len(option.Legal))
	for name, values := range option.Legal {
		if values != nil {
			names = append(names, name)
		}
	}
	sort.Strings(names) // maps have a different order each time, which would make the bot unrepeatable
	fields := map[string]any{}
	for _, name := range names {
		fields[name] = randomValue(option.Legal[name], chance)
	}
	return Action{option.Kind: fields}
}

// randomValue returns a random value; from a list of lists, such as the places of a code, one of each.
func randomValue(values []any, chance *rand.Rand) any {
	if _, ok := values[0].([]any); !ok {
		return Pick(values, chance)
	}
	each := make([]any, len(values))
	for at, values := range values {
		each[at] = randomValue(values.([]any), chance)
	}
	return each
}

// Pick returns a random item; the list must not be empty.
func Pick[T any](all []T, chance *rand.Rand) T {
	return all[chance.Intn(len(all))]
}

// Middle returns the item in the middle.
func Middle[T any](all []T) T {
	return all[len(all)/2]
}

// Shuffle shuffles the list.
func Shuffle[T any](all []T, chance *rand.Rand) []T {
	chance.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}

// Contains returns true if the item is in the list.
func Contains[T comparable](all []T, wanted T) bool {
	for _, one := range all {
		if one == wanted {
			return true
		}
	}
	return false
}

// Insert returns the list with a new value at this position; later ones move up by one.
func Insert[T any](all []T, position int, value T) []T {
	longer := append(all, value)
	copy(longer[position+1:], longer[position:])
	longer[position] = value
	return longer
}

// CodaEvent has the fields of all events of Coda; those that an event does not have are zero.
type CodaEvent struct {
	Kind     string   `json:"-"`
	Seat     int      `json:"seat"`
	Target   int      `json:"target"`
	Position int      `json:"position"`
	Panel    string   `json:"panel"`
	Hit      bool     `json:"hit"`
	Standing bool     `json:"standing"`
	Code     []string `json:"code"`
	Panels   []string `json:"panels"`
	Round    int      `json:"round"`
	First    int      `json:"first"`
	By       *int     `json:"by"`
	Winner   *int     `json:"winner"`
	Bonus    int      `json:"bonus"`
}

// Coda reads an event of Coda.
func (e Event) Coda() CodaEvent {
	event := CodaEvent{Kind: e.Kind}
	read(e.Fields, &event)
	return event
}

// CodaView is the table of Coda as your seat sees it.
type CodaView struct {
	Seat   int    `json:"seat"`
	Round  int    `json:"round"`
	Rounds int    `json:"rounds"`
	Dashes bool   `json:"dashes"`
	Codes  []Code `json:"codes"` // of each seat
	Aside  *Aside `json:"aside"` // nil if no panel is drawn
	Pool   struct {
		Dark  int `json:"dark"`
		Light int `json:"light"`
	} `json:"pool"` // number of panels left
	Points []int `json:"points"` // of each seat
}

// Code is a code of Coda: its panels, lowest first, such as "D7" and "L?", and the positions of those still standing.
type Code struct {
	Panels   []string `json:"panels"`
	Standing []int    `json:"standing"`
}

// Aside is the drawn panel, and who drew it.
type Aside struct {
	Seat  int    `json:"seat"`
	Panel string `json:"panel"`
}

// Place is a panel of Coda that you may attack, with the faces that you may name.
type Place struct {
	Seat     int
	Position int
	Faces    []string
}

// Coda reads the view of a turn of Coda.
func (t Turn) Coda() CodaView {
	var view CodaView
	read(t.View, &view)
	return view
}

// Places returns all panels you may attack, with the faces that fit there.
func (t Turn) Places(fits func(view CodaView, seat, position int, face string) bool) []Place {
	view := t.Coda()
	var places []Place
	for _, option := range t.Prompt { // there is one option for each opponent
		if option.Kind != "attack" {
			continue
		}
		seat := int(option.Legal["seat"][0].(float64))
		for _, value := range option.Legal["position"] {
			place := Place{Seat: seat, Position: int(value.(float64))}
			for _, face := range option.Legal["face"] {
				if fits(view, place.Seat, place.Position, face.(string)) {
					place.Faces = append(place.Faces, face.(string))
				}
			}
			places = append(places, place)
		}
	}
	return places
}

// Fewest returns the place with the fewest faces, the first if equal.
func Fewest(places []Place) Place {
	fewest := places[0]
	for _, place := range places {
		if len(place.Faces) < len(fewest.Faces) {
			fewest = place
		}
	}
	return fewest
}

// Sees returns true if you can see this panel: in a code, or laid aside.
func (v CodaView) Sees(panel string) bool {
	for _, code := range v.Codes {
		if Contains(code.Panels, panel) {
			return true
		}
	}
	return v.Aside != nil && v.Aside.Panel == panel
}

// Order is the rank of a panel: by number, then dark (D) before light (L). It is -1 if the panel is hidden or a dash.
func Order(panel string) int {
	number, err := strconv.Atoi(panel[1:])
	switch {
	case err != nil:
		return -1
	case panel[0] == 'L':
		return 2*number + 1
	default:
		return 2 * number
	}
}

// UnmarshalJSON reads an object with a single key.
func (e *Event) UnmarshalJSON(text []byte) error {
	e.Kind, e.Fields = only(append([]byte(nil), text...))
	return nil
}

// UnmarshalJSON reads an object with a single key.
func (o *Option) UnmarshalJSON(text []byte) error {
	var fields json.RawMessage
	o.Kind, fields = only(text)
	return json.Unmarshal(fields, &o.Legal)
}

// only returns the only key of an object, and its value.
func only(text []byte) (string, json.RawMessage) {
	var object map[string]json.RawMessage
	read(text, &object)
	for kind, body := range object {
		return kind, body
	}
	return "", nil
}

func read(text []byte, into any) {
	check(json.Unmarshal(text, into))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
