{{/* Values that do not tell where Redis is, or tell it twice. */}}

{{- define "roundhouse.problemsOfRedis" -}}
{{- with .Values.redis -}}
{{- $own := or .existingSecret .url .sentinels .cluster }}
{{- if and .bundled.enabled $own }}
redis.bundled.enabled: there is a Redis of your own; switch the bundled one off
{{- end }}
{{- if not (or .bundled.enabled $own) }}
redis.existingSecret: name the Secret with the address of your Redis, or set redis.url, or switch redis.bundled.enabled on
{{- end }}
{{- if and .existingSecret .url }}
redis.url: redis.existingSecret has the address already
{{- end }}
{{- if regexMatch "^[a-z]+://[^/]*:[^/]*@" .url }}
redis.url: holds a password; put the whole address into a Secret and name it in redis.existingSecret
{{- end }}
{{- if and .sentinels .cluster }}
redis.cluster: redis.sentinels are set, too; Redis is behind Sentinels or a cluster
{{- end }}
{{- if ne (empty .sentinels) (empty .sentinelName) }}
redis.sentinelName: goes together with redis.sentinels
{{- end }}
{{- if and .bundled.enabled (gt (int .replicasMin) 0) }}
redis.replicasMin: the bundled Redis has no replicas
{{- end }}
{{- end -}}
{{- end -}}
