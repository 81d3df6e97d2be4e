{{/*
What the schema cannot see: values that contradict each other. Each problem is one line that begins with the key to
change; validate.yaml shows all of them at once.
*/}}

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
{{- $least := add .drain.preStopSeconds 65 }}
{{- if lt (int .drain.terminationGracePeriodSeconds) (int $least) }}
{{ $key }}.drain.terminationGracePeriodSeconds: must be at least {{ $least }}: preStopSeconds, 60 for calls in flight, 5 to close
{{- end }}
{{- end -}}
{{- end -}}

{{- define "roundhouse.problemsOfWorkers" -}}
{{- range $id, $_ := .Values.workers }}
{{- $key := printf "workers.%s" $id }}
{{- $worker := include "roundhouse.worker" (list $ $id) | fromJson }}
{{- if $worker.enabled }}
{{- if not $worker.image.repository }}
{{ $key }}.image.repository: a worker needs an image
{{- end }}
{{- if and $worker.scopes (not $worker.prefix) }}
{{ $key }}.prefix: scopes need one, because policy tells tools apart by their names
{{- end }}
{{- include "roundhouse.problemsOfComponent" (dict "key" $key "values" $worker) }}
{{- include "roundhouse.problemsOfTls" (dict "root" $ "key" $key "values" $worker) }}
{{- end }}
{{- end }}
{{- if not (include "roundhouse.workerIds" . | fromJson).ids }}
workers: at least one has to be enabled
{{- end }}
{{- end -}}

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

{{- define "roundhouse.problemsOfAccess" -}}
{{- $url := include "roundhouse.publicUrl" . -}}
{{- if and (eq .Values.auth.mode "oauth") (not .Values.auth.issuers) }}
auth.issuers: mode oauth needs at least one
{{- end }}
{{- if and (eq .Values.auth.mode "oauth") (not (hasPrefix "https://" $url)) }}
publicUrl: must be https in mode oauth, because tokens travel to it
{{- end }}
{{- with .Values.gateway }}
{{- if and .enabled (not .parentRefs) }}
gateway.parentRefs: an HTTPRoute needs a Gateway to belong to
{{- end }}
{{- if and .enabled $.Values.ingress.enabled }}
ingress.enabled: gateway.enabled is on, too; choose one way in
{{- end }}
{{- if and .enabled (not $.Values.publicUrl) }}
publicUrl: gateway.enabled needs the address that clients use
{{- end }}
{{- end }}
{{- with .Values.ingress }}
{{- if and .enabled (not $.Values.publicUrl) }}
publicUrl: ingress.enabled needs the address that clients use
{{- end }}
{{- if and .enabled .tls.enabled (not (or .tls.secretName .tls.clusterIssuer)) }}
ingress.tls: needs a certificate: name a Secret in ingress.tls.secretName or an issuer in ingress.tls.clusterIssuer
{{- end }}
{{- if and .enabled (hasPrefix "https://" $url) (not .tls.enabled) (contains "nginx" .className) }}
ingress.tls.enabled: publicUrl is https, and this Ingress would serve http only
{{- end }}
{{- end }}
{{- end -}}

{{/* (dict root key values) */}}
{{- define "roundhouse.problemsOfTls" -}}
{{- $tls := .root.Values.rpcTls -}}
{{- if and $tls.enabled (not $tls.issuer.name) (not .values.rpcTlsSecret) }}
{{ .key }}.rpcTlsSecret: rpcTls.enabled needs a certificate: name its Secret, or an issuer in rpcTls.issuer.name
{{- end }}
{{- if and .values.rpcTlsSecret (not $tls.enabled) }}
rpcTls.enabled: {{ .key }}.rpcTlsSecret is set, but nothing would use it
{{- end }}
{{- end -}}

{{- define "roundhouse.problemsOfKeyset" -}}
{{- with .Values.keyset -}}
{{- if and .existingSecret .inline }}
keyset.inline: keyset.existingSecret has the keyset already
{{- end }}
{{- if and .rotation.enabled .inline }}
keyset.rotation.enabled: each upgrade would put keyset.inline back; use keyset.existingSecret
{{- end }}
{{- if .inline }}
{{- $keys := dig "keys" list (.inline | fromJson) }}
{{- if not $keys }}
keyset.inline: is no keyset: make one with `roundhouse-keys add --create`
{{- end }}
{{- range $at, $entry := $keys }}
{{- include "roundhouse.problemsOfKey" (dict "at" $at "k" (toString $entry.k)) }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
A key that somebody typed, copied or hashed from a word. Never repeats it. The published ones are SHA-256 of the words in
libs/sealed-state/src/weak-material.ts, which refuses these and more when a router starts.
*/}}
{{- define "roundhouse.problemsOfKey" -}}
{{- $known := list
  "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
  "K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols"
  "XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg"
  "BXugPWxEEEhj3HNh_kV4ll0YhzYPkKCJWILlimJI_IY"
  "N6juwc4ZaH0TL-KQUdymKdFk4sSVi6FB1fQTOjPwaI8"
  "glwh0Vlz9X34FwTPs7aKiKXShYwJGnh2cohRb3KVHT4"
  "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
  "8F_WghrV7V9JcZCoMxsKS1KL1j_hhRiS0mwZV5SbUaQ"
  "YD3rEBXKcb4rc67whX13gR81LAc7YQjXLZgQowkU3_Q"
-}}
{{- if ne (len .k) 43 }}
keyset.inline: keys[{{ .at }}].k is not 32 bytes long; use 32 random bytes
{{- else if or (lt (splitList "" .k | uniq | len) 16) (has .k $known) (regexMatch "^[ -~]{32}$" (.k | replace "-" "+" | replace "_" "/" | printf "%s=" | b64dec)) }}
keyset.inline: keys[{{ .at }}].k is a default or a word, not 32 random bytes
{{- end }}
{{- end -}}

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
