#!/usr/bin/env bash
# Makes table, bucket, key, functions and state machines in LocalStack, from the same zips and definitions that deploy to AWS.
# Safe to run again: what is there already stays, functions get the new code.
set -euo pipefail
cd "$(dirname "$0")/.."
. localstack/lib.sh

quiet() { "$@" >/dev/null; }
there() { "$@" >/dev/null 2>&1; }

case "$(uname -m)" in arm64 | aarch64) arch=arm64 go=arm64 ;; *) arch=x86_64 go=amd64 ;; esac
make --no-print-directory functions ARGS="-arch $go"

if ! there aws dynamodb describe-table --table-name "$table"; then
  index() { echo "IndexName=by-$1,KeySchema=[{AttributeName=$1pk,KeyType=HASH},{AttributeName=$1sk,KeyType=RANGE}],Projection={ProjectionType=ALL}"; }
  attributes=()
  for a in pk sk g1pk g1sk g2pk g2sk; do attributes+=("AttributeName=$a,AttributeType=S"); done
  quiet aws dynamodb create-table --table-name "$table" --billing-mode PAY_PER_REQUEST \
    --attribute-definitions "${attributes[@]}" \
    --key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE \
    --global-secondary-indexes "$(index g1)" "$(index g2)"
  aws dynamodb wait table-exists --table-name "$table"
  quiet aws dynamodb update-time-to-live --table-name "$table" --time-to-live-specification Enabled=true,AttributeName=expires
fi
there aws s3api head-bucket --bucket "$bucket" || quiet aws s3api create-bucket --bucket "$bucket"
key=$(aws kms list-aliases --query "Aliases[?AliasName=='alias/pags'].TargetKeyId | [0]" --output text)
if [ -z "$key" ] || [ "$key" = None ]; then
  key=$(aws kms create-key --description pags --query KeyMetadata.KeyId --output text)
  aws kms create-alias --alias-name alias/pags --target-key-id "$key"
fi
say "table $table, bucket $bucket, key $key"

role="arn:aws:iam::$account:role/pags"
there aws iam get-role --role-name pags || quiet aws iam create-role --role-name pags --assume-role-policy-document \
  '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":["lambda.amazonaws.com","states.amazonaws.com"]},"Action":"sts:AssumeRole"}]}'

# Functions reach LocalStack by the name that it gives itself inside its own network.
inside="${INSIDE_ENDPOINT_URL:-http://localhost.localstack.cloud:4566}"
environment=$(jq -nc --arg t "$table" --arg b "$bucket" --arg k "$key" --arg m "$(machine_arn browse)" --arg x "$(machine_arn execution)" --arg u "$inside" \
  '{Variables: {TABLE_NAME: $t, BUCKET_NAME: $b, KMS_KEY_ID: $k, BROWSE_MACHINE_ARN: $m, EXECUTION_MACHINE_ARN: $x,
    CODE_CALL_FUNCTION: "CodeCallFunction", AWS_ENDPOINT_URL: $u,
    WS_MANAGEMENT_URL: ($u + "/none"), WS_URL: "ws://localhost:4510", PUBLIC_URL: "", LOG_LEVEL: "debug", SETUP_TOKEN_HASH: ""}}')
for zip in .build/functions/*.zip; do
  name=$(basename "$zip" .zip)
  if there aws lambda get-function --function-name "$name"; then
    quiet aws lambda update-function-code --function-name "$name" --zip-file "fileb://$zip"
  else
    limit=60
    case "$name" in CodeFunction) limit=900 ;; CodeCallFunction) limit=240 ;; esac
    quiet aws lambda create-function --function-name "$name" --runtime provided.al2023 --handler bootstrap --architectures "$arch" \
      --role "$role" --timeout "$limit" --memory-size 512 --environment "$environment" --zip-file "fileb://$zip"
  fi
done
say "$(ls .build/functions/*.zip | wc -l | tr -d ' ') functions"

# ${XFunctionArn} and ${XMachineArn} are template.yaml's substitutions.
for machine in "${machines[@]}"; do
  arn=$(machine_arn "$machine")
  definition=$(sed -E -e "s#\\$\\{([A-Za-z]+Function)Arn\\}#$function_arn\\1#g" -e "s#\\$\\{[A-Za-z]+MachineArn\\}#$arn#g" "statemachines/$machine.asl.json")
  if there aws stepfunctions describe-state-machine --state-machine-arn "$arn"; then
    quiet aws stepfunctions update-state-machine --state-machine-arn "$arn" --definition "$definition"
  else
    quiet aws stepfunctions create-state-machine --name "pags-$machine" --role-arn "$role" --definition "$definition"
  fi
  say "machine pags-$machine"
done
say "ready; next: localstack/smoke.sh"
