package catalog

import (
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// shop is a small catalog of tools that are easily confused.
func shop(t testing.TB) *Index {
	t.Helper()
	s := imported(t, `
openapi: 3.0.3
info: {title: Shop}
paths:
  /invoices: {get: {tags: [invoices], operationId: listInvoices, summary: List invoices, description: All invoices of a customer., parameters: [{name: customerId, in: query, schema: {type: string}}]}, post: {tags: [invoices], operationId: createInvoice, summary: Create an invoice}}
  /invoices/{id}: {get: {tags: [invoices], operationId: getInvoice, summary: Get one invoice}, delete: {tags: [invoices], operationId: deleteInvoice, summary: Void an invoice}}
  /customers: {get: {tags: [customers], operationId: listCustomers, summary: List customers}, post: {tags: [customers], operationId: createCustomer, requestBody: {content: {application/json: {schema: {properties: {email: {}, vatNumber: {}}}}}}}}
  /messages: {post: {tags: [messages], operationId: sendMessage, summary: Send a text message to a phone}}
  /repos/{r}/issues: {post: {tags: [issues], operationId: createIssue, summary: Open an issue in a repository}, get: {tags: [issues], operationId: listRepoIssues, summary: Issues of a repository}}
  /addresses: {get: {tags: [addresses], operationId: listAddresses, summary: Addresses}}
`, Options{})
	return NewIndex(s.Entries(""))
}

func TestSearch_FindsWhatIsMeant(t *testing.T) {
	x := shop(t)
	for text, want := range map[string]string{
		"list invoices":                          "shop.invoices.listInvoices",
		"how do I create an invoice for a user?": "shop.invoices.createInvoice",
		"please can you make an invoice":         "shop.invoices.createInvoice",
		"invoce create":                          "shop.invoices.createInvoice", // a letter is missing
		"creating invioces":                      "shop.invoices.createInvoice", // swapped, and other endings
		"lsit custmers":                          "shop.customers.listCustomers",
		"vat number":                             "shop.customers.createCustomer", // a field of a body
		"customerId":                             "shop.invoices.listInvoices",    // a parameter
		"send sms text to my phone":              "shop.messages.sendMessage",
		"open issue":                             "shop.issues.createIssue",
		"address":                                "shop.addresses.listAddresses",
		"getInvoice":                             "shop.invoices.getInvoice",
		"shop.invoices.deleteInvoice":            "shop.invoices.deleteInvoice",
		"remove invoice":                         "shop.invoices.deleteInvoice",
		"cust":                                   "shop.customers.listCustomers", // a beginning
		"list all of the issues in the repository": "shop.issues.listRepoIssues",
	} {
		p := x.Search(Query{Text: text})
		if len(p.Items) == 0 || p.Items[0].Path != want {
			t.Errorf("%q: %+v, want %s", text, p.Items, want)
		}
	}
	if p := x.Search(Query{Text: "zeppelin"}); p.Total != 0 {
		t.Errorf("nothing is like a zeppelin: %+v", p)
	}
	if p := x.Search(Query{}); p.Total != 0 || p.Items == nil {
		t.Errorf("an empty query alone gives nothing, as an empty list: %+v", p)
	}
}

func TestSearch_PagesAndNamespacesAreExact(t *testing.T) {
	x := shop(t)
	all := x.Search(Query{Namespace: "shop"})
	if all.Total != 10 || len(all.Items) != 10 || all.HasMore {
		t.Errorf("a namespace lists all of it: %d", all.Total)
	}
	if p := x.Search(Query{Namespace: "sho"}); p.Total != 0 {
		t.Errorf("half a namespace is none: %+v", p)
	}
	if p := x.Search(Query{Namespace: "shop.invoices", Text: "list"}); p.Total != 1 {
		t.Errorf("within a group: %+v", p)
	}
	var walked []string
	for at, more := 0, true; more; {
		p := x.Search(Query{Namespace: "tools.shop", Limit: 3, Offset: at})
		for _, h := range p.Items {
			walked = append(walked, h.Path)
		}
		at, more = p.NextOffset, p.HasMore
	}
	if len(walked) != 10 || !sort.StringsAreSorted(walked) {
		t.Errorf("pages: %v", walked)
	}
	if p := x.Search(Query{Text: "list", Offset: 99}); len(p.Items) != 0 || p.HasMore {
		t.Errorf("beyond the end: %+v", p)
	}
}

func TestSuggest_NamesUpToFiveToolsForAnUnknownPath(t *testing.T) {
	x := shop(t)
	if got := x.Suggest("shop.invoices.listInvoice"); len(got) == 0 || len(got) > 5 || got[0] != "shop.invoices.listInvoices" {
		t.Errorf("got %v", got)
	}
	if got := x.Suggest("tools.shop.customers.create"); len(got) == 0 || got[0] != "shop.customers.createCustomer" {
		t.Errorf("got %v", got)
	}
	if f := x.NotFound("shop.invoices.getInvoise"); f.Code != CodeNotFound || !strings.Contains(f.Message, "shop.invoices.getInvoice") {
		t.Errorf("got %v", f)
	}
	if e, ok := x.Find("tools.SHOP.invoices.getinvoice"); !ok || e.Address != "shop.invoices.getInvoice" {
		t.Errorf("found %v %v", e, ok)
	}
	if e, ok := x.Find("shop_invoices_getInvoice"); !ok || e.Address != "shop.invoices.getInvoice" {
		t.Errorf("by name %v %v", e, ok)
	}
}

func TestDescribe_TypesAreWhatACallerNeeds(t *testing.T) {
	s := imported(t, `
openapi: 3.0.3
info: {title: Types}
servers: [{url: https://t.example.test}]
paths:
  /x/{id}:
    post:
      operationId: change
      parameters: [{name: id, in: path, required: true, schema: {type: integer}, description: "Which */ one"}, {name: a-b, in: query, schema: {type: array, items: {type: string, enum: [x, y]}}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Change'}}}}
      responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Node'}}}}}}
components:
  schemas:
    Change: {type: object, required: [to], properties: {to: {type: string, nullable: true}, m: {type: object, additionalProperties: {type: number}}, bare: {type: object}, any: {}, one: {oneOf: [{type: string}, {$ref: '#/components/schemas/Node'}]}}}
    Node: {type: object, properties: {kids: {type: array, items: {$ref: '#/components/schemas/Node'}}}}
    Unused: {type: object}
`, Options{})
	d := tool(t, s, "change").Describe(true)
	want := `type Change = { to: string | null; m?: Record<string, number>; bare?: Record<string, unknown>; any?: unknown; one?: string | Node; };
type Node = { kids?: Node[]; };
type Input = { /** Which * / one */ id: number; "a-b"?: ("x" | "y")[]; body: Change; };
type Output = { ok: true; data: Node[]; http?: { status: number; headers?: Record<string, string>; truncated?: boolean } } | { ok: false; error: { code: string; message: string; status?: number; details?: unknown; retryable?: boolean } };
`
	if got := d.TypeScript(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d.Path != "types.x.change" || strings.Contains(string(d.InputSchema), "Unused") || !strings.Contains(string(d.InputSchema), `"$defs":{"Change":`) || d.OutputSchema == nil {
		t.Errorf("description %+v", d)
	}
}

// tenThousand is a catalog as wide as ten large APIs.
func tenThousand() []Entry {
	verbs := []string{"list", "get", "create", "update", "delete", "search", "archive", "restore", "export", "import"}
	var out []Entry
	for i := 0; len(out) < 10_000; i++ {
		a, b, v := nouns[i%len(nouns)], nouns[(i/len(nouns))%len(nouns)], verbs[i%len(verbs)]
		out = append(out, Entry{
			Address: fmt.Sprintf("api%d.%s.%s%s%s%d", i%10, a, v, upperFirst(a), upperFirst(b), i), Name: fmt.Sprintf("t%d", i), Title: v + " the " + b + " of a " + a,
			Description: fmt.Sprintf("%s the %s that belongs to the %s with that number%d. Needs the right to %s and answers with a page.", v, b, a, i%977, v), Terms: []string{"id", a + "Id", b + "Name", "limit", "cursor"},
		})
	}
	return out
}

var queries = []string{"list invoices of a customer", "create payment", "refund", "delete the label of the project", "serach shipmnt", "calender meeting", "how do I archive a document", "api3.ticket", "warehouse export number12", "subscriptoin updat"}

func TestSearch_TenThousandToolsTakeMilliseconds(t *testing.T) {
	var before, after runtime.MemStats
	entries := tenThousand()
	runtime.GC()
	runtime.GC() // what the first one only marked
	runtime.ReadMemStats(&before)
	x := NewIndex(entries)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	var took []time.Duration
	for range 20 {
		for _, q := range queries {
			start := time.Now()
			if p := x.Search(Query{Text: q}); p.Total == 0 {
				t.Errorf("%q finds nothing", q)
			}
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	heap := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("p50 %v, p95 %v, index %d KB", took[len(took)/2], took[len(took)*95/100], heap>>10)
	if p50 := took[len(took)/2]; p50 > 5*time.Millisecond {
		t.Errorf("p50 is %v", p50)
	}
	if heap > 16<<20 {
		t.Errorf("the index takes %d MB", heap>>20)
	}
	runtime.KeepAlive(x)
}

func BenchmarkSearch10k(b *testing.B) {
	x := NewIndex(tenThousand())
	b.ReportAllocs()
	start := cpu()
	defer func() { b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op") }()
	for i := 0; b.Loop(); i++ {
		x.Search(Query{Text: queries[i%len(queries)]})
	}
}

func BenchmarkIndex10k(b *testing.B) {
	entries := tenThousand()
	for b.Loop() {
		NewIndex(entries)
	}
}
