{{/* Pods of roundhouse-keys, which read and write the one Secret of the keyset with a token that ends within minutes. */}}

{{/* (dict root serviceAccount args before): the pod; before is a list of argument lists that run first, in order. */}}
{{- define "roundhouse.keysPod" -}}
serviceAccountName: {{ .serviceAccount }}
{{- include "roundhouse.podBasics" . | nindent 0 }}
restartPolicy: Never
{{- with .before }}
initContainers:
  {{- range . }}
  - {{- include "roundhouse.keysContainer" (dict "root" $.root "name" (index . 0) "args" .) | nindent 4 }}
  {{- end }}
{{- end }}
containers:
  - {{- include "roundhouse.keysContainer" (dict "root" .root "name" "keys" "args" .args) | nindent 4 }}
volumes:
  {{- include "roundhouse.apiToken" (dict "seconds" 600) | nindent 2 }}
{{- end -}}

{{- define "roundhouse.keysContainer" -}}
{{- $root := .root -}}
name: {{ .name }}
image: {{ include "roundhouse.image" (dict "root" $root "image" $root.Values.router.image "own" true) | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
args:
  - apps/keys/bin/roundhouse-keys.mjs
  {{- toYaml .args | nindent 2 }}
  - --secret={{ include "roundhouse.keysetSecret" $root }}
  - --secret-key={{ $root.Values.keyset.key }}
securityContext:
  {{- include "roundhouse.containerSecurity" . | nindent 2 }}
resources:
  {{- toYaml $root.Values.keyset.resources | nindent 2 }}
volumeMounts:
  - { name: api-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true }
{{- end -}}

{{/* (dict root end annotations rules): who runs them and what they may do. */}}
{{- define "roundhouse.keysAccess" -}}
{{- $name := include "roundhouse.name" (list .root .end 52) -}}
{{- $metadata := dict "name" $name "namespace" .root.Release.Namespace "labels" (include "roundhouse.labels" . | fromYaml) -}}
{{- if .annotations -}}{{- $_ := set $metadata "annotations" .annotations -}}{{- end -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- toYaml $metadata | nindent 2 }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- toYaml $metadata | nindent 2 }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- toYaml $metadata | nindent 2 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ $name }} }
subjects:
  - { kind: ServiceAccount, name: {{ $name }}, namespace: {{ .root.Release.Namespace }} }
{{- end -}}
