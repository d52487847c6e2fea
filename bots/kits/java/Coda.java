// {{name}} plays Coda. Make it stronger here: Protocol.java does the talking.
import java.util.*;

/** One match. Each match has its own Bot, so memory of a match is a field. */
class Bot extends MatchBot {
    Map<Integer, List<Set<String>>> missed = new HashMap<>(); // named in vain: for each seat and position a set of panels

    void learn(Event event) {
        switch (event.kind()) {
            case "set_up" -> missed.put(event.number("seat"), event.list("code", panel -> new HashSet<>()));
            case "attacked" -> missed.get(event.number("target")).get(event.number("position")).add(event.text("panel"));
            case "inserted" -> missed.get(event.number("seat")).add(event.number("position"), new HashSet<>());
        }
    }

    Action act(Turn turn) {
        Option option = turn.prompt().get(0);
        return switch (option.kind()) {
            case "set_up" -> setUp(option.numbers("dark"));
            case "draw" -> draw(option.texts("colour"));
            case "attack" -> attack(turn.prompt(), turn.view(CodaView.class));
            case "expose" -> expose(option.numbers("position"));
            default -> option.random(chance); // where dashes go
        };
    }

    Action setUp(List<Integer> dark) {
        return new Action("set_up", Map.of("dark", dark.get(dark.size() / 2))); // half dark, half light tells least
    }

    Action draw(List<String> colours) {
        return new Action("draw", Map.of("colour", chance.pick(colours))); // Try: what others hide most of.
    }

    Action attack(List<Option> prompt, CodaView view) {
        record Place(int seat, int position, List<String> faces) {}
        List<Place> places = new ArrayList<>();
        for (Option option : prompt) // one for each opponent, and perhaps a stop
            for (int seat : option.numbers("seat"))
                for (int position : option.numbers("position"))
                    places.add(new Place(seat, position, option.texts("face", face -> fits(view, seat, position, face))));
        Collections.shuffle(places, chance); // so that among equals any may be the first
        Place best = Collections.min(places, Comparator.comparing(place -> place.faces().size()));
        boolean mayStop = prompt.stream().anyMatch(option -> option.kind().equals("stop"));
        if (mayStop && best.faces().size() > 2) return new Action("stop", Map.of()); // a miss would cost a panel. Try: 1 or 3.
        return new Action("attack", Map.of("seat", best.seat(), "position", best.position(), "face", chance.pick(best.faces())));
    }

    /** Whether the panel may stand there: in order, not named in vain, not seen elsewhere. Try: count the gaps. */
    boolean fits(CodaView view, int seat, int position, String face) {
        List<String> row = view.codes().get(seat).panels();
        String panel = row.get(position).charAt(0) + face; // such as D7 or L11; the colour, D or L, is visible
        boolean inOrder = IntStream.range(0, row.size()).allMatch(at -> (at < position) == (order(row.get(at)) < order(panel)));
        return inOrder && !view.shows(panel) && !missed.get(seat).get(position).contains(panel);
    }

    Action expose(List<Integer> positions) {
        return new Action("expose", Map.of("position", positions.get(0))); // the lowest: standing high ones are worth more
    }

    public static void main(String[] args) throws Exception {
        Protocol.play("{{name}}", List.of("{{game}}"), Bot::new);
    }
}
