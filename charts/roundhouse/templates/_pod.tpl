{{/*
What every pod of ours has in common, jobs and the test included: it satisfies the pod security level "restricted", has
no token, and no environment that Kubernetes makes up from the names of Services.
*/}}

{{/* (dict root [runAsUser]): OpenShift hands out ids of its own and refuses others. Volumes belong to the group. */}}
{{- define "roundhouse.podSecurity" -}}
runAsNonRoot: true
{{- if not (include "roundhouse.isOpenShift" .root) }}
{{- with .runAsUser }}
runAsUser: {{ . }}
runAsGroup: {{ . }}
{{- end }}
fsGroup: {{ .runAsUser | default 65532 }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "roundhouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "roundhouse.podBasics" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "roundhouse.podSecurity" . | nindent 2 }}
{{- end -}}

{{/* (dict root values component [worker]) */}}
{{- define "roundhouse.scheduling" -}}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- if .values.topologySpreadConstraints }}
  {{- toYaml .values.topologySpreadConstraints | nindent 2 }}
{{- else }}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "roundhouse.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end -}}

{{/*
Three quarters of the memory limit for the Node heap, so that the process refuses or collects before the kernel kills it.
Nothing for a limit that is no whole number of Mi or Gi.
*/}}
{{- define "roundhouse.heapMiB" -}}
{{- $limit := dig "limits" "memory" "" (.values.resources | default dict) | toString -}}
{{- if regexMatch "^[0-9]+Mi$" $limit -}}
{{- div (mul (trimSuffix "Mi" $limit | int64) 3) 4 -}}
{{- else if regexMatch "^[0-9]+Gi$" $limit -}}
{{- mul (trimSuffix "Gi" $limit | int64) 768 -}}
{{- end -}}
{{- end -}}
