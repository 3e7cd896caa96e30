/**
 * Records of another tenant, one of every kind and a job in every state, and the requests that could name them. An unauthorized
 * caller must not be able to distinguish them from missing records.
 */
import { join } from 'node:path';
import { operation, operationIds, type OperationId, type Project } from '@docyard/api';
import { temporaryFolder, type Service } from '../service.ts';
import { callOf, type Given } from './document.ts';
import { addOwner, invite } from './users.ts';
import { send, type Answer } from './raw-http.ts';
import * as stage from './harness.ts';

export interface Theirs {
  project: Project;
  jobIds: string[];
  agentJobId: string;
  keyId: string;
  webhook: { webhookId: string; deliveryId: string };
  ownerId: string;
  userId: string;
  deploymentId: string;
  forgeEventId: string;
  automation: string;
  pullRequestId: string;
}

/** `endless` is a repository that keeps an export running. */
export async function addTheirs(service: Service, endless: string): Promise<Theirs> {
  const { client } = service;
  const project = await stage.addProject(service, stage.siteFolder());
  const completed = await stage.runExport(service, project.domain);
  const broken = await stage.addProject(service, join(temporaryFolder('empty'), 'missing'));
  const failed = await stage.runExport(service, broken.domain);
  const busy = await stage.addProject(service, endless);
  const running = await client.call('startExport', { body: { domain: busy.domain } });
  await stage.waitFor(service, running.jobId, ({ status }) => status === 'running');
  const queued = await client.call('startExport', { body: { domain: busy.domain } });
  return {
    project,
    jobIds: [completed, failed, running, queued].map(({ jobId }) => jobId),
    agentJobId: stage.addAgentJob(service.dataDir, project),
    keyId: (await client.call('createKey', { body: { name: 'Theirs' } })).id,
    webhook: await stage.addWebhook(service),
    ownerId: await addOwner(service),
    userId: (await invite(service)).userId,
    deploymentId: await addReadDeployment(service),
    forgeEventId: await stage.addForgeEvent(service, project.id),
    automation: await stage.addAutomation(service, project),
    pullRequestId: await stage.addPullRequest(service),
  };
}

/** A deployment with page views and a comment. */
async function addReadDeployment(service: Service): Promise<string> {
  const name = 'theirs';
  const deploymentId = await stage.addDeployment(service, { name });
  await service.client.call('reportReadings', { body: stage.siteReadings(name) });
  return deploymentId;
}

const bodies: Partial<Record<OperationId, unknown>> = {
  updateProject: { name: 'Taken over' },
  createBundle: { ttlSeconds: 60 },
  finishGithubApp: { code: 'a1b2c3', state: 'x'.repeat(43) },
  rollKey: { overlapSeconds: 0 },
  createAgentJob: { prompt: 'Take over.' },
  messageAgentJob: { prompt: 'Take over.' },
  updateWebhook: { url: 'https://other.invalid/' },
  rotateWebhookSecret: { overlapSeconds: 0 },
  updateUser: { disabled: true },
  approvePullRequest: { headCommit: stage.pullRequestHead },
};

/** Everything that a caller can observe, except times and request counts. */
export function visible({ status, headers, body }: Answer) {
  const passing = ['date', 'ratelimit'];
  return { status, body, headers: [...headers].filter(([name]) => !passing.includes(name)) };
}

interface Pair {
  id: OperationId;
  what: string;
  real: Record<string, string>;
  random: Record<string, string>;
}

/** Every operation that names a record, with each record of the other tenant that fits. */
export function everyPair(theirs: Theirs, ownProjectId: string): Pair[] {
  const withId = operationIds.filter((id) => operation(id).path.includes('{'));
  return withId.flatMap((id) => pairsOf(id, theirs, ownProjectId));
}

function pairsOf(id: OperationId, theirs: Theirs, ownProjectId: string): Pair[] {
  const names = Object.keys(operation(id).params?.shape ?? {});
  switch (names.join()) {
    case 'jobId':
      return theirs.jobIds.map((jobId, index) => ({
        id,
        what: `a job that is ${['completed', 'failed', 'running', 'queued'][index]}`,
        real: { jobId },
        random: { jobId: stage.randomId('se') },
      }));
    case 'projectId':
      return [
        {
          id,
          what: 'a project',
          real: { projectId: theirs.project.id },
          random: { projectId: stage.randomId('pr') },
        },
      ];
    case 'userId':
      return [theirs.ownerId, theirs.userId].map((userId) => ({
        id,
        what: userId === theirs.ownerId ? 'an owner' : 'a user',
        real: { userId },
        random: { userId: stage.randomId('pe') },
      }));
    case 'deploymentId': {
      const real = { deploymentId: theirs.deploymentId };
      return [{ id, what: 'a deployment', real, random: { deploymentId: stage.randomId('dp') } }];
    }
    case 'eventId': {
      const real = { eventId: theirs.forgeEventId };
      return [{ id, what: 'an event', real, random: { eventId: stage.randomId('fe') } }];
    }
    case 'pullRequestId': {
      const real = { pullRequestId: theirs.pullRequestId };
      return [{ id, what: 'a pull request', real, random: { pullRequestId: stage.randomId('pul') } }];
    }
    case 'keyId':
      return [{ id, what: 'a key', real: { keyId: theirs.keyId }, random: { keyId: stage.randomId('key') } }];
    case 'webhookId':
    case 'webhookId,deliveryId': {
      const random = { webhookId: stage.randomId('wh'), deliveryId: stage.randomId('whd') };
      return [{ id, what: 'a webhook', real: theirs.webhook, random }];
    }
    case 'projectId,name':
      return [
        {
          id,
          what: 'an automation',
          real: { projectId: theirs.project.id, name: theirs.automation },
          random: { projectId: stage.randomId('pr'), name: theirs.automation },
        },
      ];
    case 'projectId,id':
      return [theirs.project.id, ownProjectId].map((projectId) => ({
        id,
        what: projectId === ownProjectId ? 'an agent job under our project' : 'an agent job',
        real: { projectId, id: theirs.agentJobId },
        random: {
          projectId: projectId === ownProjectId ? projectId : stage.randomId('pr'),
          id: stage.randomId('aj'),
        },
      }));
    default:
      throw new Error(`There are no records for ${names.join(' and ')} of ${id}. Add some to \`pairsOf\`.`);
  }
}

/** A fixed request id, so that equal responses are equal byte for byte. */
export async function askWith(
  service: Service,
  headers: Record<string, string>,
  id: OperationId,
  given: Given,
): Promise<Answer> {
  const body = bodies[id];
  const asked = body === undefined || given.body !== undefined ? given : { ...given, body };
  return send(service.origin, callOf(id, asked, { 'X-Request-Id': 'the-same-for-both', ...headers }));
}

export async function readTheirs({ client }: Service, theirs: Theirs): Promise<unknown> {
  return {
    analytics: await client.call('readAnalytics', { query: { days: 7 } }),
    exports: await client.call('listExports', { query: { limit: 100 } }),
    projects: await client.call('listProjects', { query: { limit: 100 } }),
    agentJobs: await client.call('listAgentJobs', { params: { projectId: theirs.project.id } }),
    keys: (await client.call('listKeys', { query: { limit: 100 } })).data.map(
      ({ id, revokedAt, expiresAt }) => ({
        id,
        revokedAt,
        expiresAt,
      }),
    ),
    users: (await client.call('listUsers')).data.map(({ id, role, status }) => ({ id, role, status })),
    // Failed deliveries change without requests.
    webhooks: (await client.call('listWebhooks')).data.map(({ failingSince: _since, ...webhook }) => webhook),
  };
}
