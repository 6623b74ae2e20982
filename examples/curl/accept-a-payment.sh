#!/bin/sh
# Accepts R$ 150 by PIX: a checkout, its page for the customer, and the balance it is credited to. The key needs the scopes read and create.
set -eu
url=${CROSSRAMP_URL:-http://localhost:4000}
order=order-$(date +%s)-$$

request() { # method, path, body
  curl -sS --fail-with-body -X "$1" "$url$2" -H "Authorization: Bearer $CROSSRAMP_KEY" \
    -H 'Content-Type: application/json' -H "Idempotency-Key: $order" ${3:+-d "$3"}
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

checkout=$(request POST /v2/crossramp_checkout "{\"amount_payment\": \"150.00\",
  \"currency_exit_received_code\": \"USDT_TRX\", \"external_code\": \"$order\",
  \"client_name\": \"Ana Souza\", \"client_tax_id\": \"52998224725\"}")
id=$(echo "$checkout" | member end2end)
echo "The customer pays at $(echo "$checkout" | member payment_link)"

# The customer of the sandbox. A live customer pays the PIX code of the page.
request POST /v2/sandbox/trigger "{\"scenario\": \"pay\", \"end2end\": \"$id\"}" > /dev/null

for attempt in $(seq 60); do
  state=$(request GET "/v2/crossramp_checkout/$id" | member state)
  [ "$state" = DONE ] && break
  sleep 0.5
done
echo "$id is $state"
request GET /v2/balance
echo
