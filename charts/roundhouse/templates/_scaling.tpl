{{/* How many pods a component has, who decides it, and how many may be away at once. */}}

{{- define "roundhouse.isScaled" -}}
{{- if or .autoscaling.enabled .keda.enabled -}}yes{{- end -}}
{{- end -}}

{{/* Fewest pods that a component ever has. */}}
{{- define "roundhouse.podsMin" -}}
{{- if .autoscaling.enabled -}}
{{- int .autoscaling.minReplicas -}}
{{- else if .keda.enabled -}}
{{- int .keda.minReplicas -}}
{{- else -}}
{{- .replicas | default 2 | int -}}
{{- end -}}
{{- end -}}

{{/* With one pod it would keep a node from ever being drained. */}}
{{- define "roundhouse.pdb" -}}
{{- if and .values.pdb.enabled (gt (include "roundhouse.podsMin" .values | int) 1) }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .values.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "roundhouse.selector" . | nindent 6 }}
{{- end }}
{{- end -}}
