{{/* What is seen from outside: the MCP path and the document about who issues tokens for it. Nothing else. */}}
{{- define "roundhouse.mcpPath" -}}
{{- (urlParse (include "roundhouse.publicUrl" .)).path | default "/" -}}
{{- end -}}

{{- define "roundhouse.publicPaths" -}}
{{- $path := include "roundhouse.mcpPath" . -}}
{{- $wellKnown := "/.well-known/oauth-protected-resource" -}}
{{- list $path $wellKnown (printf "%s%s" $wellKnown (trimSuffix "/" $path)) | uniq | toJson -}}
{{- end -}}

{{- define "roundhouse.publicHost" -}}
{{- (urlParse (include "roundhouse.publicUrl" .)).hostname -}}
{{- end -}}
