import { expect, test } from 'vitest';
import { SliceLedger } from './slice-ledger.ts';

const REGISTER = JSON.stringify([{ id: 'GPU-0', count: 2, devmem: 1000, devcore: 100, health: true }]);
const machine = {
  metadata: {
    name: 'n',
    annotations: {
      'hami.io/node-nvidia-register': REGISTER,
      'hami.io/node-dcu-register': 'DCU-0,4,500,100,DCU,0,true:',
    },
  },
  status: { capacity: { 'mthreads.com/sgpu-core': '32', 'mthreads.com/sgpu-memory': '8' } },
};

function pod(uid: string, kind: string, value: string, phase = 'Pending', node: string | null = 'n'): any {
  const annotations = { [`hami.io/${kind}-devices-allocated`]: value, [`hami.io/${kind}-devices-to-allocate`]: ';' };
  return {
    metadata: { uid, namespace: 't', name: uid, annotations },
    spec: node === null ? {} : { nodeName: node },
    status: { phase },
  };
}

test('what is held of a card is counted in MiB, cores and slots, at every change', () => {
  const ledger = new SliceLedger([machine]);
  const see = (type: string, object: any): void => ledger.see({ type, object });
  see('ADDED', pod('a', 'vgpu', 'GPU-0,NVIDIA,600,50:;'));
  see('ADDED', pod('b', 'vgpu', 'GPU-0,NVIDIA,600,50:;', 'Pending', null));
  see('MODIFIED', pod('a', 'vgpu', 'GPU-0,NVIDIA,600,50:;', 'Running'));
  expect(ledger.broken).toEqual([]);
  see('MODIFIED', pod('b', 'vgpu', 'GPU-0,NVIDIA,401,50:;'));
  expect(ledger.broken).toEqual(['with t/b, 1001 mem of GPU-0 are held: it has 1000 (a: 600, b: 401)']);
  see('DELETED', pod('a', 'vgpu', 'GPU-0,NVIDIA,600,50:;'));
  see('ADDED', pod('c', 'vgpu', 'GPU-0,NVIDIA,1,51:;'));
  expect(ledger.broken.at(-1)).toMatch(/^with t\/c, 101 cores of GPU-0 are held: it has 100/);
  see('MODIFIED', pod('c', 'vgpu', 'GPU-0,NVIDIA,1,51:;', 'Succeeded'));
  see('ADDED', pod('d', 'vgpu', 'GPU-0,NVIDIA,1,0:GPU-0,NVIDIA,1,0:;'));
  expect(ledger.broken.at(-1)).toMatch(/^with t\/d, 3 slots of GPU-0 are held: it has 2/);
  expect(ledger.cardsHeld).toBe(1);
});

test('cards of other encodings, counted ones, and one that is not there', () => {
  const ledger = new SliceLedger([machine]);
  const see = (object: any): void => ledger.see({ type: 'ADDED', object });
  see(pod('a', 'dcu', ';DCU-0,DCU,500,100:;'));
  see(pod('b', 'mthreads-vgpu', 'n-mthreads-1,Mthreads,2048,16:;'));
  expect(ledger.broken).toEqual([]);
  see(pod('c', 'mthreads-vgpu', 'n-mthreads-2,Mthreads,1,1:;'));
  expect(ledger.broken).toEqual(['t/c holds n-mthreads-2, which no node has']);
});
