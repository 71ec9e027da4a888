package machine

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
	"github.com/proagentstore/pags/pkg/pags"
)

// Routes of this area. Three route families serve them: /v1/machines, /v1/relay, and one path below /v1/instances.
var (
	register = httpapi.Route{Method: http.MethodPost, Path: "/v1/machines", ID: "registerMachine", Tag: "machines",
		Summary: "Register this machine; the same public key is the same machine",
		Exempt:  map[string]string{"stranger": "makes or updates a machine of the caller's own"}}
	list = httpapi.Route{Method: http.MethodGet, Path: "/v1/machines", ID: "listMachines", Tag: "machines",
		Summary: "Your machines, oldest first", Exempt: map[string]string{"stranger": "lists only the caller's own machines"}}
	show   = httpapi.Route{Method: http.MethodGet, Path: "/v1/machines/{machineId}", ID: "getMachine", Tag: "machines", Summary: "One machine"}
	forget = httpapi.Route{Method: http.MethodDelete, Path: "/v1/machines/{machineId}", ID: "forgetMachine", Tag: "machines",
		Summary: "Forget a machine that is offline", Status: http.StatusNoContent}
	mint = httpapi.Route{Method: http.MethodPost, Path: "/v1/relay/ticket", ID: "mintTicket", Tag: "relay",
		Summary: "A one-use ticket for a socket", Status: http.StatusCreated,
		Exempt: map[string]string{"stranger": "a ticket of the caller's own; another's machine is not found"}}
	relayStatus = httpapi.Route{Method: http.MethodGet, Path: "/v1/relay/{instanceId}/status", ID: "getRelayStatus", Tag: "relay",
		Summary: "Whether an instance has hands, and what to do if not"}
	runtimeStatus = httpapi.Route{Method: http.MethodGet, Path: "/v1/instances/{instanceId}/runtime/status", ID: "getRuntimeStatus", Tag: "instances",
		Summary: "The same view below the instance"}
)

// Routes registers everything.
func Routes(api *httpapi.API, s *Service) {
	MachineRoutes(api, s)
	RelayRoutes(api, s)
	InstanceRoutes(api, s)
}

type machineBody struct{ Body pags.Machine }

type machinePath struct {
	MachineID pags.MachineID `path:"machineId" maxLength:"64"`
}

// MachineRoutes registers the family /v1/machines.
func MachineRoutes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, register, func(ctx context.Context, in *struct{ Body Registration }) (*machineBody, error) {
		m, err := s.Register(ctx, httpapi.CallerFrom(ctx).UserID, in.Body)
		return &machineBody{m}, err
	})
	httpapi.Handle(api, list, func(ctx context.Context, in *struct{ httpapi.Paging }) (*struct{ Body httpapi.Page[pags.Machine] }, error) {
		all, next, err := s.List(ctx, httpapi.CallerFrom(ctx).UserID, in.Cursor, in.Limit)
		return &struct{ Body httpapi.Page[pags.Machine] }{httpapi.Page[pags.Machine]{Items: all, NextCursor: next}}, err
	})
	httpapi.Handle(api, show, func(ctx context.Context, in *machinePath) (*machineBody, error) {
		m, err := s.Machine(ctx, httpapi.CallerFrom(ctx).UserID, in.MachineID)
		return &machineBody{m}, err
	})
	httpapi.Handle(api, forget, func(ctx context.Context, in *struct {
		MachineID pags.MachineID `path:"machineId" maxLength:"64"`
		Force     bool           `query:"force" doc:"forget it though it is online; its connection is closed"`
	}) (*struct{}, error) {
		return nil, s.Forget(ctx, httpapi.CallerFrom(ctx).UserID, in.MachineID, in.Force)
	})
}

// RelayRoutes registers the family /v1/relay.
func RelayRoutes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, mint, func(ctx context.Context, in *struct{ Body TicketAsk }) (*struct{ Body Ticket }, error) {
		c := httpapi.CallerFrom(ctx)
		t, err := s.Mint(ctx, c.UserID, c.SessionID, in.Body)
		return &struct{ Body Ticket }{t}, err
	})
	httpapi.Handle(api, relayStatus, s.status)
}

// InstanceRoutes registers what belongs to the family /v1/instances.
func InstanceRoutes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, runtimeStatus, s.status)
}

type statusInput struct {
	InstanceID pags.InstanceID `path:"instanceId" maxLength:"64"`
	Node       string          `query:"node" maxLength:"120" doc:"ask about this machine only"`
}

func (s *Service) status(ctx context.Context, in *statusInput) (*struct{ Body Attachment }, error) {
	a, err := s.Attachment(ctx, httpapi.CallerFrom(ctx).UserID, in.InstanceID, in.Node)
	return &struct{ Body Attachment }{a}, err
}
