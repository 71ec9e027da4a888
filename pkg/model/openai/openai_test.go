package openai_test

import (
	"net/http"
	"testing"

	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/model/openai"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestClient_Contract(t *testing.T) {
	porttest.Models(t, openai.Provider, func(clock port.Clock) port.Models {
		return &openai.Client{Exchange: exchange.Client{HTTP: &http.Client{}, Clock: clock}}
	})
}
