package source

import (
	"context"
	"net/http"

	"github.com/proagentstore/pags/pkg/httpapi"
)

// ConnectionRoutes are those of the family /v1/connections. Only a person's own session stores or changes credentials.
func ConnectionRoutes(api *httpapi.API, s *Service) {
	own := map[string]string{"stranger": "works only on the caller's own connections"}
	const tag = "connections"
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/connections", ID: "listConnections", Tag: tag, Summary: "Your connections, never their values", Exempt: own}, s.listConnectionsRoute)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/connections", ID: "addConnection", Tag: tag, Summary: "Connect to a source; values are sealed at once", Person: true, Status: http.StatusCreated, MaxBody: 64 << 10, Exempt: own}, s.addConnectionRoute)
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/connections/{source}/{name}", ID: "getConnection", Tag: tag, Summary: "One connection"}, s.getConnectionRoute)
	httpapi.Handle(api, httpapi.Route{Method: "PATCH", Path: "/v1/connections/{source}/{name}", ID: "changeConnection", Tag: tag, Summary: "Give new values, switch on or off, change where it goes", Person: true, MaxBody: 64 << 10}, s.changeConnectionRoute)
	httpapi.Handle(api, httpapi.Route{Method: "DELETE", Path: "/v1/connections/{source}/{name}", ID: "removeConnection", Tag: tag, Summary: "Forget a connection and its values", Person: true, Status: http.StatusNoContent}, s.removeConnectionRoute)
	httpapi.Handle(api, httpapi.Route{Method: "POST", Path: "/v1/connections/{source}/{name}/test", ID: "testConnection", Tag: tag, Summary: "Try a connection with a call that changes nothing"}, s.testConnectionRoute)
}

// FileRoutes are those of results that were kept as files, below /v1/tools.
func FileRoutes(api *httpapi.API, s *Service) {
	httpapi.Handle(api, httpapi.Route{Method: "GET", Path: "/v1/tools/files/{id}", ID: "getToolFile", Tag: "tools", Scope: httpapi.ScopeTools, Summary: "Where a file that a tool answered with can be read"}, s.fileRoute)
}

type (
	// ConnectionPath names a connection in the path.
	ConnectionPath struct {
		Source string `path:"source" maxLength:"40"`
		Name   string `path:"name" maxLength:"40"`
	}
	connectionOutput     struct{ Body Connection }
	connectionsOutput    struct{ Body httpapi.Page[Connection] }
	listConnectionsInput struct {
		httpapi.Paging
		Source string `query:"source" maxLength:"40" doc:"only those of this source"`
	}
	addConnectionInput struct {
		httpapi.Keyed
		Body NewConnection
	}
	changeConnectionInput struct {
		ConnectionPath
		Body ConnectionChange
	}
	checkedOutput struct{ Body Checked }
	filePath      struct {
		ID string `path:"id" maxLength:"60"`
	}
	fileOutput struct{ Body FileLink }
)

func (s *Service) listConnectionsRoute(ctx context.Context, in *listConnectionsInput) (*connectionsOutput, error) {
	page, err := s.Connections(ctx, httpapi.CallerFrom(ctx).UserID, in.Source, in.Limit, in.Cursor)
	return &connectionsOutput{page}, err
}

func (s *Service) addConnectionRoute(ctx context.Context, in *addConnectionInput) (*connectionOutput, error) {
	made, err := s.Connect(ctx, httpapi.CallerFrom(ctx).UserID, in.Body, in.IdempotencyKey)
	return &connectionOutput{made}, err
}

func (s *Service) getConnectionRoute(ctx context.Context, in *ConnectionPath) (*connectionOutput, error) {
	got, err := s.Connection(ctx, httpapi.CallerFrom(ctx).UserID, in.Source, in.Name)
	return &connectionOutput{got}, err
}

func (s *Service) changeConnectionRoute(ctx context.Context, in *changeConnectionInput) (*connectionOutput, error) {
	got, err := s.ChangeConnection(ctx, httpapi.CallerFrom(ctx).UserID, in.Source, in.Name, in.Body)
	return &connectionOutput{got}, err
}

func (s *Service) removeConnectionRoute(ctx context.Context, in *ConnectionPath) (*struct{}, error) {
	return nil, s.Disconnect(ctx, httpapi.CallerFrom(ctx).UserID, in.Source, in.Name)
}

func (s *Service) testConnectionRoute(ctx context.Context, in *ConnectionPath) (*checkedOutput, error) {
	got, err := s.Test(ctx, httpapi.CallerFrom(ctx).UserID, in.Source, in.Name)
	return &checkedOutput{got}, err
}

func (s *Service) fileRoute(ctx context.Context, in *filePath) (*fileOutput, error) {
	got, err := s.File(ctx, httpapi.CallerFrom(ctx).UserID, in.ID)
	return &fileOutput{got}, err
}
