"""Signatures of webhooks (Standard Webhooks). The standard library has no Ed25519, so `v1a` is not checked: use `v1`."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .refusals import CrossrampError


class WebhookRefused(CrossrampError):
    """The request is not authentic: answer 400, and do nothing."""


@dataclass(frozen=True)
class WebhookEvent:
    """
    A webhook whose signature is right. `sequence`, `attempt`, `is_test`, and the `name` of an event, come from header fields, which are
    not signed.
    """

    #: The same for every attempt of one event: store it, and process it once.
    id: str
    name: str
    sequence: int
    attempt: int
    is_test: bool
    #: Empty with a notification.
    transaction: dict[str, Any]
    #: Body of a notification of the account, which an endpoint gets if its `event_names` name it; None with an event.
    notification: dict[str, Any] | None = None


def verify_webhook(
    *,
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """
    The event of a request. secret: `whsec_…` of the endpoint; several where one is being replaced. body: the bytes as they came,
    before any parser. now: seconds since 1970, instead of the clock. Raises `WebhookRefused`.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = fields.get("webhook-id", ""), fields.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not (timestamp.isascii() and timestamp.isdecimal()) or abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookRefused("the timestamp is too far from the clock")
    signed = f"{identifier}.{timestamp}.".encode() + body
    signatures = fields.get("webhook-signature", "").split(" ")
    secrets = [secret] if isinstance(secret, str) else secret
    if not any(_is_signed_by(each, signatures, signed) for each in secrets):
        raise WebhookRefused("no signature is by this secret")
    value = json.loads(body, parse_float=Decimal)
    # A notification names itself.
    is_notification = "event" in value
    return WebhookEvent(
        id=identifier,
        name=value["event"] if is_notification else fields.get("crossramp-event", ""),
        sequence=int(fields.get("crossramp-sequence", 0)),
        attempt=int(fields.get("crossramp-attempt", 0)),
        is_test=fields.get("crossramp-test") == "true",
        transaction={} if is_notification else value,
        notification=value if is_notification else None,
    )


def _is_signed_by(secret: str, signatures: Sequence[str], signed: bytes) -> bool:
    if not secret.startswith("whsec_"):
        raise ValueError("a secret is whsec_…; the standard library has no Ed25519 for whpk_…")
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(each.encode(), expected) for each in signatures)
