package asl

import (
	"strings"
	"testing"
)

func TestChoice_EveryComparison(t *testing.T) {
	const in = `{"s":"b","s2":"c","n":10,"n2":10.0,"big":9007199254740993,"big2":9007199254740992,"b":true,"f":false,
		"at":"2026-01-01T00:00:00Z","at2":"2026-01-01T01:00:00+01:00","later":"2026-01-01T00:00:00.001Z","nil":null,"o":{},"star":"a*b\\c"}`
	yes := []string{
		`"Variable":"$.s","StringEquals":"b"`, `"Variable":"$.s","StringEqualsPath":"$.s"`,
		`"Variable":"$.s","StringLessThan":"c"`, `"Variable":"$.s","StringLessThanPath":"$.s2"`,
		`"Variable":"$.s","StringLessThanEquals":"b"`, `"Variable":"$.s","StringLessThanEqualsPath":"$.s"`,
		`"Variable":"$.s","StringGreaterThan":"B"`, `"Variable":"$.s2","StringGreaterThanPath":"$.s"`,
		`"Variable":"$.s","StringGreaterThanEquals":"b"`, `"Variable":"$.s2","StringGreaterThanEqualsPath":"$.s"`,
		`"Variable":"$.star","StringMatches":"a\\**"`, `"Variable":"$.star","StringMatches":"*\\\\c"`, `"Variable":"$.s","StringMatches":"*b*"`,
		`"Variable":"$.n","NumericEquals":1e1`, `"Variable":"$.n","NumericEqualsPath":"$.n2"`,
		`"Variable":"$.n","NumericLessThan":10.5`, `"Variable":"$.big2","NumericLessThanPath":"$.big"`,
		`"Variable":"$.n","NumericLessThanEquals":10`, `"Variable":"$.n","NumericLessThanEqualsPath":"$.n2"`,
		`"Variable":"$.n","NumericGreaterThan":-1`, `"Variable":"$.big","NumericGreaterThanPath":"$.big2"`,
		`"Variable":"$.n","NumericGreaterThanEquals":10`, `"Variable":"$.n","NumericGreaterThanEqualsPath":"$.n2"`,
		`"Variable":"$.b","BooleanEquals":true`, `"Variable":"$.b","BooleanEqualsPath":"$.b"`,
		`"Variable":"$.at","TimestampEquals":"2026-01-01T00:00:00Z"`, `"Variable":"$.at","TimestampEqualsPath":"$.at2"`,
		`"Variable":"$.at","TimestampLessThan":"2026-01-01T00:00:00.5Z"`, `"Variable":"$.at","TimestampLessThanPath":"$.later"`,
		`"Variable":"$.at","TimestampLessThanEquals":"2026-01-01T00:00:00Z"`, `"Variable":"$.at","TimestampLessThanEqualsPath":"$.at2"`,
		`"Variable":"$.at","TimestampGreaterThan":"2025-01-01T00:00:00Z"`, `"Variable":"$.later","TimestampGreaterThanPath":"$.at"`,
		`"Variable":"$.at","TimestampGreaterThanEquals":"2026-01-01T00:00:00Z"`, `"Variable":"$.at","TimestampGreaterThanEqualsPath":"$.at2"`,
		`"Variable":"$.nil","IsNull":true`, `"Variable":"$.s","IsNull":false`, `"Variable":"$.nil","IsPresent":true`,
		`"Variable":"$.none","IsPresent":false`, `"Variable":"$.s","IsString":true`, `"Variable":"$.n","IsString":false`,
		`"Variable":"$.n","IsNumeric":true`, `"Variable":"$.s","IsNumeric":false`, `"Variable":"$.f","IsBoolean":true`,
		`"Variable":"$.at","IsTimestamp":true`, `"Variable":"$.s","IsTimestamp":false`,
		`"Variable":"$$.State.Name","StringEquals":"S"`, `"Variable":"$.s","StringEqualsPath":"$$.Execution.Input.s"`,
		`"And":[{"Variable":"$.none","IsPresent":false},{"Variable":"$.b","BooleanEquals":true}]`,
		`"Or":[{"Variable":"$.s","IsNull":true},{"Variable":"$.b","BooleanEquals":true},{"Variable":"$.none","IsNull":true}]`,
		`"Not":{"And":[{"Variable":"$.none","IsPresent":true},{"Variable":"$.none","IsNull":true}]}`,
	}
	no := []string{
		`"Variable":"$.n","StringEquals":"10"`, `"Variable":"$.s","NumericEquals":0`, `"Variable":"$.s","NumericLessThan":5`,
		`"Variable":"$.big","NumericEqualsPath":"$.big2"`, `"Variable":"$.s","BooleanEqualsPath":"$.s"`,
		`"Variable":"$.s","TimestampLessThan":"2026-01-01T00:00:00Z"`, `"Variable":"$.star","StringMatches":"a\\*"`,
		`"Variable":"$.s","StringMatches":""`, `"Variable":"$.nil","IsString":true`, `"Variable":"$.o","IsNumeric":true`,
		`"Variable":"$.b","BooleanEquals":false`, `"Variable":"$.n","StringMatches":"*"`,
	}
	for want, rules := range map[bool][]string{true: yes, false: no} {
		for _, r := range rules {
			t.Run(r, func(t *testing.T) {
				d := parsed(t, `{"StartAt":"S","States":{"S":{"Type":"Choice","Choices":[{`+r+`,"Next":"T"}],"Default":"F"},"T":{"Type":"Succeed"},"F":{"Type":"Fail"}}}`)
				p := pure(d, in)
				drive(t, p)
				if got := p.head.Status == Succeeded; got != want || strings.HasPrefix(p.head.Error, "States.") {
					t.Errorf("holds: %v, want %v (%s)", got, want, p.head.Cause)
				}
			})
		}
	}
}

