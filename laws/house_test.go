package laws

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/local/gateway"
)

const module = "github.com/proagentstore/pags"

// root of the repository, from where this package's tests run.
var root = filepath.Join("..")

// room is a package of ours: its path within the module and what its non-test files import.
type room struct {
	Path    string
	Name    string
	Dir     string
	Imports []string // ours without the module's path, others whole
}

var listRooms = sync.OnceValues(func() ([]room, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,Imports", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(stderr.String()))
	}
	var rooms []room
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Dir string
			Imports               []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return rooms, nil
		} else if err != nil {
			return nil, err
		}
		r := room{Path: within(p.ImportPath), Name: p.Name, Dir: p.Dir}
		for _, i := range p.Imports {
			r.Imports = append(r.Imports, within(i))
		}
		rooms = append(rooms, r)
	}
})

// within cuts the module off our own import paths; the root package is ".".
func within(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func rooms(t *testing.T) []room {
	t.Helper()
	all, err := listRooms()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages were found, so nothing would be held", len(all))
	}
	return all
}

// under reports whether a path is one of the folders or below it.
func under(path string, folders ...string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

func ours(t *testing.T) *gateway.Stack {
	t.Helper()
	s, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
