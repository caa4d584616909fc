{{/* What a process may do: nothing as root, nothing to its image, nothing with the cluster. */}}
{{- define "turnpike.podSecurity" -}}
automountServiceAccountToken: false
# Links of a Service named turnpike would be variables named TURNPIKE_….
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "turnpike.containerSecurity" -}}
image: {{ include "turnpike.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Variables of every process, the migrations' too: what is wrong with them fails before a pod is replaced. */}}
{{- define "turnpike.env" -}}
{{- range list "DATABASE_URL" "REDIS_URL" "ANTHROPIC_API_KEY" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ required "secret.existingSecret is required: the name of a Secret with DATABASE_URL, REDIS_URL and ANTHROPIC_API_KEY" $.Values.secret.existingSecret }}
      key: {{ . }}
      {{- if eq . "ANTHROPIC_API_KEY" }}
      optional: true
      {{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The pod of an API or a worker. Takes root, role, and own: the values of the role. */}}
{{- define "turnpike.pod" -}}
{{- $root := .root -}}
{{- $own := .own -}}
metadata:
  labels:
    {{- include "turnpike.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  annotations:
    checksum/files: {{ toJson $root.Values.files | sha256sum }}
    checksum/secret-revision: {{ $root.Values.secret.revision | sha256sum }}
    {{- with $own.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "turnpike.serviceAccount" $root }}
  {{- include "turnpike.podSecurity" $root | nindent 2 }}
  # preStop's 5 s, the drain, and 15 s to close what is open.
  terminationGracePeriodSeconds: {{ add 5 (div (add $own.drainMs 999) 1000) 15 }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "turnpike.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  containers:
    - name: turnpike
      {{- include "turnpike.containerSecurity" $root | nindent 6 }}
      command: [node, --v8-pool-size=2, dist/main.js]
      env:
        - { name: TURNPIKE_ROLE, value: {{ .role }} }
        - { name: TURNPIKE_HOST, value: 0.0.0.0 }
        - { name: TURNPIKE_PORT, value: '4400' }
        - { name: TURNPIKE_METRICS_PORT, value: {{ $root.Values.metrics.port | quote }} }
        - { name: TURNPIKE_MIGRATE, value: check }
        # Keys are made by command: a key in a pod's log is read by all who read logs.
        - { name: TURNPIKE_FIRST_KEY, value: refuse }
        - { name: TURNPIKE_ALLOW_KEYLESS, value: {{ $root.Values.allowKeyless | quote }} }
        - { name: TURNPIKE_DRAIN_MS, value: {{ $own.drainMs | int64 | quote }} }
        - { name: TURNPIKE_PROJECTS_DIR, value: /projects }
        {{- if eq .role "worker" }}
        - { name: TURNPIKE_WORKER_CONCURRENCY, value: {{ $own.concurrency | int64 | quote }} }
        {{- end }}
        {{- include "turnpike.env" $root | nindent 8 }}
      ports:
        - { name: http, containerPort: 4400 }
        - { name: metrics, containerPort: {{ $root.Values.metrics.port }} }
      startupProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 60
      # Of the process alone: a restart helps nobody whose database is away.
      livenessProbe:
        httpGet: { path: /live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          # Requests still come until every node has heard that the pod goes.
          exec: { command: [sleep, '5'] }
      resources: {{- toYaml $own.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: projects, mountPath: /projects }
        {{- if $root.Values.files }}
        - { name: files, mountPath: /etc/turnpike, readOnly: true }
        {{- end }}
        {{- with $root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: {{ $root.Values.tmp.sizeLimit }} }
    - name: projects
      {{- if $root.Values.projects.enabled }}
      persistentVolumeClaim:
        claimName: {{ $root.Values.projects.existingClaim | default (printf "%s-projects" (include "turnpike.fullname" $root)) }}
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- if $root.Values.files }}
    - name: files
      configMap: { name: {{ include "turnpike.fullname" $root }}-files }
    {{- end }}
    {{- with $root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $own.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
