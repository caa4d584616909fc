#!/usr/bin/env bash
# A tour of the harness wire with bash and curl: see README.md beside this file.
set -euo pipefail

api=${TURNPIKE_URL:-http://127.0.0.1:4400}/api/harness
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'echo "${answer-}" >&2' ERR

title() { printf '\n== %s\n' "$*"; }

# A refusal ends the tour, and is printed: it is JSON that says what to do.
call() { curl -sS --fail-with-body -H 'Content-Type: application/json' "$api/$1" "${@:2}"; }

# The first text of a name in JSON: field turnId '{"turn":{"turnId":"turn_1"}}'
field() { [[ $2 =~ \"$1\":\"([^\"]+)\" ]] && echo "${BASH_REMATCH[1]}"; }

say() { printf '{"sessionId":"%s","message":"%s"}' "$session" "$1"; }

title 'A session belongs to a folder'
answer=$(call session/create -d "{\"projectRoot\":\"$folder\"}")
echo "$answer"
session=$(field sessionId "$answer")

title 'A turn without a stream: the answer is its result'
call turn -H 'Accept: application/json' -d "$(say 'Hello')"

title 'A turn as a stream, whose connection breaks after five frames'
# A repeat with this key follows the same turn: a POST that got no answer may be sent again.
key="tour-$session"
call turn -N -H "Idempotency-Key: $key" -d "$(say 'Count. [[tokens=40 gap=20]]')" \
  | head -n 20 | tee "$folder/begun" || true
last=$(grep '^id: ' "$folder/begun" | tail -n 1 | cut -c 5-)
turn=${last%%:*}

title "Resumed after $last: nothing is lost, nothing comes twice"
call "turns/$turn/events" -N -H "Last-Event-ID: $last"

title 'A turn that nobody waits for: 202, and it goes on'
answer=$(call turn -i -H 'Prefer: respond-async' \
  -d "$(say '[[tool=write {\"file_path\":\"notes.txt\",\"content\":\"Hello\"}]]')")
echo "$answer"
turn=$(field turnId "$answer")

title 'Its tool call needs a person'
for _ in {1..100}; do
  approval=$(field approvalId "$(call "approvals?sessionId=$session")") && break
  sleep 0.1
done
call "approvals/$approval" -d '{"decision":"approve"}'

title 'The whole turn, from its start'
call "turns/$turn/events" -N

title 'A turn that is interrupted'
answer=$(call turn -H 'Prefer: respond-async' -d "$(say 'On and on [[tokens=2000 gap=20]]')")
turn=$(field turnId "$answer")
call "turns/$turn/interrupt" -X POST
echo
call "turns/$turn/events" -N | grep -A 2 -E '^event: (turn:end|process:exit)'
