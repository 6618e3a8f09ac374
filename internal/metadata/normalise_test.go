package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

func TestNormalise_TextFields(t *testing.T) {
	for _, test := range []struct {
		situation, raw string
		want           nft.Metadata
	}{
		{"every field", `{"name":"n","description":"d","image":"i","external_url":"e","image_data":"<svg/>","background_color":"0a0B0c","youtube_url":"y","animation_url":"a"}`,
			nft.Metadata{Name: new("n"), Description: new("d"), Image: new("i"), ExternalURL: new("e"), ImageData: new("<svg/>"), BackgroundColor: new("0a0B0c"), YoutubeURL: new("y"), AnimationURL: new("a")}},
		{"a member of EIP-1155 that is not read", `{"decimals":18}`, nft.Metadata{}},
		{"another", `{"error":"none","localization":{}}`, nft.Metadata{}},
		{"null and empty", `{"name":null,"image":"","background_color":"#"}`, nft.Metadata{}},
		{"white space is text", `{"name":" "}`, nft.Metadata{Name: new(" ")}},
		{"number", `{"name":9007199254740993,"description":2.30,"image":-0,"youtube_url":1E+21}`,
			nft.Metadata{Name: new("9007199254740993"), Description: new("2.30"), Image: new("-0"), YoutubeURL: new("1E+21")}},
		{"boolean", `{"name":true,"image":false}`, nft.Metadata{Name: new("true"), Image: new("false")}},
		{"object and array", `{"name":{ "b" : 1.0 , "a" : [ ] },"description":[ 1e400, "\u003c" ]}`,
			nft.Metadata{Name: new(`{"b":1.0,"a":[]}`), Description: new(`[1e400,"\u003c"]`)}},
		{"other spellings", `{"title":"t","image_url":"u","external_link":"l"}`,
			nft.Metadata{Name: new("t"), Image: new("u"), ExternalURL: new("l")}},
		{"rarer spellings", `{"imageUrl":"i","external_uri":"e","animation":"a"}`,
			nft.Metadata{Image: new("i"), ExternalURL: new("e"), AnimationURL: new("a")}},
		{"rarer spellings come last", `{"imageUrl":"no","external_uri":"no","animation":"no","image_url":"i","external_link":"e","animation_url":"a"}`,
			nft.Metadata{Image: new("i"), ExternalURL: new("e"), AnimationURL: new("a")}},
		{"rarer spellings after empty ones", `{"image":"","image_url":null,"imageUrl":"i","external_url":"","external_uri":"e","animation_url":"","animation":"a"}`,
			nft.Metadata{Image: new("i"), ExternalURL: new("e"), AnimationURL: new("a")}},
		{"JSON Schema as a document", `{"title":"Asset Metadata","type":"object","properties":{"name":{"type":"string","description":"n"},"image":{"description":"i","type":"string"},"description":{"type":"string","description":""}}}`,
			nft.Metadata{Name: new("n"), Image: new("i")}},
		{"JSON Schema with members", `{"title":"no","image_url":"i","description":"","properties":{"description":{"type":"string","description":"d"},"image":{"type":"string","description":"no"},"level":{"type":"number","description":"no"}}}`,
			nft.Metadata{Description: new("d"), Image: new("i")}},
		{"properties of EIP-1155", `{"title":"t","properties":{"name":{"name":"no","type":"string","description":"no","value":"no"},"image":"no","description":{"description":"no"}}}`,
			nft.Metadata{Name: new("t")}},
		{"properties of another kind", `{"title":"t","properties":[{"name":{}}]}`, nft.Metadata{Name: new("t")}},
		{"both spellings", `{"title":"no","image_url":"no","external_link":"no","name":"n","image":"i","external_url":"e"}`,
			nft.Metadata{Name: new("n"), Image: new("i"), ExternalURL: new("e")}},
		{"first spelling empty", `{"image":"","image_url":"u","name":null,"title":"t"}`,
			nft.Metadata{Name: new("t"), Image: new("u")}},
		{"letter case", `{"Name":"no","IMAGE":"no","name":null}`, nft.Metadata{}},
		{"equal names", `{"name":"first","n\u0061me":"last"}`, nft.Metadata{Name: new("last")}},
		{"colour with number sign", `{"background_color":"#A1b2c3"}`, nft.Metadata{BackgroundColor: new("A1b2c3")}},
		{"number sign elsewhere", `{"image":"#a","name":"#1"}`, nft.Metadata{Name: new("#1"), Image: new("#a")}},
		{"hostile text", `{"name":"<script>&\u2028","image":"javascript:alert(1)"}`,
			nft.Metadata{Name: new("<script>&\u2028"), Image: new("javascript:alert(1)")}},
		{"escapes", `{"name":"q\"\\\/\b\f\n\r\t \u00e9 \ud83d\ude80"}`, nft.Metadata{Name: new("q\"\\/\b\f\n\r\t é 🚀")}},
		{"U+0000", `{"name":"a\u0000b"}`, nft.Metadata{Name: new("a\uFFFDb")}},
		{"lone surrogate", `{"name":"a\ud800b"}`, nft.Metadata{Name: new("a\uFFFDb")}},
		{"invalid UTF-8", "{\"name\":\"a\xffb\"}", nft.Metadata{Name: new("a\uFFFDb")}},
		{"byte order mark and white space", "\uFEFF \t\r\n{\"name\":\"n\"}\n ", nft.Metadata{Name: new("n")}},
		{"byte order marks around", "\n\uFEFF\t\uFEFF{\"name\":\"\uFEFFn\"}\uFEFF \uFEFF", nft.Metadata{Name: new("\uFEFFn")}},
		{"UTF-16", "\xFE\xFF\x00{\x00\"\x00n\x00a\x00m\x00e\x00\"\x00:\x00\"\x26\x3a\x00\"\x00}", nft.Metadata{Name: new("☺")}},
		{"id placeholder of an ERC-721", `{"name":"{id}"}`, nft.Metadata{Name: new("{id}")}},
	} {
		t.Run(test.situation, func(t *testing.T) {
			test.want.Attributes = []nft.Attribute{}
			got, err := metadata.Normalise(test.raw, nft.ERC721, evm.Uint256{})
			expect.NoError(t, err)
			expect.Equal(t, "result", test.want, got)
		})
	}
}

