"""A stub of an endpoint for chat completions, on loopback. It writes its port into the given folder, and behaves as the word
in the file `mode` there says. The file `requests` has a line for each request: how it was answered.

If there are several words, each is for one request of a question, in order, and the last repeats. A word that begins with
`first-` is only for the very first request.
"""
import hashlib
import http.server
import json
import os
import sys
import threading
import time

FOLDER = sys.argv[1]
lock = threading.Lock()
asked = {}


def read(name):
    with open(os.path.join(FOLDER, name)) as file:
        return file.read().split()


def legal(question):
    """Returns a legal action from the options in the text of a question. It depends only on the question."""
    options = json.loads(question.split("place of each value:\n")[-1].split("\n")[0])
    number = int(hashlib.sha256(question.encode()).hexdigest(), 16)

    def pick(values):
        return [pick(each) for each in values] if isinstance(values[0], list) else values[number % len(values)]

    (kind, fields), = options[number // 7 % len(options)].items()
    return {kind: {name: pick(values) for name, values in fields.items()}}


# The text of the reply, by mode.
CONTENTS = {
    "parts": lambda text: [{"type": "reasoning", "text": "7"}, {"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}],
    "null": lambda text: None,
    "number": lambda text: 42,
    "object": lambda text: {"text": text},
    "odd-parts": lambda text: [text],
    "surrogate": lambda text: f"\ud83d half of a face. {text}",
}
USAGES = {
    "huge-usage": {"prompt_tokens": "BILLION", "completion_tokens": 10},
    "odd-usage": {"prompt_tokens": [1], "completion_tokens": -1},
}
# Content that is sent in place of a reply, with its type.
OTHERS = {
    "error-200": ("application/json", '{"error": {"message": "no such model", "code": 404}}'),
    "html": ("text/html", "<!doctype html><title>Sign in</title>" + "x" * 300),
    "events": ("text/event-stream", 'data: {"choices": [{"delta": {"content": "I"}}]}\n\ndata: [DONE]\n\n'),
    "empty": ("application/json", " "),
    "binary": ("application/gzip", "\x1f\x8b\x08\x00"),
    "deep": ("application/json", "[" * 100_000),
    "list": ("application/json", "[1, 2]"),
    "key-error": ("text/plain", "unknown key " + os.environ["LLM_KEY"]),
}


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        with open(os.path.join(FOLDER, "followed"), "w") as file:
            file.write(str(self.headers))
        self.send_error(404)

    def do_POST(self):
        if self.server is other_server:
            return self.do_GET()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asking = [message["content"] for message in body["messages"] if message["role"] == "user"]
        question = next((text for text in reversed(asking) if "Your options" in text), None)
        with lock:
            modes = read("mode")
            key = " ".join([*modes, question or asking[0]])
            asked[key] = asked.get(key, 0) + 1
            mode = modes[min(asked[key], len(modes)) - 1]
            answered, is_first = read("requests").count("200"), not read("requests")
            if mode.startswith("first-"):
                mode = mode.removeprefix("first-") if is_first else "ok"
            if mode.startswith("down-after-") and answered >= int(mode.rsplit("-", 1)[1]):
                mode = "down"
            status = {"429": 429, "500": 500, "401": 401, "down": 503}.get(mode, 200)
            with open(os.path.join(FOLDER, "requests"), "a") as file:
                file.write(f"{status}\n")
        if self.headers["Authorization"] != "Bearer " + os.environ["LLM_KEY"] or self.path != "/v1/chat/completions":
            status = 404
        action = json.dumps(legal(question)) if question else "and cannot know what is legal."
        text = {
            "prose": f"If I say {{\"stop\": 1}} or {{that}}, I lose.\n```json\n{action}\n```\nThat is my answer.",
            "illegal": 'I attack {"attack":{"seat":7,"position":99,"face":"x"}}',
            "none": "I do not know what to do.",
            "infinite": 'I attack {"attack":{"seat":1e999,"position":NaN,"face":-Infinity}}',
            "echo": f"My key is {os.environ['LLM_KEY']}. {action}",
        }.get(mode, f"I reason a little. {action}")
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        if mode == "length":
            choice |= {"finish_reason": "length", "message": {"role": "assistant", "content": text[:-4]}}
        reply = {"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 10}}
        if mode in CONTENTS:
            choice["message"]["content"] = CONTENTS[mode](text)
        if mode == "null-cut":
            choice |= {"finish_reason": "length", "message": {"content": None}}
        if mode in USAGES:
            reply["usage"] = USAGES[mode]
        data = json.dumps(reply if status == 200 else {"error": {"message": f"this is {mode}"}}).encode()
        kind, other = OTHERS.get(mode, ("application/json", None))
        data = (other or data.decode()).replace('"BILLION"', "1e999").encode()
        if mode == "redirect":
            status = 302
        if mode == "hung":
            time.sleep(600)
        self.send_response(status)
        if status in (429, 503):
            self.send_header("Retry-After", "1" if status == 429 else "3600")
        if mode == "redirect":
            self.send_header("Location", f"http://127.0.0.1:{other_server.server_port}/v1/chat/completions")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if mode == "cut":
            data = data[: len(data) // 2]
            self.close_connection = True
        if mode == "slow":
            for at in range(0, len(data), 100):
                self.wfile.write(data[at : at + 100])
                self.wfile.flush()
                time.sleep(0.01)
            return
        self.wfile.write(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server, other_server = [Server(("127.0.0.1", 0), Endpoint) for _ in range(2)]
threading.Thread(target=other_server.serve_forever, daemon=True).start()
with open(os.path.join(FOLDER, "port.new"), "w") as file:
    file.write(str(server.server_port))
os.rename(os.path.join(FOLDER, "port.new"), os.path.join(FOLDER, "port"))
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()                                        # until whoever started it closes this, or ends
