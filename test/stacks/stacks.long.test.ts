/** The same export, agent job and webhooks on each supported stack. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitForExport, type ExportJob, type Manifest } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../packages/server/test/support/webhook-receiver.ts';
import { createProject, mendLink, modelKey, runJob, setStage, type Stage } from '../agent/harness.ts';
import { program, temporaryFolder, type Service } from '../service.ts';
import { stacks, type Stack } from './stack.ts';

const patience = { timeout: 60_000 };
const setUpMs = 180_000;

describe.each(stacks)('on $name', ({ missing, start }) => {
  if (missing !== undefined) {
    test.skip(missing, () => {});
    return;
  }

  let stack: Stack;
  let stage: Stage;
  let receiver: Receiver;
  let processes: Service[];
  /** The process that answers requests. */
  let service: Service;
  /** The logs of all processes. */
  let log = '';
  let projectId: string;
  let secret: string;
  let exported: ExportJob;
  const domain = 'docs.example.com';

  beforeAll(async () => {
    [stack, receiver] = await Promise.all([start(), startReceiver()]);
    stage = await setStage({ script: mendLink, environment: stack.environment });
    stage.environment['EGRESS_ALLOW'] += `,webhook:${receiver.host}`;
    const onLog = (text: string) => void (log += text);
    processes = await Promise.all(
      stack.roles.map((role) => {
        const options = { dataDir: temporaryFolder('stack'), logLevel: 'trace' as const, onLog };
        return stage.start({ ...options, ...(role === undefined ? {} : { role }) });
      }),
    );
    const [first] = processes;
    if (first === undefined) throw new Error('The stack has no process.');
    service = first;
    projectId = await createProject(service, stage, domain);
    ({ secret } = await service.client.call('createWebhook', { body: { url: `${receiver.origin}/` } }));
  }, setUpMs);

  afterAll(async () => {
    await stage?.close();
    await stack?.remove();
  }, setUpMs);

  test('an export is started once, completed, downloaded and unpacked', patience, async () => {
    const headers = { 'idempotency-key': 'once' };
    const begin = () => service.client.call('startExport', { body: { domain } }, { headers });
    const [{ jobId }, again] = await Promise.all([begin(), begin()]);
    expect(again.jobId).toBe(jobId);
    exported = await waitForExport(service.client, jobId, { timeoutSeconds: 50 });
    expect(exported).toMatchObject({ status: 'completed', pageCount: 2, progress: 100, failure: null });

    const folder = temporaryFolder('stack-bundle');
    const file = join(folder, 'bundle.tar.gz');
    await downloadBundle(service.client, jobId, file);
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(exported.bundle?.sha256);
    expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0);
    expect(existsSync(join(folder, 'guides/mooring.html'))).toBe(true);
    const inside = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    expect(await service.client.call('readManifest', { params: { jobId } })).toEqual(inside);
    const report = await service.client.call('readReport', { params: { jobId } });
    expect(report).toMatchObject({ jobId, pages: 2 });
  });

  test('the stable address of the newest bundle leads to it, whole and in part', async () => {
    const whole = await followed(`/v1/static-export/latest/bundle?domain=${domain}`);
    expect(createHash('sha256').update(whole.bytes).digest('hex')).toBe(exported.bundle?.sha256);
    const part = await followed(`/v1/static-export/jobs/${exported.jobId}/bundle`, { range: 'bytes=2-5' });
    expect(part.status).toBe(206);
    expect(part.bytes).toEqual(whole.bytes.subarray(2, 6));
  });

  /** The target of a redirect needs no key. */
  async function followed(path: string, headers: Record<string, string> = {}) {
    let answer = await service.request(path);
    while (answer.status >= 300 && answer.status < 400) {
      const location = new URL(answer.headers.get('location') ?? '', service.origin);
      answer = await fetch(location, { headers, redirect: 'manual' });
    }
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  test('an agent job becomes a pull request, and a preview of its branch', { timeout: 120_000 }, async () => {
    const job = await runJob(service, projectId, 'Mend the link of the first page.');
    expect(job).toMatchObject({
      status: 'completed',
      statusReason: 'done',
      result: { filesChanged: 1, newErrors: 0, newWarnings: 0 },
      pullRequest: { state: 'open' },
    });
    const branch = job.pullRequest?.branch ?? '';
    expect(stage.repository.git('show', `${branch}:index.mdx`)).toContain('[mooring](/guides/mooring)');
    const preview = await waitForExport(service.client, job.result?.previewJobId ?? '', {
      timeoutSeconds: 50,
    });
    expect(preview).toMatchObject({ status: 'completed', source: { ref: branch } });
    expect(stage.forge.complaints).toEqual([]);
  });

  test('webhooks report both jobs, signed and in order', async () => {
    const expected = [
      'export.queued',
      'export.running',
      'export.completed',
      'agent.queued',
      'agent.running',
      'agent.completed',
      'agent.pull_request_opened',
    ];
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(expected.length);
    const messages = receiver.received.map(
      ({ body, headers }) =>
        new Verifier(secret).verify(body, headers as Record<string, string>) as {
          type: string;
          data: unknown;
        },
    );
    const ofKind = (kind: string) => messages.map(({ type }) => type).filter((type) => type.startsWith(kind));
    expect(ofKind('export')).toEqual(expected.slice(0, 3));
    expect(ofKind('agent')).toEqual(expected.slice(3));
    expect(messages.find(({ type }) => type === 'export.completed')?.data).toEqual(exported);
  });

  test('a job that waits or runs can be canceled', patience, async () => {
    const { jobId } = await service.client.call('startExport', { body: { domain } });
    await service.client.call('cancelExport', { params: { jobId } });
    const job = await waitForExport(service.client, jobId, { timeoutSeconds: 50 });
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'canceled' }, bundle: null });
  });

  test('every process exposes metrics, and the doctor finds no problem', patience, async () => {
    for (const { origin } of processes) {
      const text = await (await fetch(`${origin}/metrics`)).text();
      expect(text).toContain('\ndocyard_database_up 1\n');
      expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    }
    const all = await Promise.all(
      processes.map(async ({ origin }) => (await fetch(`${origin}/metrics`)).text()),
    );
    expect(all.join('')).toContain('docyard_job_attempts_total{kind="agent",outcome="completed"} 1');
    const args = [program, 'doctor', '--json', '--data', service.dataDir];
    // Asynchronous, because this process serves the model.
    const env = { ...process.env, ...stage.environment };
    const doctor = await promisify(execFile)(process.execPath, args, { encoding: 'utf8', env });
    const findings = JSON.parse(doctor.stdout) as { check: string; outcome: string; message: string }[];
    expect(findings.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  test('the log names requests and jobs, and no secret', async () => {
    const { bundleUrl } = await service.client.call('createBundle', { params: { jobId: exported.jobId } });
    await fetch(bundleUrl);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.some(({ msg, jobId }) => msg === 'request' && jobId === exported.jobId)).toBe(true);
    expect(lines.some(({ msg, jobId }) => msg === 'job completed' && jobId === exported.jobId)).toBe(true);
    const {
      DATABASE_URL: _address,
      BLOBS_URL: _bucket,
      AWS_ACCESS_KEY_ID: _id,
      ...hidden
    } = stack.environment;
    const secrets = [service.key, secret, stage.forge.token, modelKey, ...Object.values(hidden)];
    const signature = /(?:[?&](?:s|X-Amz-Signature)=)([\w-]+)/.exec(bundleUrl)?.[1];
    expect(signature).toBeDefined();
    for (const each of [...secrets, signature ?? '']) expect(log).not.toContain(each);
  });
});
