#!/bin/sh
# Pays a supplier R$ 100 by PIX out of the balance in USDT. The key needs the scopes read, create and move.
set -eu
url=${CROSSRAMP_URL:-http://localhost:4000}
invoice=${1:-invoice-$(date +%s)-$$}

request() { # method, path, body
  curl -sS --fail-with-body -X "$1" "$url$2" -H "Authorization: Bearer $CROSSRAMP_KEY" \
    -H 'Content-Type: application/json' -H "Idempotency-Key: $invoice" ${3:+-d "$3"}
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# Play money of the sandbox.
request POST /v2/sandbox/fund '{"currency": "USDT_TRX", "amount": "100"}' > /dev/null

# Run again with the same invoice (its argument), the payment is made once.
payment=$(request POST /v2/offramp "{\"amount_sent\": \"100.00\", \"currency_entry_paid_code\": \"USDT_TRX\",
  \"pix_key\": \"pagamentos@fornecedor.example\", \"pix_key_type\": \"email\",
  \"client_name\": \"Fornecedor Ltda\", \"client_tax_id\": \"11222333000181\", \"external_code\": \"$invoice\"}")
id=$(echo "$payment" | member end2end)

for attempt in $(seq 60); do
  payment=$(request GET "/v2/offramp/$id")
  status=$(echo "$payment" | sed -n 's/.*"status":{"en":"\([^"]*\)".*/\1/p')
  case $status in Created | Pending | Processing) ;; *) break ;; esac
  sleep 0.5
done
echo "$id is $status: PIX $(echo "$payment" | member pix_e2e)"
