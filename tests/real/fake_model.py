#!/usr/bin/env python3
"""A fake model server on loopback, for testing coding-agent CLIs without a model.

One file, standard library only, Python 3.11+.  It speaks enough of four wire
protocols for today's coding-agent CLIs to run a whole session against it:

    Anthropic Messages      POST /v1/messages            (SSE and JSON)
                            POST /v1/messages/count_tokens
    OpenAI Responses        POST /v1/responses           (SSE and JSON)
    OpenAI Chat Completions POST /v1/chat/completions    (SSE and JSON)
    Google Gemini           POST /v1beta/models/M:generateContent
                            POST /v1beta/models/M:streamGenerateContent
                            POST /v1beta/models/M:countTokens
    model lists             GET  /v1/models, /v1beta/models

The answers are a script, not a model.  The script is read from markers in the
newest user prompt, or from a JSON scenario file.  The server keeps (almost) no
state: where a conversation stands is worked out from the messages in each
request, so that a resumed or retried session just works.

Markers (in the prompt; executed left to right)
-----------------------------------------------
    [[tool:bash CMD]]        answer with a call of the CLI's own shell tool
    [[tool:write PATH TEXT]] answer with a call of the CLI's own file-write tool
    [[tool:read PATH]]       answer with a call of the CLI's own file-read tool
    [[tool:NAME {json}]]     call any tool by its exact name (MCP tools too)
    [[say:TEXT]]             final text answer (ends the turn)
    [[sleep:N]]              wait N s before the first byte of the next answer
    [[stall:N]]              begin the stream of the next answer, then wait N s
    [[status:401]]           answer with this HTTP error, every time
    [[status:429x2]]         ... the first two times only, then go on
    [[status:400:API_KEY_INVALID]]  ... with this error code/reason in the body
    [[retry_after:N]]        'retry-after' header for the error that follows
    [[midstream:overloaded_error]]  start a 200 stream, then send an error event
    [[drop]]                 start a 200 stream, then close the connection
    [[header:NAME VALUE]]    one more response header for the next answer
    [[usage:IN,OUT,CACHE_WRITE,CACHE_READ]]  token counts for the next answers

Each `tool` marker is one model answer; the turn ends with a text answer: the
next `say`, or the default text.  Tools are only called when the request
declares tools, so side requests (titles, summaries) get text.

Limit: an agent that merges an unanswered prompt (killed, cancelled, 401) with the
next one sends both scripts in one text, and the older one runs first.  Use a
fresh session then, or scenario rules.

Scenario file (--scenario FILE)
-------------------------------
    {"usage": [100, 20, 30, 400],
     "default_text": "FAKE-OK",
     "rules": [{"match": "regex on the user prompt",
                "steps": [{"tool": "bash", "arg": "echo hi > out.txt"},
                          {"status": 529, "times": 2},
                          {"sleep": 1, "say": "done"}]}]}

A step is one answer and may combine: tool+arg | tool+args(object) | say,
sleep, stall, usage, status(+times, code, retry_after), headers(object), midstream, drop.

Usage numbers
-------------
Each successful answer reports the same counts unless the script says
otherwise, so N requests cost N times as much:
input 100 (uncached), output 20, cache write 30, cache read 400.
Anthropic reports the four apart.  OpenAI and Gemini report input *including*
cached tokens: 100+30+400 = 530 with 400 of them cached (they have no write count).

Log (--log FILE): JSON lines.  `"ev":"req"` is written once per request when its
status is decided (count these); `"ev":"end"` when the answer was sent or the
client went away.  The credential is logged only as `cred`: the first 8 hex
digits of sha256(key), or null.

Admin (not logged as requests)
------------------------------
    GET  /admin/health
    GET  /admin/stats                 {"requests": N, "by_status": {...}, ...}
    POST /admin/auth {"mode": "ok" | "expired" | "forbidden"}
         "expired": every model request is 401 from now on; "forbidden": 403
    POST /admin/auth {"revoke": "KEY FINGERPRINT"}   401 for this key only
    POST /admin/quit

Start it, read the first line of stdout: `LISTENING http://127.0.0.1:PORT`.
SIGTERM or SIGINT ends it with exit code 0.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

MAX_BODY = 32 * 1024 * 1024  # bytes of one request body
MAX_SLEEP = 600.0  # seconds one script step may wait
MAX_PARALLEL = 64  # requests served at the same time
DEFAULT_USAGE = (100, 20, 30, 400)  # input, output, cache write, cache read
DEFAULT_TEXT = "FAKE-OK"


@dataclass
class Step:
    """One scripted model answer."""

    tool: str | None = None  # tool alias or exact tool name
    arg: str = ""  # argument text for an alias
    args: dict | None = None  # exact arguments (overrides arg)
    say: str | None = None  # text answer
    sleep: float = 0.0  # before the first byte
    stall: float = 0.0  # after the stream began
    usage: tuple[int, int, int, int] | None = None
    status: int = 200  # HTTP error to answer with
    times: int = 0  # how often to fail; 0 = always
    code: str | None = None  # error code / reason for the body
    retry_after: str | None = None
    midstream: str | None = None  # error event after the stream began
    drop: bool = False  # cut the connection after the stream began
    headers: dict | None = None  # extra response headers

    @classmethod
    def from_json(cls, d: dict) -> Step:
        """Build a step from a scenario file's object; unknown keys are an error."""
        known = set(cls.__dataclass_fields__)
        bad = set(d) - known
        if bad:
            raise ValueError(f"unknown step keys {sorted(bad)}; known: {sorted(known)}")
        s = cls(**d)
        if s.usage is not None:
            s.usage = tuple(int(x) for x in s.usage)  # type: ignore[assignment]
        return s


