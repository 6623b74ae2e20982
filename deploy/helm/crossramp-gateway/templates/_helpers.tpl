{{- define "crossramp.labels" -}}
app.kubernetes.io/name: crossramp-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "crossramp.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}{{ if hasPrefix "sha256:" $tag }}@{{ else }}:{{ end }}{{ $tag }}
{{- end }}

{{/* Both logins: a login and its password in a secret, of which a URL is made, or a secret with the whole URL. */}}
{{- define "crossramp.databaseUrl" -}}
{{- if .Values.postgres.cluster.enabled }}
- name: GATEWAY_LOGIN
  valueFrom: { secretKeyRef: { name: {{ .Values.postgres.cluster.gatewayLogin }}, key: username } }
- name: GATEWAY_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .Values.postgres.cluster.gatewayLogin }}, key: password } }
- name: DATABASE_URL
  value: postgres://$(GATEWAY_LOGIN):$(GATEWAY_PASSWORD)@{{ .Release.Name }}-database-rw:5432/crossramp
{{- else }}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.url.secret }}, key: {{ .Values.database.url.key }} } }
{{- end }}
{{- end }}

{{- define "crossramp.ownerUrl" -}}
- name: DATABASE_OWNER_URL
{{- if .Values.postgres.cluster.enabled }}
  valueFrom: { secretKeyRef: { name: {{ .Release.Name }}-database-app, key: uri } }
{{- else }}
  valueFrom: { secretKeyRef: { name: {{ .Values.database.ownerUrl.secret }}, key: {{ .Values.database.ownerUrl.key }} } }
{{- end }}
{{- end }}

{{- define "crossramp.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "crossramp.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "crossramp.migratePod" -}}
restartPolicy: OnFailure
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  {{- include "crossramp.podSecurity" . | nindent 2 }}
containers:
  - name: migrate
    image: {{ include "crossramp.image" . }}
    args: [crossramp, migrate]
    env:
      {{- include "crossramp.databaseUrl" . | trim | nindent 6 }}
      {{- include "crossramp.ownerUrl" . | trim | nindent 6 }}
    securityContext:
      {{- include "crossramp.containerSecurity" . | nindent 6 }}
    volumeMounts:
      - { name: state, mountPath: /var/lib/crossramp }
      - { name: tmp, mountPath: /tmp }
volumes:
  - { name: state, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
{{- end }}
