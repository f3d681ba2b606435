export { type KubeVerdict, kubeVerdicts } from './kube-verdicts.ts';
export { clearObjects, loadObjects } from './load-objects.ts';
export { NOTED } from './noting-extender.ts';
export { startQuietPlane } from './quiet-plane.ts';
