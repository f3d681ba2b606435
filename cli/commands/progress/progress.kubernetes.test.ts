import { progressPermissions, rulesOf } from '@springtide/adapters/kubernetes/client';
import type { ProgressNews } from '@springtide/core/progress';
import { configOf } from '@springtide/testkit/conformance/real-cluster';
import { controlPlane, Space, until } from '@springtide/testkit/controlplane/fixtures';
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HELPER_FILE, helperText } from './python-helper.ts';
import { PROGRESS_PATH, type Progress, startProgress } from './progress.ts';

const plane = controlPlane();
const AUDIENCE = 'springtide.io';

/** Of an account that may do what is needed to take heartbeats, and nothing else. */
async function kubeconfigOf(space: Space): Promise<string> {
  const token = await space.addAccount('progress');
  const rbac = 'rbac.authorization.k8s.io';
  const name = `progress-${space.id}`;
  const add = async (kind: string, part: object): Promise<void> => {
    const path = `/apis/${rbac}/v1/${kind.toLowerCase()}s`;
    await plane.api.create(path, { apiVersion: `${rbac}/v1`, kind, metadata: { name }, ...part });
    onTestFinished(() => plane.api.delete(`${path}/${name}`));
  };
  await add('ClusterRole', { rules: rulesOf(progressPermissions()) });
  const subjects = [{ kind: 'ServiceAccount', namespace: space.namespace, name: 'progress' }];
  await add('ClusterRoleBinding', { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name }, subjects });
  return plane.kubeconfigWithToken('progress', token);
}

/** A namespace, and heartbeats taken beside it. Its pods wait for a machine, which tokens do not mind. */
class Scene {
  readonly space: Space;
  readonly progress: Progress;
  readonly told: ProgressNews[];

  private constructor(space: Space, progress: Progress, told: ProgressNews[]) {
    this.space = space;
    this.progress = progress;
    this.told = told;
  }

  static async open(): Promise<Scene> {
    const told: ProgressNews[] = [];
    const space = await Space.open(plane);
    const config = configOf(await kubeconfigOf(space));
    const tell = (news: ProgressNews): void => void told.push(news);
    const progress = await startProgress({ config, listen: '127.0.0.1:0', tls: null, tell });
    onTestFinished(async () => {
      await progress.stop();
      await space.close();
    });
    return new Scene(space, progress, told);
  }

  get #jobs(): string {
    return `/apis/batch/v1/namespaces/${this.space.namespace}/jobs`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.progress.port}${PROGRESS_PATH}`;
  }

  async addJob(name: string): Promise<void> {
    const containers = [{ name: 'main', image: 'train' }];
    const metadata = { annotations: { 'springtide.io/incarnation': '1' } };
    const template = { metadata, spec: { restartPolicy: 'Never', containers } };
    await plane.api.create(this.#jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } });
  }

  /** As whoever admits jobs does: stopped, and started anew as the next incarnation. */
  async restart(name: string, incarnation: number): Promise<void> {
    await plane.api.patch(`${this.#jobs}/${name}`, { spec: { suspend: true } });
    await until(`${name} is idle`, async () => (await this.podsOf(name)).length === 0);
    const annotations = { 'springtide.io/incarnation': `${incarnation}` };
    const spec = { suspend: false, template: { metadata: { annotations } } };
    await plane.api.patch(`${this.#jobs}/${name}`, { spec });
  }

  async podsOf(job: string): Promise<any[]> {
    const selector = `labelSelector=batch.kubernetes.io/job-name%3D${job}`;
    return (await plane.api.get(`${this.space.path}/pods?${selector}`)).items;
  }

  async podOf(job: string): Promise<any> {
    let pod: any;
    await until(`${job} has a pod`, async () => ([pod] = await this.podsOf(job)) && pod !== undefined);
    return pod;
  }

  /** A token of the default account, as the kubelet projects it into a pod; null: bound to none. */
  async token(pod: any, audience = AUDIENCE): Promise<string> {
    const bound = pod && { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid };
    const spec = { audiences: [audience], expirationSeconds: 3600, ...(pod && { boundObjectRef: bound }) };
    const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    return (await plane.api.create(`${this.space.path}/serviceaccounts/default/token`, wish)).status.token;
  }

  async post(token: string, part: object = {}): Promise<{ status: number; body: any }> {
    const body = JSON.stringify({ job: 'train', incarnation: 1, step: 1, ...part });
    const answer = await fetch(this.url, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: await answer.json() };
  }

  /** What is kept with the job's object. */
  async kept(job: string): Promise<any> {
    const { metadata } = await plane.api.get(`${this.#jobs}/${job}`);
    return JSON.parse(metadata.annotations['springtide.io/progress']);
  }
}

