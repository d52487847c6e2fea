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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.StreamSupport;

final class Protocol {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * Plays until the arena says quit. For each match it makes a newBot(start, chance), for each event it calls
     * bot.learn(event), and for each turn bot.act(turn), which returns an action.
     */
    static void play(String name, List<String> games, BiFunction<Start, Chance, MatchBot> newBot) throws IOException {
        System.setOut(System.err); // standard output is for messages only: what you print goes to the log
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
                    bots.put(start.match(), newBot.apply(start, new Chance(start.seed())));
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
                default -> {} // it is from a later version: no answer
            }
        }
    }

    /** A JSON value as an object of this class, such as a view. */
    static <T> T read(JsonNode json, Class<T> type) {
        return JSON.convertValue(json, type);
    }

    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    private static void send(Object message) throws IOException {
        OUT.print(JSON.writeValueAsString(message) + "\n");
        OUT.flush(); // not flushed, it would not reach the arena
    }

    /** A random legal action of this option, which lists the legal values of each field. */
    static Action randomAction(Option option, Chance chance) {
        Map<String, Object> values = new HashMap<>();
        option.legal().forEach((field, legal) -> values.put(field, pick(legal, chance)));
        return new Action(option.kind(), values);
    }

    private static Object pick(JsonNode legal, Chance chance) {
        List<JsonNode> values = list(legal);
        if (!values.get(0).isArray()) {
            return chance.pick(values);
        }
        return values.stream().map(value -> pick(value, chance)).toList(); // from a list of lists one value each
    }

    static List<JsonNode> list(JsonNode json) {
        return StreamSupport.stream(json.spliterator(), false).toList();
    }
}

/** Plays one match. */
interface MatchBot {
    /** Takes in what happened. */
    void learn(Event event);

    /** Decides what to do. */
    Action act(Turn turn);
}

/** The start of a match. */
record Start(int match, String game, JsonNode rules, int seat, int seats, long seed, Clock clock) {}

/** A question. */
record Turn(long id, int match, List<Event> events, List<Option> prompt, JsonNode view, Clock clock) {}

/** The end of a match. */
record End(int match, List<Event> events, Outcome outcome, String ended) {}

record Outcome(List<Score> seats) {}

record Score(int place, int points, Map<String, Integer> breakdown) {}

/** Milliseconds; null where there is no such limit. */
record Clock(
        @JsonProperty("move_ms") Long move,
        @JsonProperty("bank_ms") Long bank,
        @JsonProperty("increment_ms") Long increment) {}

/** What happened: the kind of event, and its fields. */
record Event(String kind, JsonNode fields) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Event of(Map<String, JsonNode> json) {
        Map.Entry<String, JsonNode> only = json.entrySet().iterator().next();
        return new Event(only.getKey(), only.getValue());
    }

    int number(String field) {
        return fields.get(field).asInt();
    }

    String text(String field) {
        return fields.get(field).asText();
    }

    boolean is(String field) {
        return fields.get(field).asBoolean();
    }

    /** How long the list in this field is. */
    int size(String field) {
        return fields.get(field).size();
    }
}

/** What may be done: the kind of action, and the legal values of each of its fields. */
record Option(String kind, Map<String, JsonNode> legal) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Option of(Map<String, Map<String, JsonNode>> json) {
        Map.Entry<String, Map<String, JsonNode>> only = json.entrySet().iterator().next();
        return new Option(only.getKey(), only.getValue());
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    List<Integer> numbers(String field) {
        return Protocol.list(legal.get(field)).stream().map(JsonNode::asInt).toList();
    }

    List<String> texts(String field) {
        return Protocol.list(legal.get(field)).stream().map(JsonNode::asText).toList();
    }
}

/** What to do: the kind of action, and a value for each of its fields. */
record Action(String kind, Map<String, ?> values) {}

/** Random numbers from a seed. */
final class Chance extends Random {
    private static final long serialVersionUID = 1;

    Chance(long seed) {
        super(seed);
    }

    /** Any of the values. */
    <T> T pick(List<T> values) {
        return values.get(nextInt(values.size()));
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
        List<Integer> points) {}

/** The panels of a seat, and the positions of those that stand. */
record CodaCode(List<String> panels, List<Integer> standing) {}

/** The panel that was drawn and is not in a code yet. */
record CodaAside(int seat, String panel) {}

record CodaPool(int dark, int light) {}
