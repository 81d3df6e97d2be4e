{{/* (list root id): a worker as the shared helpers take it. It holds no key, no token and no address of Redis. */}}
{{- define "roundhouse.workerPart" -}}
{{- $root := index . 0 -}}
{{- $id := index . 1 -}}
{{- $values := include "roundhouse.worker" . | fromJson -}}
{{- dict "component" "mcp-worker" "worker" $id "end" (printf "worker-%s" $id) "values" $values
  "port" 4100 "portName" "rpc"
  "config" ($values.config | toYaml)
  "env" (include "roundhouse.workerEnv" $root) | toJson -}}
{{- end -}}

{{/* By environment, so that a worker of any make listens where routers look; its config is its own. */}}
{{- define "roundhouse.workerEnv" -}}
- { name: ROUNDHOUSE_WORKER_RPC_HOST, value: {{ .Values.listenHost | quote }} }
- { name: ROUNDHOUSE_WORKER_RPC_PORT, value: "4100" }
- { name: ROUNDHOUSE_WORKER_ADMIN_HOST, value: {{ .Values.listenHost | quote }} }
- { name: ROUNDHOUSE_WORKER_ADMIN_PORT, value: "9090" }
- { name: ROUNDHOUSE_LOG_LEVEL, value: {{ .Values.logLevel }} }
{{- if .Values.rpcTls.enabled }}
- { name: ROUNDHOUSE_WORKER_TLS_CERT_FILE, value: /etc/roundhouse/tls/tls.crt }
- { name: ROUNDHOUSE_WORKER_TLS_KEY_FILE, value: /etc/roundhouse/tls/tls.key }
- { name: ROUNDHOUSE_WORKER_TLS_CA_FILE, value: /etc/roundhouse/tls/ca.crt }
- { name: ROUNDHOUSE_WORKER_TLS_CLIENT_NAMES, value: {{ include "roundhouse.certificateName" (list . "router") }} }
{{- end }}
{{- with .Values.tracing.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- end -}}
