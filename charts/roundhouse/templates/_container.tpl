{{/* The container of a component, from the dict that its Deployment is made of. */}}

{{- define "roundhouse.container" -}}
name: {{ .portName | eq "http" | ternary "router" .component }}
image: {{ include "roundhouse.image" (dict "root" .root "image" .values.image "own" true) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "roundhouse.containerSecurity" . | nindent 2 }}
ports:
  - { name: {{ .portName }}, containerPort: {{ .port }} }
  - { name: admin, containerPort: 9090 }
  {{- with .peerPort }}
  - { name: rpc, containerPort: {{ . }} }
  {{- end }}
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

{{/*
Alive means that the event loop turns. Nothing that the process depends on can have it restarted, at its start neither:
/startupz waits for workers or Redis, which may take longer to come than Kubernetes waits.
*/}}
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
