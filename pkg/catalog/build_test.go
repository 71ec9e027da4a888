package catalog

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// one imports a description with one operation and one parameter.
func one(t *testing.T, path, parameter string) *Tool {
	t.Helper()
	s := imported(t, `{"openapi":"3.0.3","info":{"title":"one"},"servers":[{"url":"https://o.example.test"}],"paths":{`+string(appendQuoted(nil, path))+`:{"get":{"operationId":"send","parameters":[`+parameter+`]}}}}`, Options{})
	return &s.Tools[0]
}

// The table of the specification (OpenAPI 3.0.3, Style Examples), with its values: "blue", the three colours, and R G B.
func TestBuild_EveryStyleAndExplode(t *testing.T) {
	const str, arr, obj = `"blue"`, `["blue","black","brown"]`, `{"R":100,"G":200,"B":150}`
	for _, c := range []struct {
		in, style string
		explode   string
		value     string
		want      string
	}{
		{"path", "matrix", "false", str, "/;color=blue"}, {"path", "matrix", "false", arr, "/;color=blue,black,brown"}, {"path", "matrix", "false", obj, "/;color=B,150,G,200,R,100"},
		{"path", "matrix", "true", str, "/;color=blue"}, {"path", "matrix", "true", arr, "/;color=blue;color=black;color=brown"}, {"path", "matrix", "true", obj, "/;B=150;G=200;R=100"},
		{"path", "label", "false", str, "/.blue"}, {"path", "label", "false", arr, "/.blue,black,brown"}, {"path", "label", "false", obj, "/.B,150,G,200,R,100"},
		{"path", "label", "true", str, "/.blue"}, {"path", "label", "true", arr, "/.blue.black.brown"}, {"path", "label", "true", obj, "/.B=150.G=200.R=100"},
		{"path", "simple", "false", str, "/blue"}, {"path", "simple", "false", arr, "/blue,black,brown"}, {"path", "simple", "false", obj, "/B,150,G,200,R,100"},
		{"path", "simple", "true", arr, "/blue,black,brown"}, {"path", "simple", "true", obj, "/B=150,G=200,R=100"},
		{"query", "form", "false", str, "?color=blue"}, {"query", "form", "false", arr, "?color=blue,black,brown"}, {"query", "form", "false", obj, "?color=B,150,G,200,R,100"},
		{"query", "form", "true", arr, "?color=blue&color=black&color=brown"}, {"query", "form", "true", obj, "?B=150&G=200&R=100"},
		{"query", "spaceDelimited", "false", arr, "?color=blue%20black%20brown"}, {"query", "spaceDelimited", "false", obj, "?color=B%20150%20G%20200%20R%20100"},
		{"query", "spaceDelimited", "true", arr, "?color=blue&color=black&color=brown"},
		{"query", "pipeDelimited", "false", arr, "?color=blue%7Cblack%7Cbrown"}, {"query", "pipeDelimited", "false", obj, "?color=B%7C150%7CG%7C200%7CR%7C100"},
		{"query", "deepObject", "true", obj, "?color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100"}, {"query", "deepObject", "true", arr, "?color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown"},
		{"query", "deepObject", "true", `{"a":{"b":["x","y"]},"c":[{"d":1}]}`, "?color%5Ba%5D%5Bb%5D%5B%5D=x&color%5Ba%5D%5Bb%5D%5B%5D=y&color%5Bc%5D%5B0%5D%5Bd%5D=1"},
		{"query", "form", "true", `""`, "?color="}, {"query", "form", "true", `[]`, ""}, {"query", "form", "false", `{}`, ""}, {"query", "form", "true", `[null,"a"]`, "?color=a"},
		{"query", "form", "true", `9007199254740993`, "?color=9007199254740993"}, {"query", "form", "true", `-0.50`, "?color=-0.50"}, {"query", "form", "true", `true`, "?color=true"},
		{"query", "form", "true", `"a b&c=d+e/f?é#"`, "?color=a%20b%26c%3Dd%2Be%2Ff%3F%C3%A9%23"},
		{"query", "form", "true", `[{"x":1}]`, "?color=%7B%22x%22%3A1%7D"},
		{"header", "simple", "false", arr, "blue,black,brown"}, {"header", "simple", "false", obj, "B,150,G,200,R,100"}, {"header", "simple", "true", obj, "B=150,G=200,R=100"}, {"header", "simple", "false", `"a b,c"`, "a b,c"},
		{"cookie", "form", "false", str, "color=blue"}, {"cookie", "form", "false", arr, "color=blue,black,brown"}, {"cookie", "form", "true", arr, "color=blue; color=black; color=brown"},
		{"cookie", "form", "true", obj, "B=150; G=200; R=100"}, {"cookie", "form", "true", `"a;b"`, "color=a%3Bb"}, {"cookie", "cookie", "true", `"a=b"`, "color=a=b"},
	} {
		t.Run(fmt.Sprint(c.in, " ", c.style, " ", c.explode, " ", c.value), func(t *testing.T) {
			path := "/x"
			if c.in == "path" {
				path = "/{color}"
			}
			tl := one(t, path, fmt.Sprintf(`{"name":"color","in":%q,"required":%t,"style":%q,"explode":%s,"schema":{}}`, c.in, c.in == "path", c.style, c.explode))
			r := build(t, tl, `{"color":`+c.value+`}`, Target{})
			got := strings.TrimPrefix(r.URL, "https://o.example.test")
			switch c.in {
			case "query":
				got = strings.TrimPrefix(got, "/x")
			case "header":
				got = r.Header.Get("color")
			case "cookie":
				got = r.Header.Get("Cookie")
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if u, err := url.Parse(r.URL); err != nil || u.String() != r.URL {
				t.Errorf("%s is not a URL as it stands: %v", r.URL, err)
			}
		})
	}
}

func TestBuild_ReservedCharactersStayOnlyWhereAllowed(t *testing.T) {
	q := `{"name":"q","in":"query","allowReserved":true,"schema":{"type":"string"}}`
	if r := build(t, one(t, "/x", q), `{"q":"a/b?c:d,e%2Ff&g#h+i [j]"}`, Target{}); r.URL != "https://o.example.test/x?q=a/b?c:d,e%2Ff%26g%23h%2Bi%20%5Bj%5D" {
		t.Errorf("query: %s", r.URL)
	}
	p := `{"name":"p","in":"path","required":true,"schema":{"type":"string"}}`
	for path, want := range map[string]string{"/f/{p}": "a%2Fb%20c", "/f/{+p}": "a/b%20c", "/f/{p*}": "a/b%20c", "/f/{p+}": "a/b%20c", "/f/:p": "a%2Fb%20c"} {
		if r := build(t, one(t, path, p), `{"p":"a/b c"}`, Target{}); r.URL != "https://o.example.test/f/"+want {
			t.Errorf("%s: %s", path, r.URL)
		}
	}
	j := `{"name":"filter","in":"query","content":{"application/json":{"schema":{"type":"object"}}}}`
	if r := build(t, one(t, "/x", j), `{"filter":{"a":[1,"<"]}}`, Target{}); r.URL != "https://o.example.test/x?filter=%7B%22a%22%3A%5B1%2C%22%3C%22%5D%7D" {
		t.Errorf("content: %s", r.URL)
	}
}

func TestBuild_APathArgumentCannotReachAnotherOperation(t *testing.T) {
	p := `{"name":"p","in":"path","required":true,"schema":{}}`
	for _, bad := range []string{`{"p":".."}`, `{"p":"."}`, `{"p":""}`, `{"p":[]}`, `{"p":null}`, `{}`, `{"p":"%2e%2e/x"}`} {
		path := "/f/{p}/g"
		if bad == `{"p":"%2e%2e/x"}` {
			path = "/f/{+p}/g"
		}
		if r, err := one(t, path, p).Build(args(t, bad), Target{}); err == nil {
			t.Errorf("%s made %s", bad, r.URL)
		}
	}
	if r := build(t, one(t, "/f/{p}.json", p), `{"p":"a..b/..c/x?y#z"}`, Target{}); r.URL != "https://o.example.test/f/a..b%2F..c%2Fx%3Fy%23z.json" {
		t.Errorf("got %s", r.URL)
	}
	for path, bad := range map[string][]string{ // servers that decode before they resolve, take \ for /, or drop what follows ;
		"/f/{p}":  {"../admin", "a/../../admin", "./x", `..\admin`, "a/..", `a\..\..`},
		"/f/{+p}": {"a/../b", "..%2fadmin", "a/%2e%2E%2Fb", "..%5Cadmin", "a/..;/..;x=1/admin", `..\admin`},
	} {
		for _, v := range bad {
			raw, _ := json.Marshal(map[string]string{"p": v})
			if r, err := one(t, path, p).Build(args(t, string(raw)), Target{}); err == nil {
				t.Errorf("%s in %s made %s", v, path, r.URL)
			}
		}
	}
	h := `{"name":"X-A","in":"header","schema":{"type":"string"}}`
	if _, err := one(t, "/x", h).Build(args(t, `{"X-A":"a\r\nX-B: b"}`), Target{}); err == nil {
		t.Error("a line break in a header is another header")
	}
}

func TestBuild_APathArgumentCannotBeginAQueryThatSwallowsTheNextArguments(t *testing.T) {
	tl := one(t, "/f/{+p}", `{"name":"p","in":"path","required":true,"schema":{}},{"name":"dryRun","in":"query","schema":{"type":"boolean"}}`)
	if r := build(t, tl, `{"p":"a?b=","dryRun":true}`, Target{}); r.URL != "https://o.example.test/f/a%3Fb=?dryRun=true" {
		t.Errorf("got %s", r.URL)
	}
}

func TestBuild_PathsAsPeopleWriteThem(t *testing.T) {
	for path, want := range map[string]string{"/x?action=list": "/x?action=list", "x/y": "/x/y", "/a b/é": "/a%20b/%C3%A9", "/x#other": "/x", "/{forgotten}/y": "/v/y", "/x/%41": "/x/%41"} {
		raw := `{}`
		if strings.Contains(path, "{") {
			raw = `{"forgotten":"v"}`
		}
		if r := build(t, one(t, path, ``), raw, Target{}); r.URL != "https://o.example.test"+want {
			t.Errorf("%s: %s", path, r.URL)
		}
	}
	if r := build(t, one(t, "/x", `{"name":"q","in":"query","schema":{}}`), `{"q":1}`, Target{Base: "https://b.example.test/p?key=1"}); r.URL != "https://b.example.test/p/x?key=1&q=1" {
		t.Errorf("a base with a query: %s", r.URL)
	}
	for _, bad := range []string{"ftp://x.example.test", "/relative", "https://", "https://u:p@x.example.test", "://"} {
		if _, err := one(t, "/x", ``).Build(nil, Target{Base: bad}); err == nil {
			t.Errorf("base %s was taken", bad)
		}
	}
}

func TestBuild_EveryKindOfBody(t *testing.T) {
	s := imported(t, `
openapi: 3.1.0
info: {title: bodies}
servers: [{url: https://b.example.test}]
paths:
  /json: {post: {operationId: sendJson, requestBody: {content: {application/vnd.x+json: {schema: {type: object, properties: {n: {type: integer, format: int64}}}}}}}}
  /any: {post: {operationId: sendAny, requestBody: {content: {'*/*': {schema: {}}}}}}
  /text: {post: {operationId: sendText, requestBody: {content: {text/csv: {schema: {type: string}}}}}}
  /xml: {post: {operationId: sendXml, requestBody: {content: {application/xml: {schema: {type: object}}}}}}
  /raw: {put: {operationId: sendRaw, requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}}
  /pic: {put: {operationId: sendPic, requestBody: {content: {image/*: {}}}}}
  /lines: {post: {operationId: sendLines, requestBody: {content: {application/x-ndjson: {schema: {type: array}}}}}}
  /form:
    post:
      operationId: sendForm
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {a: {type: array, items: {}}, o: {type: object}, d: {type: object}, c: {type: array, items: {}}, s: {type: string}, e: {type: array, items: {}}}}
            encoding: {d: {style: deepObject, explode: true}, c: {style: form, explode: false}, e: {style: deepObject, explode: true}}
  /two:
    post:
      operationId: sendTwo
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {a: {type: integer}}}}
          application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: integer}}}}
          text/plain: {schema: {type: string}}
  /files:
    post:
      operationId: sendFiles
      requestBody:
        content:
          multipart/form-data:
            schema:
              allOf:
                - {type: object, required: [pics], properties: {pics: {type: array, items: {type: string, format: binary}}}}
                - {$ref: '#/components/schemas/Extra'}
            encoding: {logo: {contentType: 'image/png, image/jpeg'}, meta: {contentType: application/xml}, list: {contentType: application/json}}
components:
  schemas:
    Extra: {type: object, properties: {logo: {contentMediaType: image/png}, meta: {type: string}, list: {type: array, items: {type: integer}}, raw: {contentMediaType: application/octet-stream}}}
`, Options{})
	for _, c := range []struct{ leaf, args, contentType, body string }{
		{"sendJson", `{"body":{"n":9223372036854775807,"h":"<&>"}}`, "application/vnd.x+json", `{"h":"<&>","n":9223372036854775807}`},
		{"sendJson", `{"input":{"n":1}}`, "application/vnd.x+json", `{"n":1}`},
		{"sendJson", `{}`, "", ``},
		{"sendAny", `{"body":[1.50,null,"é"]}`, "application/json", `[1.50,null,"é"]`},
		{"sendAny", `{"body":null}`, "application/json", `null`},
		{"sendText", `{"body":"a,b"}`, "text/csv; charset=utf-8", "a,b"},
		{"sendXml", `{"body":"<a/>"}`, "application/xml", "<a/>"},
		{"sendRaw", `{"body":{"data":"//4AgA"}}`, "application/octet-stream", "\xff\xfe\x00\x80"},
		{"sendPic", `{"body":{"data":"iVBORw0KGgo=","contentType":"image/png"}}`, "image/png", "\x89PNG\r\n\x1a\n"},
		{"sendLines", `{"body":[{"a":1},2]}`, "application/x-ndjson", "{\"a\":1}\n2\n"},
		{"sendForm", `{"body":{"a":[1,"b c"],"o":{"x":1},"d":{"x":{"y":2}},"c":["p","q"],"s":"é&","e":["one"]}}`, "application/x-www-form-urlencoded",
			"a=1&a=b%20c&c=p,q&d%5Bx%5D%5By%5D=2&e%5B%5D=one&o=%7B%22x%22%3A1%7D&s=%C3%A9%26"},
		{"sendForm", `{"body":{"a":[],"c":[]}}`, "application/x-www-form-urlencoded", ""},
		{"sendTwo", `{"body":{"a":1}}`, "application/json", `{"a":1}`},
		{"sendTwo", `{"body":{"a":1},"contentType":"application/x-www-form-urlencoded"}`, "application/x-www-form-urlencoded", `a=1`},
		{"sendTwo", `{"body":"t","contentType":"text/plain"}`, "text/plain; charset=utf-8", `t`},
	} {
		r := build(t, tool(t, s, c.leaf), c.args, Target{})
		if r.Header.Get("Content-Type") != c.contentType || string(r.Body) != c.body {
			t.Errorf("%s %s: %q %q", c.leaf, c.args, r.Header.Get("Content-Type"), r.Body)
		}
	}
	r := build(t, tool(t, s, "sendFiles"), `{"body":{"pics":[{"data":"YQ==","filename":"a.png"},{"data":"Yg==","filename":"../../b\"\r\n.jpg"}],"logo":{"data":"iVBORw0KGgo="},"meta":"<m/>","list":[1,2],"raw":{"data":""}}}`, Target{})
	for _, want := range []string{"filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\na\r\n", "filename=\"b%22%0D%0A.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nb\r\n",
		"name=\"logo\"; filename=\"logo.png\"\r\nContent-Type: image/png", "name=\"meta\"\r\nContent-Type: application/xml\r\n\r\n<m/>", "name=\"list\"\r\nContent-Type: application/json\r\n\r\n[1,2]\r\n",
		"name=\"raw\"; filename=\"raw\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n"} {
		if !strings.Contains(string(r.Body), want) {
			t.Errorf("parts lack %q:\n%s", want, r.Body)
		}
	}
	if _, err := tool(t, s, "sendRaw").Build(nil, Target{}); err == nil {
		t.Error("a required body must be given")
	}
	for _, bad := range []string{`{"body":{"data":"not base64!"}}`, `{"body":{"blob":"b"}}`, `{"body":{"data":"YQ==","contentType":"a/b\r\nX: y"}}`, `{"body":{}}`, `{"body":"YQ=="}`} {
		if _, err := tool(t, s, "sendRaw").Build(args(t, bad), Target{}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestBuild_ArgumentsOfGoProgramsAreTakenToo(t *testing.T) {
	s := imported(t, string(read(t, "OA-02.yaml")), Options{})
	r, err := tool(t, s, "findSlots").Build(map[string]any{"bays": []string{"b1"}, "floor": []int64{1 << 53}}, Target{})
	if err != nil || r.URL != "https://arrays.example.test/v1/find/b1?floor=9007199254740992" {
		t.Errorf("%v %v", r, err)
	}
	for _, bad := range []string{`[]`, `1`, `{"a":1} {"b":2}`, `{`} {
		if _, err := Arguments([]byte(bad)); err == nil {
			t.Errorf("%s are arguments", bad)
		}
	}
	if a, err := Arguments([]byte(` null `)); err != nil || a == nil {
		t.Errorf("null is no arguments: %v %v", a, err)
	}
}

func TestAuth_InfersHowToBeLetIn(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"applied to all":           {`"security":[{"k":[]}],"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"}}}`, "apiKey high"},
		"only defined":             {`"components":{"securitySchemes":{"b":{"type":"http","scheme":"basic"},"t":{"type":"http","scheme":"Bearer"}}}`, "bearer medium, basic medium"},
		"applied to an operation":  {`"x":0,"paths":{"/y":{"get":{"security":[{"o":["r"]},{}]}}},"components":{"securitySchemes":{"o":{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"/auth","tokenUrl":"https://id.example.test/t","scopes":{"r":"read"}}}}}}`, "oauth2 high, none medium, bearer low"},
		"two together":             {`"security":[{"a":[],"b":[]}],"components":{"securitySchemes":{"a":{"type":"apiKey","in":"header","name":"X-App"},"b":{"type":"apiKey","in":"cookie","name":"sid"}}}`, "apiKey high"},
		"nothing is asked for":     {`"security":[],"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"}}}`, "none high, apiKey medium"},
		"nothing is said":          {`"x":1`, "none low"},
		"a flow we do not do":      {`"security":[{"o":[]}],"components":{"securitySchemes":{"o":{"type":"oauth2","flows":{"implicit":{"authorizationUrl":"https://x.example.test","scopes":{}}}}}}`, "bearer medium, oauth2 high unsupported"},
		"a scheme we do not know":  {`"security":[{"d":[]}],"components":{"securitySchemes":{"d":{"type":"http","scheme":"digest"}}}`, "unknown high unsupported"},
		"a bearer dressed as key":  {`"security":[{"k":[]}],"components":{"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"Authorization","description":"Use Bearer <token>"}}}`, "bearer high"},
		"openid":                   {`"security":[{"k":[]}],"components":{"securitySchemes":{"k":{"type":"openIdConnect","openIdConnectUrl":"https://id.example.test/.well-known/openid-configuration"}}}`, "oauth2 high, bearer low"},
		"a reference that is gone": {`"security":[{"k":[]}]`, "unknown high unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := `{"openapi":"3.0.3","info":{"title":"a"},"servers":[{"url":"https://a.example.test/v1"}],` + c.doc
			if !strings.Contains(c.doc, `"paths"`) {
				doc += `,"paths":{"/x":{"get":{}}}`
			}
			s := imported(t, doc+"}", Options{})
			var got []string
			for _, m := range s.Auth {
				text := m.Kind + " " + m.Confidence
				if !m.Supported {
					text += " unsupported"
				}
				if m.Reason == "" || m.ID == "" {
					t.Errorf("no reason or id: %+v", m)
				}
				got = append(got, text)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, ", "), c.want)
			}
		})
	}
	s := imported(t, `{"swagger":"2.0","info":{"title":"a"},"host":"a.example.test","securityDefinitions":{"o":{"type":"oauth2","flow":"accessCode","authorizationUrl":"/auth","tokenUrl":"/t","scopes":{"r":"read"}}},"security":[{"o":["r"]}],
		"paths":{"/x":{"get":{}}}}`, Options{})
	if o := s.Auth[0].OAuth; o == nil || o.AuthorizationURL != "https://a.example.test/auth" || o.Scopes["r"] != "read" {
		t.Errorf("2.0 flow: %+v", s.Auth[0])
	}
}