MARKER = re.compile(
    r"\[\[(tool|say|sleep|stall|status|retry_after|midstream|drop|usage|header)"
    r"(?::(.*?))?\]\]",
    re.S,
)


def parse_markers(text: str) -> list[Step]:
    """Turn the markers of a prompt into steps.  No marker: an empty list.

    Modifiers (sleep, stall, usage, retry_after) apply to the next answer;
    `usage` stays in force for the answers after it too.
    """
    steps: list[Step] = []
    cur = Step()
    sticky: tuple[int, int, int, int] | None = None
    seen = False
    for m in MARKER.finditer(text):
        seen = True
        kind, val = m.group(1), (m.group(2) or "")
        if kind == "sleep":
            cur.sleep += float(val)
        elif kind == "stall":
            cur.stall += float(val)
        elif kind == "retry_after":
            cur.retry_after = val
        elif kind == "usage":
            nums = [int(x) for x in val.split(",")]
            sticky = tuple(([*nums, 0, 0, 0, 0])[:4])  # type: ignore[assignment]
        elif kind == "status":
            head, _, code = val.partition(":")
            num, _, times = head.partition("x")
            cur.status, cur.times, cur.code = int(num), int(times or 0), code or None
        elif kind == "midstream":
            cur.midstream = val or "overloaded_error"
        elif kind == "drop":
            cur.drop = True
        elif kind == "header":
            name, _, content = val.partition(" ")
            cur.headers = {**(cur.headers or {}), name: content}
        elif kind == "tool":
            name, _, arg = val.partition(" ")
            cur.tool = name
            if arg.lstrip().startswith("{") and name not in ALIASES:
                cur.args = json.loads(arg)
            else:
                cur.arg = arg
            cur.usage = sticky
            steps.append(cur)
            cur = Step()
        elif kind == "say":
            cur.say = val
            cur.usage = sticky
            steps.append(cur)
            cur = Step()
    if not seen:
        return []
    said_all = bool(steps) and steps[-1].say is not None and cur == Step()
    if not said_all:
        cur.usage = sticky
        steps.append(cur)
    return steps


# alias -> list of tool names, best first, as today's CLIs declare them
ALIASES: dict[str, list[str]] = {
    "bash": [
        "Bash",
        "bash",
        "run_shell_command",
        "exec_command",
        "shell_command",
        "shell",
        "local_shell",
        "exec",
        "terminal",
        "execute_command",
    ],
    "write": ["Write", "write", "write_file", "create", "apply_patch"],
    "read": ["Read", "read", "read_file", "view"],
}
CMD_KEYS = ("command", "cmd", "script")
PATH_KEYS = ("file_path", "filePath", "path", "filename", "absolute_path")
TEXT_KEYS = ("content", "contents", "text", "file_text", "file_content")


@dataclass
class Tool:
    """A tool declared by the request."""

    name: str
    schema: dict = field(default_factory=dict)
    kind: str = "function"  # 'function' or 'custom' (free-form text input)
    namespace: str | None = None


def fill(schema: dict) -> dict:
    """Arguments for every required property of a JSON schema, by its type."""
    out: dict[str, Any] = {}
    props = schema.get("properties") or {}
    for key in schema.get("required") or []:
        p = props.get(key) or {}
        typ = p.get("type")
        if isinstance(typ, list):
            typ = next((t for t in typ if t != "null"), "string")
        typ = str(typ or "string").lower()
        if p.get("enum"):
            out[key] = p["enum"][0]
        elif typ in ("integer", "number"):
            out[key] = 60
        elif typ == "boolean":
            out[key] = False
        elif typ == "array":
            out[key] = []
        elif typ == "object":
            out[key] = {}
        else:
            out[key] = "fake"
    return out


def first_key(schema: dict, keys: tuple[str, ...]) -> str:
    """The first of `keys` that the schema declares (or just the first)."""
    props = schema.get("properties") or {}
    return next((k for k in keys if k in props), keys[0])


