#!/usr/bin/env bash
# Proves on LocalStack what README.md says it proves. Ends "localstack: ok", or says what failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. localstack/lib.sh

fail() { say "FAILED: $*"; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

item='{"pk":{"S":"SMOKE"},"sk":{"S":"'$$-$RANDOM'"},"g1pk":{"S":"SMOKE"},"g1sk":{"S":"1"}}'
once() { aws dynamodb put-item --table-name "$table" --item "$item" --condition-expression "attribute_not_exists(pk)"; }
once || fail "the first conditional put"
if once 2>"$tmp/refused"; then fail "a second put went through its condition"; fi
grep -q ConditionalCheckFailed "$tmp/refused" || fail "the second put: $(cat "$tmp/refused")"
found=$(aws dynamodb query --table-name "$table" --index-name by-g1 --key-condition-expression "g1pk = :p" \
  --expression-attribute-values '{":p":{"S":"SMOKE"}}' --query Count --output text)
[ "$found" -ge 1 ] || fail "index by-g1 answered $found items"
say "table: conditions hold, the index answers"

echo "smoke $$" >"$tmp/in"
aws s3api put-object --bucket "$bucket" --key runs/smoke/0/note.txt --body "$tmp/in" >/dev/null
aws s3api get-object --bucket "$bucket" --key runs/smoke/0/note.txt "$tmp/out" >/dev/null
cmp -s "$tmp/in" "$tmp/out" || fail "a blob came back changed"
say "blobs: what goes in comes out"

[ "${ONLY_STATE:-}" = 1 ] && { say "ok (state only)"; exit 0; }

cat >"$tmp/event.json" <<'JSON'
{"version":"2.0","routeKey":"ANY /health","rawPath":"/health","rawQueryString":"","headers":{"host":"localhost"},"isBase64Encoded":false,
 "requestContext":{"accountId":"0","apiId":"x","domainName":"localhost","requestId":"smoke","routeKey":"ANY /health","stage":"$default","http":{"method":"GET","path":"/health","protocol":"HTTP/1.1","sourceIp":"127.0.0.1","userAgent":"smoke"}}}
JSON
aws lambda wait function-active-v2 --function-name MetaFunction
aws lambda invoke --function-name MetaFunction --cli-binary-format raw-in-base64-out --payload "file://$tmp/event.json" "$tmp/answer" >/dev/null
[ "$(jq -r .statusCode "$tmp/answer")" = 200 ] || fail "GET /health through MetaFunction: $(cat "$tmp/answer")"
say "functions: MetaFunction answers /health"

calls() { # machine, its first function: an execution of a run that is not there hears that it is not there
  aws lambda wait function-active-v2 --function-name "$2"
  local execution called=""
  execution=$(aws stepfunctions start-execution --state-machine-arn "$(machine_arn "$1")" --name "smoke-$$-$RANDOM" \
    --input '{"v":1,"runId":"run_00000000000000000000000000","generation":1,"step":0}' --query executionArn --output text)
  for _ in $(seq 60); do
    called=$(aws stepfunctions get-execution-history --execution-arn "$execution" \
      --query "events[?type=='TaskFailed' || type=='TaskSucceeded'].type | [0]" --output text)
    [ "$called" != None ] && [ -n "$called" ] && break
    sleep 1
  done
  aws stepfunctions stop-execution --execution-arn "$execution" >/dev/null 2>&1 || true
  [ "$called" = TaskFailed ] || [ "$called" = TaskSucceeded ] || fail "the $1 machine never heard from $2"
  say "machines: the $1 machine calls $2 and hears its answer"
}
calls browse BrowseFunction
calls execution CodeFunction
say "ok"
