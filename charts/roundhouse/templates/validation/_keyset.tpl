{{/* Keysets that contradict each other, and keys that are none. */}}

{{- define "roundhouse.problemsOfKeyset" -}}
{{- with .Values.keyset -}}
{{- if and .existingSecret .inline }}
keyset.inline: keyset.existingSecret has the keyset already
{{- end }}
{{- if and .rotation.enabled .inline }}
keyset.rotation.enabled: each upgrade would put keyset.inline back; use keyset.existingSecret
{{- end }}
{{- if .inline }}
{{- $keys := dig "keys" list (.inline | fromJson) }}
{{- if not $keys }}
keyset.inline: is no keyset: make one with `roundhouse-keys add --create`
{{- end }}
{{- range $at, $entry := $keys }}
{{- include "roundhouse.problemsOfKey" (dict "at" $at "k" (toString $entry.k)) }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
A key that somebody typed, copied or hashed from a word. Never repeats it. The published ones are SHA-256 of the words in
libs/sealed-state/src/weak-material.ts, which refuses these and more when a router starts.
*/}}
{{- define "roundhouse.problemsOfKey" -}}
{{- $known := list
  "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
  "K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols"
  "XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg"
  "BXugPWxEEEhj3HNh_kV4ll0YhzYPkKCJWILlimJI_IY"
  "N6juwc4ZaH0TL-KQUdymKdFk4sSVi6FB1fQTOjPwaI8"
  "glwh0Vlz9X34FwTPs7aKiKXShYwJGnh2cohRb3KVHT4"
  "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
  "8F_WghrV7V9JcZCoMxsKS1KL1j_hhRiS0mwZV5SbUaQ"
  "YD3rEBXKcb4rc67whX13gR81LAc7YQjXLZgQowkU3_Q"
-}}
{{- if ne (len .k) 43 }}
keyset.inline: keys[{{ .at }}].k is not 32 bytes long; use 32 random bytes
{{- else if or (lt (splitList "" .k | uniq | len) 16) (has .k $known) (regexMatch "^[ -~]{32}$" (.k | replace "-" "+" | replace "_" "/" | printf "%s=" | b64dec)) }}
keyset.inline: keys[{{ .at }}].k is a default or a word, not 32 random bytes
{{- end }}
{{- end -}}
