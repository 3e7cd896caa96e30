{{/* A Deployment of api or worker. Takes a dict of root, role and own, its values. */}}
{{- define "docyard.deployment" -}}
{{- $name := printf "%s-%s" (include "docyard.name" .root) .role -}}
{{- $limit := dig "limits" "ephemeral-storage" "" .own.resources -}}
{{- if and (hasSuffix "Gi" .own.dataSize) (hasSuffix "Gi" $limit) (ge (trimSuffix "Gi" .own.dataSize | float64) (trimSuffix "Gi" $limit | float64)) -}}
{{- fail (printf "%s.resources.limits.ephemeral-storage is %s: it must be greater than %s.dataSize, which is %s." .role $limit .role .own.dataSize) -}}
{{- end -}}
{{- $settings := merge (dict "ROLE" .role) .own.settings -}}
{{- $pod := dict "isServer" true "args" (list "serve" "--no-admin-key" "--no-sample") "settings" $settings -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "docyard.labels" . | nindent 4 }}
spec:
  {{- if not (include "docyard.is-scaled" .) }}
  replicas: {{ .own.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "docyard.selector" . | nindent 6 }}
  template:
    {{- include "docyard.pod" (merge $pod .) | nindent 4 }}
{{- end -}}

{{/* Not empty if an autoscaler sets the number of pods. */}}
{{- define "docyard.is-scaled" -}}
{{- $hasQueueScaling := dig "queueScaling" "enabled" false .own -}}
{{- if and .own.autoscaling.enabled $hasQueueScaling -}}
{{- fail (printf "%s.autoscaling and %s.queueScaling are both enabled. Disable one of them." .role .role) -}}
{{- end -}}
{{- if or .own.autoscaling.enabled $hasQueueScaling -}}yes{{- end -}}
{{- end -}}

{{/* The disruption budget and autoscaler of a Deployment. Takes the same dict. */}}
{{- define "docyard.scaling" -}}
{{- $name := printf "%s-%s" (include "docyard.name" .root) .role -}}
{{- if .own.disruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "docyard.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .own.disruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "docyard.selector" . | nindent 6 }}
{{- end }}
{{- if .own.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "docyard.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicas: {{ .own.autoscaling.minReplicas }}
  maxReplicas: {{ .own.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .own.autoscaling.targetCPUUtilizationPercentage }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
{{- end }}
{{- end -}}
