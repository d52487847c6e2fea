// The protocol of the arena. Do not edit: your bot is in bot.cpp.
//
// play<Bot> talks to the arena. It makes a Bot for each match, and calls learn for each event and act for each decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using nlohmann::json;

/// A random number generator: equal seeds give equal numbers (SplitMix64).
class Chance {
    std::uint64_t state;

public:
    explicit Chance(std::uint64_t seed) : state(seed) {}

    /// Returns a number from 0 to end - 1.
    std::size_t below(std::size_t end) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::size_t>(static_cast<unsigned __int128>(z ^ (z >> 31)) * end >> 64);
    }

    /// Returns a random item; the list must not be empty.
    template <typename List> const auto& pick(const List& all) { return all[below(all.size())]; }

    /// Shuffles the list.
    template <typename List> void shuffle(List& all) {
        for (std::size_t end = all.size(); end > 1; --end) std::swap(all[end - 1], all[below(end)]);
    }
};

/// The start of a match.
struct Start {
    std::uint64_t match;
    std::string game;
    json rules;
    int seat; // yours, from 0
    int seats;
    std::uint64_t seed;
    json clock;
};

/// An event, such as "drew", with its fields.
struct Event {
    std::string kind;
    json fields;
};

/// One option of a prompt: an action, with the legal values of each field, such as legal["dark"][0].
struct Option {
    std::string kind;
    json legal;
};

/// A request for a decision: the events since your last turn, your options, and your view.
struct Turn {
    std::uint64_t id;
    std::uint64_t match;
    std::vector<Event> events;
    std::vector<Option> prompt;
    json view;
    json clock;

    /// Returns true if there is an option of this kind, such as "stop".
    bool may(const std::string& kind) const {
        return std::ranges::any_of(prompt, [&](const Option& option) { return option.kind == kind; });
    }
};

/// Your choice: a kind, then each field and its value, such as action("draw", "colour", "dark").
template <typename... Fields> json action(const std::string& kind, const Fields&... fields) {
    json list = json::array({fields...}), values = json::object(), whole;
    for (std::size_t at = 0; at < list.size(); at += 2) values[list[at].get<std::string>()] = list[at + 1];
    whole[kind] = values;
    return whole;
}

/// Returns a random value; from a list of lists, such as the places of a code, one of each.
inline json random_value(const json& values, Chance& chance) {
    if (!values[0].is_array()) return chance.pick(values);
    json each = json::array();
    for (const json& one : values) each.push_back(random_value(one, chance));
    return each;
}

/// Returns a random legal action of this option.
inline json random_action(const Option& option, Chance& chance) {
    json fields = json::object(), whole;
    for (const auto& [name, values] : option.legal.items())
        if (values.is_array()) fields[name] = random_value(values, chance);
    whole[option.kind] = fields;
    return whole;
}

// The rest is for Coda only.

/// A code: its panels, lowest first, such as "D7" and "L?", and the positions of those still standing.
struct Code {
    std::vector<std::string> panels;
    std::vector<int> standing;
};

/// The table as your seat sees it.
struct View {
    int seat;
    std::vector<Code> codes; // of each seat
    std::string aside;       // the drawn panel, such as "D7"; empty if there is none
    int dark, light;         // number of panels left in the pool
    std::vector<int> points; // of each seat

    explicit View(const json& view)
        : seat(view.at("seat")), dark(view.at("pool").at("dark")), light(view.at("pool").at("light")),
          points(view.at("points")) {
        for (const json& code : view.at("codes")) codes.push_back({code.at("panels"), code.at("standing")});
        if (!view.at("aside").is_null()) aside = view.at("aside").at("panel");
    }

    /// Returns true if you can see this panel: in a code, or laid aside.
    bool sees(const std::string& panel) const {
        const auto holds = [&](const Code& code) { return std::ranges::find(code.panels, panel) != code.panels.end(); };
        return panel == aside || std::ranges::any_of(codes, holds);
    }
};

/// An event, with the fields of all events of Coda; those that it does not have are 0, false or empty.
struct CodaEvent {
    std::string kind;
    int seat, target, position, round, first, bonus;
    std::string panel;
    bool hit, standing;
    std::vector<std::string> code;

