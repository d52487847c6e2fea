// {{name}} plays Coda. Make it stronger here: Protocol.java does the talking.
import java.util.*;

/** One match. Each match has its own Bot, so memory of a match is a field. Draw all random numbers from `chance`. */
class Bot extends MatchBot {
    Map<Integer, List<Set<String>>> missed = new HashMap<>(); // failed attacks: panels named, by seat and position

    void learn(Event event) {
        if (event.is("set_up")) missed.put(event.number("seat"), event.list("code", panel -> new HashSet<>()));
        if (event.is("inserted")) missed.get(event.number("seat")).add(event.number("position"), new HashSet<>());
        if (event.is("attacked"))
            missed.get(event.number("target")).get(event.number("position")).add(event.text("panel"));
    }

    Action act(Turn turn) {
        Option option = turn.prompt().get(0);
        return switch (option.kind()) {
            case "set_up" -> setUp(option.numbers("dark"));
            case "draw" -> draw(option.texts("colour"));
            case "attack" -> attack(turn.prompt(), Protocol.read(turn.view(), CodaView.class));
            case "expose" -> expose(option.numbers("position"));
            default -> Protocol.randomAction(option, chance); // the places of dashes
        };
    }

    Action setUp(List<Integer> dark) {
        return new Action("set_up", Map.of("dark", dark.get(dark.size() / 2))); // an even split leaves the most codes possible
    }

    Action draw(List<String> colours) {
        return new Action("draw", Map.of("colour", chance.pick(colours))); // Try: the colour that others hide most of.
    }

    Action attack(List<Option> prompt, CodaView view) {
        List<List<Action>> places = new ArrayList<>(); // for each place, the attacks that may hit
        for (Option option : prompt)
            for (int seat : option.numbers("seat"))
                for (int at : option.numbers("position"))
                    places.add(option.texts("face").stream().filter(face -> fits(view, seat, at, face))
                        .map(face -> new Action("attack", Map.of("seat", seat, "position", at, "face", face))).toList());
        List<Action> fewest = Collections.min(chance.shuffled(places), Comparator.comparing(List::size)); // ties: random
        boolean stops = fewest.size() > 2 && prompt.contains(Option.STOP); // a miss would cost a panel. Try: 1 or 3.
        return stops ? new Action("stop", Map.of()) : chance.pick(fewest);
    }

    /** Returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps. */
    boolean fits(CodaView view, int seat, int position, String face) {
        CodaCode code = view.codes().get(seat);
        String panel = code.panels().get(position).charAt(0) + face; // such as D7 or L11; the colour is visible
        return code.inOrder(panel, position) && !view.shows(panel) && !missed.get(seat).get(position).contains(panel);
    }

    Action expose(List<Integer> positions) {
        return new Action("expose", Map.of("position", positions.get(0))); // the lowest, which is worth least
    }

    public static void main(String[] args) throws Exception {
        Protocol.play("{{name}}", List.of("{{game}}"), Bot::new);
    }
}
