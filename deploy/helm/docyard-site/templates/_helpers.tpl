{{- define "docyard-site.name" -}}
{{- if contains "docyard-site" .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-docyard-site" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Pod selector of the Service and the Deployment. It is immutable. */}}
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

{{/* Not empty if a volume provides the bundle. */}}
{{- define "docyard-site.hasBundleVolume" -}}
{{- with .Values.bundleVolume -}}
{{- if or .existingClaim .configMap .image -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* The configured URL, or the volume. */}}
{{- define "docyard-site.bundleUrl" -}}
{{- if .Values.staticExport.bundleUrl -}}
{{- .Values.staticExport.bundleUrl -}}
{{- else if include "docyard-site.hasBundleVolume" . -}}
/bundle
{{- end -}}
{{- end -}}

{{/* Not empty if a bundle comes from another host. */}}
{{- define "docyard-site.needsNetwork" -}}
{{- if or (contains "://" (include "docyard-site.bundleUrl" .)) (contains "://" .Values.staticExport.refreshFrom) -}}yes{{- end -}}
{{- end -}}

{{- define "docyard-site.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Changes with the entries of the Secret, so that pods restart. Empty if the renderer cannot read the cluster. */}}
{{- define "docyard-site.secret-checksum" -}}
{{- with .Values.staticExport.apiKey.existingSecret -}}
{{- with lookup "v1" "Secret" $.Release.Namespace . -}}
{{- toJson .data | sha256sum -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Stops with a message if the pod would be evicted before its volume for releases is full. */}}
{{- define "docyard-site.check-storage" -}}
{{- $size := .Values.data.size -}}
{{- $limit := dig "limits" "ephemeral-storage" "" .Values.resources -}}
{{- $isVolatile := not .Values.data.existingClaim -}}
{{- if and $isVolatile (hasSuffix "Gi" $size) (hasSuffix "Gi" $limit) (ge (trimSuffix "Gi" $size | float64) (trimSuffix "Gi" $limit | float64)) -}}
{{- fail (printf "resources.limits.ephemeral-storage is %s: it must be greater than data.size, which is %s." $limit $size) -}}
{{- end -}}
{{- end -}}
