/* {{name}} plays Coda. Make it stronger here: protocol.c does the talking. */
#include "protocol.h"

/* One match. Each match has its own Bot, so memory of a match is a field. */
struct Bot {
    Chance chance;                     /* draw all random numbers from it, so that matches can be repeated */
    bool missed[SEATS][PANELS][FACES]; /* failed attacks: for each seat and position, the faces named */
};

Bot *new_bot(const Start *start) {
    Bot *bot = calloc(1, sizeof *bot);
    bot->chance = start->chance;
    return bot;
}

void learn(Bot *bot, Event event) {
    CodaEvent e = coda_event(event);
    if (is(e.kind, "set_up")) memset(bot->missed[e.seat], 0, sizeof bot->missed[e.seat]);
    if (is(e.kind, "attacked") && !e.hit) bot->missed[e.target][e.position][e.panel.face] = true;
    bool (*row)[FACES] = &bot->missed[e.seat][e.position];
    if (is(e.kind, "inserted")) memmove(row + 1, row, (PANELS - 1 - e.position) * sizeof *row); /* moves up the rest */
    if (is(e.kind, "inserted")) memset(row, 0, sizeof *row);
}

static Json *set_up(Json *dark) { return action("set_up", "dark", at(dark, length_of(dark) / 2)); } /* an even split leaves the most codes possible */

/* Try: the colour that others hide most of. */
static Json *draw(Bot *bot, Json *colour) { return action("draw", "colour", pick(colour, &bot->chance)); }

/* Returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps. */
static bool fits(const Bot *bot, const View *view, int seat, int position, int face) {
    const Code *code = &view->codes[seat];
    Panel panel = {code->panels[position].colour, face}; /* the colour, 'D' or 'L', is visible */
    for (int i = 0; i < code->length && face != DASH; i++)
        if (order(code->panels[i]) >= 0 && (i < position) != (order(code->panels[i]) < order(panel))) return false;
    return !sees(view, panel) && !bot->missed[seat][position][face];
}

static Json *attack(Bot *bot, const Turn *turn) {
    Place places[SEATS * PANELS], *best = places;
    size_t length = places_to_attack(turn, bot, fits, places);
    shuffle(places, length, sizeof *places, &bot->chance); /* so that ties are broken at random */
    for (size_t i = 1; i < length; i++) if (places[i].count < best->count) best = &places[i];
    /* A miss exposes the panel that you drew. Try: 1 or 3. */
    if (may(turn, "stop") && best->count > 2) return action("stop", NULL, NULL);
    return attack_on(*best, best->faces[below(&bot->chance, best->count)]);
}

static Json *expose(Json *position) { return action("expose", "position", at(position, 0)); } /* worth least */

Json *act(Bot *bot, const Turn *turn) {
    Option option = turn->prompt[0];
    if (is(option.kind, "set_up")) return set_up(get(option.legal, "dark"));
    if (is(option.kind, "draw")) return draw(bot, get(option.legal, "colour"));
    if (is(option.kind, "attack")) return attack(bot, turn);
    if (is(option.kind, "expose")) return expose(get(option.legal, "position"));
    return random_action(option, &bot->chance); /* the places of dashes */
}

int main(void) { return play("{{name}}", "{{game}}"); }
