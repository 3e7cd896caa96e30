/**
 * Sends malformed requests to every operation: each is answered in time, without a server error, and with a readable error
 * body. FUZZ_RUNS sets the requests per operation, FUZZ_SEED the seed.
 */
import fc from 'fast-check';
import { ErrorBody, operation, operationIds, ProblemBody, type OperationId } from '@docyard/api';
import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '../service.ts';
import { fetchDocument } from './document.ts';
import { invite } from './users.ts';
import { send, type Answer, type Call } from './raw-http.ts';
import { fuzzedCall, fuzzedDownload, type Existing } from './requests.ts';
import * as stage from './harness.ts';

const usualRuns = process.env['LONG_TESTS'] === undefined ? 15 : 30;
const runs = Number(process.env['FUZZ_RUNS'] ?? usualRuns);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const timeout = 10_000 + runs * 1000;

let log = '';
const git = await stage.startEndlessGit();
const service = await startService({
  environment: {
    EGRESS_ALLOW: `source:${git.host}`,
    EXPORT_CONCURRENCY: '1',
    AGENT_CONCURRENCY: '1',
    LIMIT_BODY_BYTES: '100000',
    LIMIT_QUEUED_JOBS: '1000000',
  },
  sample: false,
  onLog: (text) => {
    log += text;
  },
});
const document = await fetchDocument(service.origin);
const existing = await addRecords();
const counts = new Map<number, number>();

afterAll(async () => {
  await service.stop();
  git.stop();
});

/** An endless export and an endless agent job occupy the only workers, so jobs that the requests start stay queued. */
async function addRecords() {
  const { client } = service;
  const project = await stage.addProject(service, stage.siteFolder());
  const completed = await stage.runExport(service, project.domain);
  const busy = await stage.addProject(service, git.repository);
  const running = await client.call('startExport', { body: { domain: busy.domain } });
  await stage.waitFor(service, running.jobId, ({ status }) => status === 'running');
  await stage.giveModel(service, busy.id);
  const { id } = await client.call('createAgentJob', {
    params: { projectId: busy.id },
    body: { prompt: 'Never begins.' },
  });
  await stage.waitForAgent(service, { projectId: busy.id, id }, ({ phase }) => phase !== 'queued');
  const canceled = async () => {
    const { jobId } = await client.call('startExport', { body: { domain: busy.domain } });
    return (await client.call('cancelExport', { params: { jobId } })).jobId;
  };
  return {
    domain: project.domain,
    completed: completed.jobId,
    failed: await canceled(),
    toDelete: await canceled(),
    queued: (await client.call('startExport', { body: { domain: busy.domain } })).jobId,
    project: (await stage.addProject(service, git.repository)).id,
    agentJob: stage.addAgentJob(service.dataDir, busy),
    endedAgentJob: stage.addAgentJob(service.dataDir, busy),
    agentProject: busy.id,
    key: (await client.call('createKey', { body: { name: 'To be fuzzed' } })).id,
    webhook: await stage.addWebhook(service),
    user: (await invite(service)).userId,
    deployment: await stage.addDeployment(service),
    forgeEvent: await stage.addForgeEvent(service, project.id),
    pullRequest: await stage.addPullRequest(service),
  };
}

/** Existing records, without the key that the test uses. */
function existingFor(id: OperationId): Existing {
  const { domain, completed, failed, toDelete, queued } = existing;
  // The event stream of an unfinished job does not end.
  const jobs = id === 'followExport' ? [completed, failed] : [completed, failed, queued];
  return {
    key: service.key,
    domain,
    ids: {
      jobId: id === 'deleteExport' ? [toDelete] : jobs,
      projectId: [operation(id).tag === 'Agent jobs' ? existing.agentProject : existing.project],
      id: [id === 'followAgentJob' ? existing.endedAgentJob : existing.agentJob],
      keyId: [existing.key],
      webhookId: [existing.webhook.webhookId],
      deliveryId: [existing.webhook.deliveryId],
      userId: [existing.user],
      deploymentId: [existing.deployment],
      eventId: [existing.forgeEvent],
      name: ['spelling'],
      pullRequestId: [existing.pullRequest],
    },
  };
}

async function ask(call: Call): Promise<Answer> {
  const answer = await send(service.origin, call);
  const { status, headers, body } = answer;
  counts.set(status, (counts.get(status) ?? 0) + 1);
  expect(status, body).toBeLessThan(500);
  if (status >= 400 && call.method !== 'HEAD') {
    const problem = headers.get('content-type') === 'application/problem+json';
    if (!problem) expect(headers.get('content-type')).toBe('application/json');
    (problem ? ProblemBody : ErrorBody).strict().parse(JSON.parse(body));
  }
  return answer;
}

/** A request may be too broken to reach an operation. */
function documented(id: OperationId): number[] {
  const outcomes = document.operations.find((each) => each.id === id)?.outcomes ?? [];
  return [...outcomes.map(({ status }) => status), 400, 431];
}

describe('a request that is not meant well', () => {
  // These event streams do not end.
  it.each(operationIds.filter((id) => id !== 'followExports' && id !== 'followAgentJobs'))(
    'gets a proper answer from %s',
    async (id) => {
      await fc.assert(
        fc.asyncProperty(fuzzedCall(id, existingFor(id)), async (call) => {
          const { status } = await ask(call);
          if (call.straight) expect(documented(id)).toContain(status);
        }),
        { numRuns: runs, seed },
      );
    },
    timeout,
  );

  it(
    'gets a proper answer from a download link',
    async () => {
      const params = { jobId: existing.completed };
      const { bundleUrl } = await service.client.call('createBundle', { params });
      const target = bundleUrl.slice(service.origin.length);
      await fc.assert(
        fc.asyncProperty(fuzzedDownload(target, existingFor('createBundle')), async (call) => {
          const { status } = await ask(call);
          expect([200, 206, 304, 400, 403, 404, 416]).toContain(status);
        }),
        { numRuns: runs, seed },
      );
    },
    timeout,
  );
});

describe('afterwards', () => {
  it('the service is ready as before', async () => {
    expect(await service.client.call('readReadiness')).toMatchObject({ status: 'ready' });
    expect(await service.client.call('readMe')).toMatchObject({ key: { name: 'First admin key' } });
  });

  it('its log contains no error', () => {
    expect(log.split('\n').filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  });

  it('every kind of answer has occurred', () => {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const byStatus = [...counts]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`);
    console.log(`${total} requests, answered with ${byStatus.join(', ')}.`);
    expect([...counts.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405]));
  });
});
