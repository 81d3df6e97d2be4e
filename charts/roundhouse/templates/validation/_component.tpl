{{/* Values of one component that contradict each other. (dict key values) */}}

{{/* (dict key values): a component's own. */}}
{{- define "roundhouse.problemsOfComponent" -}}
{{- $key := .key -}}
{{- with .values -}}
{{- if and .autoscaling.enabled .keda.enabled }}
{{ $key }}.keda.enabled: autoscaling.enabled is on, too; only one of them can decide how many pods there are
{{- end }}
{{- if and (include "roundhouse.isScaled" .) .replicas }}
{{ $key }}.replicas: autoscaling decides how many pods there are; leave it empty
{{- end }}
{{- range $name := list "autoscaling" "keda" }}
{{- $scaling := get $.values $name }}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) }}
{{ $key }}.{{ $name }}.minReplicas: is above {{ $name }}.maxReplicas
{{- end }}
{{- end }}
{{- if and .autoscaling.enabled (eq 0 (int .autoscaling.cpuPercent)) (eq 0 (int .autoscaling.inflight.target)) }}
{{ $key }}.autoscaling: needs cpuPercent or inflight.target to go by
{{- end }}
{{- if and .keda.enabled (eq 0 (int .keda.cpuPercent)) (not .keda.triggers) }}
{{ $key }}.keda: needs cpuPercent or triggers to go by
{{- end }}
{{- if and (include "roundhouse.isScaled" .) (not (dig "requests" "cpu" "" (.resources | default dict))) }}
{{ $key }}.resources.requests.cpu: autoscaling by processor use needs it
{{- end }}
{{- $drain := dig "drain" dict (.config | default dict) }}
{{- $callsMs := add (dig "timeoutMs" 60000 $drain | int64) (dig "lingerMs" 0 $drain | int64) }}
{{- $calls := div (add $callsMs 999) 1000 }}
{{- $least := add .drain.preStopSeconds $calls 5 }}
{{- if lt (int .drain.terminationGracePeriodSeconds) (int $least) }}
{{ $key }}.drain.terminationGracePeriodSeconds: must be at least {{ $least }}: preStopSeconds, {{ $calls }} for calls in flight, 5 to close
{{- end }}
{{- end -}}
{{- end -}}