def build_call(step: Step, tools: list[Tool]) -> tuple[Tool, Any] | None:
    """The tool and arguments for a step, or None when no such tool is declared.

    For an alias the arguments are built from the tool's own JSON schema.
    For a custom (free-form) tool the arguments are one string.
    """
    by_name = {t.name: t for t in tools}
    assert step.tool is not None
    if step.tool not in ALIASES or step.args is not None:
        tool = by_name.get(step.tool)
        if tool is None:
            return None
        return tool, (
            step.args if step.args is not None else (step.arg if tool.kind == "custom" else fill(tool.schema))
        )
    tool = next((by_name[n] for n in ALIASES[step.tool] if n in by_name), None)
    if tool is None and "exec" in by_name and by_name["exec"].kind == "custom":
        tool = by_name["exec"]  # codex code mode: JavaScript source text
    if tool is None:
        return None
    path, _, content = step.arg.partition(" ")
    patch = "*** Begin Patch\n*** Add File: {}\n{}\n*** End Patch\n".format(
        path,
        "\n".join("+" + ln for ln in content.split("\n")),
    )
    if tool.name == "exec" and tool.kind == "custom":
        if step.tool == "write":
            return tool, f"text(await tools.apply_patch({json.dumps(patch)}));"
        cmd = step.arg if step.tool == "bash" else "cat " + path
        return tool, (f"const r = await tools.exec_command({{cmd: {json.dumps(cmd)}}}); text(r.output);")
    if step.tool == "bash":
        args = fill(tool.schema)
        key = first_key(tool.schema, CMD_KEYS)
        prop = (tool.schema.get("properties") or {}).get(key) or {}
        as_list = str(prop.get("type", "")).lower() == "array" or tool.name == "local_shell"
        args[key] = ["bash", "-lc", step.arg] if as_list else step.arg
        return tool, args
    if tool.name == "apply_patch":
        return tool, (patch if tool.kind == "custom" else {first_key(tool.schema, ("input", "patch")): patch})
    args = fill(tool.schema)
    args[first_key(tool.schema, PATH_KEYS)] = path
    if step.tool == "write":
        args[first_key(tool.schema, TEXT_KEYS)] = content
    return tool, args


REMINDER = re.compile(r"<(system-reminder|environment_context|session_context)>.*?</\1>", re.S)
Event = tuple[str, str]  # ('user'|'assistant'|'call'|'result', text)


