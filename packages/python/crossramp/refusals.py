"""Refusals of a gateway as exceptions, by what to do next."""

from dataclasses import dataclass, field
from typing import Any

from .facts import ACTIONS


class CrossrampError(Exception):
    """Error of this package."""

    #: Key of the request, where it makes something: the same request with it makes nothing twice.
    idempotency_key: str | None = None


class NoAnswer(CrossrampError):
    """No whole answer came: the request may have been carried out."""


@dataclass(frozen=True)
class Refusal:
    """One reason. `facts` has the other members: `violations`, `limit`, `possibleActions` and the like."""

    code: str
    action: str
    message: str
    path: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


class Refused(CrossrampError):
    """The gateway refused."""

    def __init__(self, refusals: list[Refusal], status: int = 200, retry_after: float | None = None) -> None:
        super().__init__("; ".join(f"{each.code}: {each.message}" for each in refusals))
        self.refusals = refusals
        self.code = refusals[0].code
        self.action = refusals[0].action
        self.status = status
        #: Seconds after which another attempt makes sense.
        self.retry_after = retry_after

    @property
    def request_id(self) -> str | None:
        """Id of the request, which the log of the gateway has too."""
        facts = self.refusals[0].facts
        return facts.get("request_id") or facts.get("requestId")


class FixRefused(Refused):
    """Change the request, or what it needs, and send it again."""


class WaitRefused(Refused):
    """Send the same request again later."""


class StopRefused(Refused):
    """Neither time nor another value helps."""


class CursorExpired(FixRefused):
    """Events after the cursor are no longer kept: go on with `earliest` or `latest`."""

    @property
    def earliest(self) -> str:
        return self.refusals[0].facts["earliest"]

    @property
    def latest(self) -> str:
        return self.refusals[0].facts["latest"]


_BY_ACTION = {"FIX": FixRefused, "WAIT": WaitRefused, "STOP": StopRefused}
_MEMBERS = ("code", "action", "message", "detail", "path")


def refusal_of(said: dict[str, Any], status: int = 200) -> Refusal:
    """The refusal that a problem document, an error of GraphQL or an error of a payload says."""
    code = said.get("code") or _code_of(status)
    message = said.get("detail") or said.get("message") or said.get("title") or f"status {status}"
    facts = {name: value for name, value in said.items() if name not in _MEMBERS}
    return Refusal(code, said.get("action") or ACTIONS.get(code, "FIX"), message, said.get("path"), facts)


def refused(refusals: list[Refusal], status: int = 200, retry_after: float | None = None) -> Refused:
    """The exception of these refusals."""
    first = refusals[0]
    kind = CursorExpired if first.code == "CURSOR_EXPIRED" else _BY_ACTION.get(first.action, StopRefused)
    return kind(refusals, status, retry_after)


def _code_of(status: int) -> str:
    """Code of an answer without one, as a proxy gives it."""
    if status == 429:
        return "RATE_LIMITED"
    if status in (408, 502, 503, 504):
        return "UNAVAILABLE"
    return "BAD_REQUEST" if status < 500 else "INTERNAL"
