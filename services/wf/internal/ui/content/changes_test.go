package content_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/words"
)

func TestChangesHaveTheTitlesOfTheSchema(t *testing.T) {
	const schema = `{"properties":{
		"total":{"title":"Total","x-currency":"EUR"},"until":{"title":"Last day","format":"date"},"kind":{"oneOf":[{"const":"a","title":"First kind"},{"const":"b","title":"Second kind"}]},
		"supplier":{"title":"Supplier","properties":{"name":{"title":"Name"}}},
		"lines":{"title":"What is bought","items":{"properties":{"item":{"title":"Item"},"price":{"title":"Price","x-currency":"EUR"}}}}}}`
	tests := map[string]struct {
		before, after string
		want          []string
	}{
		"nothing": {`{"total":1}`, `{"total":1}`, nil},
		"money and a date": {`{"until":"2027-06-21","total":17262.5}`, `{"until":"2027-06-14","total":9000}`,
			[]string{"Total: 17,262.50 EUR → 9,000 EUR", "Last day: 21 June 2027 → 14 June 2027"}},
		"a choice":       {`{"kind":"a"}`, `{"kind":"b"}`, []string{"Kind: First kind → Second kind"}},
		"in an object":   {`{"supplier":{"name":"A","city":"X"}}`, `{"supplier":{"name":"B","city":"X"}}`, []string{"Supplier › Name: A → B"}},
		"added and gone": {`{"total":1}`, `{"note":"x"}`, []string{"Total: 1 EUR → nothing", "Note: nothing → x"}},
		"another kind":   {`{"supplier":"A"}`, `{"supplier":["A"]}`, []string{"Supplier: A → list"}},
		"the first line goes": {
			`{"lines":[{"item":"a","price":1},{"item":"b","price":2},{"item":"c","price":3}]}`, `{"lines":[{"item":"b","price":2},{"item":"c","price":4}]}`,
			[]string{"What is bought › 1: group → nothing", "What is bought › 2 › Price: 3 EUR → 4 EUR"},
		},
		"a line is added": {`{"lines":[{"item":"a"}]}`, `{"lines":[{"item":"z"},{"item":"a"}]}`,
			[]string{"What is bought › 1: nothing → group"}},
		"an amount with its currency": {`{"x":{"amount":1,"currency":"EUR"}}`, `{"x":{"amount":1,"currency":"USD"}}`, []string{"X: 1 EUR → 1 USD"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &frame.Request{Reader: words.Reader("en", time.UTC)}
			found := content.Changes(r, []byte(tt.before), []byte(tt.after), []byte(schema))
			if found.More {
				t.Error("the list is cut")
			}
			var got []string
			text := func(e *content.Entry) string {
				switch {
				case e == nil:
					return "nothing"
				case e.Entries != nil || e.Rows != nil:
					return e.Kind
				}
				return e.Text
			}
			for _, l := range found.Lines {
				got = append(got, fmt.Sprintf("%s: %s → %s", l.Title, text(l.Before), text(l.After)))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
