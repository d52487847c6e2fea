"""{{name}}: a language model plays {{game}} through any endpoint for chat completions. README.md says how to set it up."""
import fcntl, hashlib, http.client, json, os, pathlib, queue, socket, sys, tempfile, threading, time, urllib.error, urllib.request

LEGAL = os.environ.get("LLM_LEGAL", "always")           # when the model sees its options: "always", or only "on-illegal" answers
WRONG = [] if LEGAL in ("always", "on-illegal") else ['LLM_LEGAL is neither "always" nor "on-illegal"']   # unusable settings


def numbers(name, default, count=1):
    try:
        values = [float(value) for value in os.environ.get(name, default).split()]
    except ValueError:
        values = []
    if len(values) != count or not all(value >= 0 for value in values):
        WRONG.append(f"{name} does not hold {count} of the numbers from 0 on")
    return values if len(values) == count else [0.0] * count


URL = os.environ.get("LLM_URL", "").rstrip("/")         # such as http://127.0.0.1:8080/v1
MODEL = os.environ.get("LLM_MODEL", "")
KEY = os.environ.get("LLM_KEY", "").strip()
PRICES = [price / 1e6 for price in numbers("LLM_PRICES", "0 0", 2)]     # of tokens in and out, each
(MOST_TOKENS,), (MOST_COST,) = numbers("LLM_MOST_TOKENS", "inf"), numbers("LLM_MOST_COST", "inf")
LENGTH = int(min(numbers("LLM_REPLY_TOKENS", "4000")[0], 1e9))          # maximum length of a reply, in tokens
LIMIT = os.environ.get("LLM_LIMIT_NAME") or "max_tokens"                # its name in a request; some need max_completion_tokens
CACHE = os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()       # what `cache` in the tournament's file names
AGAIN = 2                                               # repeated requests after an illegal answer
MOST_BYTES = 1 << 24                                    # maximum length of a reply
TRIES, BUSY = 3, (408, 409, 425, 429)                   # attempts; status codes to retry after, like 500 and above

# The explanation of each kind of answer. For typed answers, also their alphabet and length, because the prompt has only samples of them.
FORMS = {
    # {{each}}
    "{{kind}}": ("{{help}}", {{typed}}),
    # {{end}}
}


class Pause(Exception):
    """The bot cannot continue now, through no fault of the model: the run stops and can be continued later."""


def spend(requests=0, tokens=0, money=0.0):
    """Adds to the total that all processes of the bot have spent, kept in a file of the cache, and returns it."""
    with open(os.path.join(CACHE, "spent.json"), "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        spent = json.loads(file.read() or '{"requests": 0, "tokens": 0, "cost": 0}')
        if requests:
            spent = {"requests": spent["requests"] + requests, "tokens": spent["tokens"] + tokens, "cost": spent["cost"] + money}
            file.truncate(0)
            file.write(json.dumps(spent))
    return spent


def check_budget():
    spent = spend()
    for name, used, most in (("LLM_MOST_TOKENS", spent["tokens"], MOST_TOKENS), ("LLM_MOST_COST", spent["cost"], MOST_COST)):
        if used >= most:
            raise Pause(f"the budget of {most:.15g} is used up: raise {name}")


def in_time(call, seconds):
    """Returns the result of the call, or raises queue.Empty after so many seconds. (A socket's timeout restarts with each byte.)"""
    done = queue.Queue()
    def run():
        try:
            done.put((call(), None))
        except Exception as error:
            done.put((None, error))
    threading.Thread(target=run, daemon=True).start()
    value, error = done.get(timeout=seconds)
    if error:
        raise error
    return value


def cost(reply):
    return sum(price * tokens for price, tokens in zip(PRICES, reply["tokens"]))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *request):               # the key is for this address only
        return None


def without_key(text):
    """Removes what must not be stored: the key, and invalid characters."""
    text = text.encode(errors="replace").decode()       # without halves of surrogate pairs
    return text.replace(KEY, "[LLM_KEY]") if len(KEY) >= 8 else text


def understood(data, most):
    """Returns the text of a reply, whether it was cut off, and the tokens in and out (the possible maximum if they make no sense)."""
    reply = json.loads(data)
    choice, usage = reply["choices"][0], reply.get("usage") or {}
    content, cut = choice["message"].get("content"), choice.get("finish_reason") == "length"
    if isinstance(content, list):                       # a list of parts, some of them text
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str) and not (cut and content is None):
        raise ValueError("its content is no text")
    used = [usage.get(key) or 0 for key in ("prompt_tokens", "completion_tokens")]
    makes_sense = all(isinstance(count, (int, float)) and 0 <= count < 1e9 for count in used)
    return {"text": without_key(content or ""), "cut": cut, "tokens": [int(count) for count in (used if makes_sense else most)]}


