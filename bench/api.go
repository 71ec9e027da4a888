package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/proagentstore/pags/demo/stage"
)

// Both together stay below the 240 requests that a person has in a minute.
const reads, writes = 120, 80

// apiNumbers measures GET /v1/instances/{id}, and PATCH of its configuration beside a bare write of the store on the same
// disk, over a connection that stays open.
func apiNumbers(ctx context.Context, b *bench) ([]number, error) {
	home, err := b.folder()
	if err != nil {
		return nil, err
	}
	s, err := stage.New(b.binary, home, io.Discard)
	if err != nil {
		return nil, err
	}
	host, err := s.Serve(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer host.Stop()
	id, err := s.Must(ctx, "", "instances", "subscribe", "browser")
	if err != nil {
		return nil, err
	}
	token, err := accessToken(home)
	if err != nil {
		return nil, err
	}
	path := s.URL() + "/v1/instances/" + id
	read, err := timed(reads, func(int) error { return request(ctx, "GET", path, token, "") })
	if err != nil {
		return nil, err
	}
	write, err := timed(writes, func(i int) error {
		return request(ctx, "PATCH", path+"/config", token, fmt.Sprintf(`{"key":"maxSteps","value":%d}`, 1+i%60))
	})
	if err != nil {
		return nil, err
	}
	bare, err := bareWrites(filepath.Join(home, "bare.db"), writes)
	if err != nil {
		return nil, err
	}
	return []number{{"api.read_p50_ms", median(read), "ms", 1}, {"api.write_over_bare_ms", max(0, median(write)-median(bare)), "ms", 1}}, nil
}

// timed does something n times, after a tenth of that unmeasured.
func timed(n int, do func(i int) error) ([]time.Duration, error) {
	var times []time.Duration
	for i := range n + n/10 {
		began := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		if i >= n/10 {
			times = append(times, time.Since(began))
		}
	}
	return times, nil
}

func request(ctx context.Context, method, url, token, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, url, res.Status)
	}
	return nil
}

func accessToken(home string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(home, "session.json"))
	if err != nil {
		return "", err
	}
	var s struct{ AccessToken string }
	if err := json.Unmarshal(raw, &s); err != nil || s.AccessToken == "" {
		return "", fmt.Errorf("the session file holds no access token: %w", err)
	}
	return s.AccessToken, nil
}

// bareWrites are single small puts, each made durable, on a file with the options of our store.
func bareWrites(path string, n int) ([]time.Duration, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	value := make([]byte, 1000)
	return timed(n, func(i int) error {
		return db.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("bare"))
			if err != nil {
				return err
			}
			return bucket.Put(binary.BigEndian.AppendUint64(nil, uint64(i)), value)
		})
	})
}
