import type { Bound } from '../report.ts';
import type { Figures } from './run.ts';

/**
 * P8 asks for no more CPU a pod than kube-scheduler, 0.95 times its pace, and no worse a p99. What is reached is kept:
 * half the CPU, 1.2 times the pace.
 */
export function boundsOf(ours: Figures, theirs: Figures, pods: number): Bound[] {
  return [
    { figure: 'pods bound', value: ours.podsBound, min: pods },
    { figure: "CPU a pod, times kube-scheduler's", value: ours.cpuMsPerPod / theirs.cpuMsPerPod, max: 0.5 },
    { figure: "pods a second, times kube-scheduler's", value: ours.podsPerSecond / theirs.podsPerSecond, min: 1.2 },
    { figure: "p99 of late pods, times kube-scheduler's", value: ours.lateP99Ms / theirs.lateP99Ms, max: 1 },
  ];
}