func TestAuth_CredentialsAreNeverArguments(t *testing.T) {
	s := imported(t, `{"openapi":"3.0.3","info":{"title":"a"},"servers":[{"url":"https://a.example.test"}],"components":{"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"}}},
		"paths":{"/x":{"get":{"operationId":"getIt","parameters":[{"name":"x-key","in":"header","required":true,"schema":{"type":"string"}},{"name":"Authorization","in":"header","schema":{}},{"name":"api_key","in":"query","schema":{}}]}}}}`, Options{})
	if got := fmt.Sprint(tool(t, s, "getIt").accepted()); got != "[api_key]" {
		t.Errorf("accepted %s: a scheme is described, so other names are ordinary", got)
	}
	s = imported(t, `{"openapi":"3.0.3","info":{"title":"a"},"servers":[{"url":"https://a.example.test"}],
		"paths":{"/x":{"get":{"operationId":"getIt","parameters":[{"name":"X-API-Key","in":"header","schema":{}},{"name":"pageToken","in":"query","schema":{}}]}}}}`, Options{})
	if got := fmt.Sprint(tool(t, s, "getIt").accepted()); got != "[pageToken]" || s.Auth[0].Kind != "apiKey" || s.Auth[0].Confidence != low {
		t.Errorf("accepted %s, auth %+v", got, s.Auth)
	}
}

