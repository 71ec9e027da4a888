package dynamo_test

import (
	"testing"

	"github.com/proagentstore/pags/pkg/aws/awstest"
	"github.com/proagentstore/pags/pkg/aws/dynamo"
	"github.com/proagentstore/pags/pkg/port"
	"github.com/proagentstore/pags/pkg/port/porttest"
)

func TestTable_Contract(t *testing.T) {
	s := awstest.Start(t)
	porttest.Table(t, func(t *testing.T, clock *porttest.Clock) port.Table {
		return dynamo.New(s.Dynamo(), s.NewTable(t), clock)
	}, porttest.TablePeer{AtOnce: 4})
}
