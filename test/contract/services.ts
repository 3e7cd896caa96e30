/** Starts the services of the contract tests: one with records in every state, one with low limits, and one with a full queue. */
import { join } from 'node:path';
import type { Project } from '@docyard/api';
import { startFakeGithubApp } from '../fakes/github-app/github-app.ts';
import { startService, temporaryFolder, type Service } from '../service.ts';
import { addOwner, setupToken } from './users.ts';
import * as stage from './harness.ts';

/** The body limit of the services. */
export const bodyBytes = 20_000;

export async function startServices() {
  const git = await stage.startEndlessGit();
  const github = await startFakeGithubApp();
  const environment = {
    EGRESS_ALLOW: `source:${git.host},source+forge:${github.host}`,
    EXPORT_CONCURRENCY: '1',
    LIMIT_BODY_BYTES: String(bodyBytes),
    RETENTION_EXPORTS: '1',
  };
  const [main, sparing, full] = await Promise.all([
    startMain(environment, git.repository),
    startSparing(),
    startFull({ ...environment, LIMIT_QUEUED_JOBS: '1' }, git.repository),
  ]);
  return {
    main,
    sparing,
    full,
    github,
    async stop() {
      await Promise.all([main.service.stop(), sparing.stop(), full.service.stop()]);
      git.stop();
      await github.close();
    },
  };
}

/** Retention keeps one export, so that the second one deletes the files of the first. */
async function startMain(environment: Record<string, string>, endless: string) {
  const service = await startService({ environment, sample: false });
  const { client, dataDir } = service;
  const project = await stage.addProject(service, stage.siteFolder());
  const purged = await stage.runExport(service, project.domain);
  const completed = await stage.runExport(service, project.domain);
  await stage.waitFor(service, purged.jobId, ({ purgedAt }) => purgedAt !== null);
  const broken = await stage.addProject(service, join(temporaryFolder('empty'), 'missing'));
  const failed = await stage.runExport(service, broken.domain);
  const busy = await stage.addProject(service, endless);
  const running = await client.call('startExport', { body: { domain: busy.domain } });
  await stage.waitFor(service, running.jobId, ({ status }) => status === 'running');
  const queued = await client.call('startExport', { body: { domain: busy.domain } });
  const agentJob = stage.addAgentJob(dataDir, project);
  await stage.giveModel(service, project.id);
  const webhook = await stage.addWebhook(service);
  const forgeEvent = await stage.addForgeEvent(service, project.id);
  const automation = await stage.addAutomation(service, project);
  const pullRequest = await stage.addPullRequest(service);
  const webhookOff = await stage.addWebhook(service);
  const switchOff = { params: { webhookId: webhookOff.webhookId }, body: { enabled: false } };
  await client.call('updateWebhook', switchOff);
  const ownerId = await addOwner(service);
  return {
    service,
    ownerId,
    records: {
      project,
      busy,
      purged,
      completed,
      failed,
      queued,
      agentJob,
      webhook,
      webhookOff,
      forgeEvent,
      automation,
      pullRequest,
    },
    keys: {
      projects: await makeKey(service, { scopes: ['projects:read'] }),
      audit: await makeKey(service, { scopes: ['audit:read'] }),
      ofProject: await makeKey(service, { projectId: project.id }),
      otherAddress: await makeKey(service, { allowedAddresses: ['203.0.113.7'] }),
      free: stage.addOrganization(dataDir, 'free').key,
    },
  };
}

/** Allows one read and one write per minute. */
function startSparing(): Promise<Service> {
  const environment = { LIMIT_READS_PER_MINUTE: '1', LIMIT_WRITES_PER_MINUTE: '1' };
  return startService({ environment, sample: false });
}

/** The queue has room for one job and contains it; webhooks and deployments are at their limits. */
async function startFull(environment: Record<string, string>, endless: string) {
  const service = await startService({ environment, sample: false });
  const project = await stage.addProject(service, endless);
  const { domain } = project;
  const withoutModel = await stage.addProject(service, endless);
  await stage.giveModel(service, project.id);
  const start = () => service.client.call('startExport', { body: { domain } });
  const ended = await start();
  await service.client.call('cancelExport', { params: { jobId: ended.jobId } });
  await stage.waitFor(service, ended.jobId, ({ status }) => status === 'failed');
  const running = await start();
  await stage.waitFor(service, running.jobId, ({ status }) => status === 'running');
  await start();
  for (let count = 0; count < 20; count += 1) await stage.addWebhook(service);
  const { organization } = await service.client.call('readMe');
  stage.fillDeployments(service.dataDir, organization.id);
  const agentOf = ({ id, domain }: Project) => ({
    projectId: id,
    id: stage.addAgentJob(service.dataDir, { id, domain }),
  });
  return {
    service,
    setupToken: setupToken(service),
    domain,
    endedJobId: ended.jobId,
    agent: agentOf(project),
    agentWithoutModel: agentOf(withoutModel),
  };
}

async function makeKey(
  { client }: Service,
  limits: { scopes?: ('projects:read' | 'audit:read')[]; allowedAddresses?: string[]; projectId?: string },
): Promise<string> {
  return (await client.call('createKey', { body: { name: 'Limited key', ...limits } })).key;
}
