{{/* The volume of the bundled Redis. Helm does not delete it with the release. */}}
{{- define "roundhouse.redisClaim" -}}
volumeClaimTemplates:
  - apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: { name: data }
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .storage.storageClassName }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ .storage.size }} } }
{{- end -}}
