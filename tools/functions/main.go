// Command functions builds the bootstraps that template.yaml names and tells how large they are.
//
//	go run ./tools/functions                       all, into .build/functions/<name>/bootstrap and <name>.zip, with a table
//	go run ./tools/functions -folder NAME          only prints the folder of one function's main.go
//	go run ./tools/functions -warm NAME -out DIR   only puts into DIR what one function has beside its bootstrap
//
//	main.go   what is built, and the table
//	warm.go   the machine code of the sandbox, for the function that runs programs
//	pack.go   one package
package main

import (
	"flag"
	"fmt"
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
	warmed := flag.String("warm", "", "put what this function has beside its bootstrap into -out, and stop")
	arch := flag.String("arch", "arm64", "processor: arm64 or amd64")
	out := flag.String("out", ".build/functions", "where bootstraps go")
	version := flag.String("version", "dev", "version to stamp")
	zips := flag.Bool("zip", true, "pack each bootstrap and check its size")
	flag.Parse()
	err := error(nil)
	if *warmed != "" {
		err = warmOne(*warmed, *arch, *out)
	} else {
		err = run(*folder, *arch, *out, *version, *zips)
	}
	if err != nil {
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
		f, err := named(s, folder)
		if err == nil {
			fmt.Println(f.Folder)
		}
		return err
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

func named(s *gateway.Stack, name string) (gateway.Declared, error) {
	f, ok := s.Functions[name]
	if !ok {
		return f, fmt.Errorf("template.yaml has no function %s", name)
	}
	return f, nil
}

// build compiles functions in one invocation as far as that goes, so that packages are shared, and gives each bootstrap its
// folder. The compiler names binaries by the last part of their path: those that would meet go in a next round.
func build(s *gateway.Stack, names []string, arch, out, version string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for len(names) > 0 {
		round, rest := map[string]string{}, []string{}
		for _, name := range names {
			base := path.Base(s.Functions[name].Folder)
			if round[base] == "" {
				round[base] = name
			} else {
				rest = append(rest, name)
			}
		}
		if err := compile(s, round, arch, out, version); err != nil {
			return err
		}
		names = rest
	}
	return nil
}

// compile builds functions by the names of their binaries.
func compile(s *gateway.Stack, round map[string]string, arch, out, version string) error {
	bin := filepath.Join(out, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-tags", "lambda.norpc",
		"-ldflags", "-s -w -X github.com/proagentstore/pags/functions/internal/boot.Version=" + version, "-o", bin + string(filepath.Separator)}
	for _, name := range round {
		args = append(args, "./"+s.Functions[name].Folder)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	for base, name := range round {
		dir := filepath.Join(out, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(bin, base), filepath.Join(dir, "bootstrap")); err != nil {
			return err
		}
		if err := warm(s.Functions[name], arch, dir); err != nil {
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
		binary, packed, err := pack(filepath.Join(out, name), filepath.Join(out, name+".zip"))
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