func TestChoice_KnowsEveryOperatorOfTheLanguage(t *testing.T) {
	if n := len(comparisons); n != 38 { // 39 of the language without IsPresent
		t.Errorf("%d operators", n)
	}
}

func TestWildcard_IsNotSlowOnHostilePatterns(t *testing.T) {
	if wildcard(strings.Repeat("*a", 200)+"b", strings.Repeat("a", 4000)) {
		t.Error("matched")
	}
}

func TestIntrinsics_EdgesAndRefusals(t *testing.T) {
	cases := []struct{ name, call, want string }{
		{"format shows values as AWS does", `States.Format('{} {} {} {}', $.l, $.o, null, 1.50)`, `"[1, x] {k=[true]} null 1.50"`},
		{"format with too few arguments", `States.Format('{} {}', 1)`, "more {}"},
		{"format with too many", `States.Format('{}', 1, 2)`, "more arguments"},
		{"format with a lonely brace", `States.Format('{', 1)`, "brace"},
		{"backslash and quote in a text", `States.Array('a\\b', 'it\'s', 'x\{')`, `["a\\b","it's","x{"]`},
		{"commas and parentheses inside a text and a path", `States.Array('a,b)', $['p,(q'])`, `["a,b)",7]`},
		{"functions inside functions", `States.MathAdd(States.ArrayLength($.l), States.MathAdd(1, 1))`, `4`},
		{"numbers are rounded", `States.MathAdd(1.5, 1.4)`, `3`},
		{"numbers out of range", `States.MathAdd(2147483647, 1)`, "outside"},
		{"a range backwards", `States.ArrayRange(5, 1, -2)`, `[5,3,1]`},
		{"a range that is too long", `States.ArrayRange(0, 1001, 1)`, "more than 1000"},
		{"a range without a step", `States.ArrayRange(0, 1, 0)`, "must not be 0"},
		{"an index outside", `States.ArrayGetItem($.l, 2)`, "not in a list"},
		{"equality by value", `States.ArrayContains(States.Array(1.0), 1)`, `true`},
		{"partition by nothing", `States.ArrayPartition($.l, 0)`, "positive"},
		{"what is no list", `States.ArrayLength($.o)`, "a list is expected"},
		{"merge of what is no object", `States.JsonMerge($.l, $.o, false)`, "two objects"},
		{"deep merge", `States.JsonMerge($.o, $.o, true)`, "shallow"},
		{"base64 that is none", `States.Base64Decode('%%%')`, "not Base64"},
		{"an unknown hash", `States.Hash('a', 'CRC')`, "not known"},
		{"hashes", `States.Hash('', 'MD5')`, `"d41d8cd98f00b204e9800998ecf8427e"`},
		{"an empty text is null", `States.StringToJson('  ')`, `null`},
		{"a text that is no JSON", `States.StringToJson('{')`, "failed"},
		{"a seed repeats", `States.MathRandom(1, 2, 5)`, `1`},
		{"an empty span", `States.MathRandom(2, 2)`, "above"},
		{"no empty parts", `States.StringSplit('a,,b;', ',;')`, `["a","b"]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			expr, err := parseIntrinsic(c.call)
			if err != nil {
				t.Fatal(err)
			}
			in, _ := decode([]byte(`{"l":[1,"x"],"o":{"k":[true]},"p,(q":7}`))
			v, fail := expr.eval(&scope{input: in, rand: func() float64 { return 0 }}, "f.$")
			if fail != nil {
				if fail.Error != ErrIntrinsic || !strings.Contains(fail.Cause, c.want) {
					t.Errorf("failed with %s, want %q", fail.Cause, c.want)
				}
				return
			}
			if got := string(encode(v)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestIntrinsics_UUIDsDiffer(t *testing.T) {
	a, _ := uuid(nil, nil)
	b, _ := uuid(nil, nil)
	if a == b || len(a.(string)) != 36 || a.(string)[14] != '4' {
		t.Errorf("%v %v", a, b)
	}
}
