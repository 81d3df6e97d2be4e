{{/* What stands beside a Deployment: account, settings file and Service, from the same dict. */}}

{{- define "roundhouse.serviceAccount" -}}
{{- if .values.serviceAccount.create }}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "roundhouse.serviceAccountName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "roundhouse.labels" . | nindent 4 }}
  {{- with .values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end -}}

{{- define "roundhouse.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
data:
  roundhouse.yaml: |
    {{- .config | nindent 4 }}
{{- end -}}

{{/* Every pod has a record of its own, so that callers choose among pods and not the Service. */}}
{{- define "roundhouse.headlessService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "roundhouse.metadata" . | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  {{- include "roundhouse.ipFamilies" .root | nindent 2 }}
  selector:
    {{- include "roundhouse.selector" . | nindent 4 }}
  ports:
    - { name: {{ .portName }}, port: {{ .port }}, targetPort: {{ .portName }}, appProtocol: roundhouse.dev/rpc }
    - { name: admin, port: 9090, targetPort: admin }
{{- end -}}

{{- define "roundhouse.ipFamilies" -}}
ipFamilyPolicy: {{ .Values.service.ipFamilyPolicy }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
