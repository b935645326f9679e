package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

// prefixes are those of the settings, by chart.
var prefixes = map[string]string{"wf": "WF_", "oidc-registrar": "REGISTRAR_"}

// program returns the path of a program of deploy/dev/kubernetes.sh and skips the test without it.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" && os.Getenv("COUNTERSIGN_REQUIRE_KUBERNETES") != "" {
		t.Fatalf("%s is not set, and COUNTERSIGN_REQUIRE_KUBERNETES is", variable)
	}
	if path == "" {
		t.Skipf("%s is not set; make check SUITE=kubernetes sets it where the program can be had", variable)
	}
	return path
}

// run returns the standard output of a program, and both outputs in the error.
func run(t *testing.T, program string, arguments ...string) (string, error) {
	t.Helper()
	var out, both bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, &both), &both
	if err := cmd.Run(); err != nil {
		return out.String(), errors.New(both.String())
	}
	return out.String(), nil
}

func chartOf(name string) string { return filepath.Join(root, "deploy/helm", name) }

// eachExample runs a subtest for each file of examples of each chart.
func eachExample(t *testing.T, test func(t *testing.T, chart, file string)) {
	t.Helper()
	for chart := range prefixes {
		files, err := filepath.Glob(filepath.Join(chartOf(chart), "examples/*.yaml"))
		if want := map[string]int{"wf": 4, "oidc-registrar": 3}[chart]; err != nil || len(files) != want {
			t.Fatalf("%s has the examples %q (%v), want %d", chart, files, err, want)
		}
		for _, file := range files {
			t.Run(chart+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { test(t, chart, file) })
		}
	}
}

func example(chart, name string) string {
	return filepath.Join(chartOf(chart), "examples", name+".yaml")
}

// manifest is a rendered object.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec json.RawMessage `json:"spec"`

	text []byte // JSON
}

// builtin reports whether the kind is Kubernetes' own.
func (m manifest) builtin() bool { return !strings.HasPrefix(m.APIVersion, "monitoring.coreos.com/") }

