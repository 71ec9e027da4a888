package weburl

import (
	"encoding/json"
	"testing"
)

func href(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		return ""
	}
	var u map[string]string
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		t.Fatal(err)
	}
	return u["href"]
}

// What Node gives for each, in the order input, base, href; an empty href is a TypeError there.
func TestParse_AsNodeDoes(t *testing.T) {
	for _, c := range [][3]string{
		{"https://EXAMPLE.com:443/a/b/../c?x=1#y", "", "https://example.com/a/c?x=1#y"},
		{"../x?y=1#z", "https://example.com/a/b/c", "https://example.com/a/x?y=1#z"},
		{"//other/p", "https://a.b/c", "https://other/p"},
		{"/p", "https://a.b/c?d#e", "https://a.b/p"},
		{"?q", "https://a.b/c?d#e", "https://a.b/c?q"},
		{"#f", "https://a.b/c?d#e", "https://a.b/c?d#f"},
		{"", "https://a.b/c?d#e", "https://a.b/c?d"},
		{"nope", "", ""},
		{"http://", "", ""},
		{"http:///a/b", "", "http://a/b"},
		{"http:\\\\a\\b", "", "http://a/b"},
		{"https://user:p%40ss@h:8080/", "", "https://user:p%40ss@h:8080/"},
		{"https://u@/", "", ""},
		{"https://h:99999/", "", ""},
		{"https://h:/x", "", "https://h/x"},
		{"https://[::1]:80/", "", "https://[::1]:80/"},
		{"https://[::ffff:1.2.3.4]/", "", "https://[::ffff:102:304]/"},
		{"https://[1::2::3]/", "", ""},
		{"http://0x7f.1/", "", "http://127.0.0.1/"},
		{"http://256.1.1.1/", "", ""},
		{"http://1.2.3.4.5/", "", ""},
		{"http://2130706433", "", "http://127.0.0.1/"},
		{"http://127.0.0.1.", "", "http://127.0.0.1/"},
		{"http://münchen.de/ä?ö#ü", "", "http://xn--mnchen-3ya.de/%C3%A4?%C3%B6#%C3%BC"},
		{"http://a b/", "", ""},
		{"http://a%41.com", "", "http://aa.com/"},
		{"mailto:a@b.c?subject=x y", "", "mailto:a@b.c?subject=x%20y"},
		{"data:text/plain,hi there#x", "", "data:text/plain,hi there#x"},
		{"javascript:alert(1)", "", "javascript:alert(1)"},
		{"file:///etc/passwd", "", "file:///etc/passwd"},
		{"file://localhost/a", "", "file:///a"},
		{"file:a/b", "file:///x/y/z", "file:///x/y/a/b"},
		{"x", "mailto:a", ""},
		{"#x", "mailto:a", "mailto:a#x"},
		{"foo://h/a/./b/%2e%2E/c", "", "foo://h/a/c"},
		{"foo:/a/..//b", "", "foo:/.//b"},
		{"foo://h", "", "foo://h"},
		{"foo://h?q", "", "foo://h?q"},
		{"https://a.b", "", "https://a.b/"},
		{"https://a.b?x='\"<>`", "", "https://a.b/?x=%27%22%3C%3E`"},
		{"https://a.b/{}|`\"<>", "", "https://a.b/%7B%7D|%60%22%3C%3E"},
		{"  https://a.b/\tc\n ", "", "https://a.b/c"},
		{"ws://h:80/", "", "ws://h/"},
		{"http:foo", "http://a.b/c/d", "http://a.b/c/foo"},
		{"http:/foo", "http://a.b/c/d", "http://a.b/foo"},
		{"https:foo", "http://a.b/c/d", "https://foo/"},
		{"blob:https://a.b/uuid", "", "blob:https://a.b/uuid"},
		{"https://a.b/😀", "", "https://a.b/%F0%9F%98%80"},
		{"http://xn--mnchen-3ya.de", "", "http://xn--mnchen-3ya.de/"},
		{"http://a_b.c", "", "http://a_b.c/"},
		{"http://-a.b", "", "http://-a.b/"},
		{"http://a..b", "", "http://a..b/"},
		{"https://h#", "", "https://h/#"},
		{"https://h?", "", "https://h/?"},
		{"http://h/a%2fb/..%2f", "", "http://h/a%2fb/..%2f"},
		{"a:b:c", "", "a:b:c"},
		{"1a:b", "", ""},
		{"http://[v1.a]/", "", ""},
		{"http://h|x/", "", ""},
		{"non-special://[::1]/x", "", "non-special://[::1]/x"},
		{"non-special://h ost/", "", ""},
		{"non-special://u:p@h:1/../x", "", "non-special://u:p@h:1/x"},
		{"http://ＧＯ.com", "", "http://go.com/"},
		{"http://a.b/..\\c", "", "http://a.b/c"},
		{"/..//x", "foo://h/a", "foo://h//x"},
	} {
		if got := href(t, Parse(c[0], c[1], c[1] != "")); got != c[2] {
			t.Errorf("%q on %q: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// What Node gives after setting one part: href, part, value, href afterwards.
func TestChange_AsNodeDoes(t *testing.T) {
	for _, c := range [][4]string{
		{"https://a.b/c", "protocol", "http", "http://a.b/c"},
		{"https://a.b/c", "protocol", "foo", "https://a.b/c"},
		{"http://a.b:443/c", "protocol", "https:", "https://a.b/c"},
		{"https://a.b/c", "host", "x.y:81/zz", "https://x.y:81/c"},
		{"https://a.b:9/c", "hostname", "x.y", "https://x.y:9/c"},
		{"https://a.b:9/c", "hostname", "x.y:8", "https://a.b:9/c"},
		{"https://a.b:9/c", "host", "", "https://a.b:9/c"},
		{"https://a.b/c", "port", "8080abc", "https://a.b:8080/c"},
		{"https://a.b:9/c", "port", "", "https://a.b/c"},
		{"https://a.b:9/c", "port", "443", "https://a.b/c"},
		{"https://a.b:9/c", "port", "99999", "https://a.b:9/c"},
		{"https://a.b/c", "pathname", "x/../y?z#w", "https://a.b/y%3Fz%23w"},
		{"https://a.b/c", "pathname", "", "https://a.b/"},
		{"https://a.b/c", "search", "a b#c", "https://a.b/c?a%20b%23c"},
		{"https://a.b/c?x", "search", "", "https://a.b/c"},
		{"https://a.b/c", "hash", "a b", "https://a.b/c#a%20b"},
		{"https://a.b/c#x", "hash", "", "https://a.b/c"},
		{"https://a.b/c", "username", "a:b@", "https://a%3Ab%40@a.b/c"},
		{"https://a.b/c", "password", "p w", "https://:p%20w@a.b/c"},
		{"mailto:x", "pathname", "y", "mailto:x"},
		{"mailto:x", "host", "y", "mailto:x"},
		{"file:///a", "port", "1", "file:///a"},
		{"file:///a", "username", "u", "file:///a"},
		{"https://a.b/c", "host", "[::1]:8", "https://[::1]:8/c"},
		{"https://a.b/c", "href", "nope", "https://a.b/c"},
		{"foo://h/p", "pathname", "q", "foo://h/q"},
		{"https://a.b/c", "hostname", "bad host", "https://a.b/c"},
	} {
		got := href(t, Change(c[0], c[1], c[2]))
		if got == "" {
			got = c[0]
		}
		if got != c[3] {
			t.Errorf("%q with %s %q: got %q, want %q", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestQueryAndForm_GoBackAndForth(t *testing.T) {
	for text, want := range map[string]string{
		"?a=1&b=x+y&c=%26%3d&&d&=e": "a=1&b=x+y&c=%26%3D&d=&=e",
		"k=%zz&m=%e2%82":            "k=%25zz&m=%EF%BF%BD",
		"*-._~!'()=é":               "*-._%7E%21%27%28%29=%C3%A9",
		"":                          "",
	} {
		if got := Form(Query(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