func TestNormalise_Attributes(t *testing.T) {
	for _, test := range []struct {
		situation, raw string
		want           []nft.Attribute
	}{
		{"values", `{"attributes":[{"trait_type":"s","value":"v"},{"trait_type":"dna","value":9007199254740993},{"trait_type":"e","value":1e21},{"trait_type":"z","value":-0},{"trait_type":"f","value":2.30},{"trait_type":"b","value":true}]}`,
			[]nft.Attribute{{TraitType: "s", Value: "v", Order: 1}, {TraitType: "dna", Value: "9007199254740993", Order: 2}, {TraitType: "e", Value: "1e21", Order: 3}, {TraitType: "z", Value: "-0", Order: 4}, {TraitType: "f", Value: "2.30", Order: 5}, {TraitType: "b", Value: "true", Order: 6}}},
		{"nested values", `{"attributes":[{"trait_type":"l","value":[ "a", 1.50 ]},{"trait_type":"m","value":{ "k" : 1, "a" : 2 }}]}`,
			[]nft.Attribute{{TraitType: "l", Value: `["a",1.50]`, Order: 1}, {TraitType: "m", Value: `{"k":1,"a":2}`, Order: 2}}},
		{"parts missing or null", `{"attributes":[{"value":"v"},{"trait_type":"t"},{"trait_type":"t","value":null},{"trait_type":null,"value":""},{}]}`,
			[]nft.Attribute{{Value: "v", Order: 1}, {TraitType: "t", Order: 2}, {TraitType: "t", Order: 3}}},
		{"nothing in them", `{"attributes":[{},"",{"trait_type":""},{"value":null},{"name":"","value":""},{"":""},{"trait_type":"t","value":0}]}`,
			[]nft.Attribute{{TraitType: "t", Value: "0", Order: 1}}},
		{"objects of names and values", `{"attributes":[{"Hat":"Fez"},{"Level":7,"Gear":{"a": 1}},{"Hat":null},{"name":"Red"},{"display_type":"x","trait_type":null}]}`,
			[]nft.Attribute{{TraitType: "Hat", Value: "Fez", Order: 1}, {TraitType: "Level", Value: "7", Order: 2}, {TraitType: "Gear", Value: `{"a":1}`, Order: 3},
				{TraitType: "Hat", Order: 4}, {TraitType: "name", Value: "Red", Order: 5}, {TraitType: "display_type", Value: "x", Order: 6}}},
		{"other names of the type", `{"traits":[{"traitType":"a","value":1},{"value":2,"type":"b"},{"type":"string","key":"c","value":3},{"key":"x","name":"d","value":4,"max_value":9},{"trait_type":"e","name":"x","value":5},{"trait_type":"","name":"f","value":null,"order":0}]}`,
			[]nft.Attribute{{TraitType: "a", Value: "1", Order: 1}, {TraitType: "b", Value: "2", Order: 2}, {TraitType: "c", Value: "3", Order: 3},
				{TraitType: "d", Value: "4", MaxValue: new(9.0), Order: 4}, {TraitType: "e", Value: "5", Order: 5}, {TraitType: "f"}}},
		{"empty names", `{"attributes":{"":"v","a":"","":""}}`, []nft.Attribute{{Value: "v", Order: 1}, {TraitType: "a", Order: 2}}},
		{"trait type of another type", `{"attributes":[{"trait_type":3,"value":"v"}]}`,
			[]nft.Attribute{{TraitType: "3", Value: "v", Order: 1}}},
		{"same trait twice", `{"attributes":[{"trait_type":"t","value":"1"},{"trait_type":"t","value":"2"}]}`,
			[]nft.Attribute{{TraitType: "t", Value: "1", Order: 1}, {TraitType: "t", Value: "2", Order: 2}}},
		{"elements that are not objects", `{"attributes":["loose",7,null,[],{"trait_type":"ok","value":"yes"}]}`,
			[]nft.Attribute{{Value: "loose", Order: 1}, {Value: "7", Order: 2}, {Value: "[]", Order: 3}, {TraitType: "ok", Value: "yes", Order: 4}}},
		{"object", `{"attributes":{"Z":"1","A":2.0,"N":null,"O":{"x": 1},"Z":"again","\u0000":"v"}}`,
			[]nft.Attribute{{TraitType: "Z", Value: "again", Order: 1}, {TraitType: "A", Value: "2.0", Order: 2}, {TraitType: "N", Order: 3}, {TraitType: "O", Value: `{"x":1}`, Order: 4}, {TraitType: "\uFFFD", Value: "v", Order: 5}}},
		{"traits", `{"attributes":null,"traits":[{"trait_type":"t","value":"v"}]}`, []nft.Attribute{{TraitType: "t", Value: "v", Order: 1}}},
		{"attributes before traits", `{"traits":{"no":1},"attributes":{"yes":1}}`, []nft.Attribute{{TraitType: "yes", Value: "1", Order: 1}}},
		{"names of other makers", `{"attributes":[{"attribute_type":"a","attribute_value":"1"},{"trait":"b","trait_value":2},{"trait":"c","value":null},{"trait_type":"","trait":"d","value":"","trait_value":"4"},{"trait":"e"},{"attribute_type":"f"}]}`, []nft.Attribute{
			{TraitType: "a", Value: "1", Order: 1}, {TraitType: "b", Value: "2", Order: 2}, {TraitType: "c", Order: 3}, {TraitType: "d", Value: "4", Order: 4},
			{TraitType: "trait", Value: "e", Order: 5}, {TraitType: "attribute_type", Value: "f", Order: 6},
		}},
		{"capitals", `{"attributes":[{"Trait_Type":"a","VALUE":"1","Max_Value":3},{"TraitType":"b","Value":"2"},{"Trait":"c","Trait_Value":"3"},{"VALUE":"no","value":"4","Value":"no","Type":"d"},{"Hat":"Fez"}]}`, []nft.Attribute{
			{TraitType: "a", Value: "1", MaxValue: new(3.0), Order: 1}, {TraitType: "b", Value: "2", Order: 2}, {TraitType: "c", Value: "3", Order: 3}, {TraitType: "d", Value: "4", Order: 4}, {TraitType: "Hat", Value: "Fez", Order: 5},
		}},
		{"lists in lists", `{"attributes":[[{"trait_type":"a","value":"1"}],[ [{"trait_type":"b","value":"2"},"c"]],["d","e"],{"trait_type":"f","value":[{}]}]}`, []nft.Attribute{
			{TraitType: "a", Value: "1", Order: 1}, {TraitType: "b", Value: "2", Order: 2}, {Value: "c", Order: 3}, {Value: `["d","e"]`, Order: 4}, {TraitType: "f", Value: "[{}]", Order: 5},
		}},
		{"too many lists", `{"attributes":[[[[[{"a":1}]]]]]}`, []nft.Attribute{{Value: `[{"a":1}]`, Order: 1}}},
		{"a list as JSON text", `{"attributes":" [{\"trait_type\":\"a\",\"value\":\"1\"}]\n"}`, []nft.Attribute{{TraitType: "a", Value: "1", Order: 1}}},
		{"an object as JSON text", `{"traits":"{\"a\":1}"}`, []nft.Attribute{{TraitType: "a", Value: "1", Order: 1}}},
		{"other texts", `{"attributes":"[1","traits":"\"[{\\\"a\\\":1}]\""}`, []nft.Attribute{}},
		{"an object with numbers", `{"attributes":{"0":{"trait_type":"a","value":"1"},"1":{"b":2},"2":"c","-3":{"d":4}}}`, []nft.Attribute{
			{TraitType: "a", Value: "1", Order: 1}, {TraitType: "b", Value: "2", Order: 2}, {TraitType: "2", Value: "c", Order: 3}, {TraitType: "-3", Value: `{"d":4}`, Order: 4},
		}},
		{"too many objects with numbers", `{"attributes":{"0":{"0":{"0":{"0":{"a":1}}}}}}`, []nft.Attribute{{TraitType: "0", Value: `{"a":1}`, Order: 1}}},
		{"empty attributes and traits", `{"attributes":[],"traits":{"t":"v"}}`, []nft.Attribute{{TraitType: "t", Value: "v", Order: 1}}},
		{"no list", `{"attributes":"none","traits":7}`, []nft.Attribute{}},
		{"properties are not attributes", `{"properties":{"a":1}}`, []nft.Attribute{}},
		{"U+0000 and lone surrogates", `{"attributes":[{"trait_type":"a\u0000","value":"\udc00"}]}`,
			[]nft.Attribute{{TraitType: "a\uFFFD", Value: "\uFFFD", Order: 1}}},
	} {
		t.Run(test.situation, func(t *testing.T) {
			got, err := metadata.Normalise(test.raw, nft.ERC721, evm.Uint256{})
			expect.NoError(t, err)
			expect.Equal(t, "result", test.want, got.Attributes)
		})
	}
}

