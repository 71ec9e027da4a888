#!/usr/bin/env bash
# An authenticated route through the real `sam local start-api`: SAM's own reading of template.yaml, our bootstraps under
# Lambda's runtime in containers, moto for table and key. Linux; it starts a Docker engine of its own (as root) if none runs.
# No image is pulled: the base image is Debian's static busybox under the name that SAM looks for.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "samlocal: $*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
tmp=$(mktemp -d)
pids=()
finish() {
  local code=$?
  [ $code = 0 ] || tail -n 25 "$tmp"/*.log 2>/dev/null || true
  # The one that was started last goes first; SIGTERM, because only on it does SAM remove its containers.
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null || true
  done
  rm -rf "$tmp"
  exit $code
}
trap finish EXIT
until_true() { # seconds, command
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.3; done
}

[ "$(uname -s)" = Linux ] || fail "this lane is for Linux; elsewhere start Docker and run sam local start-api by hand"
case "$(uname -m)" in aarch64) arch=arm64 go=arm64 ;; *) arch=x86_64 go=amd64 ;; esac
busybox=$(command -v busybox || true)
[ -n "$busybox" ] && ! ldd "$busybox" >/dev/null 2>&1 || fail "a static busybox is needed: apt-get install busybox-static"

if ! docker info >/dev/null 2>&1; then
  command -v dockerd >/dev/null || fail "no Docker engine runs and none is installed: apt-get install docker.io iptables"
  export DOCKER_HOST="unix://$tmp/docker.sock"
  dockerd --data-root "$tmp/docker" --exec-root "$tmp/exec" -H "$DOCKER_HOST" --pidfile "$tmp/dockerd.pid" >"$tmp/dockerd.log" 2>&1 &
  pids+=($!)
  until_true 30 docker info || fail "the Docker engine did not start"
  say "started a Docker engine"
fi
# This machine as the containers see it: the first address of the bridge, which older engines do not name as gateway.
host=$(docker network inspect bridge --format '{{(index .IPAM.Config 0).Subnet}}' |
  python3 -c 'import ipaddress, sys; print(next(ipaddress.ip_network(sys.stdin.read().strip(), strict=False).hosts()))')

# moto is reached from inside the containers, so it listens where they see this machine.
port=$(python3 -c "import socket; s = socket.socket(); s.bind(('$host', 0)); print(s.getsockname()[1])")
export AWS_ENDPOINT_URL="http://$host:$port" AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0
MOTO_PORT=$port .venv/bin/python -m moto.server -H "$host" -p "$port" >"$tmp/moto.log" 2>&1 &
pids+=($!)
until_true 30 curl -fsS "$AWS_ENDPOINT_URL/moto-api/data.json" || fail "moto did not start"
key=$(.venv/bin/python - <<'PY'
import boto3
keys = lambda p: [{"AttributeName": p + "pk", "KeyType": "HASH"}, {"AttributeName": p + "sk", "KeyType": "RANGE"}]
boto3.client("dynamodb").create_table(
    TableName="pags", BillingMode="PAY_PER_REQUEST", KeySchema=keys(""),
    AttributeDefinitions=[{"AttributeName": p + k, "AttributeType": "S"} for p in ("", "g1", "g2") for k in ("pk", "sk")],
    GlobalSecondaryIndexes=[{"IndexName": "by-" + p, "KeySchema": keys(p), "Projection": {"ProjectionType": "ALL"}} for p in ("g1", "g2")],
)
print(boto3.client("kms").create_key()["KeyMetadata"]["KeyId"])
PY
)
say "moto serves table and key at $AWS_ENDPOINT_URL"

mkdir "$tmp/image"
cp "$busybox" "$tmp/image/busybox"
cp /etc/ssl/certs/ca-certificates.crt "$tmp/image/" 2>/dev/null || : >"$tmp/image/ca-certificates.crt"
cat >"$tmp/image/Dockerfile" <<DOCKER
FROM scratch
COPY busybox /bin/busybox
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN ["/bin/busybox", "sh", "-c", "/bin/busybox --install -s /bin && mkdir -p /var/task /var/runtime /var/rapid /opt /tmp && chmod 1777 /tmp"]
ENV PATH=/bin LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime AWS_ENDPOINT_URL=$AWS_ENDPOINT_URL
WORKDIR /var/task
DOCKER
DOCKER_BUILDKIT=0 docker build -q -t "public.ecr.aws/lambda/provided:al2023-$arch" "$tmp/image" >"$tmp/image.log" 2>&1 || fail "the base image"

say "building functions"
go run ./tools/functions -arch $go -out "$tmp/warm" -zip=false >"$tmp/build.log" 2>&1 || fail "go build" # one compile for all; sam build only links
GOARCH=$go .build/sam/bin/sam build --build-dir "$tmp/sam" --parameter-overrides "Arch=$arch" >>"$tmp/build.log" 2>&1 || fail "sam build"

token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
hash=$(printf %s "$token" | sha256sum | cut -d' ' -f1)
printf '{"Parameters": {"TABLE_NAME": "pags", "KMS_KEY_ID": "%s", "SETUP_TOKEN_HASH": "%s"}}' "$key" "$hash" >"$tmp/env.json"
http=$(python3 -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
.build/sam/bin/sam local start-api --template "$tmp/sam/template.yaml" --host 127.0.0.1 --port "$http" --skip-pull-image --warm-containers LAZY \
  --env-vars "$tmp/env.json" --parameter-overrides "Arch=$arch" >"$tmp/sam.log" 2>&1 &
pids+=($!)
api="http://127.0.0.1:$http"
until_true 120 curl -fsS "$api/health" || fail "GET /health"

# ask METHOD PATH STATUS [curl arguments]: prints the body, or fails.
ask() {
  local method=$1 path=$2 want=$3 got; shift 3
  got=$(curl -sS -o "$tmp/body" -w '%{http_code}' -X "$method" "$api$path" "$@")
  [ "$got" = "$want" ] || { cat "$tmp/body" >&2; fail "$method $path answered $got, not $want"; }
  say "$method $path -> $got" >&2
  cat "$tmp/body"
}
json=(-H 'Content-Type: application/json')
ask GET /v1/auth/me 401 >/dev/null
link=$(ask POST /v1/auth/setup 201 "${json[@]}" -d "{\"token\":\"$token\",\"login\":\"ada\",\"name\":\"Ada\"}" | python3 -c 'import json, sys; print(json.load(sys.stdin)["link"]["token"])')
access=$(ask POST /v1/auth/link 200 "${json[@]}" -d "{\"token\":\"$link\",\"deliver\":\"body\"}" | python3 -c 'import json, sys; print(json.load(sys.stdin)["accessToken"])')
ask GET /v1/auth/me 200 -H "Authorization: Bearer $access" | grep -q '"ada"' || fail "GET /v1/auth/me is not Ada"
ask GET /v1/agents 200 -H "Authorization: Bearer $access" >/dev/null
ask GET /v1/auth/me 401 -H "Authorization: Bearer ${access}x" >/dev/null
say "ok"
