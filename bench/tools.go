package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/proagentstore/pags/demo/stage"
	"github.com/proagentstore/pags/stories/upstream"
)

// toolbox is a host with an API on the loopback to call; its tools are below stub.main.
type toolbox struct {
	*stage.Stage
	host  *stage.Process
	api   *upstream.Server
	token string
}

func newToolbox(ctx context.Context, b *bench, args ...string) (*toolbox, error) {
	home, err := b.folder()
	if err != nil {
		return nil, err
	}
	s, err := stage.New(b.binary, home, io.Discard)
	if err != nil {
		return nil, err
	}
	t := &toolbox{Stage: s, api: upstream.New()}
	if t.host, err = s.Serve(ctx, nil, append([]string{"--allow-private"}, args...)...); err != nil {
		t.close()
		return nil, err
	}
	for _, c := range [][]string{{"sources", "add", t.api.URL + "/openapi.json", "--slug", "stub"}, {"connections", "add", "stub", "--method", "token", "--value", "token=-"}} {
		if _, err := s.Must(ctx, "token-of-the-bench", c...); err != nil {
			t.close()
			return nil, err
		}
	}
	if t.token, err = accessToken(home); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *toolbox) close() {
	if t.host != nil {
		t.host.Stop()
	}
	t.api.Release()
	t.api.Close()
}

// ask makes a request with the CLI's session and reads its answer.
func (t *toolbox) ask(ctx context.Context, method, path string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, t.URL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, body)
	}
	return json.Unmarshal(body, out)
}

// execution is what is read of one.
type execution struct {
	ID           string
	Status       string
	Result       json.RawMessage
	Error        json.RawMessage
	Interactions []struct{ ID string }
}

func (t *toolbox) exec(ctx context.Context, code string) (x execution, err error) {
	return x, t.ask(ctx, http.MethodPost, "/v1/executions", map[string]any{"code": code, "waitSeconds": 20}, &x)
}

// completed runs a program that has to come to its end.
func (t *toolbox) completed(ctx context.Context, code string) error {
	x, err := t.exec(ctx, code)
	if err == nil && x.Status != "completed" {
		err = fmt.Errorf("a program is %s: %s", x.Status, x.Error)
	}
	return err
}