    explicit CodaEvent(const Event& event)
        : kind(event.kind), seat(event.fields.value("seat", 0)), target(event.fields.value("target", 0)),
          position(event.fields.value("position", 0)), round(event.fields.value("round", 0)),
          first(event.fields.value("first", 0)), bonus(event.fields.value("bonus", 0)),
          panel(event.fields.value("panel", "")), hit(event.fields.value("hit", false)),
          standing(event.fields.value("standing", false)), code(event.fields.value("code", std::vector<std::string>())) {}
};

/// A panel that you may attack, with the faces that you may name.
struct Place {
    int seat, position;
    std::vector<std::string> faces;
};

/// Returns all panels you may attack, with the faces for which fits(view, seat, position, face) is true.
template <typename Fits> std::vector<Place> places_to_attack(const Turn& turn, Fits fits) {
    const View view(turn.view);
    std::vector<Place> places;
    for (const auto& [kind, legal] : turn.prompt) { // there is one option for each opponent
        if (kind != "attack") continue;
        for (int position : legal.at("position")) {
            Place place{legal.at("seat")[0], position, {}};
            for (const std::string face : legal.at("face"))
                if (fits(view, place.seat, position, face)) place.faces.push_back(face);
            places.push_back(place);
        }
    }
    return places;
}

/// The rank of a panel: by number, then dark (D) before light (L). Not for hidden panels and dashes.
inline std::optional<int> order(const std::string& panel) {
    if (panel[1] < '0' || panel[1] > '9') return std::nullopt;
    return 2 * std::stoi(panel.substr(1)) + (panel[0] == 'L');
}

// The loop.

/// Returns the only key of an object, and its value.
inline std::pair<std::string, json> only(const json& object) {
    return {object.begin().key(), object.begin().value()};
}

inline std::vector<Event> events_of(const json& body) {
    std::vector<Event> events;
    for (const json& event : body.at("events")) {
        auto [kind, fields] = only(event);
        events.push_back({kind, fields});
    }
    return events;
}

inline Turn turn_of(const json& body) {
    Turn turn{body.at("id"), body.at("match"), events_of(body), {}, body.value("view", json()), body.at("clock")};
    for (const json& option : body.at("prompt")) {
        auto [kind, legal] = only(option);
        turn.prompt.push_back({kind, legal});
    }
    return turn;
}

inline Start start_of(const json& body) {
    return {body.at("match"), body.at("game"), body.at("rules"), body.at("seat"),
            body.at("seats"), body.at("seed"), body.at("clock")};
}

/// Plays until the arena says quit or closes the input.
template <typename Bot> int play(const std::string& name, const std::vector<std::string>& games) {
    std::ios::sync_with_stdio(false); // std::cin is slow otherwise
    FILE* output = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO); // only messages go to standard output; what you print goes to the bot's log
    std::cout << std::unitbuf;
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    const auto send = [&](const std::string& kind, const json& value, json message = json::object()) {
        message[kind] = value;
        const std::string line = message.dump() + "\n";
        std::fwrite(line.data(), 1, line.size(), output);
        if (std::fflush(output) != 0) std::exit(0); // must be flushed; fails if the arena is gone
    };
    std::map<std::uint64_t, Bot> bots; // by match
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const auto [kind, body] = only(json::parse(line));
        if (kind == "hello") {
            json ready;
            ready["name"] = name;
            ready["games"] = games;
            send("ready", ready);
        } else if (kind == "start") {
            const Start start = start_of(body);
            bots.insert_or_assign(start.match, Bot(start, Chance(start.seed)));
        } else if (kind == "turn") {
            const Turn turn = turn_of(body);
            Bot& bot = bots.at(turn.match);
            for (const Event& event : turn.events) bot.learn(event);
            json message;
            message["id"] = turn.id;
            send("action", bot.act(turn), message);
        } else if (kind == "end") {
            const auto bot = bots.find(body.at("match"));
            for (const Event& event : events_of(body)) bot->second.learn(event);
            bots.erase(bot);
        } else if (kind == "error") {
            std::cerr << body.at("message").get<std::string>() << std::endl;
        } else if (kind == "quit") {
            break;
        } // ignore other kinds of messages: they come from a later version
    }
    return 0;
}
