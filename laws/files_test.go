package laws

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines: past it a file has two subjects.
const maxLines = 400

// long lists files that may be longer, each with its reason.
var long = map[string]string{}

func TestFiles_AreShortEnoughToBeReadAtOnce(t *testing.T) {
	seen := 0
	walk(t, func(path string) {
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".ts" && ext != ".tsx" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, ".gen.") {
			return
		}
		raw, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if n := bytes.Count(raw, []byte("\n")); n > maxLines && long[path] == "" {
			t.Errorf("%s has %d lines; past %d split it by subject, or list it here with its reason", path, n, maxLines)
		}
	})
	if seen < 50 {
		t.Errorf("only %d files were seen", seen)
	}
}

func TestFiles_PackagesAreNamedForWhatTheyHold(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "base", "manager", "service", "impl", "misc", "shared", "core", "lib"}
	for _, r := range rooms(t) {
		if slices.Contains(vague, r.Name) || slices.Contains(vague, filepath.Base(r.Path)) {
			t.Errorf("package %s: a name that fits everything says nothing; name it for what it holds", r.Path)
		}
		if base := filepath.Base(r.Path); r.Path != "." && r.Name != "main" && r.Name != base {
			t.Errorf("folder %s holds package %s; one name is enough", r.Path, r.Name)
		}
	}
}

// walk visits the files of the repository that people write.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	skip := []string{"node_modules", "dist", "bin", "testdata"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (slices.Contains(skip, name) || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err == nil {
			visit(filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
