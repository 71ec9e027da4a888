package browse

import (
	"regexp"
	"strings"
)

// Node is an element of the snapshot.
type Node struct {
	Found bool
	Role  string
	Name  string
}

var (
	refShape  = regexp.MustCompile(`^(f\d+)?e\d+$`)
	nodeShape = regexp.MustCompile(`^(\s*)- ([a-z]+)(?: "((?:[^"\\]|\\.)*)")?([^:]*)(?::\s*(.*))?$`)
	textShape = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|- text: (.+)$|\]: (.+)$`)
)

// Find resolves a ref to what the page itself calls the element. An element without a name of its own is called by the text
// inside it, as people would.
func Find(snapshot, ref string) Node {
	lines := strings.Split(snapshot, "\n")
	for i, line := range lines {
		if !strings.Contains(line, "[ref="+ref+"]") {
			continue
		}
		line = strings.TrimSuffix(strings.Replace(line, "- '", "- ", 1), "'") // YAML quotes keys with odd characters
		m := nodeShape.FindStringSubmatch(line)
		if m == nil {
			return Node{Found: true}
		}
		n := Node{Found: true, Role: m[2], Name: unquote(m[3])}
		if n.Name == "" {
			n.Name = unquote(m[5])
		}
		if n.Name == "" {
			n.Name = inside(lines[i+1:], len(m[1]))
		}
		return n
	}
	return Node{}
}

// inside collects the text below a node, which is indented deeper.
func inside(lines []string, indent int) string {
	var parts []string
	size := 0
	for _, line := range lines {
		if len(line)-len(strings.TrimLeft(line, " ")) <= indent || size > 200 {
			break
		}
		for _, m := range textShape.FindAllStringSubmatch(line, -1) {
			for _, text := range m[1:] {
				if text != "" {
					parts, size = append(parts, unquote(text)), size+len(text)
				}
			}
		}
	}
	return cut(strings.Join(parts, " "), 200)
}

func unquote(text string) string {
	return strings.Trim(strings.ReplaceAll(strings.ReplaceAll(text, `\"`, `"`), `\\`, `\`), " ")
}
