/** Merged pull requests of code, reported to a real service that is killed, each start one agent job. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as stage from './contract/harness.ts';
import { pullRequestWebhook } from './fakes/forges/pull-request-webhooks.ts';
import { startGitServer, type GitServer } from './fakes/git-server.ts';
import { siteFiles, startService, type Service } from './service.ts';

const timeout = 60_000;
/** Before the event is recorded, around the matching and the start of the job, and after them. */
const killedAfterMs = [0, 300, 700, 1200, 1800, 2500, 3500, 5000];
const file = `version: 1
automations:
  - name: api-docs
    on: { merged: { repository: acme/api, paths: [src/**] } }
    instructions: Document {{pullRequest.title}}.
    group: false
`;

let git: GitServer;
let service: Service;

beforeAll(async () => {
  git = await startGitServer();
  service = await start();
});

afterAll(async () => {
  await service.stop();
  await git.close();
});

const start = (dataDir?: string) =>
  startService({
    environment: {
      EGRESS_ALLOW: `source:${git.host}`,
      MODEL_URL: 'https://models.invalid/v1',
      MODEL_NAME: 'none',
    },
    sample: false,
    ...(dataDir === undefined ? {} : { dataDir }),
  });

test(
  'a service that is killed loses no merge and starts no second job',
  { timeout: 8 * timeout },
  async () => {
    const docs = git.addRepository('acme/docs', { ...siteFiles(1), '.docyard/automations.yaml': file });
    const code = git.addRepository('acme/api', { 'src/a.ts': '' });
    const { id: projectId } = await stage.addProject(service, docs.url);
    const params = { projectId };
    const { secret } = await service.client.call('createHookSecret', { params });
    for (const [round, milliseconds] of killedAfterMs.entries()) {
      const number = round + 1;
      const mergeCommit = code.commit('main', { 'src/a.ts': `export const round = ${round};\n` });
      const facts = { secret, repository: code.url, action: 'merged' as const, headCommit: mergeCommit };
      const request = pullRequestWebhook('github', {
        ...facts,
        mergeCommit,
        number,
        title: `Round ${number}`,
      });
      const deliver = () => fetch(`${service.origin}/hooks/${projectId}`, { method: 'POST', ...request });
      expect((await deliver()).status).toBe(202);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await service.kill();
      service = await start(service.dataDir);
      expect((await deliver()).status).toBe(202);
      const started = async () =>
        (await service.client.call('listAutomationRuns', { query: { projectId, limit: 100 } })).data.filter(
          ({ state }) => state === 'started',
        );
      await expect.poll(async () => (await started()).length, { timeout: 6 * timeout }).toBe(number);
      const subjects = (await started()).map(({ subject }) => subject);
      expect(new Set(subjects).size).toBe(number);
      const { data: jobs } = await service.client.call('listAgentJobs', { params, query: { limit: 100 } });
      expect(jobs).toHaveLength(number);
    }
  },
);
