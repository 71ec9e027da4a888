# Shared by bootstrap.sh and smoke.sh: where LocalStack is and what things are called there.
export AWS_ENDPOINT_URL="${AWS_ENDPOINT_URL:-http://localhost:4566}"
export AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_PAGER=""
account="${ACCOUNT:-000000000000}" # LocalStack's; moto's is 123456789012
table=pags bucket=pags-blobs
machines=(browse execution) # statemachines/<name>.asl.json, called pags-<name> there
function_arn="arn:aws:lambda:$AWS_DEFAULT_REGION:$account:function:"
machine_arn() { echo "arn:aws:states:$AWS_DEFAULT_REGION:$account:stateMachine:pags-$1"; }

say() { printf '%s\n' "localstack: $*"; }
need() { command -v "$1" >/dev/null || { say "$1 is needed"; exit 2; }; }
need aws
need jq
