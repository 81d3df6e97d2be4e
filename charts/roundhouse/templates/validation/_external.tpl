{{/* Values of workers that somebody else runs. */}}

{{- define "roundhouse.problemsOfExternalWorkers" -}}
{{- $ids := (include "roundhouse.workerIds" . | fromJson).ids -}}
{{- range $id, $_ := .Values.externalWorkers }}
{{- $key := printf "externalWorkers.%s" $id }}
{{- $worker := include "roundhouse.externalWorker" (list $ $id) | fromJson }}
{{- if eq (empty $worker.service) (empty $worker.selector) }}
{{ $key }}: name one of service and selector, so that routers know where it is
{{- end }}
{{- if has $id $ids }}
{{ $key }}: workers.{{ $id }} has this id, too; an id is one group
{{- end }}
{{- if and $worker.scopes (not $worker.prefix) }}
{{ $key }}.prefix: scopes need one, because policy tells tools apart by their names
{{- end }}
{{- if and $.Values.rpcTls.enabled (not $worker.serverName) }}
{{ $key }}.serverName: rpcTls.enabled needs the name that its certificates are made out to
{{- end }}
{{- if ne $.Values.discovery.mode "kubernetes" }}
{{ $key }}: needs discovery.mode kubernetes, because it is found by EndpointSlices
{{- end }}
{{- end }}
{{- if not (or $ids .Values.externalWorkers) }}
workers: at least one has to be enabled
{{- end }}
{{- end -}}
