package s3_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/s3"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestBlobs_Contract(t *testing.T) {
	server := awstest.Start(t)
	porttest.Blobs(t, porttest.BlobsPeer{}, func(t *testing.T) (port.Blobs, *porttest.Clock) {
		clock := porttest.NewClock(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
		return s3.New(server.Config, s3.Options{Bucket: server.NewBucket(t), PathStyle: true, Clock: clock}), clock
	})
}

// stub gives an adapter whose S3 answers as told.
func stub(t *testing.T, answer http.HandlerFunc) *s3.Blobs {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return s3.New(aws.Config{Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("AKID", "SECRET", "")},
		s3.Options{Bucket: "b", PathStyle: true, Clock: porttest.NewClock(time.Unix(1_800_000_000, 0))})
}

// moto takes any presigned URL, so what S3 would hold an upload to is read off the URL: whatever is under the signature
// cannot be changed, and X-Amz-Expires ends it.
func TestPresignPut_SignsEverythingThatMatters(t *testing.T) {
	b := stub(t, func(http.ResponseWriter, *http.Request) { t.Error("presigning sent a request") })
	sum := strings.Repeat("ab", 32)
	p, err := b.PresignPut(context.Background(), "runs/run_1/2/shot é+.jpg", 12345, sum, "image/jpeg", 90*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if got := q.Get("X-Amz-SignedHeaders"); got != "content-length;content-type;host;x-amz-checksum-sha256" {
		t.Errorf("signed headers are %q", got)
	}
	if q.Get("X-Amz-Expires") != "90" || q.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" || len(q.Get("X-Amz-Signature")) != 64 {
		t.Errorf("the query is %v", q)
	}
	if u.Path != "/b/runs/run_1/2/shot é+.jpg" || strings.Contains(u.RawPath+u.EscapedPath(), "+") {
		t.Errorf("the path is %q", u.EscapedPath())
	}
	raw, _ := hex.DecodeString(sum)
	if len(p.Headers) != 2 || p.Headers["X-Amz-Checksum-Sha256"] != base64.StdEncoding.EncodeToString(raw) || p.Headers["Content-Type"] != "image/jpeg" {
		t.Errorf("the headers to send are %v", p.Headers)
	}
	other, err := b.PresignPut(context.Background(), "runs/run_1/2/shot é+.jpg", 12346, sum, "image/jpeg", 90*time.Second)
	if err != nil || other.URL == p.URL {
		t.Errorf("another size gives the same URL: %v", err)
	}
}

func TestPresignGet_Expires(t *testing.T) {
	b := stub(t, func(http.ResponseWriter, *http.Request) { t.Error("presigning sent a request") })
	p, err := b.PresignGet(context.Background(), "k", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(p.URL)
	if u.Query().Get("X-Amz-Expires") != "60" || u.Query().Get("X-Amz-SignedHeaders") != "host" || len(p.Headers) != 0 {
		t.Errorf("%s with headers %v", p.URL, p.Headers)
	}
}

func TestBlobs_FailuresHaveCodes(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		do     func(*s3.Blobs) error
		want   pags.Code
	}{
		"a conditional put meets another": {409, "ConditionalRequestConflict", func(b *s3.Blobs) error {
			_, err := b.Put(context.Background(), "k", nil, port.PutOptions{IfAbsent: true})
			return err
		}, pags.Unavailable},
		"access denied": {403, "AccessDenied", func(b *s3.Blobs) error { _, err := b.Head(context.Background(), "k"); return err }, pags.Internal},
		"no bucket":     {404, "NoSuchBucket", func(b *s3.Blobs) error { _, err := b.List(context.Background(), "", "", 1); return err }, pags.Internal},
	} {
		var asked atomic.Int32
		b := stub(t, func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>` + c.code + `</Code><Message>m</Message></Error>`))
		})
		if err := c.do(b); !pags.Is(err, c.want) {
			t.Errorf("%s: got %v, want code %s", name, err, c.want)
		}
		if asked.Load() > 4 {
			t.Errorf("%s: asked %d times", name, asked.Load())
		}
	}
}