def _texts(content: Any) -> Iterator[str]:
    """Text parts of a message content in any of the protocols."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for b in content:
            if isinstance(b, str):
                yield b
            elif isinstance(b, dict) and isinstance(b.get("text"), str):
                yield b["text"]


def events_anthropic(body: dict) -> Iterator[Event]:
    """Flatten an Anthropic request."""
    for m in body.get("messages") or []:
        content = m.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for b in blocks:
            t = b.get("type")
            if t == "text":
                yield (
                    "user" if m.get("role") == "user" else "assistant" if m.get("role") == "assistant" else "system",
                    b.get("text", ""),
                )
            elif t == "tool_use":
                yield "call", b.get("name", "")
            elif t == "tool_result":
                yield "result", " ".join(_texts(b.get("content")))


def events_responses(body: dict) -> Iterator[Event]:
    """Flatten an OpenAI Responses request."""
    items = body.get("input")
    if isinstance(items, str):
        yield "user", items
        return
    for it in items or []:
        t = it.get("type", "message")
        if t == "message":
            role = it.get("role")
            for s in _texts(it.get("content")):
                yield (role if role in ("user", "assistant") else "system"), s
        elif t.endswith("_output"):
            out = it.get("output")
            yield "result", out if isinstance(out, str) else json.dumps(out)
        elif t.endswith("_call"):
            yield "call", it.get("name", t)


def events_chat(body: dict) -> Iterator[Event]:
    """Flatten a Chat Completions request."""
    for m in body.get("messages") or []:
        role = m.get("role")
        if role == "tool":
            yield "result", " ".join(_texts(m.get("content")))
            continue
        for s in _texts(m.get("content")):
            if s:
                yield (role if role in ("user", "assistant") else "system"), s
        for c in m.get("tool_calls") or []:
            yield "call", (c.get("function") or {}).get("name", "")


def events_gemini(body: dict) -> Iterator[Event]:
    """Flatten a Gemini request."""
    for c in body.get("contents") or []:
        for p in c.get("parts") or []:
            if "functionCall" in p:
                yield "call", p["functionCall"].get("name", "")
            elif "functionResponse" in p:
                yield "result", json.dumps(p["functionResponse"].get("response"))
            elif isinstance(p.get("text"), str) and not p.get("thought"):
                yield ("assistant" if c.get("role") == "model" else "user"), p["text"]


def where(events: list[Event], scripted: Callable[[str], bool]) -> tuple[str, int]:
    """The prompt in force and how many tool rounds of it are done.

    The newest scripted user text wins; a user text without script takes over
    only when the earlier one has been answered (CLIs slip reminders between).
    """
    prompt, rounds, answered, prev = "", 0, True, ""
    for kind, text in events:
        if kind == "user":
            text = REMINDER.sub("", text).strip()
            if text and (scripted(text) or answered or (rounds == 0 and not scripted(prompt))):
                prompt, rounds, answered = text, 0, False
        elif kind == "assistant" and text.strip():
            answered = True
        elif kind == "call":
            answered = False
        elif kind == "result":
            answered = False
            if prev != "result":
                rounds += 1
        prev = kind
    return prompt, rounds


def tools_of(api: str, body: dict) -> list[Tool]:
    """The tools that a request declares, in any protocol."""
    out: list[Tool] = []

    def add(t: dict, ns: str | None = None) -> None:
        if api == "anthropic":
            out.append(Tool(t.get("name", ""), t.get("input_schema") or {}))
        elif api == "chat":
            f = t.get("function") or {}
            out.append(Tool(f.get("name", ""), f.get("parameters") or {}))
        elif api == "responses":
            typ = t.get("type")
            if typ == "namespace":
                for sub in t.get("tools") or []:
                    add(sub, t.get("name"))
            elif typ == "custom":
                out.append(Tool(t.get("name", ""), kind="custom", namespace=ns))
            elif typ == "function":
                out.append(Tool(t.get("name", ""), t.get("parameters") or {}, namespace=ns))
            elif typ == "local_shell":
                out.append(Tool("local_shell"))
        elif api == "gemini":
            out.extend(
                Tool(f.get("name", ""), f.get("parametersJsonSchema") or f.get("parameters") or {})
                for f in t.get("functionDeclarations") or t.get("function_declarations") or []
            )

    for t in body.get("tools") or []:
        add(t)
    if api == "responses" and isinstance(body.get("input"), list):
        for it in body["input"]:  # codex 'code mode' models
            if isinstance(it, dict) and it.get("type") == "additional_tools":
                for t in it.get("tools") or []:
                    add(t)
    return [t for t in out if t.name]


def error_body(api: str, status: int, code: str | None = None) -> dict:
    """An error body in the shape of the real service."""
    if api == "anthropic":
        typ = code or {
            400: "invalid_request_error",
            401: "authentication_error",
            402: "billing_error",
            403: "permission_error",
            404: "not_found_error",
            413: "request_too_large",
            429: "rate_limit_error",
            529: "overloaded_error",
        }.get(status, "api_error")
        msg = {
            401: "invalid x-api-key",
            403: "Your account does not have access.",
            429: "This request would exceed your account's rate limit.",
            529: "Overloaded",
        }.get(status, "Internal server error")
        return {
            "type": "error",
            "error": {"type": typ, "message": msg},
            "request_id": "req_fake" + uuid.uuid4().hex[:16],
        }
    if api == "gemini":
        st = {
            400: "INVALID_ARGUMENT",
            401: "UNAUTHENTICATED",
            403: "PERMISSION_DENIED",
            404: "NOT_FOUND",
            429: "RESOURCE_EXHAUSTED",
            500: "INTERNAL",
            503: "UNAVAILABLE",
        }.get(status, "INTERNAL")
        msg = (
            "API key not valid. Please pass a valid API key."
            if code == "API_KEY_INVALID"
            else {
                401: "Request had invalid authentication credentials.",
                403: "The caller does not have permission.",
                429: "Resource has been exhausted (e.g. check quota).",
                503: "The model is overloaded. Please try again later.",
            }.get(status, "Internal error")
        )
        err: dict[str, Any] = {"code": status, "message": msg, "status": st}
        if code:
            err["details"] = [
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": code, "domain": "googleapis.com"}
            ]
        return {"error": err}
    if code == "usage_limit_reached":  # of a subscription
        message, lifted = "The usage limit has been reached", int(time.time()) + 3600
        return {"error": {"type": code, "message": message, "plan_type": "plus", "resets_at": lifted}}
    typ, dcode, msg = {
        401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-test-***."),
        403: ("invalid_request_error", "unsupported_country_region_territory", "Forbidden."),
        404: ("invalid_request_error", "model_not_found", "The model does not exist."),
        400: ("invalid_request_error", "invalid_request_error", "Bad request."),
        429: ("requests", "rate_limit_exceeded", "Rate limit reached. Please try again in 1s."),
    }.get(status, ("server_error", "server_error", "The server had an error."))
    return {"error": {"message": msg, "type": typ, "param": None, "code": code or dcode}}


class State:
    """Everything that outlives one request: script, switches, counters, log."""

    def __init__(self, a: argparse.Namespace) -> None:
        self.args = a
        self.lock = threading.Lock()
        self.t0 = time.time()
        self.count = 0
        self.by_status: dict[str, int] = {}
        self.by_path: dict[str, int] = {}
        self.tries: dict[str, int] = {}
        self.mode = a.auth
        self.revoked: set[str] = set()
        self.stop = threading.Event()
        self.usage = DEFAULT_USAGE
        self.text = DEFAULT_TEXT
        self.rules: list[tuple[re.Pattern[str], list[Step]]] = []
        if a.scenario:
            sc = json.loads(Path(a.scenario).read_text())
            self.usage = tuple(int(x) for x in sc.get("usage", DEFAULT_USAGE))
            self.text = sc.get("default_text", DEFAULT_TEXT)
            for r in sc.get("rules", []):
                self.rules.append((re.compile(r["match"], re.S), [Step.from_json(s) for s in r["steps"]]))
        self.logf = Path(a.log).open("a", buffering=1) if a.log else None  # noqa: SIM115  open until the process ends
        self.dump = Path(a.dump) if a.dump else None
        if self.dump:
            self.dump.mkdir(parents=True, exist_ok=True)

    def log(self, rec: dict) -> None:
        """Append one JSON line (whole lines only, also with many threads)."""
        if self.logf:
            with self.lock:
                self.logf.write(json.dumps(rec) + "\n")

    def steps_for(self, prompt: str) -> list[Step]:
        """The script for a prompt: the first matching rule, or its markers."""
        for rx, steps in self.rules:
            if rx.search(prompt):
                return steps
        try:
            return parse_markers(prompt)
        except (ValueError, json.JSONDecodeError) as e:
            return [Step(say=f"FAKE-SCRIPT-ERROR {e}")]

    def step(self, api: str, body: dict, events: list[Event]) -> tuple[Step, str, int]:
        """Choose the answer for a request: (step, prompt, index)."""
        prompt, k = where(events, lambda t: bool(self.steps_for(t)))
        steps = self.steps_for(prompt) if prompt else []
        step = steps[k] if k < len(steps) else Step()
        if step.status != 200 and step.times:
            key = hashlib.sha256(f"{api}|{prompt}|{k}".encode()).hexdigest()
            with self.lock:
                self.tries[key] = n = self.tries.get(key, 0) + 1
            if n > step.times:
                step = Step(**{**step.__dict__, "status": 200, "times": 0})
        return step, prompt, k

    def admit(self, status: int, path: str) -> int:
        """Count a request; its ordinal number."""
        with self.lock:
            self.count += 1
            self.by_status[str(status)] = self.by_status.get(str(status), 0) + 1
            self.by_path[path] = self.by_path.get(path, 0) + 1
            return self.count


class ClientGone(Exception):
    """The client closed its connection before the answer was complete."""


class Handler(BaseHTTPRequestHandler):
    """One connection.  Streams end with a closed connection."""

    protocol_version = "HTTP/1.1"
    server_version = "fake-model/1"
    state: State

    def log_message(self, *a: Any) -> None:  # silence the default access log
        pass

    def _json(self, status: int, obj: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", f"req_fake{self.state.count:06d}")
        for k, v in (headers or {}).items():
            self.send_header(k, v)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begin_stream(self, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("request-id", f"req_fake{self.state.count:06d}")
        self.send_header("connection", "close")
        for k, v in (headers or {}).items():
            self.send_header(k, v)
        self.close_connection = True
        self.end_headers()

    def _sse(self, data: Any, event: str | None = None) -> None:
        raw = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(((f"event: {event}\n" if event else "") + f"data: {raw}\n\n").encode())
        self.wfile.flush()

    def _wait(self, seconds: float) -> None:
        """Sleep, but notice a client that goes away and a server that stops."""
        end = time.time() + min(seconds, MAX_SLEEP)
        self.connection.settimeout(None)
        while time.time() < end:
            if self.state.stop.wait(min(0.2, max(0.0, end - time.time()))):
                raise ClientGone("server stopping")
            try:
                self.connection.setblocking(False)
                if self.connection.recv(1, 2) == b"":  # 2 = MSG_PEEK
                    raise ClientGone("client closed")
            except (BlockingIOError, InterruptedError):
                pass
            except OSError as e:
                raise ClientGone(str(e)) from e
            finally:
                self.connection.setblocking(True)

    def _cred(self) -> tuple[str | None, str]:
        """(fingerprint, where the credential was found); the key is not kept."""
        h = self.headers
        key, src = None, "none"
        if h.get("authorization"):
            key, src = h["authorization"].split(" ", 1)[-1], "authorization"
        for name in ("x-api-key", "x-goog-api-key", "api-key"):
            if key is None and h.get(name):
                key, src = h[name], name
        if key is None:
            q = parse_qs(urlsplit(self.path).query)
            if q.get("key"):
                key, src = q["key"][0], "query"
        return (hashlib.sha256(key.encode()).hexdigest()[:8] if key else None), src

    def _body(self) -> dict:
        n = int(self.headers.get("content-length") or 0)
        if n > MAX_BODY:
            raise ValueError("body too large")
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            raw = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                raw += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    break
                if len(raw) > MAX_BODY:
                    raise ValueError("body too large")
        else:
            raw = self.rfile.read(n)
        if (self.headers.get("content-encoding") or "") == "gzip":
            raw = gzip.decompress(raw)
        return json.loads(raw) if raw.strip() else {}

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        st = self.state
        if path == "/admin/health":
            return self._json(200, {"ok": True, "mode": st.mode})
        if path == "/admin/stats":
            return self._json(
                200, {"requests": st.count, "by_status": st.by_status, "by_path": st.by_path, "mode": st.mode}
            )
        status, obj = 404, error_body("chat", 404)
        if path.endswith(("/v1/models", "/models")):
            status = 200
            ids = ["fake-model", "claude-fake", "gpt-fake", "gemini-fake"]
            obj = (
                {"models": [{"name": f"models/{i}"} for i in ids]}
                if "v1beta" in path
                else {
                    "object": "list",
                    "data": [
                        {
                            "id": i,
                            "object": "model",
                            "type": "model",
                            "display_name": i,
                            "created": 0,
                            "owned_by": "fake",
                        }
                        for i in ids
                    ],
                }
            )
        self._note(path, None, {}, status, "list")
        self._json(status, obj)
        return None

    def do_POST(self) -> None:
        try:
            with self.server.slots:  # type: ignore[attr-defined]
                self._post()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_PUT = do_POST

    def _note(self, path: str, api: str | None, body: dict, status: int, kind: str, **extra: Any) -> int:
        """Count and log a request; returns its number."""
        st = self.state
        n = st.admit(status, path)
        cred, src = self._cred()
        st.log(
            {
                "ev": "req",
                "n": n,
                "t": round(time.time(), 3),
                "dt": round(time.time() - st.t0, 3),
                "method": self.command,
                "path": path,
                "api": api,
                "kind": kind,
                "model": body.get("model") or extra.pop("model", None),
                "cred": cred,
                "cred_in": src,
                "status": status,
                "ua": (self.headers.get("user-agent") or "")[:80],
                **extra,
            }
        )
        if st.dump:
            (st.dump / f"{n:04d}.json").write_text(
                json.dumps(
                    {
                        "path": self.path,
                        "headers": {
                            k: v
                            for k, v in self.headers.items()
                            if k.lower() not in ("authorization", "x-api-key", "x-goog-api-key")
                        },
                        "body": body,
                    },
                    indent=1,
                )
            )
        return n

    def _post(self) -> None:
        st = self.state
        url = urlsplit(self.path)
        path = url.path
        try:
            body = self._body()
        except (ValueError, OSError) as e:
            self._note(path, None, {}, 400, "bad", error=str(e))
            self.close_connection = True
            return self._json(400, {"error": {"message": f"fake: bad body: {e}"}})
        if path.startswith("/admin/"):
            return self._admin(path, body)

        api, stream, model = None, bool(body.get("stream")), body.get("model")
        if path.endswith("/messages/count_tokens"):
            self._note(path, "anthropic", body, 200, "count")
            return self._json(200, {"input_tokens": sum(st.usage) - st.usage[1]})
        if path.endswith("/messages"):
            api = "anthropic"
        elif path.endswith("/responses"):
            api = "responses"
        elif path.endswith("/chat/completions"):
            api = "chat"
        elif m := re.search(r"/models/([^/:]+):(\w+)$", path):
            model, verb = m.group(1), m.group(2)
            if verb == "countTokens":
                self._note(path, "gemini", body, 200, "count", model=model)
                return self._json(200, {"totalTokens": sum(st.usage) - st.usage[1]})
            if verb in ("generateContent", "streamGenerateContent"):
                api, stream = "gemini", verb.startswith("stream")
        if api is None:
            self._note(path, None, body, 404, "other")
            return self._json(404, error_body("chat", 404))

        ev = list(
            {
                "anthropic": events_anthropic,
                "responses": events_responses,
                "chat": events_chat,
                "gemini": events_gemini,
            }[api](body)
        )
        tools = tools_of(api, body)
        step, prompt, k = st.step(api, body, ev)
        cred, _ = self._cred()
        status, retry = step.status, step.retry_after
        too_late = bool(st.args.expire_after) and st.count >= st.args.expire_after
        foreign = bool(st.args.valid_key) and cred not in st.args.valid_fp
        if st.mode == "expired" or (cred and cred in st.revoked):
            status, step = 401, Step(status=401)
        elif st.mode == "forbidden":
            status, step = 403, Step(status=403)
        elif too_late or foreign:
            status, step = 401, Step(status=401)
        if st.args.max_requests and st.count >= st.args.max_requests:
            status, step = 503, Step(status=503)

        call = build_call(step, tools) if (step.tool and status == 200 and tools) else None
        usage = step.usage or st.usage
        n = self._note(
            path,
            api,
            body,
            status,
            "main" if tools else "side",
            model=model,
            stream=stream,
            step=k,
            prompt=hashlib.sha256(prompt.encode()).hexdigest()[:8],
            answer=("error" if status != 200 else call[0].name if call else "text"),
            usage=(list(usage) if status == 200 else None),
            messages=len(ev),
        )
        outcome = "ok"
        try:
            if step.sleep:
                self._wait(step.sleep)
            if status != 200:
                self._json(
                    status,
                    error_body(api, status, step.code),
                    {**({"retry-after": retry} if retry else {}), **(step.headers or {})},
                )
                return None
            text = step.say if step.say is not None else st.text
            if step.tool and not call:
                text = f"FAKE-NO-TOOL {step.tool}" if tools else st.text
            ans = Answer(api, model or "fake-model", usage, text, call[0] if call else None, call[1] if call else None)
            if not stream:
                self._json(200, ans.whole())
                return None
            self._begin_stream(step.headers)
            for i, (event, data) in enumerate(ans.events()):
                if i == ans.stall_at:
                    if step.stall:
                        self._wait(step.stall)
                    if step.midstream:
                        self._sse(*ans.error_event(step.midstream))
                        outcome = "midstream"
                        return None
                    if step.drop:
                        outcome = "dropped"
                        return None
                self._sse(data, event)
        except (ClientGone, BrokenPipeError, ConnectionResetError) as e:
            outcome = f"client_gone: {e}"
            self.close_connection = True
        finally:
            st.log({"ev": "end", "n": n, "t": round(time.time(), 3), "outcome": outcome})

    def _admin(self, path: str, body: dict) -> None:
        st = self.state
        if path == "/admin/auth":
            if "mode" in body:
                if body["mode"] not in ("ok", "expired", "forbidden"):
                    return self._json(400, {"error": "mode: ok | expired | forbidden"})
                st.mode = body["mode"]
            if body.get("revoke"):
                st.revoked.add(str(body["revoke"]))
            st.log({"ev": "admin", "t": round(time.time(), 3), "mode": st.mode, "revoked": sorted(st.revoked)})
            return self._json(200, {"mode": st.mode, "revoked": sorted(st.revoked)})
        if path == "/admin/quit":
            self._json(200, {"ok": True})
            st.stop.set()
            return None
        return self._json(404, {"error": "no such admin path"})


class Answer:
    """One successful model answer, rendered for one protocol."""

    def __init__(
        self, api: str, model: str, usage: tuple[int, int, int, int], text: str, tool: Tool | None, args: Any
    ) -> None:
        self.api, self.model, self.usage, self.text = api, model, usage, text
        self.tool, self.args = tool, args
        self.id = uuid.uuid4().hex[:24]
        self.stall_at = 2 if api in ("anthropic", "responses") else 1

    def _chunks(self) -> list[str]:
        """The text in two pieces, so that clients see a real stream."""
        h = max(1, len(self.text) // 2)
        return [c for c in (self.text[:h], self.text[h:]) if c]

    def whole(self) -> dict:
        """The non-streaming body."""
        return getattr(self, "_whole_" + self.api)()

    def events(self) -> Iterator[tuple[str | None, Any]]:
        """The (event name, data) pairs of the stream."""
        return getattr(self, "_events_" + self.api)()

    def error_event(self, typ: str) -> tuple[Any, str | None]:
        """(data, event name) of an error inside a stream."""
        if self.api == "anthropic":
            return {"type": "error", "error": {"type": typ, "message": "Overloaded"}}, "error"
        if self.api == "responses":
            return {
                "type": "response.failed",
                "response": {
                    "id": "resp_" + self.id,
                    "object": "response",
                    "status": "failed",
                    "error": {"code": typ, "message": "The server had an error."},
                },
            }, "response.failed"
        return {"error": {"code": 503, "message": "overloaded", "status": typ, "type": typ}}, None

    def _usage_anthropic(self, out: int) -> dict:
        i, _, cw, cr = self.usage
        return {
            "input_tokens": i,
            "cache_creation_input_tokens": cw,
            "cache_read_input_tokens": cr,
            "output_tokens": out,
            "service_tier": "standard",
        }

    def _block(self) -> dict:
        if self.tool:
            return {"type": "tool_use", "id": "toolu_" + self.id, "name": self.tool.name, "input": self.args}
        return {"type": "text", "text": self.text}

    def _whole_anthropic(self) -> dict:
        return {
            "id": "msg_" + self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [self._block()],
            "stop_reason": "tool_use" if self.tool else "end_turn",
            "stop_sequence": None,
            "usage": self._usage_anthropic(self.usage[1]),
        }

    def _events_anthropic(self) -> Iterator[tuple[str, dict]]:
        msg = {**self._whole_anthropic(), "content": [], "stop_reason": None, "usage": self._usage_anthropic(1)}
        yield "message_start", {"type": "message_start", "message": msg}
        start = {**self._block(), "input": {}} if self.tool else {"type": "text", "text": ""}
        yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": start}
        if self.tool:
            yield (
                "content_block_delta",
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": json.dumps(self.args)},
                },
            )
        else:
            for c in self._chunks():
                yield (
                    "content_block_delta",
                    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": c}},
                )
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        yield (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": "tool_use" if self.tool else "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": self.usage[1]},
            },
        )
        yield "message_stop", {"type": "message_stop"}

    def _item(self) -> dict:
        if self.tool and self.tool.kind == "custom":
            return {
                "type": "custom_tool_call",
                "id": "ctc_" + self.id,
                "call_id": "call_" + self.id,
                "name": self.tool.name,
                "input": str(self.args),
                "status": "completed",
            }
        if self.tool and self.tool.name == "local_shell":
            return {
                "type": "local_shell_call",
                "id": "lsh_" + self.id,
                "call_id": "call_" + self.id,
                "status": "completed",
                "action": {"type": "exec", "command": self.args["command"], "env": {}},
            }
        if self.tool:
            it = {
                "type": "function_call",
                "id": "fc_" + self.id,
                "call_id": "call_" + self.id,
                "name": self.tool.name,
                "arguments": json.dumps(self.args),
                "status": "completed",
            }
            if self.tool.namespace:
                it["namespace"] = self.tool.namespace
            return it
        return {
            "type": "message",
            "id": "msg_" + self.id,
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": self.text, "annotations": []}],
        }

    def _whole_responses(self) -> dict:
        i, o, cw, cr = self.usage
        return {
            "id": "resp_" + self.id,
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": self.model,
            "output": [self._item()],
            "error": None,
            "incomplete_details": None,
            "usage": {
                "input_tokens": i + cw + cr,
                "input_tokens_details": {"cached_tokens": cr},
                "output_tokens": o,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": i + cw + cr + o,
            },
        }

    def _events_responses(self) -> Iterator[tuple[str, dict]]:
        full = self._whole_responses()
        seq = 0

        def ev(typ: str, **kw: Any) -> tuple[str, dict]:
            nonlocal seq
            seq += 1
            return typ, {"type": typ, "sequence_number": seq, **kw}

        item = self._item()
        yield ev("response.created", response={**full, "status": "in_progress", "output": [], "usage": None})
        first = {**item, "status": "in_progress"}
        if item["type"] == "message":
            first["content"] = []
        yield ev("response.output_item.added", output_index=0, item=first)
        if item["type"] == "message":
            kw = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            yield ev("response.content_part.added", **kw, part={"type": "output_text", "text": "", "annotations": []})
            for c in self._chunks():
                yield ev("response.output_text.delta", **kw, delta=c)
            yield ev("response.output_text.done", **kw, text=self.text)
            yield ev("response.content_part.done", **kw, part=item["content"][0])
        elif item["type"] == "function_call":
            kw = {"item_id": item["id"], "output_index": 0}
            yield ev("response.function_call_arguments.delta", **kw, delta=item["arguments"])
            yield ev("response.function_call_arguments.done", **kw, arguments=item["arguments"])
        elif item["type"] == "custom_tool_call":
            kw = {"item_id": item["id"], "output_index": 0}
            yield ev("response.custom_tool_call_input.delta", **kw, delta=item["input"])
            yield ev("response.custom_tool_call_input.done", **kw, input=item["input"])
        yield ev("response.output_item.done", output_index=0, item=item)
        yield ev("response.completed", response=full)

    def _usage_chat(self) -> dict:
        i, o, cw, cr = self.usage
        return {
            "prompt_tokens": i + cw + cr,
            "completion_tokens": o,
            "total_tokens": i + cw + cr + o,
            "prompt_tokens_details": {"cached_tokens": cr},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }

    def _message(self) -> dict:
        if self.tool:
            return {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_" + self.id,
                        "type": "function",
                        "function": {"name": self.tool.name, "arguments": json.dumps(self.args)},
                    }
                ],
            }
        return {"role": "assistant", "content": self.text}

    def _whole_chat(self) -> dict:
        return {
            "id": "chatcmpl-" + self.id,
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.model,
            "choices": [
                {"index": 0, "message": self._message(), "finish_reason": "tool_calls" if self.tool else "stop"}
            ],
            "usage": self._usage_chat(),
        }

    def _events_chat(self) -> Iterator[tuple[None, Any]]:
        base = {
            "id": "chatcmpl-" + self.id,
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": self.model,
        }

        def ch(delta: dict, fin: str | None = None) -> tuple[None, dict]:
            return None, {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": fin}]}

        yield ch({"role": "assistant", "content": ""})
        if self.tool:
            tc = {**self._message()["tool_calls"][0], "index": 0}
            yield ch({"tool_calls": [tc]})
        else:
            for c in self._chunks():
                yield ch({"content": c})
        yield ch({}, "tool_calls" if self.tool else "stop")
        yield None, {**base, "choices": [], "usage": self._usage_chat()}
        yield None, "[DONE]"

    def _gemini(self, parts: list[dict], final: bool) -> dict:
        i, o, cw, cr = self.usage
        cand: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        out: dict[str, Any] = {"candidates": [cand], "modelVersion": self.model, "responseId": self.id}
        if final:
            cand["finishReason"] = "STOP"
            out["usageMetadata"] = {
                "promptTokenCount": i + cw + cr,
                "candidatesTokenCount": o,
                "cachedContentTokenCount": cr,
                "thoughtsTokenCount": 0,
                "totalTokenCount": i + cw + cr + o,
            }
        return out

    def _parts(self) -> list[dict]:
        if self.tool:
            return [{"functionCall": {"name": self.tool.name, "args": self.args}, "thoughtSignature": "ZmFrZQ=="}]
        return [{"text": self.text}]

    def _whole_gemini(self) -> dict:
        return self._gemini(self._parts(), True)

    def _events_gemini(self) -> Iterator[tuple[None, dict]]:
        if self.tool:
            yield None, self._gemini(self._parts(), False)
        else:
            for c in self._chunks():
                yield None, self._gemini([{"text": c}], False)
        yield None, self._gemini([{"text": ""}], True)


class Server(ThreadingHTTPServer):
    """Threaded, bounded, loopback only."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, state: State) -> None:
        self.slots = threading.BoundedSemaphore(MAX_PARALLEL)
        handler = type("BoundHandler", (Handler,), {"state": state, "timeout": 900})
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that vanish are normal here; say other errors in one line."""
        e = sys.exc_info()[1]
        if not isinstance(e, (BrokenPipeError, ConnectionResetError, TimeoutError)):
            print(f"fake_model: {type(e).__name__}: {e}", file=sys.stderr, flush=True)


def main(argv: list[str] | None = None) -> int:
    """Run until SIGTERM/SIGINT, /admin/quit or --max-seconds."""
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("--port", type=int, default=0, help="0 = any free port (default)")
    ap.add_argument("--port-file", help="also write the port number here")
    ap.add_argument("--log", help="JSONL request log")
    ap.add_argument("--scenario", help="JSON scenario file")
    ap.add_argument("--dump", help="folder for request bodies (credentials left out)")
    ap.add_argument("--auth", choices=["ok", "expired", "forbidden"], default="ok")
    ap.add_argument("--expire-after", type=int, default=0, metavar="N", help="401 for every request after the first N")
    ap.add_argument(
        "--valid-key", action="append", default=[], help="only these keys are accepted (repeatable); others get 401"
    )
    ap.add_argument("--max-requests", type=int, default=5000, help="503 after so many")
    ap.add_argument("--max-seconds", type=float, default=3600, help="quit after so long")
    a = ap.parse_args(argv)
    a.valid_fp = {hashlib.sha256(k.encode()).hexdigest()[:8] for k in a.valid_key}
    state = State(a)
    srv = Server(a.port, state)
    port = srv.server_address[1]
    signal.signal(signal.SIGTERM, lambda *_: state.stop.set())
    signal.signal(signal.SIGINT, lambda *_: state.stop.set())
    threading.Thread(target=srv.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    if a.port_file:
        tmp = Path(a.port_file + ".tmp")
        tmp.write_text(str(port))
        tmp.rename(a.port_file)
    print(f"LISTENING http://127.0.0.1:{port}", flush=True)
    state.stop.wait(a.max_seconds)
    state.stop.set()
    srv.shutdown()
    srv.server_close()
    time.sleep(0.05)
    return 0


if __name__ == "__main__":
    sys.exit(main())
