package awstest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
)

// name is unique among all tests that share a server.
func (s *Server) name() string { return fmt.Sprintf("pags-test-%d-%d", os.Getpid(), s.calls.Add(1)) }

// Dynamo, S3, KMS and SFN are clients of this server.
func (s *Server) Dynamo(opts ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(s.Config, opts...)
}

func (s *Server) S3() *s3.Client {
	return s3.NewFromConfig(s.Config, func(o *s3.Options) { o.UsePathStyle = true })
}

func (s *Server) KMS() *kms.Client { return kms.NewFromConfig(s.Config) }

func (s *Server) SFN() *sfn.Client { return sfn.NewFromConfig(s.Config) }

// NewTable makes the table of template.yaml: keys, both indexes, expiry.
func (s *Server) NewTable(t testing.TB) string {
	t.Helper()
	name := s.name()
	if err := createTable(t.Context(), s.Dynamo(), name); err != nil {
		t.Fatalf("make a table: %v", err)
	}
	return name
}

func createTable(ctx context.Context, client *dynamodb.Client, name string) error {
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: dynamotypes.BillingModePayPerRequest}
	for _, attr := range []string{"pk", "sk", "g1pk", "g1sk", "g2pk", "g2sk"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			dynamotypes.AttributeDefinition{AttributeName: aws.String(attr), AttributeType: dynamotypes.ScalarAttributeTypeS})
	}
	keys := func(index string) []dynamotypes.KeySchemaElement {
		return []dynamotypes.KeySchemaElement{
			{AttributeName: aws.String(index + "pk"), KeyType: dynamotypes.KeyTypeHash},
			{AttributeName: aws.String(index + "sk"), KeyType: dynamotypes.KeyTypeRange},
		}
	}
	in.KeySchema = keys("")
	for _, index := range []string{"g1", "g2"} {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, dynamotypes.GlobalSecondaryIndex{IndexName: aws.String("by-" + index),
			KeySchema: keys(index), Projection: &dynamotypes.Projection{ProjectionType: dynamotypes.ProjectionTypeAll}})
	}
	if _, err := client.CreateTable(ctx, in); err != nil {
		return err
	}
	_, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &dynamotypes.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)}})
	return err
}

// NewBucket makes an empty bucket.
func (s *Server) NewBucket(t testing.TB) string {
	t.Helper()
	name := s.name()
	if _, err := s.S3().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	return name
}

// NewKey makes a symmetric KMS key and returns its id.
func (s *Server) NewKey(t testing.TB) string {
	t.Helper()
	out, err := s.KMS().CreateKey(t.Context(), &kms.CreateKeyInput{})
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	return *out.KeyMetadata.KeyId
}

// NewStateMachine makes a state machine of the definition (States Language) and returns its ARN.
func (s *Server) NewStateMachine(t testing.TB, definition string) string {
	t.Helper()
	name := s.name()
	out, err := s.SFN().CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{Name: &name, Definition: &definition,
		RoleArn: aws.String("arn:aws:iam::" + Account + ":role/pags-test")})
	if err != nil {
		t.Fatalf("make a state machine: %v", err)
	}
	return *out.StateMachineArn
}
