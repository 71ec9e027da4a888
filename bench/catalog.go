package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/proagentstore/pags/pkg/catalog"
	"github.com/proagentstore/pags/stories/upstream"
)

// rest is how long the host has after heavy work to hand memory back; the collector looks at least every 2 minutes, the
// scavenger all the time.
const rest = 10 * time.Second

// catalogNumbers measures the adding of a source with 1,000 operations by URL, the search in a directory of 10,000 tools by
// itself, and the memory of a host that has added and searched 1,400.
func catalogNumbers(ctx context.Context, b *bench) ([]number, error) {
	search, err := searchTimes()
	if err != nil {
		return nil, err
	}
	t, err := newToolbox(ctx, b)
	if err != nil {
		return nil, err
	}
	defer t.close()
	add, err := timed(5, func(i int) error { return t.large(ctx, fmt.Sprintf("large%d", i), 1000) })
	if err != nil {
		return nil, err
	}
	fresh, err := newToolbox(ctx, b)
	if err != nil {
		return nil, err
	}
	defer fresh.close()
	if err := fresh.large(ctx, "large", 1400); err != nil {
		return nil, err
	}
	for _, q := range queries {
		var found struct{ Total int }
		if err := fresh.ask(ctx, http.MethodGet, "/v1/tools?query="+q, nil, &found); err != nil {
			return nil, err
		}
	}
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	mb, err := memory(fresh.host.Pid())
	return []number{{"catalog.import_1000_ms", median(add), "ms", 300}, {"catalog.search_10k_p50_ms", median(search), "ms", 5},
		{"serve.rss_1400_tools_mb", mb, "MB", 120}}, err
}

var queries = []string{"list+open+invoices", "create+a+ticket", "customer+email", "archive+contract", "who+owns+the+device", "reprot+export", "update+payment+status", "webhooks"}

// large adds a source with n operations, as a person would: by the URL of its description.
func (t *toolbox) large(ctx context.Context, slug string, n int) error {
	raw, err := json.Marshal(upstream.Large(t.api.URL, n))
	if err != nil {
		return err
	}
	document := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw)
	}))
	defer document.Close()
	var s struct{ Tools int }
	if err := t.ask(ctx, http.MethodPost, "/v1/sources", map[string]any{"url": document.URL + "/openapi.json", "slug": slug}, &s); err != nil {
		return err
	}
	if s.Tools != n {
		return fmt.Errorf("%d operations became %d tools", n, s.Tools)
	}
	return nil
}

func searchTimes() ([]time.Duration, error) {
	raw, err := json.Marshal(upstream.Large("https://api.bench.test", 1000))
	if err != nil {
		return nil, err
	}
	src, err := catalog.Import(context.Background(), raw, catalog.Options{})
	if err != nil {
		return nil, err
	}
	var entries []catalog.Entry
	for i := range 10 {
		entries = append(entries, src.Entries(fmt.Sprintf("source%d.main", i))...)
	}
	index := catalog.NewIndex(entries)
	return timed(200, func(i int) error {
		if p := index.Search(catalog.Query{Text: queries[i%len(queries)], Limit: 12}); p.Total == 0 {
			return fmt.Errorf("nothing was found for %q", queries[i%len(queries)])
		}
		return nil
	})
}
