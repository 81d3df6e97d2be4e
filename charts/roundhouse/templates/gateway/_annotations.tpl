{{/* What nginx has to be told so that it neither holds streams back, ends them, nor sends a call twice. */}}
{{- define "roundhouse.ingressAnnotations" -}}
{{- $all := dict -}}
{{- $ingress := .Values.ingress -}}
{{- if contains "nginx" $ingress.className -}}
{{- $bytes := dig "limits" "bodyBytesMax" 4194304 .Values.router.config | int64 -}}
{{- range $key, $value := dict
  "proxy-buffering" "off"
  "proxy-request-buffering" "off"
  "proxy-read-timeout" "3600"
  "proxy-send-timeout" "3600"
  "proxy-next-upstream" "off"
  "proxy-body-size" (toString $bytes)
-}}
{{- $_ := set $all (printf "nginx.ingress.kubernetes.io/%s" $key) $value -}}
{{- end -}}
{{- end -}}
{{- with $ingress.tls.clusterIssuer -}}{{- $_ := set $all "cert-manager.io/cluster-issuer" . -}}{{- end -}}
{{- mergeOverwrite $all ($ingress.annotations | default dict) | toYaml -}}
{{- end -}}
