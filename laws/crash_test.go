package laws

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proagentstore/pags/pkg/crash"
)

var (
	pointLine = regexp.MustCompile(`(?m)^\t(\w+)\s+= "((?:server|runner)\.[a-z-]+\.(?:before|after))"\s+// \S`)
	pointUse  = regexp.MustCompile(`crash\.Here\(([^)]*)\)`)
)

// TestCrash_EveryPointStandsOnce: a point that is not in the code, or not in the lists, is killed at by nobody.
func TestCrash_EveryPointStandsOnce(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "pkg", "crash", "points.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{} // constant -> point
	for _, m := range pointLine.FindAllStringSubmatch(string(source), -1) {
		names[m[1]] = m[2]
	}
	listed := slices.Concat(crash.ServerPoints, crash.RunnerPoints)
	if len(names) != len(listed) || len(names) == 0 {
		t.Fatalf("%d constants, %d listed points; each constant says in a comment what is done and what is not", len(names), len(listed))
	}
	used := map[string][]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", ".git", ".venv", ".build", "dist"}, d.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		for _, m := range pointUse.FindAllSubmatch(raw, -1) {
			used[string(m[1])] = append(used[string(m[1])], filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, point := range names {
		at := used["crash."+name]
		delete(used, "crash."+name)
		side, _, _ := strings.Cut(point, ".")
		list, room := crash.ServerPoints, "pkg/"
		if side == "runner" {
			list, room = crash.RunnerPoints, "runner/"
		}
		if !slices.Contains(list, point) {
			t.Errorf("%s is not in the list of its side", point)
		}
		if len(at) != 1 || !strings.HasPrefix(at[0], room) {
			t.Errorf("%s stands in %v; a point names one place, below %s", point, at, room)
		}
	}
	for what, at := range used {
		t.Errorf("%v: crash.Here(%s) names no point of pkg/crash", at, what)
	}
}

// TestCrash_TheStoriesWalkEveryList: the kill tables are made of these lists, so a point in none of them is killed at by nobody.
func TestCrash_TheStoriesWalkEveryList(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "stories", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		told += string(raw)
	}
	for name, list := range map[string][]string{"crash.BrowsePoints": crash.BrowsePoints, "crash.ProgramPoints": crash.ProgramPoints, "crash.RunnerPoints": crash.RunnerPoints} {
		if len(list) == 0 || !strings.Contains(told, name) {
			t.Errorf("no story walks %s", name)
		}
	}
	for _, point := range crash.ServerPoints {
		if !slices.Contains(crash.BrowsePoints, point) && !slices.Contains(crash.ProgramPoints, point) {
			t.Errorf("%s is passed in no story", point)
		}
	}
}
