#!/bin/sh
# Exports a documentation site in a pipeline: turns variables into one docyard command, and its output into step outputs and a
# summary. Variables can have any content: they are quoted, never evaluated. The GitLab component contains a copy of this file,
# because a component cannot include files. A test compares them.
set -euf

newline='
'
bundle=${DOCYARD_BUNDLE:-docyard-bundle.tar.gz}
reports=${DOCYARD_REPORTS:-docyard-report}
folder=${DOCYARD_FOLDER:-}
domain=${DOCYARD_DOMAIN:-}
project=${DOCYARD_PROJECT:-}
fail_on=${DOCYARD_FAIL_ON:-}
forms='json html sarif xml md'

main() {
  check_variables
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  # Remove the files of an earlier run, so that they are not mistaken for results of this one.
  rm -f -- "$bundle"
  mkdir -p -- "$(dirname -- "$bundle")"
  for form in $forms; do rm -f -- "$reports/report.$form"; done
  if [ -n "${DOCYARD_DOTENV:-}" ]; then : >"$DOCYARD_DOTENV"; fi
  started=$(date +%s)
  status=0
  if [ -n "$folder" ]; then export_folder; else export_with_server; fi || status=$?
  seconds=$(($(date +%s) - started))
  if [ "$status" = 0 ] && [ -n "${DOCYARD_PUBLIC_KEY:-}" ]; then verify || status=$?; fi
  write_reports
  write_outputs
  write_summary
  exit "$status"
}

check_variables() {
  # The input overrides a variable of the runner. DOCYARD_KEY is the deprecated name of the variable.
  export DOCYARD_API_KEY="${DOCYARD_INPUT_KEY:-${DOCYARD_API_KEY:-${DOCYARD_KEY:-}}}"
  if [ "${DOCYARD_STRICT:-}" = true ]; then fail_on=${fail_on:+$fail_on,}warning; fi
  case $bundle in -*) bundle=./$bundle ;; esac
  case $reports in -*) reports=./$reports ;; esac
  case "$bundle$reports$folder" in *"$newline"*) stop 'A path contains a line break.' ;; esac
  case $DOCYARD_API_KEY in *[!A-Za-z0-9_-]*) stop 'DOCYARD_API_KEY is not a valid key.' ;; esac
  [ -n "$folder" ] || [ -n "$domain" ] || [ -n "$project" ] ||
    stop 'Set what to export: domain or project with a server, or folder.'
  if [ -n "${GITHUB_ACTIONS:-}" ] && [ -n "$DOCYARD_API_KEY" ]; then echo "::add-mask::$DOCYARD_API_KEY"; fi
}

stop() {
  echo "docyard: $1" >&2
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::error::$1"; fi
  exit 2
}

# The command can have several words. set -f prevents pathname expansion.
run_docyard() {
  if [ -n "${DOCYARD_COMMAND:-}" ]; then
    # shellcheck disable=SC2086
    $DOCYARD_COMMAND "$@"
  elif command -v docyard >/dev/null; then
    docyard "$@"
  else
    npx --yes docyard@0.1.0 "$@"
  fi
}

# docyard report decides which findings fail the step, so that the report is written in that case too.
export_folder() {
  set -- --json "--output=$bundle"
  [ -z "${DOCYARD_VERSION:-}" ] || set -- "$@" "--version=$DOCYARD_VERSION"
  run_docyard export "$@" -- "$folder" >"$scratch/answer"
}

export_with_server() {
  set -- --json --wait "--download=$bundle"
  [ -z "$project" ] || set -- "$@" "--project=$project"
  [ -z "${DOCYARD_VERSION:-}" ] || set -- "$@" "--version=$DOCYARD_VERSION"
  [ -z "${DOCYARD_REF:-}" ] || set -- "$@" "--ref=$DOCYARD_REF"
  [ -z "$fail_on" ] || set -- "$@" "--fail-on=$fail_on"
  [ -z "${DOCYARD_TIMEOUT_SECONDS:-}" ] || set -- "$@" "--timeout=$DOCYARD_TIMEOUT_SECONDS"
  while IFS= read -r path; do
    [ -z "$path" ] || set -- "$@" "--path=$path"
  done <<PATHS
${DOCYARD_PATHS:-}
PATHS
  [ -z "$domain" ] || set -- "$@" -- "$domain"
  run_docyard export start "$@" >"$scratch/answer"
}

# Removes a rejected bundle, so that no later step uses it.
verify() {
  set -- "--public-key=$DOCYARD_PUBLIC_KEY"
  [ -z "${DOCYARD_VERSION:-}" ] || set -- "$@" "--version=$DOCYARD_VERSION"
  verified=0
  run_docyard verify "$@" -- "$bundle" >&2 || verified=$?
  [ "$verified" = 0 ] || rm -f -- "$bundle"
  return "$verified"
}

# A job that failed because of its findings has a report, but no bundle.
write_reports() {
  source=$bundle
  [ -f "$bundle" ] || source=$(field jobId)
  [ -n "$source" ] || return 0
  set -- "--folder=$reports"
  [ -z "$fail_on" ] || set -- "$@" "--fail-on=$fail_on"
  if [ "$status" != 0 ]; then
    run_docyard report "$@" -- "$source" >/dev/null 2>&1 || true
    return 0
  fi
  run_docyard report "$@" -- "$source" >/dev/null || status=$?
  [ "$status" = 0 ] || rm -f -- "$bundle"
  if [ "$status" = 7 ]; then
    echo 'docyard: The site has findings that count as failures. The bundle was removed.' | tee -a "$scratch/answer" >&2
  fi
}

# Prints a field of the output, limited to the characters of ids, hashes and numbers.
field() { sed -n "s/.*\"$1\": \{0,1\}\"\{0,1\}\([0-9A-Za-z_]*\).*/\1/p" "$scratch/answer" | tail -n 1; }

output() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; fi
  if [ -n "${DOCYARD_DOTENV:-}" ]; then
    printf 'DOCYARD_%s=%s\n' "$(printf %s "$1" | tr 'a-z-' 'A-Z_')" "$2" >>"$DOCYARD_DOTENV"
  fi
}

write_outputs() {
  pages=$(field pageCount)
  sha256=
  job=$(field jobId)
  output job-id "$job"
  output pages "${pages:-$(field pages)}"
  output warnings "$(field warnings)"
  if [ -f "$bundle" ]; then
    sha256=$(field sha256)
    output bundle-path "$bundle"
    output sha256 "$sha256"
  fi
  if [ -f "$reports/report.json" ]; then
    for form in $forms; do output "report-$form" "$reports/report.$form"; done
  fi
}

write_summary() {
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] || return 0
  {
    if [ "$status" = 0 ]; then echo '### Documentation exported'; else echo '### Documentation export failed'; fi
    echo
    if [ "$status" != 0 ]; then
      # Indented, so that Markdown shows the message verbatim.
      sed -nE -e 's/^docyard: (.*)/    \1/p' -e 's/^\{"ok":false,"code":"[^"]*","message":"(([^"\\]|\\.)*)".*/    \1/p' "$scratch/answer"
      echo
    fi
    if [ -f "$reports/report.md" ]; then cat "$reports/report.md"; fi
    echo
    echo '| Job | Seconds | SHA-256 of the bundle |'
    echo '|---|---|---|'
    echo "| ${job:-none} | $seconds | ${sha256:-none} |"
  } >>"$GITHUB_STEP_SUMMARY"
}

main