// render returns the objects of a release that has the name of its chart.
func render(t *testing.T, chart string, arguments ...string) (list []manifest) {
	t.Helper()
	text, err := run(t, program(t, "HELM"), append([]string{"template", chart, chartOf(chart)}, arguments...)...)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var object map[string]any
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if object == nil {
			continue
		}
		content, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		one := manifest{text: content}
		if err := json.Unmarshal(content, &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
}

// findObject returns the only object of a kind and a name.
func findObject(t *testing.T, list []manifest, kind, name string) (found manifest) {
	t.Helper()
	i := slices.IndexFunc(list, func(m manifest) bool { return m.Kind == kind && m.Metadata.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s %s", kind, name)
	}
	return list[i]
}

func has(list []manifest, kind string) bool {
	return slices.ContainsFunc(list, func(m manifest) bool { return m.Kind == kind })
}

// decode reads the spec of an object into a value.
func (m manifest) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(m.Spec, into); err != nil {
		t.Fatal(err)
	}
}

// pod holds the members of a PodSpec under test.
type pod struct {
	Automount     *bool `json:"automountServiceAccountToken"`
	ServiceLinks  *bool `json:"enableServiceLinks"`
	HostNetwork   bool  `json:"hostNetwork"`
	HostPID       bool  `json:"hostPID"`
	HostIPC       bool  `json:"hostIPC"`
	GracePeriod   int   `json:"terminationGracePeriodSeconds"`
	RestartPolicy string
	Security      struct {
		RunAsNonRoot bool  `json:"runAsNonRoot"`
		RunAsUser    *int  `json:"runAsUser"`
		Sysctls      []any `json:"sysctls"`
		Seccomp      struct {
			Type string `json:"type"`
		} `json:"seccompProfile"`
	} `json:"securityContext"`
	InitContainers []container                  `json:"initContainers"`
	Containers     []container                  `json:"containers"`
	Volumes        []map[string]json.RawMessage `json:"volumes"`
	Spread         []struct {
		TopologyKey string `json:"topologyKey"`
	} `json:"topologySpreadConstraints"`
}

type container struct {
	Image    string   `json:"image"`
	Args     []string `json:"args"`
	Security struct {
		Escalation *bool `json:"allowPrivilegeEscalation"`
		Privileged bool  `json:"privileged"`
		ReadOnly   bool  `json:"readOnlyRootFilesystem"`
		RunAsUser  *int  `json:"runAsUser"`
		Caps       struct {
			Add  []string `json:"add"`
			Drop []string `json:"drop"`
		} `json:"capabilities"`
	} `json:"securityContext"`
	Ports []struct {
		HostPort int `json:"hostPort"`
	} `json:"ports"`
	Env []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Resources struct {
		Limits, Requests map[string]string
	} `json:"resources"`
	Liveness  probe `json:"livenessProbe"`
	Readiness probe `json:"readinessProbe"`
}

type probe struct {
	Get struct {
		Path string `json:"path"`
		Port string `json:"port"`
	} `json:"httpGet"`
}

// env returns the environment as a map. The container has each variable once.
func (c container) env(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, v := range c.Env {
		if _, twice := values[v.Name]; twice {
			t.Errorf("%s is set twice", v.Name)
		}
		values[v.Name] = v.Value
	}
	return values
}

// podOf returns the pod of an object that creates pods.
func (m manifest) podOf(t *testing.T) (p pod, found bool) {
	t.Helper()
	type template struct {
		Template struct {
			Spec pod `json:"spec"`
		} `json:"template"`
	}
	var spec struct {
		template
		Job struct {
			Spec template `json:"spec"`
		} `json:"jobTemplate"`
	}
	switch m.Kind {
	case "Deployment", "Job":
		m.decode(t, &spec)
		return spec.Template.Spec, true
	case "CronJob":
		m.decode(t, &spec)
		return spec.Job.Spec.Template.Spec, true
	default:
		return pod{}, false
	}
}

// The tables of docs/configuration.md are those of the programs.
func TestTheValuesNameSettings(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]bool{}
	for _, match := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` ").FindAllStringSubmatch(string(page), -1) {
		settings[match[1]] = true
	}
	if len(settings) < 60 {
		t.Fatalf("docs/configuration.md has %d settings", len(settings))
	}
	other := regexp.MustCompile(`^(PGSSLROOTCERT|SSL_CERT_FILE)$`)
	eachExample(t, func(t *testing.T, chart, file string) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var values struct {
			Config  map[string]string         `yaml:"config"`
			Secrets map[string]map[string]any `yaml:"secrets"`
		}
		if err := yaml.Unmarshal(content, &values); err != nil {
			t.Fatal(err)
		}
		for name := range values.Config {
			if !settings[name] && !settings[strings.TrimSuffix(name, "_FILE")] && !other.MatchString(name) {
				t.Errorf("config.%s is not a setting", name)
			}
		}
		for name := range values.Secrets {
			if !settings[name] {
				t.Errorf("secrets.%s is not a setting", name)
			}
		}
	})
}

func TestHelmLintsTheCharts(t *testing.T) {
	helm := program(t, "HELM")
	eachExample(t, func(t *testing.T, chart, file string) {
		if _, err := run(t, helm, "lint", "--strict", "--quiet", chartOf(chart), "--values", file); err != nil {
			t.Error(err)
		}
	})
}

func TestTheManifestsFollowTheSchemas(t *testing.T) {
	validate := program(t, "KUBERNETES_VALIDATE")
	eachExample(t, func(t *testing.T, chart, file string) {
		folder, arguments := t.TempDir(), []string{"--strict", "--no-warn", "--kubernetes-version", "1.34"}
		for i, m := range render(t, chart, "--values", file) {
			if !m.builtin() {
				t.Logf("%s has no published schema there", m.Kind)
				continue
			}
			path := filepath.Join(folder, strconv.Itoa(i)+"-"+m.Kind+".json")
			if err := os.WriteFile(path, m.text, 0o600); err != nil {
				t.Fatal(err)
			}
			arguments = append(arguments, path)
		}
		if out, err := run(t, validate, arguments...); err != nil || strings.Count(out, "passed") < len(arguments)-4 {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// The controls of the restricted pod security standard, and more: no writable root, no token.
func TestPodsMeetTheRestrictedStandard(t *testing.T) {
	volumes := []string{"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
	eachExample(t, func(t *testing.T, chart, file string) {
		pods := 0
		for _, m := range render(t, chart, "--values", file) {
			p, found := m.podOf(t)
			if !found {
				continue
			}
			pods++
			if p.HostNetwork || p.HostPID || p.HostIPC || len(p.Security.Sysctls) != 0 {
				t.Errorf("%s shares namespaces of the node", m.Kind)
			}
			if !p.Security.RunAsNonRoot || p.Security.RunAsUser == nil || *p.Security.RunAsUser == 0 {
				t.Errorf("%s may run as root", m.Kind)
			}
			if p.Security.Seccomp.Type != "RuntimeDefault" {
				t.Errorf("%s has the seccomp profile %q", m.Kind, p.Security.Seccomp.Type)
			}
			if p.Automount == nil || *p.Automount || p.ServiceLinks == nil || *p.ServiceLinks {
				t.Errorf("%s has a token of the API or variables of services", m.Kind)
			}
			for _, volume := range p.Volumes {
				for name := range volume {
					if name != "name" && !slices.Contains(volumes, name) {
						t.Errorf("%s has a volume of the type %s", m.Kind, name)
					}
				}
			}
			for _, c := range slices.Concat(p.InitContainers, p.Containers) {
				s := c.Security
				if s.Escalation == nil || *s.Escalation || s.Privileged || !s.ReadOnly || s.RunAsUser != nil ||
					!slices.Equal(s.Caps.Drop, []string{"ALL"}) || len(s.Caps.Add) != 0 {
					t.Errorf("%s has the security context %+v", m.Kind, s)
				}
				for _, port := range c.Ports {
					if port.HostPort != 0 {
						t.Errorf("%s has the port %d of the node", m.Kind, port.HostPort)
					}
				}
			}
		}
		if pods < 2 {
			t.Errorf("%d objects with pods", pods)
		}
	})
}

func TestTheServiceRunsUnderProbesAndLimits(t *testing.T) {
	eachExample(t, func(t *testing.T, chart, file string) {
		list := render(t, chart, "--values", file, "--set", "drainSeconds=25")
		p, _ := findObject(t, list, "Deployment", chart).podOf(t)
		c, prefix := p.Containers[0], prefixes[chart]
		env := c.env(t)
		if !slices.Equal(c.Args, []string{"serve"}) {
			t.Errorf("args %q", c.Args)
		}
		if c.Liveness.Get.Path != "/livez" || c.Readiness.Get.Path != "/readyz" || c.Liveness.Get.Port != "http" || c.Readiness.Get.Port != "http" {
			t.Errorf("probes %+v and %+v", c.Liveness, c.Readiness)
		}
		// The delay, 20 s for running calls and 15 s for exports.
		if env[prefix+"DRAIN_DELAY"] != "25s" || p.GracePeriod <= 25+20+15 {
			t.Errorf("a drain of %s within %d s", env[prefix+"DRAIN_DELAY"], p.GracePeriod)
		}
		limit, ok := strings.CutSuffix(strings.Replace(c.Resources.Limits["memory"], "1Gi", "1024Mi", 1), "Mi")
		memory, err := strconv.Atoi(limit)
		goal, err2 := strconv.Atoi(strings.TrimSuffix(env["GOMEMLIMIT"], "MiB"))
		if share := float64(goal) / float64(memory); !ok || err != nil || err2 != nil || share < 0.85 || share > 0.9 {
			t.Errorf("GOMEMLIMIT %s of %v", env["GOMEMLIMIT"], c.Resources.Limits)
		}
		if c.Resources.Requests["cpu"] == "" || c.Resources.Requests["memory"] == "" {
			t.Errorf("requests %v", c.Resources.Requests)
		}
		if len(p.Spread) != 2 || p.Spread[1].TopologyKey != "kubernetes.io/hostname" {
			t.Errorf("spread %+v", p.Spread)
		}
		var budget struct {
			MaxUnavailable int `json:"maxUnavailable"`
		}
		findObject(t, list, "PodDisruptionBudget", chart).decode(t, &budget)
		if budget.MaxUnavailable != 1 {
			t.Errorf("%d pods may be evicted together", budget.MaxUnavailable)
		}
		for name, value := range env {
			if strings.HasSuffix(name, "DATABASE_URL_FILE") && value != "/run/secrets/countersign/"+prefix+"DATABASE_URL" {
				t.Errorf("%s=%s", name, value)
			}
			if strings.HasSuffix(name, "DATABASE_URL") || strings.HasSuffix(name, "ENC_KEYS") {
				t.Errorf("the pod has %s in its environment", name)
			}
		}
	})
}

// With a role of its own the owner migrates before the upgrade, grants and purges; the service does not.
func TestTheOwnerMigratesAndPurges(t *testing.T) {
	for chart, prefix := range prefixes {
		t.Run(chart, func(t *testing.T) {
			list := render(t, chart, "--values", example(chart, "production"))
			job := findObject(t, list, "Job", chart+"-migrate")
			role := strings.ToLower(strings.TrimSuffix(prefix, "_"))
			migration, _ := job.podOf(t)
			want := []string{"migrate", "--grant-to=" + role + "_app", "--grant-read-to=" + role + "_reader"}
			if job.Metadata.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || !slices.Equal(migration.Containers[0].Args, want) {
				t.Errorf("%v runs %q", job.Metadata.Annotations, migration.Containers[0].Args)
			}
			purge, _ := findObject(t, list, "CronJob", chart+"-purge").podOf(t)
			if got := purge.Containers[0].Args; !slices.Equal(got, []string{"purge", "--no-dry-run", "--timeout=2h"}) {
				t.Errorf("the CronJob runs %q", got)
			}
			for _, p := range []pod{migration, purge} {
				volume := string(p.Volumes[0]["secret"])
				if p.Containers[0].env(t)[prefix+"DATABASE_URL_FILE"] != "/run/secrets/countersign/database-url" ||
					!strings.Contains(volume, `"secretName":"`+role+`-db-app"`) || strings.Contains(volume, "keys") {
					t.Errorf("the owner reads its URL from %s", volume)
				}
			}
			list = render(t, chart, "--values", example(chart, "minimal"))
			if has(list, "Job") {
				t.Error("without an owner the service migrates")
			}
		})
	}
}

func TestTheAlertsAreThoseOfPrometheus(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "deploy/prometheus/alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Groups []map[string]any `yaml:"groups"`
	}
	if err := yaml.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	for chart := range prefixes {
		list := render(t, chart, "--values", example(chart, "production"))
		want := slices.DeleteFunc(slices.Clone(all.Groups), func(group map[string]any) bool { return group["name"] != chart })
		var got struct {
			Groups []map[string]any `yaml:"groups"`
		}
		if err := yaml.Unmarshal(findObject(t, list, "PrometheusRule", chart).Spec, &got); err != nil {
			t.Fatal(err)
		}
		if len(want) != 1 || !reflect.DeepEqual(got.Groups, want) {
			t.Errorf("%s has other alerts than deploy/prometheus/alerts.yaml", chart)
		}
		// The label is the job of the alerts.
		var monitor struct {
			JobLabel string `json:"jobLabel"`
			Selector struct {
				Labels map[string]string `json:"matchLabels"`
			} `json:"selector"`
		}
		findObject(t, list, "ServiceMonitor", chart).decode(t, &monitor)
		service := findObject(t, list, "Service", chart+"-metrics")
		if service.Metadata.Labels[monitor.JobLabel] != chart || len(monitor.Selector.Labels) == 0 {
			t.Errorf("the job of %s is %q", chart, service.Metadata.Labels[monitor.JobLabel])
		}
		for name, value := range monitor.Selector.Labels {
			if service.Metadata.Labels[name] != value {
				t.Errorf("the monitor selects %s=%s", name, value)
			}
		}
		if has(render(t, chart, "--values", example(chart, "minimal")), "ServiceMonitor") {
			t.Error("the minimal installation needs the Prometheus Operator")
		}
	}
}

func TestOnlyPrometheusReachesTheMetrics(t *testing.T) {
	type rule struct {
		Ports []struct {
			Port any `json:"port"`
		} `json:"ports"`
		From []any `json:"from"`
		To   []any `json:"to"`
	}
	eachExample(t, func(t *testing.T, chart, file string) {
		var policy struct {
			Types   []string `json:"policyTypes"`
			Ingress []rule   `json:"ingress"`
			Egress  []rule   `json:"egress"`
		}
		list := render(t, chart, "--values", file)
		findObject(t, list, "NetworkPolicy", chart).decode(t, &policy)
		if !slices.Equal(policy.Types, []string{"Ingress", "Egress"}) {
			t.Errorf("types %q", policy.Types)
		}
		for _, r := range slices.Concat(policy.Ingress, policy.Egress) {
			if len(r.Ports) == 0 {
				t.Errorf("%+v is for every port", r)
			}
			for _, port := range r.Ports {
				if port.Port == "admin" && len(r.From) == 0 {
					t.Error("every pod reaches the metrics")
				}
			}
		}
		if strings.Contains(file, "production") || strings.Contains(file, "air-gapped") {
			for _, r := range policy.Egress {
				if len(r.To) == 0 {
					t.Errorf("%+v is for every peer", r)
				}
			}
		}
		var service struct {
			Ports []struct {
				Target string `json:"targetPort"`
			} `json:"ports"`
		}
		findObject(t, list, "Service", chart).decode(t, &service)
		if len(service.Ports) != 1 || service.Ports[0].Target != "http" {
			t.Errorf("the service has the ports %+v", service.Ports)
		}

		// Without peers no rule is left for the metrics.
		findObject(t, render(t, chart, "--values", file, "--set-json", "networkPolicy.prometheus=[]"), "NetworkPolicy", chart).decode(t, &policy)
		if len(policy.Ingress) != 1 {
			t.Errorf("ingress %+v", policy.Ingress)
		}
	})
}

func TestWrongValuesAreRefused(t *testing.T) {
	helm := program(t, "HELM")
	for chart, prefix := range prefixes {
		_, err := run(t, helm, "template", chart, chartOf(chart))
		if want := "secrets." + prefix + "DATABASE_URL is missing"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without values: %v, want %q", err, want)
		}
		other := map[string]string{"WF_": "REGISTRAR_", "REGISTRAR_": "WF_"}[prefix]
		for values, want := range map[string]string{
			"replica=3":                         "replica",
			"config." + prefix + "ENC_KEYS=k:x": "name a key of a Secret in secrets." + prefix + "ENC_KEYS",
			"config." + prefix + "DATABASE_URL=postgres://u:p@h/d":                               "name a key of a Secret in secrets." + prefix + "DATABASE_URL",
			"config." + prefix + "DRAIN_DELAY=1s":                                                prefix + "DRAIN_DELAY is set by the chart",
			"config." + prefix + "ALLOW_DEV_VALUES=true":                                         prefix + "ALLOW_DEV_VALUES",
			"config." + other + "AUTH_ISSUER=x":                                                  "its settings begin with " + prefix,
			"secrets." + prefix + "ENC_KEYS.value=k":                                             "value",
			"secrets.OTEL_EXPORTER_OTLP_HEADERS.name=a,secrets.OTEL_EXPORTER_OTLP_HEADERS.key=b": "can be read from a file",
			"files.a.configMap=x":                                                                "key",
			"resources.limits.memory=512M":                                                       "memory",
			"image.digest=sha256:1":                                                              "digest",
			"ingress.enabled=true":                                                               "host",
			"owner.databaseUrl.name=o":                                                           "databaseUrl",
			"networkPolicy.egress.mail.to=":                                                      "mail",
		} {
			t.Run(chart+"/"+values, func(t *testing.T) {
				_, err := run(t, helm, "template", chart, chartOf(chart), "--values", example(chart, "minimal"), "--set-json", jsonValues(t, values))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			})
		}
	}
}

// jsonValues writes a.b=c,… as Helm takes JSON. Numbers, true, false and null are JSON, the rest is text.
func jsonValues(t *testing.T, values string) string {
	t.Helper()
	var parts []string
	for value := range strings.SplitSeq(values, ",") {
		path, text, _ := strings.Cut(value, "=")
		if !json.Valid([]byte(text)) || strings.HasPrefix(path, "config.") {
			text = strconv.Quote(text)
		}
		parts = append(parts, path+"="+text)
	}
	return strings.Join(parts, ",")
}

// The templates and the schema are one for both charts, and the alerts are those of deploy/prometheus.
func TestTheChartsHaveNoCopies(t *testing.T) {
	for chart := range maps.Keys(prefixes) {
		for name, want := range map[string]string{
			"templates": "../templates", "values.schema.json": "../values.schema.json", "alerts.yaml": "../../prometheus/alerts.yaml",
		} {
			if got, err := os.Readlink(filepath.Join(chartOf(chart), name)); err != nil || got != want {
				t.Errorf("%s/%s links to %q (%v), want %s", chart, name, got, err, want)
			}
		}
	}
}
