/* The protocol of the arena. Do not edit: your bot is in bot.c.
 *
 * play() talks to the arena. It makes a Bot for each match, calls learn() for each event, and act() for each decision.
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_object Json;

/* A random number generator: equal seeds give equal numbers. */
typedef struct {
    uint64_t state;
} Chance;

size_t below(Chance *chance, size_t end);                              /* a number from 0 to end - 1 */
void shuffle(void *all, size_t length, size_t size, Chance *chance);   /* size is the size of one item in bytes */

/* The start of a match. */
typedef struct {
    uint64_t match;
    Chance chance;
    int seat, seats; /* seat is yours, from 0 */
    const char *game;
    Json *rules, *clock;
} Start;

/* An event, such as "drew", with its fields. */
typedef struct {
    const char *kind;
    Json *fields;
} Event;

/* One option of a prompt: an action, with a list of the legal values of each field. */
typedef struct {
    const char *kind;
    Json *legal;
} Option;

/* A request for a decision: your options, and your view. */
typedef struct {
    uint64_t id, match;
    size_t options;
    Option prompt[16];
    Json *view, *clock;
} Turn;

/* Your bot: write these four. What new_bot() returns is freed with free(). */
typedef struct Bot Bot;
Bot *new_bot(const Start *start);
void learn(Bot *bot, Event event);
Json *act(Bot *bot, const Turn *turn);

/* Plays until the arena says quit or closes the input. */
int play(const char *name, const char *game);

/* Returns a random legal action of this option. */
Json *random_action(Option option, Chance *chance);

bool is(const char *kind, const char *wanted);
bool may(const Turn *turn, const char *kind); /* true if there is an option of this kind, such as "stop" */

/* An action with one field, such as action("draw", "colour", value); without, action("stop", NULL, NULL). */
Json *action(const char *kind, const char *field, Json *value);

/* Fields of an object: NULL, 0, false or "" if missing. */
Json *get(Json *object, const char *field);
int number_of(Json *object, const char *field);
bool bool_of(Json *object, const char *field);
const char *text_of(Json *object, const char *field);

/* Lists: their length, and the value at an index. */
size_t length_of(Json *list);
Json *at(Json *list, size_t place);
Json *pick(Json *list, Chance *chance); /* a random item; the list must not be empty */

/* The rest is for Coda only. */

enum { SEATS = 4, PANELS = 26, FACES = 13, DASH = 12, HIDDEN = -1 };

/* A panel, such as 'D' and 7 for the dark 7. Its face may be DASH or HIDDEN. */
typedef struct {
    char colour;
    int face;
} Panel;

Panel panel_of(const char *text); /* "D7", "L-", "L?" */
int order(Panel panel);           /* its rank: by number, then dark before light; -1 if it is hidden or a dash */

/* A code: its panels, lowest first. */
typedef struct {
    int length;
    Panel panels[PANELS];
    bool standing[PANELS];
} Code;

/* The table as your seat sees it. */
typedef struct {
    int seat, seats;
    Code codes[SEATS];
    Panel aside;     /* the drawn panel; HIDDEN if there is none, or if it is not yours */
    int dark, light; /* number of panels left in the pool */
    int points[SEATS];
} View;

View view_of(const Turn *turn);
bool sees(const View *view, Panel panel); /* true if you can see it: in a code, or laid aside */

/* An event of Coda; fields that it does not have are 0 or false. */
typedef struct {
    const char *kind;
    int seat, target, position;
    Panel panel;
    bool hit, standing;
} CodaEvent;

CodaEvent coda_event(Event event);

/* A panel that you may attack, with the faces that you may name. */
typedef struct {
    int seat, position;
    size_t count;
    int faces[FACES];
} Place;

typedef bool Fits(const Bot *bot, const View *view, int seat, int position, int face);

/* Writes all panels you may attack, with the faces that fit there, and returns their number. */
size_t places_to_attack(const Turn *turn, const Bot *bot, Fits *fits, Place places[SEATS * PANELS]);
Json *attack_on(Place place, int face);

#endif
