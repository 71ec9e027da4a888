package model_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/proagentstore/pags/pkg/model"
	"github.com/proagentstore/pags/pkg/model/modeltest"
	"github.com/proagentstore/pags/pkg/pags"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestNew_RoutesByProviderAndNamesTheDefaultModel(t *testing.T) {
	server := modeltest.New(func(t modeltest.Turn) modeltest.Answer { return modeltest.Say(t.Provider + " " + t.Model) })
	url, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	clock := porttest.NewClock(time.Unix(0, 0))
	prompt := port.Prompt{Messages: []port.Message{{Role: "user", Parts: []port.Part{{Text: "x"}}}}}
	for _, c := range []struct {
		options         model.Options
		provider, model string
		want            string
	}{
		{model.Options{}, "anthropic", "", "anthropic claude-sonnet-4-6"},
		{model.Options{}, "openai", "", "openai gpt-5-mini"},
		{model.Options{AnthropicModel: "a-9"}, "anthropic", "", "anthropic a-9"},
		{model.Options{OpenAIModel: "o-9"}, "openai", "", "openai o-9"},
		{model.Options{OpenAIModel: "o-9"}, "openai", "mine", "openai mine"},
	} {
		c.options.Clock, c.options.HTTP = clock, &http.Client{}
		reply, err := model.New(c.options).Ask(context.Background(), port.Credential{Provider: c.provider, BaseURL: url, Key: "k", Model: c.model}, prompt)
		if err != nil || reply.Text != c.want {
			t.Errorf("got %q, %v; want %q", reply.Text, err, c.want)
		}
	}
	if _, err := model.New(model.Options{Clock: clock}).Ask(context.Background(), port.Credential{Provider: "acme", Key: "k"}, prompt); !pags.Is(err, pags.Invalid) {
		t.Errorf("an unknown provider: got %v", err)
	}
	if _, err := model.New(model.Options{Clock: clock}).Ask(context.Background(), port.Credential{Provider: "openai", BaseURL: url, Key: "k"}, prompt); !pags.Is(err, pags.Invalid) {
		t.Errorf("a private address without a host's leave: got %v", err)
	}
}
