"""A client of one gateway: REST, GraphQL and the event log."""

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .facts import ONCE, REFUSAL
from .refusals import NoAnswer, Refused, WaitRefused, refusal_of, refused

Result = TypeVar("Result")

_PAUSE_FIRST = 0.25
_PAUSE_MAX = 8.0
_RETRY_AFTER_MAX = 60
_WAIT = 25
_NOT_CODE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#.*')


@dataclass(frozen=True)
class Event:
    """An event of the log. `cursor` is its place: `after` of a later call continues behind it."""

    cursor: str
    name: str
    sequence: int
    occurred_at: str
    #: The transaction as it was then, as `GET` returns it. Fractions are `Decimal`.
    transaction: dict[str, Any]


class _NoRedirects(HTTPRedirectHandler):
    """The key goes to the gateway alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """
    base_url: address of the gateway, such as `http://localhost:4000`. key: API key. retries: attempts after the first.
    timeout: longest silence of one attempt, in seconds.
    """

    def __init__(self, base_url: str, key: str, *, retries: int = 5, timeout: float = 30) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._opener = build_opener(_NoRedirects)
        # Newest version of the account that an answer has shown: standbys answer nothing older. All have the same number of digits.
        self._version = ""

    def get(self, path: str, **params: Any) -> Any:
        """Reads a path of `/v2`. `params`: members of the path (`id`) and of the query. Fractions are `Decimal`."""
        path, query = _fill(path, params)
        target = f"{path}?{urlencode(query)}" if query else path
        wait = float(query.get("wait", 0))
        return self._with_retries(lambda: self._send(target, wait=wait), is_safe=True)

    def post(self, path: str, *, idempotency_key: str | None = None, **params: Any) -> Any:
        """Makes or changes something, once: all attempts share one key. `params`: members of the path and of the body."""
        path, body = _fill(path, params)
        key = idempotency_key or str(uuid.uuid4())
        # A scenario of the sandbox is played each time, whatever key it has.
        is_safe = path != "/v2/sandbox/trigger"
        send = lambda: self._send(path, body, {"Idempotency-Key": key})  # noqa: E731
        return _under_key(key, lambda: self._with_retries(send, is_safe=is_safe))

    def graphql(self, document: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """
        The data of a document. Variables of an input that takes an `idempotencyKey` get one, and requests whose mutations all
        have one are repeated. Refusals in payloads are data: `errors`.
        """
        variables, keys, is_safe = _under_keys(document, variables or {})

        def send() -> dict[str, Any]:
            answer = self._send("/graphql", {"query": document, "variables": variables})
            if errors := answer.get("errors"):
                raise refused([refusal_of({"message": each["message"], **each.get("extensions", {})}) for each in errors])
            if is_safe and keys:
                for payload in answer["data"].values():
                    if any(each.get("action") == "WAIT" for each in (payload or {}).get("errors", [])):
                        _accepted(payload)
            return answer["data"]

        return _under_key(keys[0] if len(keys) == 1 else None, lambda: self._with_retries(send, is_safe=is_safe))

    def mutate(self, name: str, given: dict[str, Any], select: str) -> dict[str, Any]:
        """The fields that `select` names of the payload of a mutation. Raises `Refused` for `errors` of the payload."""
        kind = f"{name[0].upper()}{name[1:]}Input"
        document = f"mutation($input: {kind}!) {{ {name}(input: $input) {{ {select} errors {{ {REFUSAL} }} }} }}"
        return _accepted(self.graphql(document, {"input": given})[name])

    def events(self, after: str | None = None, names: Iterable[str] | None = None) -> Iterator[Event]:
        """
        Yields each event once, in the order of the log, by long polling, and without end. after: cursor of the last event that
        you have processed; an empty text begins with the oldest event, None with the next. names: events to yield; default: all.
        """
        wanted = None if names is None else frozenset(names)
        failures = 0
        while True:
            try:
                if after is None:
                    nodes = self.graphql("{ events(last: 1) { nodes { cursor } } }")["events"]["nodes"]
                    after = nodes[0]["cursor"] if nodes else ""
                query = urlencode({"after": after, "limit": 100, "wait": _WAIT})
                page = self._send(f"/v2/events?{query}", wait=_WAIT)
            except (NoAnswer, WaitRefused) as error:
                _pause_after(error, failures)
                failures += 1
                continue
            failures = 0
            for event in page["events"]:
                if wanted is None or event["name"] in wanted:
                    yield Event(**event)
            after = page["next"]

    def _with_retries(self, send: Callable[[], Result], *, is_safe: bool) -> Result:
        for failures in range(self._retries):
            try:
                return send()
            except (NoAnswer, WaitRefused) as error:
                # A request over the rate was not begun; a request that failed otherwise may have been.
                may_repeat = is_safe or (isinstance(error, WaitRefused) and error.code == "RATE_LIMITED")
                if not may_repeat or (getattr(error, "retry_after", None) or 0) > _RETRY_AFTER_MAX:
                    raise
                _pause_after(error, failures)
        return send()

    def _send(
        self,
        path: str,
        body: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        wait: float = 0,
    ) -> Any:
        """One attempt. A body makes it a POST."""
        request = Request(
            f"{self._base_url}{path}",
            data=None if body is None else json.dumps(body, default=str).encode(),
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {self._key}",
                **({} if body is None else {"Content-Type": "application/json"}),
                **({"Crossramp-Version": self._version} if self._version else {}),
                **(headers or {}),
            },
        )
        try:
            with self._opener.open(request, timeout=self._timeout + wait) as response:
                self._version = max(self._version, response.headers.get("Crossramp-Version", ""))
                return json.loads(response.read(), parse_float=Decimal)
        except HTTPError as error:
            with error:
                raise _refused_by(error, path) from None
        # A connection that breaks in the middle of an answer is an HTTPException or leaves half a document.
        except (OSError, HTTPException, ValueError) as error:
            raise _no_answer(path, error) from error


def _no_answer(path: str, error: Exception) -> NoAnswer:
    return NoAnswer(f"no answer from {path}: {getattr(error, 'reason', error)}")


def _refused_by(error: HTTPError, path: str) -> Refused:
    """The refusal that an answer says. Raises `NoAnswer` where only a part of it came."""
    try:
        text = error.read()
    except (OSError, HTTPException) as cause:
        raise _no_answer(path, cause) from cause
    try:
        said = json.loads(text, parse_float=Decimal)
    except ValueError:
        said = {}
    refusal = refusal_of(said if isinstance(said, dict) else {}, error.code)
    return refused([refusal], error.code, _seconds_of(error.headers.get("Retry-After")))


def _seconds_of(text: str | None) -> float | None:
    """Seconds of a `Retry-After`, which is a number or a date."""
    if text is None:
        return None
    try:
        return float(text) if text.isdecimal() else max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def _fill(template: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path with its members put in, and the other members that have a value."""
    others = {name: value for name, value in params.items() if value is not None}

    def member(match: re.Match[str]) -> str:
        value = str(others.pop(match[1], ""))
        # An empty member, or one of full stops, would make another path.
        if not value.strip("."):
            raise TypeError(f"{template} needs {match[1]}")
        return quote(value, safe="")

    path = re.sub(r"\{(\w+)\}", member, template)
    # `from` is a word of Python: the member is given as `from_`.
    return path, {name.removesuffix("_"): value for name, value in others.items()}


