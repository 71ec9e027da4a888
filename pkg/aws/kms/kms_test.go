package kms_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/kms"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestVault_Contract(t *testing.T) {
	server := awstest.Start(t)
	open := func(t *testing.T) port.Vault { return kms.New(server.Config, server.NewKey(t)) }
	porttest.Vault(t, porttest.VaultPeer{Denies: true}, open, open)
}

func TestOpen_WhatKMSRefusesHasACode(t *testing.T) {
	for kind, want := range map[string]pags.Code{
		"InvalidCiphertextException": pags.Invalid, "IncorrectKeyException": pags.Invalid, "AccessDeniedException": pags.Internal,
		"DisabledException": pags.Internal, "KeyUnavailableException": pags.Unavailable,
	} {
		key := base64.StdEncoding.EncodeToString(make([]byte, 32))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GenerateDataKey") {
				_, _ = fmt.Fprintf(w, `{"CiphertextBlob":%q,"Plaintext":%q,"KeyId":"k"}`, key, key)
				return
			}
			w.WriteHeader(400)
			_, _ = fmt.Fprintf(w, `{"__type":%q,"message":"no"}`, kind)
		}))
		v := kms.New(aws.Config{Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider("AKID", "SECRET", "")}, "k")
		bind := map[string]string{"user": "usr_1"}
		sealed, err := v.Seal(context.Background(), []byte("secret"), bind)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Open(context.Background(), sealed, bind); !pags.Is(err, want) {
			t.Errorf("%s: got %v, want code %s", kind, err, want)
		}
		server.Close()
	}
}
