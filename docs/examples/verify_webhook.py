import base64, hashlib, hmac, time


def is_authentic(headers: dict[str, str], body: bytes, secret: str, now: float | None = None) -> bool:
    """Whether a valid secret signed the request within five minutes. `body`: the bytes as they came, before any parser."""
    timestamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not timestamp.isdecimal() or abs(now - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures)
