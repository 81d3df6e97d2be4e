{{/* Who talks to whom. Every pod is selected by one policy, so what no rule names is refused in both directions. */}}

{{/* (dict root component [worker]): pods of this release. */}}
{{- define "roundhouse.peer" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ include "roundhouse.chartName" .root }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
      app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "roundhouse.policyHead" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "roundhouse.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end -}}

{{/* DNS by port alone: node-local caches and clusters differ in where it is. */}}
{{- define "roundhouse.dnsEgress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{/* Metrics, for those who collect them; the kubelet's probes need no rule. */}}
{{- define "roundhouse.adminIngress" -}}
{{- with .Values.networkPolicy.monitoring }}
- from:
    {{- toYaml . | nindent 4 }}
  ports: [{ port: 9090 }]
{{- end }}
{{- end -}}

{{/* To the collector of traces, where there is one. */}}
{{- define "roundhouse.tracingEgress" -}}
{{- if .Values.tracing.endpoint }}
{{- include "roundhouse.egressTo" .Values.networkPolicy.tracing }}
{{- end }}
{{- end -}}

{{/* (dict peers ports): a rule to peers, or to anywhere when there are none. */}}
{{- define "roundhouse.egressTo" -}}
- ports:
    {{- range .ports }}
    - { port: {{ . }} }
    {{- end }}
  {{- with .peers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