func TestNormalise_AttributeNumbers(t *testing.T) {
	for _, test := range []struct {
		given string
		max   *float64
		count *evm.Long
		order evm.Long
	}{
		{`10`, new(10.0), new(evm.Long(10)), 10},
		{`0`, new(0.0), new(evm.Long(0)), 0},
		{`3.0`, new(3.0), new(evm.Long(3)), 3},
		{`1e3`, new(1000.0), new(evm.Long(1000)), 1000},
		{`2.5`, new(2.5), nil, 1},
		{`-1`, new(-1.0), nil, 1},
		{`9007199254740991`, new(9007199254740991.0), new(evm.Long(9007199254740991)), 9007199254740991},
		{`9007199254740992`, new(9007199254740992.0), nil, 1},
		{`99999999999999999999`, new(1e20), nil, 1},
		{`1e400`, nil, nil, 1},
		{`"10"`, new(10.0), nil, 1},
		{`"-2.50"`, new(-2.5), nil, 1},
		{`"1e400"`, nil, nil, 1},
		{`"Infinity"`, nil, nil, 1},
		{`"NaN"`, nil, nil, 1},
		{`"0x10"`, nil, nil, 1},
		{`" 10"`, nil, nil, 1},
		{`"10 "`, nil, nil, 1},
		{`"010"`, nil, nil, 1},
		{`""`, nil, nil, 1},
		{`"ten"`, nil, nil, 1},
		{`null`, nil, nil, 1},
		{`true`, nil, nil, 1},
		{`[10]`, nil, nil, 1},
	} {
		t.Run(test.given, func(t *testing.T) {
			raw := fmt.Sprintf(`{"attributes":[{"trait_type":"t","value":"v","max_value":%[1]s,"trait_count":%[1]s,"order":%[1]s}]}`, test.given)
			got, err := metadata.Normalise(raw, nft.ERC721, evm.Uint256{})
			expect.NoError(t, err)
			want := []nft.Attribute{{TraitType: "t", Value: "v", MaxValue: test.max, TraitCount: test.count, Order: test.order}}
			expect.Equal(t, "result", want, got.Attributes)
		})
	}
}

