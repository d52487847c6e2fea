// The protocol of the arena. Do not edit: your bot is in Bot.java.

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

final class Protocol {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    /**
     * Plays until the arena says quit. For each match it makes a new bot and fills in its start and chance; for each
     * event it calls bot.learn(event), and for each turn bot.act(turn), which returns an action.
     */
    static void play(String name, List<String> games, Supplier<MatchBot> newBot) throws IOException {
        System.setOut(System.err); // standard output is for messages only; what you print goes to the log
        Map<Integer, MatchBot> bots = new HashMap<>(); // by match
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.isBlank()) {
                continue;
            }
            Map.Entry<String, JsonNode> message = JSON.readTree(line).fields().next(); // an object with a single key
            JsonNode body = message.getValue();
            switch (message.getKey()) {
                case "hello" -> send(Map.of("ready", Map.of("name", name, "games", games)));
                case "start" -> {
                    Start start = read(body, Start.class);
                    MatchBot bot = newBot.get();
                    bot.start = start;
                    bot.chance = new Chance(start.seed());
                    bots.put(start.match(), bot);
                }
                case "turn" -> {
                    Turn turn = read(body, Turn.class);
                    MatchBot bot = bots.get(turn.match());
                    turn.events().forEach(bot::learn);
                    Action action = bot.act(turn);
                    send(Map.of("id", turn.id(), "action", Map.of(action.kind(), action.values())));
                }
                case "end" -> {
                    End end = read(body, End.class);
                    end.events().forEach(bots.remove(end.match())::learn);
                }
                case "error" -> System.err.println(body.path("message").asText());
                case "quit" -> System.exit(0);
                default -> {} // from a later version: ignore it
            }
        }
    }

    /** Converts a JSON value to an object of this class, such as a view. */
    static <T> T read(JsonNode json, Class<T> type) {
        return JSON.convertValue(json, type);
    }

    private static void send(Object message) throws IOException {
        OUT.print(JSON.writeValueAsString(message) + "\n");
        OUT.flush(); // without a flush, it would not arrive
    }

    /** Returns a random legal action of this option, which lists the legal values of each field. */
    static Action randomAction(Option option, Chance chance) {
        Map<String, Object> values = new HashMap<>();
        option.legal().forEach((field, legal) -> values.put(field, pick(legal, chance)));
        return new Action(option.kind(), values);
    }

    private static Object pick(JsonNode legal, Chance chance) {
        if (legal.get(0).isArray()) {
            return list(legal, each -> pick(each, chance)); // from a list of lists, one value each
        }
        return chance.pick(list(legal, each -> each));
    }

    /** Converts each element of a list; returns an empty list if there is none. */
    static <T> List<T> list(JsonNode json, Function<JsonNode, T> change) {
        List<T> changed = new ArrayList<>();
        if (json != null) {
            json.forEach(each -> changed.add(change.apply(each)));
        }
        return changed;
    }
}

/** Plays one match. Each match has its own MatchBot. */
abstract class MatchBot {
    /** How the match started: its rules, your seat, and how many seats there are. */
    Start start;
    /** Draw all random numbers from it, so that matches can be repeated. */
    Chance chance;

    /** Receives each event once, as you see it. */
    abstract void learn(Event event);

    /** Decides what to do. */
    abstract Action act(Turn turn);
}

/** The start of a match. */
record Start(int match, String game, JsonNode rules, int seat, int seats, long seed, Clock clock) {}

/** A request for a decision: the events since your last turn, your options, and your view. */
record Turn(long id, int match, List<Event> events, List<Option> prompt, JsonNode view, Clock clock) {}

/** The end of a match. */
record End(int match, List<Event> events, Outcome outcome, String ended) {}

record Outcome(List<Score> seats) {}

record Score(int place, int points, Map<String, Integer> breakdown) {}

/** Milliseconds; null means no limit. */
record Clock(
        @JsonProperty("move_ms") Long move,
        @JsonProperty("bank_ms") Long bank,
        @JsonProperty("increment_ms") Long increment) {}

/** An event: its kind, and its fields. */
record Event(String kind, JsonNode fields) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Event of(Map<String, JsonNode> json) {
        Map.Entry<String, JsonNode> only = json.entrySet().iterator().next();
        return new Event(only.getKey(), only.getValue());
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    int number(String field) {
        return fields.get(field).asInt();
    }

    String text(String field) {
        return fields.get(field).asText();
    }

    boolean flag(String field) {
        return fields.get(field).asBoolean();
    }

    /** Converts each text of a list. */
    <T> List<T> list(String field, Function<String, T> change) {
        return Protocol.list(fields.get(field), each -> change.apply(each.asText()));
    }
}

/** One option: the kind of action, and the legal values of each of its fields. */
record Option(String kind, Map<String, JsonNode> legal) {
    /** In Coda: you may end the turn. */
    static final Option STOP = new Option("stop", Map.of());

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Option of(Map<String, Map<String, JsonNode>> json) {
        Map.Entry<String, Map<String, JsonNode>> only = json.entrySet().iterator().next();
        return new Option(only.getKey(), only.getValue());
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    List<Integer> numbers(String field) {
        return Protocol.list(legal.get(field), JsonNode::asInt);
    }

    List<String> texts(String field) {
        return Protocol.list(legal.get(field), JsonNode::asText);
    }
}

/** Your choice: the kind of action, and a value for each of its fields. */
record Action(String kind, Map<String, ?> values) {}

/** A random number generator: equal seeds give equal numbers. */
final class Chance extends Random {
    private static final long serialVersionUID = 1;

    Chance(long seed) {
        super(seed);
    }

    /** Returns a random item; the list must not be empty. */
    <T> T pick(List<T> values) {
        return values.get(nextInt(values.size()));
    }

    /** Returns the values in random order. */
    <T> List<T> shuffled(List<T> values) {
        List<T> mixed = new ArrayList<>(values);
        Collections.shuffle(mixed, this);
        return mixed;
    }
}

/** What a seat of Coda sees. Panels are like D7 or L11; D? is hidden, D- a dash. */
record CodaView(
        int seat,
        int round,
        int rounds,
        boolean dashes,
        Integer numbers,
        List<CodaCode> codes,
        List<String> taken,
        CodaAside aside,
        CodaPool pool,
        List<Integer> points) {

    /** Returns whether you see this panel anywhere. */
    boolean shows(String panel) {
        return aside != null && aside.panel().equals(panel)
                || codes.stream().anyMatch(code -> code.panels().contains(panel));
    }
}

/** The panels of a seat, and the positions of those still standing. */
record CodaCode(List<String> panels, List<Integer> standing) {
    /** Returns whether this panel at this position would be in order with all numbers that you see. */
    boolean inOrder(String panel, int position) {
        for (int at = 0; at < panels.size(); at++) {
            String other = panels.get(at);
            if (isNumber(panel) && isNumber(other) && (at < position) != (order(other) < order(panel))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNumber(String panel) {
        return Character.isDigit(panel.charAt(1));
    }

    /** Sort key: by number, then dark (D) before light (L). */
    private static int order(String panel) {
        return 2 * Integer.parseInt(panel.substring(1)) + (panel.charAt(0) == 'L' ? 1 : 0);
    }
}

/** The drawn panel that is not in a code yet. */
record CodaAside(int seat, String panel) {}

/** The number of panels left to draw. */
record CodaPool(int dark, int light) {}
