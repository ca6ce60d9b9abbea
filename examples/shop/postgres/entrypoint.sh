#!/bin/sh
# Makes the cluster on first start, then becomes the server.
set -eu

data=/var/lib/postgresql/data

if [ ! -f "$data/ready" ]; then
  # What a first start left half done is made again.
  find "$data" -mindepth 1 -delete
  initdb --pgdata "$data" --encoding UTF8 --locale C.UTF-8 --auth-local peer --auth-host scram-sha-256 >/dev/null
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
  pg_ctl --pgdata "$data" --wait --silent --options "-c listen_addresses=" start
  psql --quiet --set ON_ERROR_STOP=1 --set password="$SHOP_DB_PASSWORD" --dbname postgres <<'SQL'
create role shop login password :'password';
create database shop owner shop;
SQL
  psql --quiet --set ON_ERROR_STOP=1 --dbname shop --file /usr/local/share/schema.sql
  pg_ctl --pgdata "$data" --wait --silent --mode fast stop
  touch "$data/ready"
fi

exec postgres -D "$data" -c "listen_addresses=*"
