{{/* What is seen from outside: the MCP path and the documents about who issues tokens for it. Nothing else. */}}
{{- define "roundhouse.mcpPath" -}}
{{- (urlParse (include "roundhouse.publicUrl" .)).path | default "/" -}}
{{- end -}}

{{- define "roundhouse.publicPaths" -}}
{{- $path := include "roundhouse.mcpPath" . -}}
{{- $wellKnown := "/.well-known/oauth-protected-resource" -}}
{{- $paths := list $path $wellKnown (printf "%s%s" $wellKnown (trimSuffix "/" $path)) -}}
{{- if has "2025-03-26" (dig "legacy" "revisions" (list "2025-03-26") .Values.router.config) -}}
{{- $paths = append $paths "/.well-known/oauth-authorization-server" -}}
{{- end -}}
{{- $paths | uniq | toJson -}}
{{- end -}}

{{- define "roundhouse.publicHost" -}}
{{- (urlParse (include "roundhouse.publicUrl" .)).hostname -}}
{{- end -}}