def post(body, seconds):
    """Sends one request and returns the parsed reply."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(f"{URL}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.build_opener(NoRedirect).open(request, timeout=seconds) as response:
        data, kind = response.read(MOST_BYTES), response.headers.get("Content-Type")
    try:
        return understood(data, [len(request.data), LENGTH])
    except Exception as error:                          # never the model's fault
        start = without_key(data[:200].decode(errors="replace"))
        raise ValueError(f"{error!r} in a reply of type {kind} that begins with {start!r}") from None


def complete(body, deadline):
    """Returns the model's reply. Retries while the endpoint is busy or broken, as long as the clock allows."""
    wait, tries = 1.0, 0
    while True:
        check_budget()
        left, after = deadline - time.monotonic(), 0.0
        try:
            reply = in_time(lambda: post(body, left), max(left, 0.01))
            spend(1, sum(reply["tokens"]), cost(reply))
            return reply
        except (queue.Empty, TimeoutError, socket.timeout):     # the last two are the same since Python 3.10
            raise Pause(f"{URL} did not answer within the clock: is it down, or move_ms too short?") from None
        except urllib.error.HTTPError as error:
            why = f"{URL} answered {error.code} {error.reason}"
            if 300 <= error.code < 400:
                why += f", which is not followed: set LLM_URL to where {error.headers.get('Location')} leads"
            if error.code < 500 and error.code not in BUSY:
                raise Pause(f"{why}: {without_key(error.read(200).decode(errors='replace'))}") from None
            retry = error.headers.get("Retry-After", "")
            after = float(retry) if retry.isdigit() else 0.0
        except (OSError, http.client.HTTPException, ValueError) as error:
            tries += 1                                  # no connection, or a reply that is cut off or not understood
            why = without_key(f"{URL} cannot be used: {getattr(error, 'reason', error)}")
            if tries == TRIES:
                raise Pause(why) from None
        wait, pause = min(2 * wait, 30.0), max(wait, after)
        if time.monotonic() + pause >= deadline:
            raise Pause(f"{why}, and the clock leaves no time to wait for {pause:.0f} s")
        print(f"{why}: waiting for {pause:.0f} s", file=sys.stderr)
        time.sleep(pause)


def cached(seed, messages, deadline):
    """Returns the model's reply to these messages on this deal: paid for once, then always the same."""
    body = {"model": MODEL, "messages": messages, LIMIT: LENGTH}
    key = hashlib.sha256(json.dumps([seed, body]).encode()).hexdigest()
    path = os.path.join(CACHE, key + ".json")
    try:
        with open(path) as file:
            reply = json.load(file)
        return {"text": reply["text"], "cut": reply["cut"], "tokens": reply["tokens"]}
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        pass                                            # it is missing or damaged
    reply = complete(body, deadline)
    with tempfile.NamedTemporaryFile("w", dir=CACHE, delete=False) as file:
        json.dump(reply, file)
    os.chmod(file.name, 0o666)                          # the next process may belong to another user
    os.replace(file.name, path)                         # written completely or not at all
    return reply


# Refuses invalid or too large numbers: NaN, Infinity, 1e999.
STRICT = json.JSONDecoder(parse_constant=int, parse_float=lambda text: float(text) if abs(float(text)) < 1e300 else int(text))


def last_object(text):
    """Returns the last JSON object in a text, and where it begins."""
    found, at = (None, len(text)), text.find("{")
    while at >= 0:
        try:
            value, end = STRICT.raw_decode(text, at)
            found = (value, at)
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return found


def fits(value, legal, typed):
    if typed:
        letters, length = typed
        return isinstance(value, str) and len(value) == length and set(value) <= set(letters)
    if legal and isinstance(legal[0], list):            # such as the places of a code: one value from each list
        return isinstance(value, list) and len(value) == len(legal) and all(map(fits, value, legal, [None] * len(legal)))
    return any(type(value) is type(one) and value == one for one in legal)


