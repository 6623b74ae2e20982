#!/bin/sh
# Refuses a start of compose.yaml that would be unsafe or could not sign in; docs/containers.md ("Before real money") explains each refusal.
set -eu
export LC_ALL=C
refuse() {
  echo "compose.yaml: $1" >&2
  exit 1
}
for name in OWNER_PASSWORD GATEWAY_PASSWORD; do
  eval "password=\$$name"
  case $password in
    '' | *[!A-Za-z0-9]*) refuse "$name: expected letters A to Z, a to z and digits only, because it is part of a URL" ;;
  esac
done
[ "$SANDBOX" = 1 ] && exit 0
for name in POSTGRES_PASSWORD OWNER_PASSWORD GATEWAY_PASSWORD; do
  eval "password=\$$name"
  [ ${#password} -ge 16 ] || refuse "$name: with SANDBOX=$SANDBOX set your own password of at least 16 characters before the first start"
done
