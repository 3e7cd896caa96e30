#!/bin/sh
# Verifies this kit: the signature of the checksums, every file against its checksum, and that there is no other file.
set -eu

usage() {
  cat <<'TEXT'
Usage: ./verify.sh PUBLIC_KEY
       ./verify.sh --checksums-only

PUBLIC_KEY is the minisign key of the releases. Get it through another channel than this kit.
Exits with 0 if the kit is complete and unchanged, otherwise with 1.
TEXT
}

fail() {
  printf 'verify.sh: %s\n' "$1" >&2
  exit 1
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  '')
    usage >&2
    exit 2
    ;;
esac
key=$1
case "$key" in
  -* | /*) ;;
  *) key=$PWD/$key ;;
esac
cd "$(dirname "$0")"

[ -f SHA256SUMS ] || fail 'SHA256SUMS is missing. Copy the kit again.'
if [ "$key" = --checksums-only ]; then
  echo 'The signature is not verified.'
else
  [ -f "$key" ] || fail "The public key $key does not exist. Pass its path."
  [ -f SHA256SUMS.minisig ] || fail 'SHA256SUMS.minisig is missing: this kit is not signed. Get a signed one.'
  command -v minisign >/dev/null 2>&1 || fail 'minisign is missing. Install it to verify the signature.'
  minisign -Vqm SHA256SUMS -p "$key" || fail 'The signature does not match the public key. Do not use this kit.'
fi

if command -v sha256sum >/dev/null 2>&1; then
  sha256sum --check --strict --quiet SHA256SUMS || fail 'A file differs from its checksum. Do not use this kit.'
else
  shasum -a 256 -c SHA256SUMS >/dev/null || fail 'A file differs from its checksum. Do not use this kit.'
fi

listed=$(sed 's/^[0-9a-f]*  //' SHA256SUMS | LC_ALL=C sort)
found=$(find . ! -type d ! -path './SHA256SUMS' ! -path './SHA256SUMS.minisig' | sed 's|^\./||' | LC_ALL=C sort)
[ "$listed" = "$found" ] || fail 'The kit has files that SHA256SUMS does not list. Do not use this kit.'

echo 'The kit is complete and unchanged.'
