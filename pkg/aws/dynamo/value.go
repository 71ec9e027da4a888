package dynamo

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/proagentstore/pags/pkg/port"
)

func primary(k port.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{port.AttrPK: text(k.PK), port.AttrSK: text(k.SK)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// toAttribute turns a value that port.Value made into DynamoDB's form; numbers go as their digits.
func toAttribute(v any) types.AttributeValue {
	switch x := v.(type) {
	case string:
		return text(x)
	case json.Number:
		return &types.AttributeValueMemberN{Value: string(x)}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: x}
	case []byte:
		return &types.AttributeValueMemberB{Value: x}
	case []any:
		list := make([]types.AttributeValue, len(x))
		for i := range x {
			list[i] = toAttribute(x[i])
		}
		return &types.AttributeValueMemberL{Value: list}
	case map[string]any:
		return &types.AttributeValueMemberM{Value: toAttributes(x)}
	default:
		return &types.AttributeValueMemberNULL{Value: true}
	}
}

func toAttributes(it map[string]any) map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, len(it))
	for k, v := range it {
		m[k] = toAttribute(v)
	}
	return m
}

func fromAttribute(v types.AttributeValue) (any, error) {
	switch x := v.(type) {
	case *types.AttributeValueMemberS:
		return x.Value, nil
	case *types.AttributeValueMemberN:
		return port.Number(json.Number(x.Value))
	case *types.AttributeValueMemberBOOL:
		return x.Value, nil
	case *types.AttributeValueMemberNULL:
		return nil, nil
	case *types.AttributeValueMemberB:
		return append([]byte{}, x.Value...), nil
	case *types.AttributeValueMemberL:
		list := make([]any, len(x.Value))
		for i := range x.Value {
			e, err := fromAttribute(x.Value[i])
			if err != nil {
				return nil, err
			}
			list[i] = e
		}
		return list, nil
	case *types.AttributeValueMemberM:
		m, err := fromAttributes(x.Value)
		return map[string]any(m), err
	default:
		return nil, fmt.Errorf("an attribute of kind %T is not one this table keeps", v)
	}
}

// fromAttributes reads an item; nil for none.
func fromAttributes(raw map[string]types.AttributeValue) (port.Item, error) {
	if raw == nil {
		return nil, nil
	}
	it := make(port.Item, len(raw))
	for k, v := range raw {
		e, err := fromAttribute(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", k, err)
		}
		it[k] = e
	}
	return it, nil
}

func expired(it port.Item, now int64) bool {
	n, ok := it[port.AttrExpires].(json.Number)
	if !ok {
		return false
	}
	at, err := n.Int64()
	return err == nil && at <= now
}