test('R1: a pod reports with its own token, and nobody else with another', async () => {
  const scene = await Scene.open();
  await scene.addJob('train');
  await scene.addJob('other');
  const [pod, stranger] = [await scene.podOf('train'), await scene.podOf('other')];
  const token = await scene.token(pod);
  expect(await scene.post(token)).toEqual({
    status: 200,
    body: { incarnation: 1, from: null, checkpointWithinMs: null },
  });
  // As the guide has it for a shell.
  const env = { ...process.env, SPRINGTIDE_PROGRESS_URL: scene.url, SPRINGTIDE_JOB: 'train', STEP: '7', TOKEN: token };
  expect(await run('sh', ['-c', CURL], { env }).ended).toEqual({
    code: 0,
    out: '{"incarnation":1,"from":null,"checkpointWithinMs":null}\n',
    errors: '',
  });
  const codeOf = async (other: string, part: object = {}): Promise<unknown[]> => {
    const { status, body } = await scene.post(other, part);
    return [status, body.error.code];
  };
  expect(await codeOf(await scene.token(stranger))).toEqual([403, 'other-job']);
  expect(await codeOf(await scene.token(null))).toEqual([403, 'no-pod']);
  // For the API server itself, which it should show to nobody else.
  expect(await codeOf(await scene.token(pod, 'https://kubernetes.default.svc'))).toEqual([401, 'unauthenticated']);
  expect(await codeOf('made-up')).toEqual([401, 'unauthenticated']);
  expect(await codeOf(token, { incarnation: 2 })).toEqual([409, 'not-its-own']);
  expect(await codeOf(token, { step: -1 })).toEqual([400, 'malformed']);
  const orphan = await scene.token(stranger);
  await plane.api.delete(`${scene.space.path}/pods/${stranger.metadata.name}`, { gracePeriodSeconds: 0 });
  const isGone = ({ metadata }: any): boolean => metadata.uid !== stranger.metadata.uid;
  await until('it is gone', async () => (await scene.podsOf('other')).every(isGone));
  // Whether the API server itself has noticed already, or we ask for the pod and there is none.
  const [, code] = await codeOf(orphan, { job: 'other' });
  expect(['unauthenticated', 'pod-gone']).toContain(code);
  const tooLong = await fetch(scene.url, { method: 'POST', body: ' '.repeat(20_000) });
  expect(tooLong.status).toBe(413);
});

test('I6: a checkpoint is kept with the job, and the next incarnation goes on from it while the former is refused', async () => {
  const scene = await Scene.open();
  await scene.addJob('train');
  const former = await scene.token(await scene.podOf('train'));
  const uri = 's3://bucket/step-500';
  expect((await scene.post(former, { step: 500, checkpoint: { uri, bytes: 10 } })).status).toBe(200);
  expect(await scene.kept('train')).toMatchObject({ incarnation: 1, checkpoints: [{ uri, step: 500, bytes: 10 }] });
  await scene.restart('train', 2);
  const later = await scene.token(await scene.podOf('train'));
  const first = await scene.post(later, { incarnation: 2, step: 0, phase: 'start' });
  expect(first).toMatchObject({ status: 200, body: { incarnation: 2, from: { uri, step: 500, bytes: 10 } } });
  expect(await scene.kept('train')).toMatchObject({ incarnation: 2, from: { uri } });
  // Its token is still believed: the incarnation is what fences it, long before.
  expect((await scene.post(former, { step: 501 })).body.error).toMatchObject({ code: 'stale', live: 2 });
  // Scenario 33.
  const torn = await scene.post(later, { incarnation: 2, step: 0, checkpoint: { state: 'torn', uri } });
  expect(torn).toMatchObject({ status: 200, body: { from: null } });
});

const CURL = `curl -sS -H "Authorization: Bearer $TOKEN" "$SPRINGTIDE_PROGRESS_URL" \
  -d "{\\"job\\":\\"$SPRINGTIDE_JOB\\",\\"incarnation\\":\${SPRINGTIDE_INCARNATION:-1},\\"step\\":$STEP}"`;

