{{/* The router as the shared helpers take it. Only its pods may read sealing keys. */}}
{{- define "roundhouse.routerPart" -}}
{{- dict "component" "router" "end" "router" "values" .Values.router "port" 3000 "portName" "http" "peerPort" 4300
  "env" "- { name: ROUNDHOUSE_PEER_ADVERTISED_HOST, valueFrom: { fieldRef: { fieldPath: status.podIP } } }"
  "config" (include "roundhouse.routerConfig" .)
  "mounts" (include "roundhouse.routerMounts" .)
  "volumes" (include "roundhouse.routerVolumes" .) | toJson -}}
{{- end -}}

{{- define "roundhouse.routerMounts" -}}
- { name: keyset, mountPath: /etc/roundhouse/keyset, readOnly: true }
{{- if include "roundhouse.policy" . }}
- { name: policy, mountPath: /etc/roundhouse/policy, readOnly: true }
{{- end }}
{{- range .Values.router.secrets }}
- { name: secret-{{ . | sha256sum | trunc 8 }}, mountPath: /etc/roundhouse/secrets/{{ . }}, readOnly: true }
{{- end }}
{{- if eq .Values.discovery.mode "kubernetes" }}
- { name: api-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true }
{{- end }}
{{- end -}}

{{/*
Folders, never subPath: the router follows these files, and no rotation restarts a pod. Modes are decimal, because readers
of YAML disagree about 0440: 288 lets owner and group read.
*/}}
{{- define "roundhouse.routerVolumes" -}}
- name: keyset
  secret: { secretName: {{ include "roundhouse.keysetSecret" . }}, defaultMode: 288 }
{{- if include "roundhouse.policy" . }}
- name: policy
  configMap: { name: {{ include "roundhouse.name" (list . "policy") }} }
{{- end }}
{{- range .Values.router.secrets }}
- name: secret-{{ . | sha256sum | trunc 8 }}
  secret: { secretName: {{ . }}, defaultMode: 288 }
{{- end }}
{{- if eq .Values.discovery.mode "kubernetes" }}
{{ include "roundhouse.apiToken" (dict "seconds" .Values.discovery.tokenSeconds) }}
{{- end }}
{{- end -}}

{{/* (dict seconds): a token for the API server that ends, in the place where every client looks for it. */}}
{{- define "roundhouse.apiToken" -}}
- name: api-token
  projected:
    defaultMode: 288
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: {{ .seconds }} }
      - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
      - downwardAPI: { items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }] }
{{- end -}}
