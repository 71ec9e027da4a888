// Command openapi writes the API's OpenAPI document beside the package that serves it. Run it by go generate ./pkg/wire
// after a route changed.
package main

import (
	"log"
	"os"

	"github.com/proagentstore/pags/pkg/wire"
)

func main() {
	doc, err := wire.New(wire.Deps{}).API().OpenAPI()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("openapi.json", append(doc, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}
