{{/* The replay service as the shared helpers take it: the only pods that may know where Redis is. */}}
{{- define "roundhouse.replayPart" -}}
{{- dict "component" "replay" "end" "replay" "values" .Values.replay "port" 4200 "portName" "rpc"
  "config" (include "roundhouse.replayConfig" .)
  "mounts" (include "roundhouse.replayMounts" .)
  "volumes" (include "roundhouse.replayVolumes" .)
  "env" (include "roundhouse.replayEnv" .) | toJson -}}
{{- end -}}

{{- define "roundhouse.replayMounts" -}}
{{- if .Values.redis.existingSecret }}
- { name: redis, mountPath: /etc/roundhouse/redis, readOnly: true }
{{- end }}
{{- if .Values.redis.ca.existingSecret }}
- { name: redis-ca, mountPath: /etc/roundhouse/redis-ca, readOnly: true }
{{- end }}
{{- end -}}

{{- define "roundhouse.replayVolumes" -}}
{{- with .Values.redis.existingSecret }}
- name: redis
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- with .Values.redis.ca.existingSecret }}
- name: redis-ca
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- end -}}

{{- define "roundhouse.replayEnv" -}}
{{- if .Values.redis.ca.existingSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/roundhouse/redis-ca/{{ .Values.redis.ca.key }} }
{{- end }}
{{- end -}}
