{{/* Both charts link to these templates. The two differ in the prefix of the settings and in the ports. */}}
{{- define "service" -}}
{{- get (dict
  "wf" (dict "prefix" "WF_" "port" 8081 "admin" 9081)
  "oidc-registrar" (dict "prefix" "REGISTRAR_" "port" 8082 "admin" 9082)
) .Chart.Name | toYaml -}}
{{- end -}}

{{- define "prefix" -}}
{{- (include "service" . | fromYaml).prefix -}}
{{- end -}}

{{/* The name of all objects: the release if it contains the chart's name, else both. */}}
{{- define "fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: countersign
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}
{{- end -}}
{{- end -}}

{{/* Whether the owner of the tables has a role of its own, which migrates and purges. */}}
{{- define "owned" -}}
{{- if .Values.owner.databaseUrl }}true{{ end -}}
{{- end -}}

{{/* Fails for a variable in config or secrets that the chart sets, that is secret, or that another program reads. */}}
{{- define "check" -}}
{{- $prefix := include "prefix" . -}}
{{- range $name, $_ := .Values.config -}}
  {{- if regexMatch "_(DATABASE_URL|SMTP_URL|ENC_KEYS|SECRETS?|PASSWORD|TOKEN|HOSTS|RESOLVERS)$" $name -}}
    {{- fail (printf "config.%s is secret: name a key of a Secret in secrets.%s" $name $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $_ := merge (dict) .Values.config .Values.secrets -}}
  {{- if not (regexMatch (printf "^(%s|OTEL_|PG|SSL_CERT_|TZ$)" $prefix) $name) -}}
    {{- fail (printf "%s is not a setting of %s: its settings begin with %s" $name $.Chart.Name $prefix) -}}
  {{- end -}}
  {{- if has (trimPrefix $prefix $name) (list "LISTEN" "ADMIN_LISTEN" "DRAIN_DELAY" "DEV" "ALLOW_DEV_VALUES") -}}
    {{- fail (printf "%s is set by the chart" $name) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.secrets -}}
  {{- if not (hasPrefix $prefix $name) -}}
    {{- fail (printf "secrets.%s: only settings of %s can be read from a file" $name $.Chart.Name) -}}
  {{- end -}}
{{- end -}}
{{- $url := printf "%sDATABASE_URL" $prefix -}}
{{- if not (get .Values.secrets $url) -}}
  {{- fail (printf "secrets.%s is missing: the Secret with the URL of the database" $url) -}}
{{- end -}}
{{- end -}}

{{/* 90 % of the memory limit, for GOMEMLIMIT. */}}
{{- define "memory" -}}
{{- $limit := .Values.resources.limits.memory -}}
{{- $mi := trimSuffix "Mi" $limit | int -}}
{{- if hasSuffix "Gi" $limit -}}{{- $mi = mul 1024 (trimSuffix "Gi" $limit | int) -}}{{- end -}}
{{ div (mul $mi 9) 10 }}MiB
{{- end -}}

{{- define "pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false # its variables, such as WF_PORT, would look like settings
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "container" -}}
image: {{ include "image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{- define "config" -}}
- {name: GOMEMLIMIT, value: {{ include "memory" . }}}
{{- range $name, $value := .Values.config }}
- {name: {{ $name }}, value: {{ quote $value }}}
{{- end }}
{{- end -}}

{{/* The volume with the files that config names. */}}
{{- define "files" -}}
- name: files
  projected:
    sources:
    {{- range $path, $from := .Values.files }}
    - {{ ternary "secret" "configMap" (hasKey $from "secret") }}:
        name: {{ $from.secret | default $from.configMap }}
        items: [{key: {{ $from.key | quote }}, path: {{ $path | quote }}}]
    {{- end }}
{{- end -}}

{{/* The pod of a command of the owner, by the arguments "root" and "args". */}}
{{- define "owner" -}}
{{- with .root }}
{{- include "check" . -}}
{{- include "pod" . }}
restartPolicy: Never
containers:
  - name: {{ .Chart.Name }}
    {{- include "container" . | nindent 4 }}
    args: {{- toYaml $.args | nindent 6 }}
    env:
      {{- include "config" . | nindent 6 }}
      - {name: {{ include "prefix" . }}DATABASE_URL_FILE, value: /run/secrets/countersign/database-url}
    resources: {{- toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - {name: secrets, mountPath: /run/secrets/countersign, readOnly: true}
      {{- if .Values.files }}
      - {name: files, mountPath: /etc/countersign, readOnly: true}
      {{- end }}
volumes:
  {{- $url := .Values.owner.databaseUrl | default (get .Values.secrets (printf "%sDATABASE_URL" (include "prefix" .))) }}
  - name: secrets
    secret:
      secretName: {{ $url.name }}
      defaultMode: 0440
      items: [{key: {{ quote $url.key }}, path: database-url}]
  {{- if .Values.files }}
  {{- include "files" . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}
