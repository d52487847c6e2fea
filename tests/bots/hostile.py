"""A bot that misbehaves in one way: `hostile.py MODE`. In everything else it plays honestly, at random."""
import fcntl
import json
import os
import random
import signal
import sys
import time

MODE = sys.argv[1]
OUT = sys.stdout.buffer
ESCAPES = "\x1b[2J\x1b]0;gotcha\x07<script>alert(1)</script>=1+1|\r\n\u202e\0"


def put(data):
    """Writes bytes without delay."""
    OUT.write(data)
    OUT.flush()


def say(message, end=b"\n"):
    put(json.dumps(message).encode() + end)


def die(code=0):
    OUT.flush()
    os._exit(code)


def for_ever():
    while True:
        time.sleep(60)


def endless(data, pause=0.0):
    """Writes without end, until nobody reads any more."""
    while True:
        put(data)
        time.sleep(pause)


def stop_reading(close):
    if close:
        os.close(0)
    for_ever()


def burn():
    while True:
        pass


def fork_answer(answer):
    child = os.fork()
    if child == 0:
        say(answer)
        die()
    os.waitpid(child, 0)


def hold_stdout():
    if os.fork() == 0:
        for_ever()
    die(5)


def close_stdout():
    os.close(1)
    for_ever()


def become_directory():
    os.dup2(os.open("/", os.O_RDONLY), 1)
    for_ever()


def nonblocking():
    for fd in (0, 1, 2):
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) & ~os.O_NONBLOCK)


def slowly(answer):
    for byte in json.dumps(answer).encode() + b"\n":
        put(bytes([byte]))


def flood_log():
    for _ in range(300):
        sys.stderr.write("x" * 9_999 + "\n")
    sys.stderr.flush()


def tty():
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
        print("HAS A TERMINAL", file=sys.stderr, flush=True)
    except OSError as error:
        print("no terminal:", error, file=sys.stderr, flush=True)


class Endless:
    """An answer with an action nested this deep, which takes no memory until it is sent."""

    def __init__(self, depth):
        self.depth = depth

    def line(self, turn):
        return b'{"id":%d,"action":' % turn + b"[" * self.depth + b"]" * self.depth + b"}\n"


# Sent instead of `ready`.
GREETINGS = {
    "exits at once": lambda: die(3),
    "never ready": for_ever,
    "ready not flushed": lambda: (sys.stdout.write('{"ready":{}}\n'), for_ever()),
    "ready without newline": lambda: (say({"ready": {}}, b""), for_ever()),
    "banner": lambda: put(b"Loading the model\n"),
    "colourful banner": lambda: put("\x1b[31mLoading\x1b[0m\n".encode()),
    "byte order mark": lambda: put(b'\xef\xbb\xbf{"ready":{}}\n'),
    "utf-16": lambda: put('{"ready":{}}\n'.encode("utf-16")),
    "other version": lambda: say({"ready": {"protocol": 2}}),
    "same version": lambda: say({"ready": {"protocol": 1}}),
    "other game": lambda: say({"ready": {"games": ["chess"]}}),
    "answers before ready": lambda: say({"id": 1, "action": {}}),
    "ready, then exits": lambda: (say({"ready": {}}), die(0)),
    "ready twice": lambda: (say({"ready": {}}), say({"ready": {}})),
    "matches in the billions": lambda: say({"ready": {"matches": 4_000_000_000}}),
    "no matches": lambda: say({"ready": {"matches": 0}}),
    "ready a list": lambda: say({"ready": []}),
    "strange name": lambda: say({"ready": {"name": ESCAPES, "version": ESCAPES * 50}}),
    "answers in advance": lambda: put(b'{"ready":{}}\n' + b"".join(
        b'{"id":%d,"action":{"set_up":{"dark":0}}}\n' % number for number in (0,) * 50)),
    "guesses ids": lambda: put(b'{"ready":{}}\n' + b"".join(
        b'{"id":%d,"action":{"set_up":{"dark":0}}}\n' % number for number in range(1, 1_000))),
}

