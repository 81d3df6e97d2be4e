{{/* Objects of the Prometheus operator appear only where it is installed, unless renderMode says otherwise. */}}
{{- define "roundhouse.hasOperator" -}}
{{- $mode := .Values.monitoring.renderMode -}}
{{- if or (eq $mode "alwaysRender") (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") -}}
yes
{{- else if eq $mode "failIfMissing" -}}
{{- fail "monitoring.renderMode: failIfMissing, and the cluster has no monitoring.coreos.com/v1; install the Prometheus operator or choose skipIfMissing" -}}
{{- end -}}
{{- end -}}

{{- define "roundhouse.monitoringMetadata" -}}
{{- include "roundhouse.metadata" . }}
  {{- with .root.Values.monitoring.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* One monitor for all components: they have the same port. */}}
{{- define "roundhouse.monitored" -}}
namespaceSelector:
  matchNames: [{{ .Release.Namespace }}]
selector:
  matchLabels:
    app.kubernetes.io/name: {{ include "roundhouse.chartName" . }}
    app.kubernetes.io/instance: {{ .Release.Name }}
  matchExpressions:
    - { key: app.kubernetes.io/component, operator: In, values: [router, replay, mcp-worker] }
{{- end -}}

{{- define "roundhouse.scrape" -}}
- port: admin
  path: /metrics
  interval: {{ .Values.monitoring.interval }}
  relabelings:
    - { sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component], targetLabel: component }
    - { sourceLabels: [__meta_kubernetes_pod_label_roundhouse_worker], targetLabel: worker }
{{- end -}}
