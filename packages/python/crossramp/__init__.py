"""Client of a Crossramp Gateway."""

from .client import Client, Event
from .refusals import (
    CrossrampError,
    CursorExpired,
    FixRefused,
    NoAnswer,
    Refusal,
    Refused,
    StopRefused,
    WaitRefused,
)
from .webhook import WebhookEvent, WebhookRefused, verify_webhook

__all__ = [
    "Client",
    "CrossrampError",
    "CursorExpired",
    "Event",
    "FixRefused",
    "NoAnswer",
    "Refusal",
    "Refused",
    "StopRefused",
    "WaitRefused",
    "WebhookEvent",
    "WebhookRefused",
    "verify_webhook",
]
