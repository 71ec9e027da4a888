package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// presigner signs headers as headers. By default the SDK moves x-amz-* headers into the query, where S3 does not read a
// checksum; as a signed header the upload must carry it and S3 compares it with the body.
func presigner(api *sdk.Client) *sdk.PresignClient {
	return sdk.NewPresignClient(api, func(o *sdk.PresignOptions) {
		o.Presigner = v4.NewSigner(func(so *v4.SignerOptions) {
			so.DisableHeaderHoisting = true
			so.DisableURIPathEscaping = true // S3 keys are signed as they stand
		})
	})
}

// PresignPut gives a URL under whose signature are key, size, checksum and content type.
func (b *Blobs) PresignPut(ctx context.Context, key string, size int64, sum, contentType string, d time.Duration) (port.Presigned, error) {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != sha256.Size {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a checksum is the SHA-256 in 64 hex digits")
	}
	if size < 0 {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a size must not be negative")
	}
	in := &sdk.PutObjectInput{Bucket: b.bucket, Key: &key, ContentLength: &size, ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(raw))}
	if contentType != "" {
		in.ContentType = &contentType
	}
	return b.presigned(key, d, func(e func(*sdk.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
		return b.sign.PresignPutObject(ctx, in, e)
	})
}

// PresignGet gives a URL that reads.
func (b *Blobs) PresignGet(ctx context.Context, key string, d time.Duration) (port.Presigned, error) {
	return b.presigned(key, d, func(e func(*sdk.PresignOptions)) (*v4.PresignedHTTPRequest, error) {
		return b.sign.PresignGetObject(ctx, &sdk.GetObjectInput{Bucket: b.bucket, Key: &key}, e)
	})
}

func (b *Blobs) presigned(key string, d time.Duration, sign func(func(*sdk.PresignOptions)) (*v4.PresignedHTTPRequest, error)) (port.Presigned, error) {
	if err := port.CheckBlobKey(key); err != nil {
		return port.Presigned{}, err
	}
	if d <= 0 || d > port.MaxPresignSeconds*time.Second {
		return port.Presigned{}, pags.Errorf(pags.Invalid, "a presigned URL lives at most 15 minutes")
	}
	at := b.clock.Now().Add(d)
	req, err := sign(sdk.WithPresignExpires(d))
	if err != nil {
		return port.Presigned{}, pags.Wrap(err, pags.Internal, "presign a blob URL")
	}
	p := port.Presigned{Method: req.Method, URL: req.URL, ExpiresAt: at}
	for name, values := range req.SignedHeader {
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Content-Length": // every client sends these by itself
		default:
			if p.Headers == nil {
				p.Headers = map[string]string{}
			}
			p.Headers[http.CanonicalHeaderKey(name)] = values[0]
		}
	}
	return p, nil
}
