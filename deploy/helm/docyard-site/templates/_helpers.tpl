{{- define "docyard-site.name" -}}
{{- if contains "docyard-site" .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-docyard-site" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What the Service and the Deployment find their pods by; it must never change. */}}
{{- define "docyard-site.selector" -}}
app.kubernetes.io/name: docyard-site
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "docyard-site.labels" -}}
{{ include "docyard-site.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Text when a volume brings the bundle, nothing otherwise. */}}
{{- define "docyard-site.hasBundleVolume" -}}
{{- with .Values.bundleVolume -}}
{{- if or .existingClaim .configMap .image -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* Where newer bundles are looked for: what was said, or the volume. */}}
{{- define "docyard-site.refreshFrom" -}}
{{- if .Values.staticExport.refreshFrom -}}
{{- .Values.staticExport.refreshFrom -}}
{{- else if include "docyard-site.hasBundleVolume" . -}}
/bundle
{{- end -}}
{{- end -}}

{{/* Text when every bundle comes from a folder, so that nothing has to be reached. */}}
{{- define "docyard-site.isClosed" -}}
{{- if and (not .Values.staticExport.bundleUrl) (hasPrefix "/" (include "docyard-site.refreshFrom" .)) -}}yes{{- end -}}
{{- end -}}
