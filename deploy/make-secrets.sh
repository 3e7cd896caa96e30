#!/bin/sh
# Creates the secrets of compose.yaml. Only the owner can open the folder. The files in it are world-readable, because Compose mounts
# them with their permissions and containers run as other users.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo "deploy/secrets already exists. Nothing was changed." >&2
  exit 1
fi
umask 022
mkdir -m 0700 secrets
cd secrets
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

random 32 > secret-key
random 24 > postgres-password
printf 'postgres://docyard:%s@postgres:5432/docyard' "$(cat postgres-password)" > database-url
id="DOCYARD$(random 8)"
key="$(random 32)"
printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$id" "$key" > s3-credentials
printf 'ROOT_ACCESS_KEY_ID=%s\nROOT_SECRET_ACCESS_KEY=%s\n' "$id" "$key" > s3.env
echo "Created deploy/secrets. Keep a copy of secret-key: without it, no API key and no stored secret works."
