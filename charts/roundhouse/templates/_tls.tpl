{{/*
Certificates of the rpc: router, workers and replay service each show one and look at the other's. They are files that
the processes follow, so a renewal restarts nothing.
*/}}

{{/* (list root end): what the certificate of a component is made out to. */}}
{{- define "roundhouse.certificateName" -}}
{{- $root := index . 0 -}}
{{- printf "%s.%s.svc" (include "roundhouse.name" (list $root (index . 1))) $root.Release.Namespace -}}
{{- end -}}

{{- define "roundhouse.tlsFiles" -}}
certFile: /etc/roundhouse/tls/tls.crt
keyFile: /etc/roundhouse/tls/tls.key
caFile: /etc/roundhouse/tls/ca.crt
{{- end -}}

{{- define "roundhouse.tlsMount" -}}
- { name: rpc-tls, mountPath: /etc/roundhouse/tls, readOnly: true }
{{- end -}}

{{/* (dict root end values) */}}
{{- define "roundhouse.tlsVolume" -}}
- name: rpc-tls
  secret: { secretName: {{ include "roundhouse.tlsSecret" . }}, defaultMode: 288 }
{{- end -}}

{{- define "roundhouse.tlsSecret" -}}
{{- .values.rpcTlsSecret | default (include "roundhouse.name" (list .root (printf "%s-rpc" .end))) -}}
{{- end -}}

{{/* A certificate of cert-manager, unless the operator brings one. */}}
{{- define "roundhouse.certificate" -}}
{{- $tls := .root.Values.rpcTls -}}
{{- if and $tls.enabled (not .values.rpcTlsSecret) }}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  secretName: {{ include "roundhouse.tlsSecret" . }}
  duration: 2160h
  renewBefore: 720h
  privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
  usages: [digital signature, server auth, client auth]
  dnsNames:
    - {{ include "roundhouse.certificateName" (list .root .end) }}
  issuerRef: { group: cert-manager.io, kind: {{ $tls.issuer.kind }}, name: {{ $tls.issuer.name }} }
{{- end }}
{{- end -}}
