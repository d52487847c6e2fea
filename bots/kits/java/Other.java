// {{name}} plays {{game}}, at random so far. Make it stronger here: Protocol.java does the talking.
import java.util.*;

/** One match. Each match has its own Bot, so memory of a match is a field. Draw all random numbers from `chance`. */
class Bot extends MatchBot {
    void learn(Event event) {
        // Receives each event once, as you see it: remember what matters.
    }

    Action act(Turn turn) {
        Option option = chance.pick(turn.prompt()); // Try: decide by turn.view(), the table as you see it.
        return switch (option.kind()) {
            // {{each}}
            case "{{kind}}" -> answer{{Kind}}(option);
            // {{end}}
            default -> Protocol.randomAction(option, chance);
        };
    }
    // {{each}}

    /** {{help}} */
    Action answer{{Kind}}(Option legal) {
        return Protocol.randomAction(legal, chance);
    }
    // {{end}}

    public static void main(String[] args) throws Exception {
        Protocol.play("{{name}}", List.of("{{game}}"), Bot::new);
    }
}
