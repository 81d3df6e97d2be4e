{{/* Values that would let nobody in, or let them in the wrong way. */}}

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
