import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer

from verify_webhook import is_authentic

SECRET = os.environ["WEBHOOK_SECRET"]
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_good = is_authentic(headers, body, SECRET)
        # Your own server keeps the ids in its database, in the transaction that does the work.
        if is_good and headers["webhook-id"] not in seen:
            print(headers["crossramp-event"], json.loads(body)["end2end"], flush=True)
            seen.add(headers["webhook-id"])
        self.send_response(204 if is_good else 400)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