def flaw(action, prompt):
    """Returns why the prompt does not allow the action, or None if it does."""
    if not isinstance(action, dict) or len(action) != 1:
        return "the last JSON object of the reply must have one key, the kind of the answer"
    (kind, fields), = action.items()
    offered = [option[kind] for option in prompt if kind in option]
    if not offered or not isinstance(fields, dict):
        return f"{json.dumps(action)} is none of the options"
    why = []
    for legal in offered:
        typed = FORMS.get(kind, ("", {}))[1]
        wrong = [key for key in fields if key not in legal or not fits(fields[key], legal[key], typed.get(key))]
        wrong += [key for key in legal if key not in fields]
        if not wrong:
            return None
        why.append(f"{json.dumps(wrong[0])} of {json.dumps(action)} is not as the option has it: {json.dumps({kind: legal})}")
    return why[0]


class Match:
    """One match: its events so far, and the question to the model at each turn."""
    def __init__(self, start):
        self.start, self.events = start, []

    def messages(self, turn, options):
        rules = pathlib.Path(__file__).with_name("rules.md").read_text("utf-8")
        kinds = "\n".join(f"- `{kind}`: {help}" for kind, (help, _) in FORMS.items())
        system = f"You play this game, to win.\n\n{rules}\n\nThe kinds of answers:\n{kinds}"
        lines = "\n".join(map(json.dumps, self.events))
        user = (
            f"You are seat {self.start['seat']} of {self.start['seats']}, seats are counted from 0. "
            f"The rules of this match: {json.dumps(self.start['rules'])}\n\n"
            f"What has happened, as you have seen it:\n{lines}\n\nThe table as you see it now:\n{json.dumps(turn['view'])}\n\n"
            f"{options}First reason in a few sentences. Then end with your answer: one JSON object, "
            f"{'an option with one value in place of each list' if options else 'in the form that the rules give'}, and nothing after it."
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def decide(self, turn, deadline):
        """Returns the model's action and a note on it. Asks again if the action is illegal, at most AGAIN times."""
        options = f"Your options, each with the list of legal values in place of each value:\n{json.dumps(turn['prompt'])}\n\n"
        now, later = (options, "") if LEGAL == "always" else ("", options)
        messages, tokens, money, illegal = self.messages(turn, now), 0, 0.0, 0
        for retries in range(AGAIN + 1):
            reply = cached(self.start["seed"], messages, deadline)
            tokens, money = tokens + sum(reply["tokens"]), money + cost(reply)
            action, begin = last_object(reply["text"])
            why = "the reply was cut off, so reason less" if reply["cut"] else flaw(action, turn["prompt"])
            if why is None:
                break
            print(f"not legal: {why}", file=sys.stderr)
            illegal += not reply["cut"]
            shown, later = ("", later) if reply["cut"] else (later, "")
            again = f"That cannot be used: {why}. {shown}Reply again, and end with one JSON object."
            messages = messages + [{"role": "assistant", "content": reply["text"]}, {"role": "user", "content": again}]
        reasoning = " ".join(reply["text"][:begin].split())[-400:]
        note = {"tokens": tokens, "cost": round(money, 8), "retries": retries, "illegal": illegal, "why": reasoning}
        return action if len(json.dumps(action)) < 50_000 else None, json.dumps(note)


def deadline(clock):
    """Returns when to give up: a tenth of the time is kept for sending the answer."""
    limits = [clock[key] for key in ("move_ms", "bank_ms") if clock.get(key) is not None]
    return time.monotonic() + 0.9 * min(limits, default=600_000) / 1000


def answer(kind, body, matches):
    """Returns the answer to a message, or None."""
    if kind == "hello":
        missing = [f"{name} is not set" for name, value in (("LLM_URL", URL), ("LLM_MODEL", MODEL)) if not value]
        if missing + WRONG:
            raise Pause(f"{(missing + WRONG)[0]}: see env in the tournament's file")
        return {"ready": {"name": "{{name}}", "version": MODEL, "games": ["{{game}}"]}}
    if kind == "start":
        matches[body["match"]] = Match(body)
    elif kind == "turn":
        matches[body["match"]].events += body["events"]
        action, note = matches[body["match"]].decide(body, deadline(body["clock"]))
        return {"id": body["id"], "action": action, "note": note}
    elif kind == "end":
        del matches[body["match"]]
    elif kind == "error":
        print(body["message"], file=sys.stderr)


def main():
    matches = {}
    for line in sys.stdin.buffer:                       # each line is one message, an object with a single key
        (kind, body), = json.loads(line).items()
        if kind == "quit":
            break
        try:
            message = answer(kind, body, matches)
        except Exception as why:                        # such as an unusable cache
            message = {"pause": {"why": str(why) if isinstance(why, (Pause, OSError)) else repr(why)}}
        if message:
            print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
