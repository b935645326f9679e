package metrics_test

import (
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
)

func TestMetricsRegistryExportsNamedMetrics(t *testing.T) {
	r := metrics.New("shop", "v1.2.3")
	r.Counter("sales_total", "Sales.", "kind").WithLabelValues("book").Add(2)
	r.Counter("sales_total", "Sales.", "kind").WithLabelValues("book").Inc() // the same one
	reply := httptest.NewRecorder()
	r.Handler().ServeHTTP(reply, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`shop_sales_total{kind="book"} 3`, `shop_build_info{goversion="go1`,
		`version="v1.2.3"} 1`, "go_goroutines ", "process_open_fds "} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
}

func TestTwoRegistriesOfOneProcessShareNothing(t *testing.T) {
	one, two := metrics.New("shop", "1"), metrics.New("shop", "1")
	one.Counter("sales_total", "Sales.").WithLabelValues().Inc()
	two.Counter("sales_total", "Sales.").WithLabelValues()
	metricstest.Want(t, one, map[string]float64{"shop_sales_total": 1})
	metricstest.Want(t, two, map[string]float64{"shop_sales_total": 0})
}

func TestWithoutARegistryNothingBreaks(t *testing.T) {
	var r *metrics.Registry
	r.Counter("a_total", "A.", "l").WithLabelValues(r.Value("l", "x")).Inc()
	r.Histogram("b", "B.", nil).WithLabelValues().Observe(1)
	r.Func("c", "C.", func() float64 { return 1 })
	readings := r.Readings(time.Minute)
	if err := readings.Read(func(gauges *metrics.Registry) error {
		gauges.Gauge("d", "D.", "l").WithLabelValues(gauges.Value("l", "x")).Set(1)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestALabelHasOnlySoManyValues(t *testing.T) {
	r := metrics.New("shop", "1")
	sales := r.Counter("sales_total", "Sales.", "kind")
	for range 2 { // existing label values stay
		for i := range 10_000 {
			sales.WithLabelValues(r.Value("kind", fmt.Sprint("kind-", i))).Inc()
		}
	}
	series := 0
	for name := range metricstest.Values(t, r) {
		if strings.HasPrefix(name, "shop_sales_total") {
			series++
		}
	}
	if series != 201 {
		t.Errorf("%d series, want 200 and other", series)
	}
	metricstest.Want(t, r, map[string]float64{
		`shop_sales_total{kind="kind-0"}`: 2, `shop_sales_total{kind="kind-199"}`: 2, `shop_sales_total{kind="other"}`: 2 * 9800,
	})
	if r.Value("colour", "red") != "red" || r.Value("colour", "\xff") != "\uFFFD" {
		t.Error("another label has values of its own, and they are text")
	}
}

func TestReadingsAreShownWhileTheyAreGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := metrics.New("shop", "1")
		readings := r.Readings(3 * time.Minute)
		read := func(stock map[string]float64, err error) error {
			return readings.Read(func(gauges *metrics.Registry) error {
				for kind, n := range stock {
					gauges.Gauge("stock", "Stock.", "kind").WithLabelValues(kind).Set(n)
				}
				return err
			})
		}
		shown := func() (n int) {
			for name := range metricstest.Values(t, r) {
				if strings.HasPrefix(name, "shop_stock") {
					n++
				}
			}
			return n
		}
		if err := read(map[string]float64{"book": 7, "pen": 3}, nil); err != nil || shown() != 2 {
			t.Errorf("%d shown, %v", shown(), err)
		}
		broken := errors.New("broken")
		if err := read(map[string]float64{"cup": 1}, broken); !errors.Is(err, broken) {
			t.Errorf("a reading that fails returned %v", err)
		}
		metricstest.Want(t, r, map[string]float64{`shop_stock{kind="book"}`: 7, `shop_stock{kind="cup"}`: 0})
		if err := read(map[string]float64{"pen": 4}, nil); err != nil || shown() != 1 {
			t.Errorf("a removed series is still shown: %d, %v", shown(), err)
		}
		<-time.After(3 * time.Minute)
		if shown() != 0 {
			t.Error("an old reading is shown")
		}
		_ = read(map[string]float64{"pen": 4}, nil)
		readings.Drop()
		if shown() != 0 {
			t.Error("a reading that was dropped is shown")
		}
	})
}
