{{/*
The settings file of each process, as docs/configuration.md describes it. What the chart decides itself wins over what
config says; config may not say it anyway (values.schema.json).
*/}}

{{/* (list root end port): the pods of a Service, and what their certificates are made out to. */}}
{{- define "roundhouse.endpoints" -}}
{{- $values := (index . 0).Values -}}
{{- if eq $values.discovery.mode "kubernetes" -}}
kubernetes:
  service: {{ include "roundhouse.name" (list (index . 0) (index . 1)) }}
{{- else -}}
dns:
  name: {{ include "roundhouse.host" (list (index . 0) (index . 1)) }}
  port: {{ index . 2 }}
  refreshMs: {{ $values.discovery.refreshMs }}
{{- end }}
{{- if $values.rpcTls.enabled }}
serverName: {{ include "roundhouse.certificateName" . }}
{{- end }}
{{- end -}}

{{/* Ids of the workers that are deployed, in the order in which they are asked, as JSON under `ids`. */}}
{{- define "roundhouse.workerIds" -}}
{{- $keys := list -}}
{{- range $id, $worker := .Values.workers -}}
{{- $all := mergeOverwrite (deepCopy $.Values.workerDefaults) (deepCopy ($worker | default dict)) -}}
{{- if $all.enabled -}}{{- $keys = append $keys (printf "%06d %s" (int $all.order) $id) -}}{{- end -}}
{{- end -}}
{{- $ids := list -}}
{{- range sortAlpha $keys -}}{{- $ids = append $ids (splitList " " . | last) -}}{{- end -}}
{{- dict "ids" $ids | toJson -}}
{{- end -}}

{{/* (list root id): everything about a worker, as JSON. */}}
{{- define "roundhouse.worker" -}}
{{- $values := (index . 0).Values -}}
{{- mergeOverwrite (deepCopy $values.workerDefaults) (deepCopy (index $values.workers (index . 1) | default dict)) | toJson -}}
{{- end -}}

{{/* Where routers hear each other: answers and cancellations of older clients may reach any of them. */}}
{{- define "roundhouse.routerPeers" -}}
{{- $names := dict "host" .Values.listenHost "port" 4300 -}}
{{- if .Values.rpcTls.enabled -}}
{{- $_ := set $names "serverName" (include "roundhouse.certificateName" (list . "router")) -}}
{{- end -}}
{{- merge $names (include "roundhouse.endpoints" (list . "router-pods" 4300) | fromYaml) | toJson -}}
{{- end -}}

{{- define "roundhouse.routerConfig" -}}
{{- $root := . -}}
{{- $workers := list -}}
{{- range (include "roundhouse.groups" . | fromJson).groups -}}
{{- $workers = append $workers (merge (dict "id" .id "prefix" .prefix) .endpoints) -}}
{{- end -}}
{{- $own := dict
  "listen" (dict "host" .Values.listenHost "port" 3000)
  "admin" (dict "host" .Values.listenHost "port" 9090)
  "publicUrl" (include "roundhouse.publicUrl" .)
  "logLevel" .Values.logLevel
  "auth" .Values.auth
  "workers" $workers
  "replay" (include "roundhouse.endpoints" (list . "replay" 4200) | fromYaml)
  "peers" (include "roundhouse.routerPeers" . | fromJson)
  "keyset" (dict "file" (printf "/etc/roundhouse/keyset/%s" .Values.keyset.key))
-}}
{{- if .Values.rpcTls.enabled -}}
{{- $_ := set $own "rpcTls" (include "roundhouse.tlsFiles" . | fromYaml) -}}
{{- end -}}
{{- with .Values.tracing.endpoint -}}
{{- $_ := set $own "tracing" (dict "endpoint" . "ratio" $root.Values.tracing.ratio) -}}
{{- end -}}
{{- if include "roundhouse.policy" . -}}
{{- $_ := set $own "policy" (dict "file" "/etc/roundhouse/policy/policy.yaml") -}}
{{- end -}}
{{- dict "router" (mergeOverwrite (deepCopy .Values.router.config) $own) | toYaml -}}
{{- end -}}

{{/* The policy of the values, and a rule for each worker whose tools demand scopes. Empty without either. */}}
{{- define "roundhouse.policy" -}}
{{- $root := . -}}
{{- $rules := .Values.policy.rules | default list -}}
{{- range (include "roundhouse.groups" . | fromJson).groups -}}
{{- if .scopes -}}
{{- $names := list (printf "%s*" .prefix) -}}
{{- $rules = append $rules (dict "name" (printf "worker-%s" .id) "tools" $names "prompts" $names "scopes" .scopes) -}}
{{- end -}}
{{- end -}}
{{- if or $rules .Values.policy -}}
{{- dict "policy" (merge (dict "rules" $rules) (deepCopy .Values.policy)) | toYaml -}}
{{- end -}}
{{- end -}}

{{- define "roundhouse.replayConfig" -}}
{{- $redis := .Values.redis -}}
{{- $store := dict "kind" "redis" "replicasMin" (int $redis.replicasMin) -}}
{{- if $redis.bundled.enabled -}}
{{- $_ := set $store "url" (printf "redis://%s:6379" (include "roundhouse.host" (list . "redis"))) -}}
{{- else if $redis.existingSecret -}}
{{- $_ := set $store "urlFile" (printf "/etc/roundhouse/redis/%s" $redis.existingSecretKey) -}}
{{- else if $redis.url -}}
{{- $_ := set $store "url" $redis.url -}}
{{- end -}}
{{- with $redis.sentinels -}}
{{- $_ := set $store "sentinels" . -}}
{{- $_ := set $store "sentinelName" $redis.sentinelName -}}
{{- end -}}
{{- with $redis.cluster -}}{{- $_ := set $store "cluster" . -}}{{- end -}}
{{- $listen := dict "host" .Values.listenHost "port" 4200 -}}
{{- if .Values.rpcTls.enabled -}}
{{- $names := dict "clientNames" (list (include "roundhouse.certificateName" (list . "router"))) -}}
{{- $_ := set $listen "tls" (merge $names (include "roundhouse.tlsFiles" . | fromYaml)) -}}
{{- end -}}
{{- $own := dict
  "listen" $listen
  "admin" (dict "host" .Values.listenHost "port" 9090)
  "logLevel" .Values.logLevel
  "store" $store
-}}
{{- with .Values.tracing.endpoint -}}{{- $_ := set $own "tracing" (dict "endpoint" .) -}}{{- end -}}
{{- dict "replay" (mergeOverwrite (deepCopy .Values.replay.config) $own) | toYaml -}}
{{- end -}}
