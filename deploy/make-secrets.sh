#!/bin/sh
# Makes the secrets of compose.yaml, once. The folder is closed to others; the files in it can be read by whoever a
# container runs as, because compose mounts them with the rights they have.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo "deploy/secrets is there already. Nothing was changed." >&2
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
echo "deploy/secrets is made. Keep a copy of secret-key: without it no API key and no stored secret can be used."
