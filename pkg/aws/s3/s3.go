// Package s3 is port.Blobs over one bucket.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
)

// Options of New. PathStyle puts the bucket in the path, which local stand-ins need.
type Options struct {
	Bucket    string
	PathStyle bool
	Clock     port.Clock
}

// Blobs keeps blobs in a bucket.
type Blobs struct {
	api    *sdk.Client
	sign   *sdk.PresignClient
	bucket *string
	clock  port.Clock
}

var _ port.Blobs = (*Blobs)(nil)

// New makes the adapter. It sends nothing.
func New(cfg aws.Config, o Options) *Blobs {
	api := sdk.NewFromConfig(cfg, func(so *sdk.Options) { so.UsePathStyle = o.PathStyle })
	return &Blobs{api: api, sign: presigner(api), bucket: aws.String(o.Bucket), clock: o.Clock}
}

// Put writes an object.
func (b *Blobs) Put(ctx context.Context, key string, body []byte, o port.PutOptions) (port.BlobInfo, error) {
	if err := port.CheckBlobKey(key); err != nil {
		return port.BlobInfo{}, err
	}
	in := &sdk.PutObjectInput{Bucket: b.bucket, Key: &key, ContentLength: aws.Int64(int64(len(body)))}
	if o.ContentType != "" {
		in.ContentType = &o.ContentType
	}
	if o.IfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	if o.IfMatch != "" {
		in.IfMatch = &o.IfMatch
	}
	conditional := o.IfAbsent || o.IfMatch != ""
	for try := 0; ; try++ {
		in.Body = bytes.NewReader(body)
		out, err := b.api.PutObject(ctx, in)
		if err == nil {
			return port.BlobInfo{Key: key, Size: int64(len(body)), ETag: aws.ToString(out.ETag), ContentType: o.ContentType}, nil
		}
		switch status := statusOf(err); {
		case conditional && (status == http.StatusPreconditionFailed || status == http.StatusNotFound):
			return port.BlobInfo{}, pags.Wrap(err, pags.Conflict, "the blob is not in the state that was expected")
		case conditional && status == http.StatusConflict && try < 3: // two conditional writes met; one of them is through now
		case conditional && status == http.StatusConflict:
			return port.BlobInfo{}, pags.Wrap(err, pags.Unavailable, "the blob is being written by others; try again")
		default:
			return port.BlobInfo{}, coded(err, "put")
		}
	}
}

// Get reads an object or a range of it.
func (b *Blobs) Get(ctx context.Context, key string, offset, length int64) ([]byte, port.BlobInfo, error) {
	if length < 0 {
		return nil, port.BlobInfo{}, pags.Errorf(pags.Invalid, "a range's length must not be negative")
	}
	ranged := ""
	switch {
	case offset < 0:
		ranged = fmt.Sprintf("bytes=%d", offset)
	case length > 0:
		ranged = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	case offset > 0:
		ranged = fmt.Sprintf("bytes=%d-", offset)
	}
	body, info, err := b.get(ctx, key, ranged)
	if err != nil {
		return nil, info, err
	}
	defer body.Close()
	if ranged != "" && info.Size == 0 { // a range of nothing; S3 says 416, stand-ins may not
		return nil, info, beyond(nil)
	}
	var from io.Reader = body
	if offset < 0 && length > 0 { // a suffix cannot be cut at its end in the request
		from = io.LimitReader(body, length)
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, info, pags.Wrap(err, pags.Unavailable, "the blob could not be read to its end; try again")
	}
	return data, info, nil
}

// Open reads an object as a stream.
func (b *Blobs) Open(ctx context.Context, key string) (io.ReadCloser, port.BlobInfo, error) {
	return b.get(ctx, key, "")
}

