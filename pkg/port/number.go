package port

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/proagentstore/pags/pkg/pags"
)

// DynamoDB's numbers (service quotas): 38 significant digits, magnitudes 1E-130 to 9.99E+125.
const (
	maxDigits   = 38
	minExponent = -130
	maxExponent = 125
)

// decimal is ±digits × 10^exp. digits has no zero at either end; zero is "".
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// Number returns n written in the one way the table keeps it, with the same value to the last digit, or pags.Invalid for
// what is no number or has more digits or magnitude than the table keeps.
func Number(n json.Number) (json.Number, error) {
	d, ok := parseDecimal(string(n))
	if !ok {
		return "", pags.Errorf(pags.Invalid, "%.60q is not a number", string(n))
	}
	if d.digits == "" {
		return "0", nil
	}
	if top := len(d.digits) + d.exp - 1; len(d.digits) > maxDigits || top < minExponent || top > maxExponent {
		return "", pags.Errorf(pags.Invalid, "the number %.60s is outside what the table keeps (38 digits, 1E-130 to 9.99E+125)", n)
	}
	return json.Number(d.String()), nil
}

// CompareNumbers orders two numbers by value; both must be ones Number accepts.
func CompareNumbers(a, b json.Number) int {
	x, _ := parseDecimal(string(a))
	y, _ := parseDecimal(string(b))
	i, j, _ := align(x, y)
	return i.Cmp(j)
}

// AddNumber returns a + n to the last digit, or pags.Invalid if the sum is outside what the table keeps.
func AddNumber(a json.Number, n int64) (json.Number, error) {
	x, ok := parseDecimal(string(a))
	if !ok {
		return "", pags.Errorf(pags.Invalid, "%.60q is not a number", string(a))
	}
	y, _ := parseDecimal(strconv.FormatInt(n, 10))
	i, j, exp := align(x, y)
	return Number(json.Number(i.Add(i, j).String() + "E" + strconv.Itoa(exp)))
}

// significant counts digits without zeros at the ends, as the item size does.
func significant(n json.Number) int {
	d, _ := parseDecimal(string(n))
	return len(d.digits)
}

func parseDecimal(s string) (decimal, bool) {
	var d decimal
	if strings.HasPrefix(s, "-") {
		d.neg, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > 1000 || e < -1000 {
			return decimal{}, false
		}
		d.exp, s = e, s[:i]
	}
	whole, frac, dotted := strings.Cut(s, ".")
	if whole == "" || dotted && frac == "" {
		return decimal{}, false
	}
	d.digits = whole + frac
	d.exp -= len(frac)
	for i := 0; i < len(d.digits); i++ {
		if d.digits[i] < '0' || d.digits[i] > '9' {
			return decimal{}, false
		}
	}
	d.digits = strings.TrimLeft(d.digits, "0")
	short := strings.TrimRight(d.digits, "0")
	d.exp += len(d.digits) - len(short)
	d.digits = short
	if short == "" {
		return decimal{}, true
	}
	return d, true
}

// String writes plainly where that is short, so that whole numbers decode into integers, and with an exponent otherwise.
func (d decimal) String() string {
	sign := ""
	if d.neg {
		sign = "-"
	}
	n := len(d.digits)
	switch {
	case d.exp >= 0 && n+d.exp <= maxDigits:
		return sign + d.digits + strings.Repeat("0", d.exp)
	case d.exp < 0 && n+d.exp > 0:
		return sign + d.digits[:n+d.exp] + "." + d.digits[n+d.exp:]
	case d.exp < 0 && n+d.exp > -20:
		return sign + "0." + strings.Repeat("0", -(n+d.exp)) + d.digits
	case n == 1:
		return sign + d.digits + "E" + strconv.Itoa(d.exp)
	default:
		return sign + d.digits[:1] + "." + d.digits[1:] + "E" + strconv.Itoa(n+d.exp-1)
	}
}

// align writes both with the smaller exponent.
func align(x, y decimal) (i, j *big.Int, exp int) {
	exp = min(x.exp, y.exp)
	return x.scaled(exp), y.scaled(exp), exp
}

func (d decimal) scaled(exp int) *big.Int {
	i := new(big.Int)
	if d.digits == "" {
		return i
	}
	i.SetString(d.digits+strings.Repeat("0", d.exp-exp), 10)
	if d.neg {
		i.Neg(i)
	}
	return i
}
