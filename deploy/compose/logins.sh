#!/bin/sh
# The two logins and the database of docs/operations.md ("Two logins"); PostgreSQL's image runs it once, for a new data folder.
set -eu
psql --set=ON_ERROR_STOP=1 --set=owner="$OWNER_PASSWORD" --set=gateway="$GATEWAY_PASSWORD" <<'SQL'
create role crossramp_owner login createrole password :'owner';
create role crossramp_gateway login password :'gateway';
create database crossramp owner crossramp_owner encoding 'UTF8' template template0;
SQL
