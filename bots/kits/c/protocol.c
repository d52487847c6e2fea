/* The protocol of the arena. Do not edit: your bot is in bot.c. */
#define _POSIX_C_SOURCE 200809L
#include "protocol.h"

#include <unistd.h>

size_t below(Chance *chance, size_t end) { /* SplitMix64 */
    uint64_t z = chance->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (z >> 32) * end >> 32;
}

void shuffle(void *all, size_t length, size_t size, Chance *chance) {
    for (size_t end = length; end > 1; end--) {
        char *a = (char *)all + (end - 1) * size, *b = (char *)all + below(chance, end) * size;
        for (size_t byte = 0; byte < size; byte++) {
            char kept = a[byte];
            a[byte] = b[byte];
            b[byte] = kept;
        }
    }
}

static void die(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

bool is(const char *kind, const char *wanted) { return strcmp(kind, wanted) == 0; }

bool may(const Turn *turn, const char *kind) {
    for (size_t option = 0; option < turn->options; option++)
        if (is(turn->prompt[option].kind, kind)) return true;
    return false;
}

Json *get(Json *object, const char *field) {
    Json *value = NULL;
    json_object_object_get_ex(object, field, &value);
    return value;
}

int number_of(Json *object, const char *field) { return json_object_get_int(get(object, field)); }

bool bool_of(Json *object, const char *field) { return json_object_get_boolean(get(object, field)); }

const char *text_of(Json *object, const char *field) {
    Json *text = get(object, field);
    return text ? json_object_get_string(text) : "";
}

size_t length_of(Json *list) { return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0; }

Json *at(Json *list, size_t place) { return json_object_array_get_idx(list, place); }

Json *pick(Json *list, Chance *chance) { return at(list, below(chance, length_of(list))); }

/* Returns an object with only this key. */
static Json *with(const char *key, Json *value) {
    Json *object = json_object_new_object();
    json_object_object_add(object, key, value);
    return object;
}

Json *action(const char *kind, const char *field, Json *value) {
    return with(kind, field ? with(field, json_object_get(value)) : json_object_new_object());
}

/* Returns a random value; from a list of lists, such as the places of a code, one of each. */
static Json *random_value(Json *values, Chance *chance) {
    if (!json_object_is_type(at(values, 0), json_type_array))
        return json_object_get(pick(values, chance));
    Json *each = json_object_new_array();
    for (size_t place = 0; place < length_of(values); place++)
        json_object_array_add(each, random_value(at(values, place), chance));
    return each;
}

Json *random_action(Option option, Chance *chance) {
    Json *fields = json_object_new_object();
    json_object_object_foreach(option.legal, field, values) {
        if (length_of(values) > 0) json_object_object_add(fields, field, random_value(values, chance));
    }
    return with(option.kind, fields);
}

Panel panel_of(const char *text) {
    Panel panel = {text[0], HIDDEN};
    if (text[0] == '\0' || text[1] == '?') return panel;
    panel.face = text[1] == '-' ? DASH : atoi(text + 1);
    return panel;
}

int order(Panel panel) {
    if (panel.face == HIDDEN || panel.face == DASH) return -1;
    return 2 * panel.face + (panel.colour == 'L');
}

static bool is_same(Panel a, Panel b) { return a.colour == b.colour && a.face == b.face; }

bool sees(const View *view, Panel panel) {
    for (int seat = 0; seat < view->seats; seat++)
        for (int place = 0; place < view->codes[seat].length; place++)
            if (is_same(view->codes[seat].panels[place], panel)) return true;
    return is_same(view->aside, panel);
}

View view_of(const Turn *turn) {
    View view = {.seat = number_of(turn->view, "seat")};
    Json *codes = get(turn->view, "codes"), *pool = get(turn->view, "pool");
    view.seats = length_of(codes);
    for (int seat = 0; seat < view.seats && seat < SEATS; seat++) {
        Json *panels = get(at(codes, seat), "panels"), *standing = get(at(codes, seat), "standing");
        Code *code = &view.codes[seat];
        code->length = length_of(panels);
        for (int place = 0; place < code->length; place++)
            code->panels[place] = panel_of(json_object_get_string(at(panels, place)));
        for (size_t place = 0; place < length_of(standing); place++)
            code->standing[json_object_get_int(at(standing, place))] = true;
        view.points[seat] = json_object_get_int(at(get(turn->view, "points"), seat));
    }
    view.aside = panel_of(text_of(get(turn->view, "aside"), "panel"));
    view.dark = number_of(pool, "dark");
    view.light = number_of(pool, "light");
    return view;
}

CodaEvent coda_event(Event event) {
    Json *fields = event.fields;
    CodaEvent e = {.kind = event.kind, .seat = number_of(fields, "seat"), .target = number_of(fields, "target")};
    e.position = number_of(fields, "position");
    e.panel = panel_of(text_of(fields, "panel"));
    e.hit = bool_of(fields, "hit");
    e.standing = bool_of(fields, "standing");
    return e;
}

size_t places_to_attack(const Turn *turn, const Bot *bot, Fits *fits, Place places[SEATS * PANELS]) {
    View view = view_of(turn);
    size_t length = 0;
    for (size_t option = 0; option < turn->options; option++) { /* there is one option for each opponent */
        if (!is(turn->prompt[option].kind, "attack")) continue;
        Json *legal = turn->prompt[option].legal, *positions = get(legal, "position"), *faces = get(legal, "face");
        for (size_t place = 0; place < length_of(positions); place++) {
            Place *found = &places[length++];
            found->seat = json_object_get_int(at(get(legal, "seat"), 0));
            found->position = json_object_get_int(at(positions, place));
            found->count = 0;
            for (size_t which = 0; which < length_of(faces); which++) {
                const char *text = json_object_get_string(at(faces, which));
                int face = is(text, "-") ? DASH : atoi(text);
                if (fits(bot, &view, found->seat, found->position, face)) found->faces[found->count++] = face;
            }
        }
    }
    return length;
}

Json *attack_on(Place place, int face) {
    char text[12] = "-";
    if (face != DASH) snprintf(text, sizeof text, "%d", face);
    Json *fields = with("seat", json_object_new_int(place.seat));
    json_object_object_add(fields, "position", json_object_new_int(place.position));
    json_object_object_add(fields, "face", json_object_new_string(text));
    return with("attack", fields);
}

/* The bots, by match. */
typedef struct Playing {
    uint64_t match;
    Bot *bot;
    struct Playing *next;
} Playing;

static Playing *playing;

static Playing **find(uint64_t match) {
    Playing **link = &playing;
    while (*link && (*link)->match != match) link = &(*link)->next;
    return link;
}

static Bot *bot_of(uint64_t match) {
    Playing *found = *find(match);
    if (!found) die("a match of which there was no start");
    return found->bot;
}

static void begin(Json *body) {
    Start start = {.match = json_object_get_uint64(get(body, "match")),
                   .chance = {json_object_get_uint64(get(body, "seed"))}, /* 64 bits: an int is too short for a seed */
                   .seat = number_of(body, "seat"),
                   .seats = number_of(body, "seats"),
                   .game = text_of(body, "game"),
                   .rules = get(body, "rules"),
                   .clock = get(body, "clock")};
    Playing *begun = malloc(sizeof *begun);
    if (!begun) die("out of memory");
    *begun = (Playing){start.match, new_bot(&start), playing};
    playing = begun;
}

static void end(uint64_t match) {
    Playing **link = find(match), *ended = *link;
    *link = ended->next;
    free(ended->bot);
    free(ended);
}

/* Returns the only key of an object, and its value. */
static const char *only(Json *object, Json **value) {
    json_object_object_foreach(object, key, inner) {
        *value = inner;
        return key;
    }
    *value = NULL;
    return "";
}

static void learn_all(Bot *bot, Json *events) {
    for (size_t place = 0; place < length_of(events); place++) {
        Event event;
        event.kind = only(at(events, place), &event.fields);
        learn(bot, event);
    }
}

static void send(FILE *output, Json *message) {
    fputs(json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN), output);
    fputc('\n', output);
    if (fflush(output) != 0) exit(0); /* must be flushed; fails if the arena is gone */
    json_object_put(message);
}

