{{/* What `production: true` refuses because it is for trying out. */}}

{{- define "roundhouse.problemsOfProduction" -}}
{{- if .Values.production -}}
{{- if not .Values.keyset.existingSecret }}
keyset.existingSecret: production needs a keyset that is backed up; name its Secret
{{- end }}
{{- if .Values.redis.bundled.enabled }}
redis.bundled.enabled: production needs a Redis of its own; this one is for trying out
{{- end }}
{{- if ne .Values.auth.mode "oauth" }}
auth.mode: production serves callers with tokens only: oauth
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
networkPolicy.enabled: production keeps workers away from Redis; switch it on
{{- end }}
{{- if or (dig "store" "allowUnsafe" false .Values.replay.config) (not (dig "store" "epochFence" true .Values.replay.config)) }}
replay.config.store: allowUnsafe and epochFence are for trying out and for tests
{{- end }}
{{- range $key := list "router" "replay" }}
{{- if lt (include "roundhouse.podsMin" (get $.Values $key) | int) 2 }}
{{ $key }}.replicas: production needs at least 2
{{- end }}
{{- end }}
{{- range (include "roundhouse.workerIds" . | fromJson).ids }}
{{- if lt (include "roundhouse.podsMin" (include "roundhouse.worker" (list $ .) | fromJson) | int) 2 }}
workers.{{ . }}.replicas: production needs at least 2
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
