//go:build tools

// Package controlplane names the programs of a real Kubernetes control plane, so that their modules are pinned in
// go.mod and go.sum. Nothing here is compiled: assets/build.ts builds the programs themselves.
package controlplane

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