func TestAuth_ApplyPutsValuesWhereTheyBelong(t *testing.T) {
	doc := `{"openapi":"3.0.3","info":{"title":"a"},"servers":[{"url":"https://a.example.test"}],"paths":{"/x":{"get":{"operationId":"getIt","parameters":[{"name":"q","in":"query","schema":{}},{"name":"c","in":"cookie","schema":{}}]}}},
		"security":[{"S":[]}],"components":{"securitySchemes":{"S":%s}}}`
	for scheme, c := range map[string]struct {
		values map[string]string
		want   string
	}{
		`{"type":"http","scheme":"basic"}`:               {map[string]string{"username": "ü", "password": "p:w"}, "https://a.example.test/x?q=1|Basic w7w6cDp3|c=2"},
		`{"type":"http","scheme":"bearer"}`:              {map[string]string{"token": "Bearer t"}, "https://a.example.test/x?q=1|Bearer t|c=2"},
		`{"type":"apiKey","in":"query","name":"k y"}`:    {map[string]string{"key": "a&b"}, "https://a.example.test/x?q=1&k%20y=a%26b||c=2"},
		`{"type":"apiKey","in":"cookie","name":"sid"}`:   {map[string]string{"key": "v"}, "https://a.example.test/x?q=1||c=2; sid=v"},
		`{"type":"apiKey","in":"header","name":"X-Key"}`: {map[string]string{"key": "v"}, "https://a.example.test/x?q=1||c=2"},
	} {
		s := imported(t, fmt.Sprintf(doc, scheme), Options{})
		r := build(t, tool(t, s, "getIt"), `{"q":1,"c":2}`, Target{})
		if err := s.Auth[0].Apply(r, c.values); err != nil {
			t.Fatal(err)
		}
		if got := r.URL + "|" + r.Header.Get("Authorization") + "|" + r.Header.Get("Cookie"); got != c.want {
			t.Errorf("%s: %s", scheme, got)
		}
		if strings.Contains(scheme, "X-Key") && r.Header.Get("X-Key") != "v" {
			t.Errorf("header key: %v", r.Header)
		}
		err := s.Auth[0].Apply(r, nil)
		if f, ok := err.(*Failure); !ok || f.Code != CodeValueMissing {
			t.Errorf("%s without values: %v", scheme, err)
		}
	}
}

func TestProbes_TryTheAddressThenThePlacesBelowThenTheOrigin(t *testing.T) {
	got := Probes("https://user:pw@api.example.test/v1/openapi.yaml?x=1#y")
	if got[0] != "https://api.example.test/v1/openapi.yaml?x=1" || got[1] != "https://api.example.test/v1/openapi.json" || len(got) > maxProbes {
		t.Errorf("got %v", got)
	}
	all := strings.Join(got, " ")
	for _, want := range []string{"https://api.example.test/openapi.json", "https://api.example.test/swagger/v1/swagger.json", "https://api.example.test/v1/v3/api-docs"} {
		if !strings.Contains(all+" ", want+" ") {
			t.Errorf("%s is not tried", want)
		}
	}
	for _, bad := range []string{"", "ftp://x", "file:///etc/passwd", "/x", "https://"} {
		if p := Probes(bad); p != nil {
			t.Errorf("%q: %v", bad, p)
		}
	}
	raw, _ := json.Marshal(Probes("https://api.example.test"))
	if strings.Contains(string(raw), "test//") {
		t.Errorf("doubled slash: %s", raw)
	}
}