func (b *Blobs) get(ctx context.Context, key, ranged string) (io.ReadCloser, port.BlobInfo, error) {
	if err := port.CheckBlobKey(key); err != nil {
		return nil, port.BlobInfo{}, err
	}
	in := &sdk.GetObjectInput{Bucket: b.bucket, Key: &key}
	if ranged != "" {
		in.Range = &ranged
	}
	out, err := b.api.GetObject(ctx, in)
	if err != nil {
		if statusOf(err) == http.StatusRequestedRangeNotSatisfiable {
			return nil, port.BlobInfo{}, beyond(err)
		}
		return nil, port.BlobInfo{}, coded(err, "get")
	}
	info := port.BlobInfo{Key: key, Size: aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag), ContentType: aws.ToString(out.ContentType)}
	if _, total, ok := strings.Cut(aws.ToString(out.ContentRange), "/"); ok { // "bytes 0-4/10"
		if n, err := strconv.ParseInt(total, 10, 64); err == nil {
			info.Size = n
		}
	}
	return out.Body, info, nil
}

func beyond(err error) error {
	return pags.Wrap(err, pags.Invalid, "the range begins behind the blob's end")
}

// Head describes an object.
func (b *Blobs) Head(ctx context.Context, key string) (port.BlobInfo, error) {
	if err := port.CheckBlobKey(key); err != nil {
		return port.BlobInfo{}, err
	}
	out, err := b.api.HeadObject(ctx, &sdk.HeadObjectInput{Bucket: b.bucket, Key: &key})
	if err != nil {
		return port.BlobInfo{}, coded(err, "head")
	}
	return port.BlobInfo{Key: key, Size: aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag), ContentType: aws.ToString(out.ContentType)}, nil
}

// Delete removes an object; S3 does not mind an absent one.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if err := port.CheckBlobKey(key); err != nil {
		return err
	}
	if _, err := b.api.DeleteObject(ctx, &sdk.DeleteObjectInput{Bucket: b.bucket, Key: &key}); err != nil && statusOf(err) != http.StatusNotFound {
		return coded(err, "delete")
	}
	return nil
}

// List reads as many pages as the limit needs. S3 lists no content types.
func (b *Blobs) List(ctx context.Context, prefix, after string, limit int) ([]port.BlobInfo, error) {
	if limit <= 0 || limit > 1000 {
		limit = 1000
	}
	in := &sdk.ListObjectsV2Input{Bucket: b.bucket, MaxKeys: aws.Int32(int32(limit))}
	if prefix != "" {
		in.Prefix = &prefix
	}
	if after != "" {
		in.StartAfter = &after
	}
	var infos []port.BlobInfo
	for {
		out, err := b.api.ListObjectsV2(ctx, in)
		if err != nil {
			return nil, coded(err, "list")
		}
		for _, o := range out.Contents {
			infos = append(infos, port.BlobInfo{Key: aws.ToString(o.Key), Size: aws.ToInt64(o.Size), ETag: aws.ToString(o.ETag)})
			if len(infos) == limit {
				return infos, nil
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return infos, nil
		}
		in.ContinuationToken = out.NextContinuationToken
	}
}

func statusOf(err error) int {
	var res *smithyhttp.ResponseError
	if errors.As(err, &res) {
		return res.HTTPStatusCode()
	}
	return 0
}

// coded gives a failure of S3 its code. The SDK has retried by then what is worth it.
func coded(err error, doing string) error {
	var api smithy.APIError
	status := statusOf(err)
	switch {
	case errors.As(err, &api) && api.ErrorCode() == "NoSuchBucket":
		return pags.Wrap(err, pags.Internal, "the bucket does not exist")
	case status == http.StatusNotFound:
		return pags.Wrap(err, pags.NotFound, "there is no blob at this key")
	case errors.Is(err, context.DeadlineExceeded):
		return pags.Wrap(err, pags.Timeout, "the blob store did not answer in time")
	case status == http.StatusTooManyRequests, status >= 500:
		return pags.Wrap(err, pags.Unavailable, "the blob store is busy; try again")
	}
	return pags.Wrap(err, pags.Internal, "%s a blob", doing)
}
