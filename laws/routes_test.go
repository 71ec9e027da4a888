package laws

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/aws/dynamo"
	"github.com/proagentstore/pags/pkg/local/gateway"
	"github.com/proagentstore/pags/pkg/wire"

	stack "github.com/proagentstore/pags"
)

// served finds the route of the template that a path reaches: itself, or the family above it.
func served(s *gateway.Stack, p string) (function string, hits int) {
	for _, r := range s.Routes {
		family, below := strings.CutSuffix(r.Path, "/{proxy+}")
		if r.Path == p || below && strings.HasPrefix(p, family+"/") {
			function = r.Function
			hits++
		}
	}
	return function, hits
}

func TestParity_EveryRouteFallsInExactlyOneFamily(t *testing.T) {
	s := ours(t)
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	count, seen := 0, map[string]string{}
	for family, routes := range wire.Routes() {
		for _, r := range routes {
			count++
			key := r.Method + " " + r.Path
			if other := seen[key]; other != "" {
				t.Errorf("%s is registered by the families %s and %s", key, other, family)
			}
			seen[key] = family
			function, hits := served(s, parameter.ReplaceAllString(r.Path, "x"))
			if hits != 1 {
				t.Errorf("%s reaches %d routes of template.yaml; it must be exactly one", key, hits)
				continue
			}
			if folder := s.Functions[function].Folder; folder != "functions/"+family {
				t.Errorf("%s belongs to the family %s, but template.yaml sends it to %s", key, family, folder)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d routes were seen", count)
	}
}

func TestParity_EveryFamilyIsServedAndEveryEventHasRoutes(t *testing.T) {
	s, all := ours(t), wire.Routes()
	for family := range all {
		found := false
		for _, r := range s.Routes {
			found = found || s.Functions[r.Function].Folder == "functions/"+family
		}
		if !found {
			t.Errorf("no event of template.yaml reaches the family %s", family)
		}
	}
	for _, r := range s.Routes {
		family := path.Base(s.Functions[r.Function].Folder)
		if len(all[family]) == 0 {
			t.Errorf("%s goes to %s, whose family registers no route", r.Path, r.Function)
		}
	}
}

// The adapter and the template name the indexes alike, or every listing fails on AWS and nowhere else.
func TestParity_IndexesAreNamedAlike(t *testing.T) {
	raw, err := stack.Files.ReadFile("template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"g1", "g2"} {
		if !strings.Contains(string(raw), "IndexName: "+dynamo.IndexName(index)+"\n") {
			t.Errorf("template.yaml has no index %s, which the adapter asks for", dynamo.IndexName(index))
		}
	}
}
