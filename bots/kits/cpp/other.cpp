// {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.hpp does the talking.
#include "protocol.hpp"

/// One match. Each match has its own Bot, so memory of a match is a field.
struct Bot {
    Start start;   // its rules, your seat, and how many seats there are
    Chance chance; // draw all random numbers from it, so that matches can be repeated

    Bot(const Start& start, Chance chance) : start(start), chance(chance) {}

    /// Receives each event once, as you see it: remember what matters.
    void learn(const Event&) {}

    json act(const Turn& turn) {
        const Option& option = chance.pick(turn.prompt); // Try: decide by turn.view, the table as you see it.
        // {{each}}
        if (option.kind == "{{kind}}") return answer_{{kind}}(option);
        // {{end}}
        return random_action(option, chance);
    }
    // {{each}}

    /// {{help}}
    json answer_{{kind}}(const Option& option) {
        return random_action(option, chance);
    }
    // {{end}}
};

int main() {
    return play<Bot>("{{name}}", {"{{game}}"});
}