static void answer(FILE *output, Json *body) {
    Turn turn = {.id = json_object_get_uint64(get(body, "id")), .match = json_object_get_uint64(get(body, "match"))};
    Json *prompt = get(body, "prompt");
    turn.view = get(body, "view");
    turn.clock = get(body, "clock");
    for (size_t place = 0; place < length_of(prompt) && place < 16; place++) {
        Option *option = &turn.prompt[turn.options++];
        option->kind = only(at(prompt, place), &option->legal);
    }
    Bot *bot = bot_of(turn.match);
    learn_all(bot, get(body, "events"));
    Json *message = with("id", json_object_new_uint64(turn.id));
    json_object_object_add(message, "action", act(bot, &turn));
    send(output, message);
}

static Json *ready(const char *name, const char *game) {
    Json *fields = with("name", json_object_new_string(name)), *games = json_object_new_array();
    json_object_array_add(games, json_object_new_string(game));
    json_object_object_add(fields, "games", games);
    return with("ready", fields);
}

int play(const char *name, const char *game) {
    FILE *output = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO); /* only messages go to standard output; what you print goes to the bot's log */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    struct json_tokener *reader = json_tokener_new_ex(128);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) { /* lines can have up to 1 MiB */
        if (strspn(line, " \t\r\n") == (size_t)length) continue;
        json_tokener_reset(reader);
        Json *message = json_tokener_parse_ex(reader, line, (int)length), *body;
        if (!json_object_is_type(message, json_type_object)) die("a line is not a message");
        const char *kind = only(message, &body);
        uint64_t match = json_object_get_uint64(get(body, "match"));
        bool over = is(kind, "quit");
        if (is(kind, "hello")) send(output, ready(name, game));
        if (is(kind, "start")) begin(body);
        if (is(kind, "turn")) answer(output, body);
        if (is(kind, "end")) {
            learn_all(bot_of(match), get(body, "events"));
            end(match);
        }
        if (is(kind, "error")) fprintf(stderr, "%s\n", text_of(body, "message"));
        json_object_put(message); /* ignore other kinds of messages: they come from a later version */
        if (over) break;
    }
    json_tokener_free(reader);
    free(line);
    return 0;
}
