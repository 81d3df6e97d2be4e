{{/*
The Deployment of a component. Takes a dict: root; component and end of the name; values of the component; worker, if it
is one; config, its settings file; port and portName; mounts and volumes (lists of text); env (text).
*/}}

{{- define "roundhouse.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  {{- if not (include "roundhouse.isScaled" .values) }}
  replicas: {{ include "roundhouse.podsMin" .values }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 25%
  selector:
    matchLabels:
      {{- include "roundhouse.selector" . | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/config: {{ .config | sha256sum }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        {{- include "roundhouse.labels" . | nindent 8 }}
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "roundhouse.serviceAccountName" . }}
      {{- include "roundhouse.podBasics" . | nindent 6 }}
      {{- include "roundhouse.scheduling" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ .values.drain.terminationGracePeriodSeconds }}
      containers:
        - {{- include "roundhouse.container" . | nindent 10 }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 16Mi }
        - name: config
          configMap: { name: {{ include "roundhouse.name" (list .root .end) }} }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if .root.Values.rpcTls.enabled }}
        {{- include "roundhouse.tlsVolume" . | nindent 8 }}
        {{- end }}
        {{- with .values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}
