package browser

import (
	"embed"
	"strings"
)

//go:embed page/*.js
var pageFiles embed.FS

// scripts are the functions that run in a page, by file name.
var scripts = func() map[string]string {
	lib := mustRead("lib")
	all := map[string]string{}
	entries, _ := pageFiles.ReadDir("page")
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".js"); name != "lib" {
			all[name] = "async (el, arg) => {\n" + lib + mustRead(name) + "}"
		}
	}
	return all
}()

func mustRead(name string) string {
	text, err := pageFiles.ReadFile("page/" + name + ".js")
	if err != nil {
		panic(err) // embedded at build time
	}
	return string(text)
}