def _under_keys(document: str, given: dict[str, Any]) -> tuple[dict[str, Any], list[str], bool]:
    """Gives each input that takes an idempotency key one, and finds out whether all mutations have such an input."""
    code = _NOT_CODE.sub('""', document)
    if not re.search(r"\bmutation\b", code):
        return given, [], True
    inputs = re.findall(r"(?<!\$)\binput\s*:\s*\$?(\w*)", code)
    variables = dict(given)
    keys: dict[str, str] = {}
    for name, kind in re.findall(r"\$(\w+)\s*:\s*(\w+)", code):
        if kind in ONCE and given.get(name):
            keys[name] = given[name].get("idempotencyKey") or str(uuid.uuid4())
            variables[name] = {**given[name], "idempotencyKey": keys[name]}
    # Each mutation takes one input; a variable of two mutations would give both the same key.
    return variables, list(keys.values()), len(inputs) == len(keys) and set(inputs) == set(keys)


def _accepted(payload: dict[str, Any]) -> dict[str, Any]:
    errors = payload.get("errors") or []
    if errors:
        raise refused([refusal_of(each) for each in errors], retry_after=errors[0].get("retryAfter"))
    return {name: value for name, value in payload.items() if name != "errors"}


def _under_key(key: str | None, run: Callable[[], Result]) -> Result:
    """Runs with an idempotency key, which every error carries."""
    try:
        return run()
    except (NoAnswer, Refused) as error:
        error.idempotency_key = key
        raise


def _pause_after(error: Exception, failures: int) -> None:
    """Waits before the next attempt; the pause is random, so that not all clients return together."""
    longest = min(_PAUSE_MAX, _PAUSE_FIRST * 2 ** min(failures, 10))
    time.sleep((getattr(error, "retry_after", None) or 0) + random.uniform(longest / 2, longest))
