package cli

import (
	"strings"
)

// pairs prints name and value lines; long values are wrapped and indented.
func (a *app) pairs(rows [][2]string) error {
	name := 0
	for _, r := range rows {
		name = max(name, cells(r[0]))
	}
	for _, r := range rows {
		if r[1] == "" {
			continue
		}
		lines := wrap(r[1], a.width()-name-2)
		for i, l := range lines {
			head := strings.Repeat(" ", name)
			if i == 0 {
				head = a.paint("2", r[0]+strings.Repeat(" ", name-cells(r[0])))
			}
			if err := a.say("%s", strings.TrimRight(head+"  "+l, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrap breaks a text at spaces; a word longer than the width stays whole, so addresses can be copied.
func wrap(s string, width int) []string {
	var out []string
	for _, para := range strings.Split(s, "\n") {
		line := ""
		for _, w := range strings.Fields(clean(para)) {
			switch {
			case line == "":
				line = w
			case cells(line)+1+cells(w) <= width:
				line += " " + w
			default:
				out = append(out, line)
				line = w
			}
		}
		out = append(out, line)
	}
	return out
}