func TestNormalise_ERC1155Placeholder(t *testing.T) {
	raw := `{"name":"Item {id}","description":"{id} stays","image":"https://x.example/{id}/{id}.png","image_data":"{id}",
		"attributes":[{"trait_type":"{id}","value":"{id}"},{"trait_type":"o","value":{"k":"{id}"}}],"animation_url":"{ID}"}`
	got, err := metadata.Normalise(raw, nft.ERC1155, evm.NewUint256(0x4CCE0))
	expect.NoError(t, err)
	const hex = "000000000000000000000000000000000000000000000000000000000004cce0"
	want := nft.Metadata{
		Name:         new("Item " + hex),
		Description:  new("{id} stays"),
		Image:        new("https://x.example/" + hex + "/" + hex + ".png"),
		ImageData:    new(hex),
		AnimationURL: new("{ID}"),
		Attributes:   []nft.Attribute{{TraitType: hex, Value: hex, Order: 1}, {TraitType: "o", Value: `{"k":"` + hex + `"}`, Order: 2}},
	}
	expect.Equal(t, "result", want, got)
}

func TestNormalise_Refused(t *testing.T) {
	const noMember = "document has no member of token metadata, such as name or image"
	fill := func(format, element string, n int) string {
		return fmt.Sprintf(format, strings.TrimSuffix(strings.Repeat(element+",", n), ","))
	}
	for _, test := range []struct{ situation, raw, want string }{
		{"empty object", `{}`, noMember},
		{"error of a proxy", `{"statusCode":429,"message":"rate exceeded","path":"/1"}`, noMember},
		{"error of JSON-RPC", `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"name":"limit"}}`, noMember},
		{"error of S3", `{"Code":"NoSuchKey","Name":"1.json"}`, noMember},
		{"wrapped document", `{"data":{"name":"n"}}`, noMember},
		{"empty", "", "document is empty"},
		{"white space", "\uFEFF \n", "document is empty"},
		{"array", `[{"name":"n"}]`, "document is not a JSON object"},
		{"null", `null`, "document is not a JSON object"},
		{"string", `"{}"`, "document is not a JSON object"},
		{"HTML", `<!doctype html>`, "document is not valid JSON: invalid character '<' looking for beginning of value at byte 1"},
		{"trailing comma", `{"name":"n",}`, "document is not valid JSON: invalid character '}' looking for beginning of object key string at byte 13"},
		{"NaN", `{"name":NaN}`, "document is not valid JSON: invalid character 'N' looking for beginning of value at byte 9"},
		{"two documents", `{"name":"n"} {}`, "document is not valid JSON: invalid character '{' after top-level value at byte 14"},
		{"truncated", `{"name":"n`, "document is not valid JSON: unexpected end of JSON input at byte 10"},
		{"raw line feed in a string", "{\"name\":\"a\nb\"}", "document is not valid JSON: invalid character '\\n' in string literal at byte 11"},
		{"too deep", `{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, "document is not valid JSON: invalid character '[' exceeded max depth at byte 10005"},
		{"too large", `{"name":"` + strings.Repeat("x", metadata.MaxDocument-10) + `"}`, "document is larger than 4194304 bytes"},
		{"too large with the id", `{"name":"` + strings.Repeat("{id}", 70_000) + `"}`, "document is larger than 4194304 bytes"},
		{"too many attributes", fill(`{"attributes":[%s]}`, `{"value":1}`, 10_001), "document has more than 10000 attributes"},
	} {
		t.Run(test.situation, func(t *testing.T) {
			got, err := metadata.Normalise(test.raw, nft.ERC1155, evm.Uint256{})
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			expect.Equal(t, "values with an error", nft.Metadata{}, got)
		})
	}
	t.Run("at the limits", func(t *testing.T) {
		for _, raw := range []string{
			`{"name":"` + strings.Repeat("x", metadata.MaxDocument-11) + `"}`,
			`{"name":1,"x":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`,
			fill(`{"attributes":[%s]}`, `{"value":1}`, metadata.MaxAttributes),
		} {
			if _, err := metadata.Normalise(raw, nft.ERC1155, evm.Uint256{}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("too many names", func(t *testing.T) {
		var members strings.Builder
		for i := range 10_001 {
			fmt.Fprintf(&members, `,"%d":0`, i)
		}
		raw := `{"attributes":{` + members.String()[1:] + `}}`
		if _, err := metadata.Normalise(raw, nft.ERC721, evm.Uint256{}); err == nil {
			t.Error("10,001 attributes were accepted")
		}
	})
}

func TestReplaceID(t *testing.T) {
	const hex = "000000000000000000000000000000000000000000000000000000000004cce0"
	for uri, want := range map[string]string{
		"https://x.example/{id}.json":    "https://x.example/" + hex + ".json",
		"ipfs://c/{id}?{id}":             "ipfs://c/" + hex + "?" + hex,
		"https://x.example/0x{id}":       "https://x.example/0x" + hex,
		"https://x.example/{ID}/{id/id}": "https://x.example/{ID}/{id/id}",
		"":                               "",
	} {
		if got := metadata.ReplaceID(uri, evm.NewUint256(314592)); got != want {
			t.Errorf("ReplaceID(%q) = %q, want %q", uri, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct{ situation, body, want string }{
		{"UTF-8", "é☺", "é☺"},
		{"byte order mark", "\xEF\xBB\xBFa\uFEFF", "a\uFEFF"},
		{"invalid", "a\xC3(\xE2\x82", "a\uFFFD(\uFFFD"},
		{"UTF-16LE", "\xFF\xFEa\x00\x3D\xD8\x80\xDE", "a🚀"},
		{"UTF-16BE", "\xFE\xFF\x00a\xD8\x3D\xDE\x80", "a🚀"},
		{"UTF-16 truncated within a unit", "\xFF\xFEa\x00\x3D", "a\uFFFD"},
		{"UTF-16 lone surrogate", "\xFE\xFF\xD8\x3D\x00a", "\uFFFDa"},
		{"empty", "", ""},
	} {
		t.Run(test.situation, func(t *testing.T) {
			expect.Equal(t, "Text", test.want, metadata.Text([]byte(test.body)))
		})
	}
}