function run(program: string, words: readonly string[], options: SpawnOptions) {
  const child = spawn(program, words, options);
  const said = { out: '', errors: '' };
  child.stdout?.on('data', (text: Buffer) => (said.out += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (said.errors += text.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...said }));
  return { child, said, ended };
}

/** Runs Python with the helper beside it. */
async function python(scene: Scene, token: string, program: string, incarnation = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'helper-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, HELPER_FILE), helperText());
  writeFileSync(join(folder, 'token'), token);
  writeFileSync(join(folder, 'job.py'), program);
  const env = {
    ...process.env,
    SPRINGTIDE_PROGRESS_URL: scene.url,
    SPRINGTIDE_TOKEN_FILE: join(folder, 'token'),
    SPRINGTIDE_JOB: 'train',
    SPRINGTIDE_INCARNATION: `${incarnation}`,
  };
  return { folder, ...run('python3', ['-u', 'job.py'], { cwd: folder, env }) };
}

const SAVING = `
import os, time
from springtide_progress import Fenced, Progress

def save(name):
    os.makedirs(name + ".tmp")
    with open(name + ".tmp/weights", "w") as file:
        file.write("weights of " + name)
    os.rename(name + ".tmp", name)
    return os.path.abspath(name)
`;

test('R1: the Python helper reports steps and checkpoints, and finds the one before a torn one', async () => {
  const scene = await Scene.open();
  await scene.addJob('train');
  const first = await python(
    scene,
    await scene.token(await scene.podOf('train')),
    `${SAVING}
progress = Progress(every_s=0.1)
print(progress.resume())
for step in range(1, 4):
    progress.report(step, loss=float("nan"))
    progress.checkpoint(save(f"step-{step}"))
with progress.phase("evaluate"):
    pass
`,
  );
  expect(await first.ended).toEqual({ code: 0, out: 'None\n', errors: '' });
  const checkpoints = (await scene.kept('train')).checkpoints.map(({ step }: { step: number }) => step);
  expect(checkpoints).toEqual([3, 2, 1]);
  // The newest is torn, the one before it is missing.
  writeFileSync(join(first.folder, 'step-3', 'weights'), 'half');
  rmSync(join(first.folder, 'step-2'), { recursive: true });
  await scene.restart('train', 2);
  const token = await scene.token(await scene.podOf('train'));
  const program = `${SAVING}
progress = Progress(every_s=0.1)
start = progress.resume()
print(start["step"], open(start["uri"] + "/weights").read())
progress.done()
`;
  const second = await python(scene, token, program, 2);
  expect(await second.ended).toEqual({ code: 0, out: '1 weights of step-1\n', errors: '' });
  expect((await scene.kept('train')).checkpoints.map(({ step }: { step: number }) => step)).toEqual([1]);
});

const TRAINING = `${SAVING}
progress = Progress(on_stop=lambda: progress.checkpoint(save("last")), every_s=0.1)
step = 0
while True:
    step += 1
    try:
        progress.report(step)
    except Fenced:
        print("fenced")
        break
    if step == 1:
        print("training")
    time.sleep(0.02)
`;

test('R1: the Python helper saves when it is told to end, or asked to, and stops when it is fenced', async () => {
  const scene = await Scene.open();
  await scene.addJob('train');
  const token = await scene.token(await scene.podOf('train'));
  const ended = await python(scene, token, TRAINING);
  await until('it trains', async () => ended.said.out === 'training\n');
  ended.child.kill('SIGTERM');
  expect(await ended.ended).toMatchObject({ code: 143, errors: '' });
  const { checkpoints } = await scene.kept('train');
  expect(checkpoints).toHaveLength(1);
  expect(readFileSync(join(checkpoints[0].uri, 'weights'), 'utf8')).toBe('weights of last');
  const asked = await python(scene, token, TRAINING);
  await until('it trains', async () => asked.said.out === 'training\n');
  scene.progress.service.askForCheckpoint(`${scene.space.namespace}/job-train`, 1, 30_000);
  await until('it has saved', async () => (await scene.kept('train')).checkpoints.length === 2);
  await scene.restart('train', 2);
  const later = await scene.token(await scene.podOf('train'));
  expect((await scene.post(later, { incarnation: 2 })).status).toBe(200);
  expect(await asked.ended).toMatchObject({ code: 0, out: 'training\nfenced\n', errors: '' });
});
