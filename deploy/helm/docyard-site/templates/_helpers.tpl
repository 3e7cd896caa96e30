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

{{/* What was said, or the volume. */}}
{{- define "docyard-site.bundleUrl" -}}
{{- if .Values.staticExport.bundleUrl -}}
{{- .Values.staticExport.bundleUrl -}}
{{- else if include "docyard-site.hasBundleVolume" . -}}
/bundle
{{- end -}}
{{- end -}}

{{/* Text when something has to be reached; nothing when every bundle comes from a folder. */}}
{{- define "docyard-site.needsNetwork" -}}
{{- if or (contains "://" (include "docyard-site.bundleUrl" .)) (contains "://" .Values.staticExport.refreshFrom) -}}yes{{- end -}}
{{- end -}}
