{{- define "springtide.image" -}}
{{- required "image is not given: the image of Springtide with a tag or a digest, such as --set image=registry.example.com/springtide:0.1.0 / 没有给出 image：需要带标签或摘要的 Springtide 镜像，例如 --set image=registry.example.com/springtide:0.1.0" .Values.image -}}
{{- end -}}

{{- define "springtide.labels" -}}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: springtide
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}
