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

{{/* A Deployment of api or worker, with its values in `own`. Takes a dict of root, role and own. */}}
{{- define "docyard.deployment" -}}
{{- $name := printf "%s-%s" (include "docyard.name" .root) .role -}}
{{- $values := .root.Values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "docyard.labels" . | nindent 4 }}
spec:
  {{- if not .own.autoscaling.enabled }}
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
    metadata:
      labels:
        {{- include "docyard.labels" . | nindent 8 }}
      annotations:
        checksum/settings: {{ include (print .root.Template.BasePath "/configmap.yaml") .root | sha256sum }}
        {{- with .own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "docyard.name" .root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .own.terminationGracePeriodSeconds }}
      securityContext:
        {{- toYaml $values.podSecurityContext | nindent 8 }}
      {{- with $values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "docyard.selector" . | nindent 14 }}
      containers:
        - name: docyard
          image: {{ printf "%s:%s" $values.image.repository (default .root.Chart.AppVersion $values.image.tag) | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: [serve, --no-admin-key, --no-sample]
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          ports:
            - name: http
              containerPort: 4400
          envFrom:
            - configMapRef:
                name: {{ include "docyard.name" .root }}
          env:
            - name: ROLE
              value: {{ .role }}
            {{- range $variable, $entry := $values.secretFiles }}
            - name: {{ $variable }}
              value: {{ printf "/run/secrets/docyard/%s" $entry | quote }}
            {{- end }}
            {{- range $variable, $value := .own.settings }}
            - name: {{ $variable }}
              value: {{ $value | quote }}
            {{- end }}
          # The first start of a new version updates the database before it responds.
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
          resources:
            {{- toYaml .own.resources | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /data
            - name: tmp
              mountPath: /tmp
            - name: secrets
              mountPath: /run/secrets/docyard
              readOnly: true
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
      {{- with .own.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .own.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
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
