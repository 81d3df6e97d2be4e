{{/*
All worker groups of the routers: those of this release and those that somebody else runs, in the order in which they are
asked. As JSON under `groups`: id, prefix, scopes, endpoints.
*/}}

{{- define "roundhouse.groups" -}}
{{- $root := . -}}
{{- $byPlace := dict -}}
{{- range (include "roundhouse.workerIds" . | fromJson).ids -}}
{{- $worker := include "roundhouse.worker" (list $root .) | fromJson -}}
{{- $endpoints := include "roundhouse.endpoints" (list $root (printf "worker-%s" .) 4100) | fromYaml -}}
{{- $group := dict "id" . "prefix" $worker.prefix "scopes" $worker.scopes "endpoints" $endpoints -}}
{{- $_ := set $byPlace (printf "%06d %s" (int $worker.order) .) $group -}}
{{- end -}}
{{- range $id, $_ := .Values.externalWorkers -}}
{{- $worker := include "roundhouse.externalWorker" (list $root $id) | fromJson -}}
{{- $endpoints := include "roundhouse.externalEndpoints" $worker | fromJson -}}
{{- $group := dict "id" $id "prefix" $worker.prefix "scopes" $worker.scopes "endpoints" $endpoints -}}
{{- $_ := set $byPlace (printf "%06d %s" (int $worker.order) $id) $group -}}
{{- end -}}
{{- $groups := list -}}
{{- range keys $byPlace | sortAlpha -}}{{- $groups = append $groups (get $byPlace .) -}}{{- end -}}
{{- dict "groups" $groups | toJson -}}
{{- end -}}

{{/* (list root id): everything about a worker that somebody else runs, as JSON. */}}
{{- define "roundhouse.externalWorker" -}}
{{- $own := index (index . 0).Values.externalWorkers (index . 1) | default dict -}}
{{- $defaults := dict "order" 100 "prefix" "" "scopes" list "service" "" "selector" "" "portName" "rpc" "appProtocol" "" -}}
{{- mergeOverwrite $defaults (dict "port" 4100 "podLabels" dict "serverName" "") (deepCopy $own) | toJson -}}
{{- end -}}

{{/* Where the router finds it; what is not set is left out. */}}
{{- define "roundhouse.externalEndpoints" -}}
{{- $slices := dict "portName" .portName -}}
{{- with .service -}}{{- $_ := set $slices "service" . -}}{{- end -}}
{{- with .selector -}}{{- $_ := set $slices "selector" . -}}{{- end -}}
{{- with .appProtocol -}}{{- $_ := set $slices "appProtocol" . -}}{{- end -}}
{{- $endpoints := dict "kubernetes" $slices -}}
{{- with .serverName -}}{{- $_ := set $endpoints "serverName" . -}}{{- end -}}
{{- $endpoints | toJson -}}
{{- end -}}
