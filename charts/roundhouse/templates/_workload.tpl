{{/*
The Deployment of a component. Takes a dict: root; component and end of the name; values of the component; worker, if it
is one; config, its settings file; port and portName; mounts and volumes (lists of text); env (text).
*/}}

{{- define "roundhouse.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  {{- if not (include "roundhouse.isScaled" .values) }}
  replicas: {{ include "roundhouse.podsMin" .values }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 25%
  selector:
    matchLabels:
      {{- include "roundhouse.selector" . | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/config: {{ .config | sha256sum }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        {{- include "roundhouse.labels" . | nindent 8 }}
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "roundhouse.serviceAccountName" . }}
      {{- include "roundhouse.podBasics" . | nindent 6 }}
      {{- include "roundhouse.scheduling" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .values.drain.terminationGracePeriodSeconds }}
      containers:
        - {{- include "roundhouse.container" . | nindent 10 }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 16Mi }
        - name: config
          configMap: { name: {{ include "roundhouse.name" (list .root .end) }} }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if .root.Values.rpcTls.enabled }}
        {{- include "roundhouse.tlsVolume" . | nindent 8 }}
        {{- end }}
        {{- with .values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{- define "roundhouse.container" -}}
name: {{ .portName | eq "http" | ternary "router" .component }}
image: {{ include "roundhouse.image" (dict "root" .root "image" .values.image "own" true) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "roundhouse.containerSecurity" . | nindent 2 }}
ports:
  - { name: {{ .portName }}, containerPort: {{ .port }} }
  - { name: admin, containerPort: 9090 }
env:
  - { name: ROUNDHOUSE_CONFIG_FILE, value: /etc/roundhouse/config/roundhouse.yaml }
  {{- with include "roundhouse.heapMiB" . }}
  - { name: NODE_OPTIONS, value: "--max-old-space-size={{ . }}" }
  {{- end }}
  {{- with .env }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "roundhouse.probes" . | nindent 0 }}
{{- with .values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: config, mountPath: /etc/roundhouse/config, readOnly: true }
  {{- with .mounts }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if .root.Values.rpcTls.enabled }}
  {{- include "roundhouse.tlsMount" . | nindent 2 }}
  {{- end }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Alive means that the event loop turns. Nothing that the process depends on can have it restarted. */}}
{{- define "roundhouse.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- if gt (int .values.drain.preStopSeconds) 0 }}
lifecycle:
  preStop:
    sleep: { seconds: {{ .values.drain.preStopSeconds }} }
{{- end }}
{{- end -}}

{{- define "roundhouse.serviceAccount" -}}
{{- if .values.serviceAccount.create }}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "roundhouse.serviceAccountName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "roundhouse.labels" . | nindent 4 }}
  {{- with .values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end -}}

{{- define "roundhouse.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
data:
  roundhouse.yaml: |
    {{- .config | nindent 4 }}
{{- end -}}

{{/* Every pod has a record of its own, so that callers choose among pods and not the Service. */}}
{{- define "roundhouse.headlessService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  {{- include "roundhouse.ipFamilies" .root | nindent 2 }}
  selector:
    {{- include "roundhouse.selector" . | nindent 4 }}
  ports:
    - { name: {{ .portName }}, port: {{ .port }}, targetPort: {{ .portName }} }
    - { name: admin, port: 9090, targetPort: admin }
{{- end -}}

{{- define "roundhouse.ipFamilies" -}}
ipFamilyPolicy: {{ .Values.service.ipFamilyPolicy }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
