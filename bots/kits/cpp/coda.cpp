// {{name}} plays Coda. Make it stronger here: protocol.hpp does the talking.
#include "protocol.hpp"

/// One match. Each match has its own Bot, so memory of a match is a field.
struct Bot {
    Chance chance; // draw all random numbers from it, so that matches can be repeated
    std::vector<std::vector<std::set<std::string>>> missed; // failed attacks: panels named, by seat and position

    Bot(const Start& start, Chance chance) : chance(chance), missed(start.seats) {}

    void learn(const Event& event) {
        const CodaEvent e(event);
        if (e.kind == "set_up") missed[e.seat].assign(e.code.size(), {});
        if (e.kind == "attacked" && !e.hit) missed[e.target][e.position].insert(e.panel);
        if (e.kind == "inserted") missed[e.seat].emplace(missed[e.seat].begin() + e.position); // moves up the rest
    }

    json act(const Turn& turn) {
        const auto& [kind, legal] = turn.prompt[0];
        if (kind == "set_up") return set_up(legal);
        if (kind == "draw") return draw(legal);
        if (kind == "attack") return attack(turn);
        if (kind == "expose") return expose(legal);
        return random_action(turn.prompt[0], chance); // the places of dashes
    }

    json set_up(const json& legal) {
        return action("set_up", "dark", legal["dark"][legal["dark"].size() / 2]); // an even split leaves the most codes possible
    }

    json draw(const json& legal) {
        return action("draw", "colour", chance.pick(legal["colour"])); // Try: the colour that others hide most of.
    }

    json attack(const Turn& turn) {
        auto places = places_to_attack(turn, [this](auto&&... place) { return fits(place...); });
        chance.shuffle(places); // so that ties are broken at random
        const auto fewer = [](const Place& a, const Place& b) { return a.faces.size() < b.faces.size(); };
        const Place& best = *std::ranges::min_element(places, fewer);
        // A miss exposes the panel that you drew. Try: 1 or 3.
        if (turn.may("stop") && best.faces.size() > 2) return action("stop");
        return action("attack", "seat", best.seat, "position", best.position, "face", chance.pick(best.faces));
    }

    /// Returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps.
    bool fits(const View& view, int seat, int position, const std::string& face) const {
        const auto& row = view.codes[seat].panels;
        const auto panel = row[position][0] + face; // such as D7 or L11; the colour, D or L, is visible
        for (int at = 0; at < std::ssize(row); ++at)
            if (face != "-" && order(row[at]) && (at < position) != (order(row[at]) < order(panel))) return false;
        return !view.sees(panel) && !missed[seat][position].contains(panel);
    }

    json expose(const json& legal) {
        return action("expose", "position", legal["position"][0]); // the lowest, which is worth least
    }
};

int main() { return play<Bot>("{{name}}", {"{{game}}"}); }
