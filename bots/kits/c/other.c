/* {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.c does the talking. */
#include "protocol.h"

/* One match. Each match has its own Bot, so memory of a match is a field. */
struct Bot {
    Chance chance; /* draw all random numbers from it, so that matches can be repeated */
    int seat;      /* yours, from 0 */
};

/* The start has the rules, your seat, and how many seats there are. */
Bot *new_bot(const Start *start) {
    Bot *bot = calloc(1, sizeof *bot);
    bot->chance = start->chance;
    bot->seat = start->seat;
    return bot;
}

/* Receives each event once, as you see it: remember what matters. */
void learn(Bot *bot, Event event) {
    (void)bot;
    (void)event;
}
/* {{each}} */

/* {{help}} */
static Json *answer_{{kind}}(Bot *bot, Option option) {
    return random_action(option, &bot->chance);
}
/* {{end}} */

/* Try: decide by turn->view, the table as you see it. */
Json *act(Bot *bot, const Turn *turn) {
    Option option = turn->prompt[below(&bot->chance, turn->options)];
    /* {{each}} */
    if (is(option.kind, "{{kind}}")) return answer_{{kind}}(bot, option);
    /* {{end}} */
    return random_action(option, &bot->chance);
}

int main(void) {
    return play("{{name}}", "{{game}}");
}
