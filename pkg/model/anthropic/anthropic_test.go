package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/proagentstore/pags/pkg/model/anthropic"
	"github.com/proagentstore/pags/pkg/model/exchange"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestClient_Contract(t *testing.T) {
	porttest.Models(t, anthropic.Provider, func(clock port.Clock) port.Models {
		return &anthropic.Client{Exchange: exchange.Client{HTTP: &http.Client{}, Clock: clock}}
	})
}
