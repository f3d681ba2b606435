//go:build tools

// Package helm names the program of Helm, so that its modules are pinned in go.mod and go.sum. Nothing here is
// compiled: index.ts builds the program itself.
package helm

import _ "helm.sh/helm/v3/cmd/helm"
