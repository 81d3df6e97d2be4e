{{/* Who adds and takes pods: a HorizontalPodAutoscaler, or KEDA through one of its own. */}}

{{/* Slow on the way down: a pod that goes takes its open streams with it. */}}
{{- define "roundhouse.scaleBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
scaleDown:
  stabilizationWindowSeconds: 300
  selectPolicy: Max
  policies:
    - { type: Pods, value: 1, periodSeconds: 60 }
    - { type: Percent, value: 10, periodSeconds: 60 }
{{- end -}}

{{- define "roundhouse.hpa" -}}
{{- if .values.autoscaling.enabled }}
{{- with .values.autoscaling }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "roundhouse.metadata" $ | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "roundhouse.name" (list $.root $.end) }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    {{- if gt (int .cpuPercent) 0 }}
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .cpuPercent }} }
    {{- end }}
    {{- if gt (int .inflight.target) 0 }}
    - type: Pods
      pods:
        metric: { name: {{ .inflight.metric }} }
        target: { type: AverageValue, averageValue: {{ .inflight.target | quote }} }
    {{- end }}
  behavior:
    {{- include "roundhouse.scaleBehavior" . | nindent 4 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "roundhouse.scaledObject" -}}
{{- if .values.keda.enabled }}
{{- with .values.keda }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "roundhouse.metadata" $ | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ include "roundhouse.name" (list $.root $.end) }}
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  {{- if .triggers }}
  fallback:
    failureThreshold: 3
    replicas: {{ .minReplicas }}
    # A fixed number would take pods away while the source of a trigger is gone.
    behavior: currentReplicasIfHigher
  {{- end }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- include "roundhouse.scaleBehavior" . | nindent 8 }}
  triggers:
    {{- if gt (int .cpuPercent) 0 }}
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ .cpuPercent | quote }} }
    {{- end }}
    {{- with .triggers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
{{- end -}}
