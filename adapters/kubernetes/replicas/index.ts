export { kubernetesReplicas } from './replicas.ts';
