"""The back office of a morning: balances, the lines of a day, and webhooks that failed, which are sent again."""

import os
import sys
from datetime import UTC, datetime

from crossramp import Client

client = Client(os.environ.get("CROSSRAMP_URL", "http://localhost:4000"), os.environ["CROSSRAMP_KEY"])
day = sys.argv[1] if len(sys.argv) > 1 else datetime.now(UTC).date().isoformat()

print("Balances")
for asset, members in client.get("/v2/balance")["balances"].items():
    for name, parts in members.items():
        if isinstance(parts, dict) and parts["available"]:
            print(f"  {name}: {parts['available']}")

print(f"Lines of {day}")
offset = 0
while True:
    page = client.get("/v2/statement", date_from=day, date_to=day, limit=100, offset=offset)
    for entry in page["entries"]:
        amount = entry["credit"] - entry["debit"]
        of = (entry["transaction"] or {}).get("end2end", "no transaction")
        print(f"  {entry['date']} {entry['account']['currency_pretty_name']} {amount:+} {of}")
    offset += len(page["entries"])
    if offset >= page["total"]:
        break

print("Webhooks")
again = client.post("/v2/webhook_deliveries/redeliver", states=["dead"])
print(f"  {again['redelivered']} of {again['matched']} dead deliveries are sent again")
