{{- define "docyard.name" -}}
{{- if contains "docyard" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-docyard" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Pod selector of a Service and a Deployment. It is immutable. Takes a dict of root and role. */}}
{{- define "docyard.selector" -}}
app.kubernetes.io/name: docyard
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "docyard.labels" -}}
{{ include "docyard.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "docyard.image" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag }}
{{- end -}}
{{- end -}}

{{/* Variables that all processes have, as JSON. */}}
{{- define "docyard.settings" -}}
{{- $settings := dict "TRUST_PROXY" (.Values.trustedProxies | join "," | default "on") -}}
{{- $_ := set $settings "PUBLIC_URL" (required "publicUrl is required: the address under which clients reach the service" .Values.publicUrl) -}}
{{- $_ := set $settings "BLOBS_URL" (required "blobsUrl is required: the bucket for bundles, s3://…" .Values.blobsUrl) -}}
{{- with .Values.previewUrl -}}
{{- $_ := set $settings "PREVIEW_URL" . -}}
{{- end -}}
{{- range $variable, $value := .Values.settings -}}
{{- $_ := set $settings $variable $value -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* The fields of `own` replace those of `base`. */}}
{{- define "docyard.override" -}}
{{- $fields := deepCopy .base -}}
{{- range $name, $value := .own -}}
{{- $_ := set $fields $name $value -}}
{{- end -}}
{{- toYaml $fields -}}
{{- end -}}

{{/* Changes with the entries of the Secret, so that pods restart. Empty if the renderer cannot read the cluster. */}}
{{- define "docyard.secret-checksum" -}}
{{- with lookup "v1" "Secret" .Release.Namespace .Values.existingSecret -}}
{{- toJson .data | sha256sum -}}
{{- end -}}
{{- end -}}

{{/*
The pod of a role, with its values in `own`. Takes a dict of root, role, own, args, settings and, for a server, isServer.
The migration runs before the ConfigMap and the ServiceAccount exist, so it gets its settings as variables.
*/}}
{{- define "docyard.pod" -}}
{{- $values := .root.Values -}}
{{- $image := $values.image -}}
metadata:
  labels:
    {{- include "docyard.labels" . | nindent 4 }}
  {{- if or .isServer .own.podAnnotations }}
  annotations:
    {{- if .isServer }}
    checksum/settings: {{ include (print .root.Template.BasePath "/configmap.yaml") .root | sha256sum }}
    {{- with include "docyard.secret-checksum" .root }}
    checksum/secret: {{ . }}
    {{- end }}
    {{- end }}
    {{- with .own.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  {{- if .isServer }}
  serviceAccountName: {{ include "docyard.name" .root }}
  {{- else }}
  restartPolicy: Never
  {{- with .own.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  {{- end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .own.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .own.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "docyard.override" (dict "base" $values.podSecurityContext "own" .own.podSecurityContext) | nindent 4 }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .isServer }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "docyard.selector" . | nindent 10 }}
  {{- end }}
  containers:
    - name: docyard
      image: {{ include "docyard.image" (dict "repository" $image.repository "tag" (default .root.Chart.AppVersion $image.tag) "digest" $image.digest) | quote }}
      imagePullPolicy: {{ $image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      securityContext:
        {{- include "docyard.override" (dict "base" $values.securityContext "own" .own.securityContext) | nindent 8 }}
      {{- if .isServer }}
      ports:
        - name: http
          containerPort: 4400
      envFrom:
        - configMapRef:
            name: {{ include "docyard.name" .root }}
      {{- end }}
      env:
        {{- range $variable, $value := .settings }}
        - name: {{ $variable }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range $variable, $entry := $values.secretFiles }}
        - name: {{ $variable }}
          value: {{ printf "/run/secrets/docyard/%s" $entry | quote }}
        {{- end }}
        {{- with concat $values.extraEnv .own.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if .isServer }}
      # Without the migration Job, the first start of a new version updates the database before it responds.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 90
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- if .own.preStopSeconds }}
      lifecycle:
        preStop:
          exec:
            command: [sleep, {{ printf "%v" .own.preStopSeconds | quote }}]
      {{- end }}
      {{- end }}
      resources:
        {{- toYaml .own.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        - name: secrets
          mountPath: /run/secrets/docyard
          readOnly: true
        {{- with concat $values.extraVolumeMounts .own.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: data
      emptyDir:
        sizeLimit: {{ .own.dataSize }}
    - name: tmp
      emptyDir:
        sizeLimit: 256Mi
    - name: secrets
      secret:
        secretName: {{ required "existingSecret is required: a Secret with database-url and secret-key" $values.existingSecret }}
        defaultMode: 288
    {{- with concat $values.extraVolumes .own.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .own.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .own.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .own.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Allowed destinations of a NetworkPolicy: every address of both families, without egressExcept. */}}
{{- define "docyard.egress" -}}
- to:
    {{- range $cidr := list "0.0.0.0/0" "::/0" }}
    - ipBlock:
        cidr: {{ $cidr | quote }}
        {{- $except := list }}
        {{- range $.Values.networkPolicy.egressExcept }}
        {{- if eq (contains ":" .) (contains ":" $cidr) }}
        {{- $except = append $except . }}
        {{- end }}
        {{- end }}
        {{- with $except }}
        except:
          {{- toYaml . | nindent 10 }}
        {{- end }}
    {{- end }}
{{- end -}}
