package boot

import (
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/proagentstore/pags/pkg/aws/apigateway"
	"github.com/proagentstore/pags/pkg/aws/dynamo"
	"github.com/proagentstore/pags/pkg/aws/kms"
	"github.com/proagentstore/pags/pkg/aws/s3"
	"github.com/proagentstore/pags/pkg/aws/sfn"
	"github.com/proagentstore/pags/pkg/guard"
	"github.com/proagentstore/pags/pkg/model"
	"github.com/proagentstore/pags/pkg/wire"
)

// Table is the table of the stack: TABLE_NAME.
func Table(f *Function, d *wire.Deps) {
	d.Table = dynamo.New(dynamodb.NewFromConfig(f.aws), need("TABLE_NAME"), f.clock)
}

// Blobs is the bucket of the stack: BUCKET_NAME. An endpoint of one's own, as in a rehearsal, takes buckets in the path.
func Blobs(f *Function, d *wire.Deps) {
	d.Blobs = s3.New(f.aws, s3.Options{Bucket: need("BUCKET_NAME"), PathStyle: f.aws.BaseEndpoint != nil, Clock: f.clock})
}

// machines are the state machines of template.yaml by the variable with their ARN.
var machines = map[string]string{"BROWSE_MACHINE_ARN": "BrowseMachine", "EXECUTION_MACHINE_ARN": "ExecutionMachine"}

// Brains are the state machines that this function has to do with: those whose ARN is in the environment, at least one.
func Brains(f *Function, d *wire.Deps) {
	known := map[string]string{}
	for variable, name := range machines {
		if arn := os.Getenv(variable); arn != "" {
			known[name] = arn
		}
	}
	if len(known) == 0 {
		fail("no state machine is in the environment; template.yaml has to set BROWSE_MACHINE_ARN or EXECUTION_MACHINE_ARN for this function")
	}
	d.Brains = sfn.New(f.aws, known)
}

// Sockets are the connections of the WebSocket API: WS_MANAGEMENT_URL.
func Sockets(f *Function, d *wire.Deps) {
	d.Sockets = apigateway.New(f.aws, apigateway.Options{Endpoint: need("WS_MANAGEMENT_URL"), Clock: f.clock})
}

// Vault is the key of the stack: KMS_KEY_ID.
func Vault(f *Function, d *wire.Deps) { d.Vault = kms.New(f.aws, need("KMS_KEY_ID")) }

// Models are the model servers on the internet, and those in MODEL_HOSTS.
func Models(f *Function, d *wire.Deps) {
	d.Models = model.New(model.Options{HTTP: guard.Client(guard.Policy{AllowHosts: list("MODEL_HOSTS")}), Clock: f.clock})
}
