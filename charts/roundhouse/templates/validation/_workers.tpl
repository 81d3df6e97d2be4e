{{/* Values of workers and of certificates that contradict each other. */}}

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