# Sent instead of an answer. The functions get the turn's id and the honest answer.
ANSWERS = {
    "exits when asked": lambda turn, answer: die(0),
    "killed": lambda turn, answer: os.kill(os.getpid(), signal.SIGSEGV),
    "raises": lambda turn, answer: 1 // 0,
    "log not utf-8, raises": lambda turn, answer: (os.write(2, b"\xff\x1b[2J\0\n"), 1 // 0),
    "silent": lambda turn, answer: for_ever(),
    "busy": lambda turn, answer: burn(),
    "busy with many": lambda turn, answer: ([os.fork() and None for _ in range(4)], burn()),
    "not flushed": lambda turn, answer: (sys.stdout.write(json.dumps(answer) + "\n"), for_ever()),
    "no newline": lambda turn, answer: (say(answer, b""), for_ever()),
    "carriage return": lambda turn, answer: (say(answer, b"\r"), for_ever()),
    "half an answer, exits": lambda turn, answer: (say(answer, b""), die(0)),
    "stale lines": lambda turn, answer: endless(b'{"id":0,"action":{"stop":{}}}\n'),
    "stale now and then": lambda turn, answer: endless(b'{"id":0,"action":{"stop":{}}}\n', 0.2),
    "blank lines": lambda turn, answer: endless(b"\n \r\n" * 1_000),
    "endless bytes": lambda turn, answer: endless(b"x" * 10_000),
    "endless garbage": lambda turn, answer: endless(b"y\n" * 10_000),
    "not utf-8": lambda turn, answer: put(b'{"id":%d,"note":"\xff\xfe"}\n' % turn),
    "nul": lambda turn, answer: put(b"\0" * 20 + b"\n"),
    "deep": lambda turn, answer: put(Endless(20_000).line(turn)),
    "deep beside": lambda turn, answer: put(
        json.dumps(answer).encode()[:-1] + b',"mood":' + b"[" * 30_000 + b"]" * 30_000 + b"}\n"),
    "number beyond all": lambda turn, answer: put(b'{"id":1e999,"action":{"set_up":{"dark":0}}}\n'),
    "lone surrogate": lambda turn, answer: say({**answer, "note": "\ud800"}),
    "answer as a list": lambda turn, answer: say([turn, answer["action"]]),
    "a list": lambda turn, answer: put(b"[1,2]\n"),
    "null": lambda turn, answer: put(b"null\n"),
    "no action": lambda turn, answer: say({"id": turn}),
    "action null": lambda turn, answer: say({"id": turn, "action": None}),
    "two actions": lambda turn, answer: say({"id": turn, "action": {"stop": {}, "draw": {"colour": "dark"}}}),
    "illegal": lambda turn, answer: say({"id": turn, "action": {"set_up": {"dark": 77}}}),
    "wrong moment": lambda turn, answer: say({"id": turn, "action": {"stop": {}}}),
    "future id": lambda turn, answer: say({**answer, "id": turn + 5}),
    "id as text": lambda turn, answer: say({**answer, "id": str(turn)}),
    "id as float": lambda turn, answer: say({**answer, "id": float(turn)}),
    "id negative": lambda turn, answer: say({**answer, "id": -turn}),
    "id beyond 2^64": lambda turn, answer: say({**answer, "id": 2**64 + turn}),
    "keys twice": lambda turn, answer: put(b'{"id":%d,"id":%d,"action":{}}\n' % (turn, turn)),
    "huge note": lambda turn, answer: say({**answer, "note": "x" * 70_000}),
    "note a number": lambda turn, answer: say({**answer, "note": 7}),
    "holds stdout": lambda turn, answer: hold_stdout(),
    "closes stdout": lambda turn, answer: close_stdout(),
    "stdout a directory": lambda turn, answer: become_directory(),
    "closes stdin": lambda turn, answer: stop_reading(close=True),
    "kills its parent": lambda turn, answer: (os.kill(os.getppid(), signal.SIGKILL), for_ever()),
    # From here on, the answer is also given.
    "byte by byte": lambda turn, answer: slowly(answer),
    "windows lines": lambda turn, answer: say(answer, b"\r\n"),
    "blanks around": lambda turn, answer: put(b"\n  \n \t" + json.dumps(answer).encode() + b"  \n\n"),
    "twice": lambda turn, answer: put((json.dumps(answer) + "\n").encode() * 2),
    "unknown fields": lambda turn, answer: say({"mood": [[]], **answer, "x": {"y": None}}),
    "long note": lambda turn, answer: say({**answer, "note": "ü" * 8_000}),
    "strange note": lambda turn, answer: say({**answer, "note": ESCAPES}),
    "stale first": lambda turn, answer: put(b'{"id":0,"action":7}\n' * 500 + json.dumps(answer).encode() + b"\n"),
    "log flood": lambda turn, answer: (flood_log(), say(answer)),
    "log not utf-8": lambda turn, answer: (os.write(2, b"\xff\x1b[2J\0"), say(answer)),
    "a child answers": lambda turn, answer: fork_answer(answer),
    "nonblocking pipes": lambda turn, answer: (nonblocking(), say(answer)),
    "looks for a terminal": lambda turn, answer: (tty(), say(answer)),
    "answers, then exits": lambda turn, answer: (say(answer), die(0)),
}

# Done after a match.
ENDS = {
    "exits after a match": lambda: die(0),
    "sleeps on end": lambda: time.sleep(0.1),
    "hangs on end": for_ever,
    "talks after a match": lambda: say({"id": 0, "action": "bye"}),
    "babbles after a match": lambda: put(b"good game\n"),
}


def choose(legal):
    return [choose(values) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)


def honest(turn):
    (name, values), = chance.choice(turn["prompt"]).items()
    return {"id": turn["id"], "action": {name: {key: choose(legal) for key, legal in values.items()}}}


def late(turn, answer):
    """Answers the first turn of each match too late, together with the second."""
    if not held:
        held.append(answer)
    elif len(held) == 1:
        say(held[0])
        held.append(answer)
        say(answer)
    else:
        say(answer)


def never_reads():
    """Stops reading. The pipe is as small as possible, so that it fills soon."""
    fcntl.fcntl(0, getattr(fcntl, "F_SETPIPE_SZ", 1031), 4096)
    sys.stdin.readline()
    say({"ready": {}})
    for_ever()


print("STARTED", file=sys.stderr, flush=True)
if MODE == "never reads":
    never_reads()
if MODE == "ignores signals":
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
# A bot that exits after a match must not have read further input.
unbuffered = open(0, "rb", buffering=0, closefd=False)
for line in iter(unbuffered.readline, b"") if MODE == "exits after a match" else sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        GREETINGS.get(MODE, lambda: say({"ready": {}}))()
    elif kind == "start":
        chance, held = random.Random(body["seed"]), []
    elif kind == "turn":
        answer = honest(body)
        if MODE == "late":
            late(body, answer)
        else:
            ANSWERS.get(MODE, lambda turn, answer: say(answer))(body["id"], answer)
            if MODE == "burns between turns" and os.fork() == 0:
                signal.alarm(1)
                burn()
    elif kind == "end":
        ENDS.get(MODE, lambda: None)()
    elif kind == "error":
        print("TOLD", body["message"], file=sys.stderr, flush=True)
    elif kind == "quit" and MODE == "ignores signals":
        for_ever()
