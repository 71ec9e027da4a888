package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const region = "us-east-1"

// cloud is moto with the stateful resources of the stack.
type cloud struct {
	endpoint string
	table    string
	bucket   string
	key      string
	stop     func()
}

// startMoto starts it and makes table, bucket and key. The launcher ends when the pipe to it closes.
func startMoto(ctx context.Context) (*cloud, error) {
	cmd := exec.Command(".venv/bin/python", "tools/moto/launch.py", "1") // its own state machines are not used: nothing calls port 1
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start moto (make setup prepares it): %w", err)
	}
	c := &cloud{table: "pags-table", bucket: "pags-bucket", stop: func() { _ = stdin.Close(); _ = cmd.Wait() }}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("moto named no port: %w", err)
	}
	c.endpoint = "http://127.0.0.1:" + strings.TrimPrefix(strings.TrimSpace(line), "port ")
	if err := c.make(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *cloud) make(ctx context.Context) error {
	cfg := aws.Config{Region: region, BaseEndpoint: &c.endpoint, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	if err := c.makeTable(ctx, dynamodb.NewFromConfig(cfg)); err != nil {
		return fmt.Errorf("make the table: %w", err)
	}
	buckets := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := buckets.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &c.bucket}); err != nil {
		return fmt.Errorf("make the bucket: %w", err)
	}
	key, err := kms.NewFromConfig(cfg).CreateKey(ctx, &kms.CreateKeyInput{})
	if err != nil {
		return fmt.Errorf("make the key: %w", err)
	}
	c.key = aws.ToString(key.KeyMetadata.Arn)
	return nil
}

// makeTable makes the table as template.yaml declares it.
func (c *cloud) makeTable(ctx context.Context, api *dynamodb.Client) error {
	keys := func(prefix string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: aws.String(prefix + "pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(prefix + "sk"), KeyType: types.KeyTypeRange},
		}
	}
	in := &dynamodb.CreateTableInput{TableName: &c.table, BillingMode: types.BillingModePayPerRequest, KeySchema: keys("")}
	for _, prefix := range []string{"", "g1", "g2"} {
		for _, k := range keys(prefix) {
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: k.AttributeName, AttributeType: types.ScalarAttributeTypeS})
		}
		if prefix != "" {
			in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
				IndexName: aws.String("by-" + prefix), KeySchema: keys(prefix), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}})
		}
	}
	_, err := api.CreateTable(ctx, in)
	return err
}
