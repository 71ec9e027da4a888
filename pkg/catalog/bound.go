package catalog

// Bound is a tool of one connection: everything that a call of it has to know before it leaves.
type Bound struct {
	Address    string // canonical: <source>.<connection>.<group>.<leaf>
	Source     string // slug of the source
	Connection string // name of the connection
	Tool       *Tool
	Digest     string // of the definition: name, texts, schemas and where it goes
	Held       string // "" or why its owner has to look at the definition first: new, changed
	Off        string // "" or what its owner switched off: source, connection
	Host       string // where a call goes, for people
}

// Place is a namespace of the catalog: one connection of one source.
type Place struct {
	Namespace   string `json:"namespace" doc:"how its tools' addresses begin: <source>.<connection>"`
	Source      string `json:"source"`
	Connection  string `json:"connection"`
	Name        string `json:"name" doc:"the source's name for people"`
	Description string `json:"description,omitempty"`
	Tools       int    `json:"tools"`
}

// Directory is what a person's programs can find: every tool of every connection that is switched on.
type Directory struct {
	Index  *Index
	Places []Place // by namespace
	// Flags of a tool by its canonical address.
	Flags func(address string) Flags
}

// Flags are what a listing shows of a tool beside its texts.
type Flags struct {
	ReadOnly    bool
	Destructive bool
	Deprecated  bool
	Held        string // see Bound
}
