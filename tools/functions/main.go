// Command functions builds the bootstraps that template.yaml names and tells how large they are.
//
//	go run ./tools/functions                 all, into .build/functions/<name>/bootstrap and <name>.zip, with a table
//	go run ./tools/functions -folder NAME    only prints the folder of one function's main.go
package main

import (
	"archive/zip"
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"text/tabwriter"

	stack "github.com/proagentstore/pags"
	"github.com/proagentstore/pags/pkg/local/gateway"
)

// maxZip is our own limit for a function's package: beyond it cold starts suffer (spec limits C.1).
const maxZip = 15 << 20

func main() {
	folder := flag.String("folder", "", "print the folder of this function and stop")
	arch := flag.String("arch", "arm64", "processor: arm64 or amd64")
	out := flag.String("out", ".build/functions", "where bootstraps go")
	version := flag.String("version", "dev", "version to stamp")
	zips := flag.Bool("zip", true, "pack each bootstrap and check its size")
	flag.Parse()
	if err := run(*folder, *arch, *out, *version, *zips); err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
}

func run(folder, arch, out, version string, zips bool) error {
	s, err := gateway.Read(stack.Files, gateway.Facts{})
	if err != nil {
		return err
	}
	if folder != "" {
		f, ok := s.Functions[folder]
		if !ok {
			return fmt.Errorf("template.yaml has no function %s", folder)
		}
		fmt.Println(f.Folder)
		return nil
	}
	names := make([]string, 0, len(s.Functions))
	for name := range s.Functions {
		names = append(names, name)
	}
	sort.Strings(names)
	if err := build(s, names, arch, out, version); err != nil {
		return err
	}
	if !zips {
		fmt.Printf("functions: %d built into %s\n", len(names), out)
		return nil
	}
	return table(s, names, out)
}

// build compiles all functions in one invocation, so that packages are shared, and gives each bootstrap its folder.
func build(s *gateway.Stack, names []string, arch, out, version string) error {
	bin := filepath.Join(out, "bin")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-tags", "lambda.norpc",
		"-ldflags", "-s -w -X github.com/proagentstore/pags/functions/internal/boot.Version=" + version, "-o", bin + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "./"+s.Functions[name].Folder)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	for _, name := range names {
		dir := filepath.Join(out, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(bin, path.Base(s.Functions[name].Folder)), filepath.Join(dir, "bootstrap")); err != nil {
			return err
		}
	}
	return os.Remove(bin)
}

// table packs each bootstrap and prints the sizes, the largest package first.
func table(s *gateway.Stack, names []string, out string) error {
	type row struct {
		name        string
		binary, zip int64
	}
	rows := make([]row, 0, len(names))
	for _, name := range names {
		binary, packed, err := pack(filepath.Join(out, name, "bootstrap"), filepath.Join(out, name+".zip"))
		if err != nil {
			return err
		}
		rows = append(rows, row{name, binary, packed})
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].zip > rows[j].zip })
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w, "function\tbinary MB\tzip MB\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t\n", r.name, float64(r.binary)/(1<<20), float64(r.zip)/(1<<20))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if rows[0].zip > maxZip {
		return fmt.Errorf("%s is %.1f MB packed; the limit is 15 MB: look at what it links with go tool nm -size", rows[0].name, float64(rows[0].zip)/(1<<20))
	}
	fmt.Printf("functions: %d, largest zip %.1f MB\n", len(rows), float64(rows[0].zip)/(1<<20))
	return nil
}

// pack zips a bootstrap as SAM does: one executable file.
func pack(bootstrap, target string) (binary, packed int64, err error) {
	in, err := os.Open(bootstrap)
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	f, err := os.Create(target)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	h := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate}
	h.SetMode(0o755)
	w, err := z.CreateHeader(h)
	if err != nil {
		return 0, 0, err
	}
	if binary, err = io.Copy(w, in); err != nil {
		return 0, 0, err
	}
	if err = z.Close(); err != nil {
		return 0, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return binary, info.Size(), nil
}
