{{/*
Names and labels. One helper makes every name: at most 63 characters whatever the release is called, and different for
different objects, because the end that tells them apart is never cut.
*/}}

{{- define "roundhouse.chartName" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* A Service may begin with a letter only and hold no dot; a release may. */}}
{{- define "roundhouse.base" -}}
{{- $base := .Values.fullnameOverride -}}
{{- if not $base -}}
{{- $chart := include "roundhouse.chartName" . -}}
{{- $base = ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- end -}}
{{- $base = $base | replace "." "-" | trimSuffix "-" -}}
{{- ternary (printf "r%s" $base) $base (regexMatch "^[0-9]" $base) -}}
{{- end -}}

{{/* (list root end [max]): the base and the end; a base that is too long is cut and marked with a hash of the whole. */}}
{{- define "roundhouse.name" -}}
{{- $base := include "roundhouse.base" (index . 0) -}}
{{- $end := index . 1 -}}
{{- $max := 63 -}}
{{- if gt (len .) 2 -}}{{- $max = index . 2 -}}{{- end -}}
{{- $whole := printf "%s-%s" $base $end -}}
{{- if le (len $whole) (int $max) -}}
{{- $whole -}}
{{- else -}}
{{- $room := sub (sub $max (len $end)) 10 | int -}}
{{- printf "%s-%s-%s" ($base | trunc $room | trimSuffix "-") ($base | sha256sum | trunc 8) $end -}}
{{- end -}}
{{- end -}}

{{/* What never changes between versions: a selector is immutable. (dict root component [worker]) */}}
{{- define "roundhouse.selector" -}}
app.kubernetes.io/name: {{ include "roundhouse.chartName" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .worker }}
roundhouse/worker: {{ . }}
{{- end }}
{{- end -}}

{{- define "roundhouse.labels" -}}
{{ include "roundhouse.selector" . }}
app.kubernetes.io/part-of: roundhouse
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ include "roundhouse.label" .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ include "roundhouse.label" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A version may hold a plus, a label may not. */}}
{{- define "roundhouse.label" -}}
{{- . | replace "+" "_" | trunc 63 | trimSuffix "-" | trimSuffix "_" | trimSuffix "." -}}
{{- end -}}

{{/* (dict root component end [worker]) */}}
{{- define "roundhouse.metadata" -}}
name: {{ include "roundhouse.name" (list .root .end) }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "roundhouse.labels" . | nindent 2 }}
{{- end -}}

{{/* (dict root image own): own images follow image.registry and image.tag; a digest wins over any tag. */}}
{{- define "roundhouse.image" -}}
{{- $values := .root.Values -}}
{{- $repository := .image.repository -}}
{{- if and .own $values.image.registry -}}{{- $repository = printf "%s/%s" $values.image.registry $repository -}}{{- end -}}
{{- $first := splitList "/" $repository | first -}}
{{- if and $values.global.imageRegistry (not (or (contains "." $first) (contains ":" $first))) -}}
{{- $repository = printf "%s/%s" $values.global.imageRegistry $repository -}}
{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.image.tag | default $values.image.tag | default .root.Chart.AppVersion | toString) -}}
{{- end -}}
{{- end -}}

{{- define "roundhouse.serviceAccountName" -}}
{{- if .values.serviceAccount.name -}}
{{- .values.serviceAccount.name -}}
{{- else if .values.serviceAccount.create -}}
{{- include "roundhouse.name" (list .root .end) -}}
{{- else -}}
default
{{- end -}}
{{- end -}}

{{/* (list root end): the name of a Service anywhere in the cluster. */}}
{{- define "roundhouse.host" -}}
{{- $root := index . 0 -}}
{{- printf "%s.%s.svc.%s" (include "roundhouse.name" .) $root.Release.Namespace $root.Values.clusterDomain -}}
{{- end -}}

{{- define "roundhouse.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{- .Values.publicUrl -}}
{{- else -}}
{{- $port := int .Values.router.service.port -}}
{{- printf "http://%s%s/mcp" (include "roundhouse.host" (list . "router")) (ternary "" (printf ":%d" $port) (eq $port 80)) -}}
{{- end -}}
{{- end -}}

{{- define "roundhouse.keysetSecret" -}}
{{- .Values.keyset.existingSecret | default (include "roundhouse.name" (list . "keyset")) -}}
{{- end -}}

{{- define "roundhouse.isOpenShift" -}}
{{- $mode := .Values.openshift -}}
{{- if or (eq $mode "on") (and (eq $mode "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}yes{{- end -}}
{{- end -}}
