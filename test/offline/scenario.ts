/**
 * Runs a service with every kind of work that could contact other hosts: exports with remote references, a remote repository,
 * an agent job and webhooks. `node test/offline/scenario.ts offline|online` prints the outcome and the addresses as JSON.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { waitForExport, type DocyardClient, type ExportJob } from '@docyard/api';
import { createProject, mendLink, runJob, setStage, siteOfTwoPages } from '../agent/harness.ts';
import { setTrap, type Trap } from './connection-trace.ts';

export interface Outcome {
  /** Other hosts, and name servers. */
  outside: string[];
  /** Ports of this machine. */
  here: string[];
  exported: { status: string; findings: Record<string, number>; reasons: string[] };
  remote: { status: string; code: string | null; message: string };
  agent: { status: string; reason: string | null; pullRequest: boolean };
  webhooks: { url: string; status: string; attempts: number }[];
}

/** A public address, unreachable in the namespace. */
const farAway = '93.184.215.14';

export const siteFullOfReferences = {
  ...siteOfTwoPages,
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Harbour',
    colors: { primary: '#0f766e' },
    logo: 'https://pictures.example.com/logo.svg',
    favicon: `https://${farAway}/favicon.ico`,
    fonts: { family: 'Remote', source: 'https://fonts.example.com/remote.woff2' },
    navigation: {
      groups: [
        {
          group: 'Guides',
          icon: 'https://pictures.example.com/group.png',
          pages: ['index', 'guides/mooring'],
        },
        { group: 'API', openapi: 'https://specs.example.com/openapi.json' },
        { group: 'Other API', openapi: `https://${farAway}/openapi.json` },
      ],
    },
  }),
  'guides/mooring.mdx': [
    '---\ntitle: Mooring\n---',
    '![A ship](https://pictures.example.com/ship.png)',
    `<img src="https://${farAway}/ship.png" alt="Another" />`,
    '<Card title="Card" img="//pictures.example.com/card.png" icon="https://pictures.example.com/icon.svg" />',
    '<video src="https://videos.example.com/film.mp4" />',
    '<iframe src="https://videos.example.com/frame" />',
  ].join('\n\n'),
  'own.css': `@import "https://fonts.example.com/a.css";\nbody { background: url(https://${farAway}/back.png) }\n`,
};

export async function playScenario(mode: 'offline' | 'online'): Promise<Outcome> {
  const receiver = await startReceiver();
  const near = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const stage = await setStage({ script: mendLink, files: siteFullOfReferences });
  let trap: Trap | undefined;
  try {
    const service = await stage.start({
      environment: {
        OFFLINE: mode === 'offline' ? 'on' : 'off',
        EGRESS_ALLOW: `${stage.environment['EGRESS_ALLOW']},${near}`,
      },
      onSpawn: (child) => (trap = setTrap(child)),
    });
    const { client } = service;
    const projectId = await createProject(service, stage);
    for (const url of [`http://${near}/`, 'https://hooks.example.com/', `https://${farAway}/`])
      await client.call('createWebhook', { body: { url, events: ['export.completed'] } });
    const exported = await runExport(client, 'docs.example.com');
    const agent = await runJob(service, projectId, 'Mend the link on the first page.');
    const outcome = {
      exported: await tellExport(client, exported),
      remote: await exportFromRemote(client),
      agent: { status: agent.status, reason: agent.statusReason, pullRequest: agent.pullRequest !== null },
      webhooks: await deliverWebhooks(client),
    };
    await service.stop();
    await trap?.close();
    return { ...(trap?.tried() ?? { outside: [], here: [] }), ...outcome };
  } finally {
    await stage.close();
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function runExport(client: DocyardClient, domain: string): Promise<ExportJob> {
  const { jobId } = await client.call('startExport', { body: { domain } });
  return waitForExport(client, jobId, { timeoutSeconds: 120 });
}

async function tellExport(client: DocyardClient, job: ExportJob): Promise<Outcome['exported']> {
  const { byCode, diagnostics } = await client.call('readReport', { params: { jobId: job.jobId } });
  const remote = diagnostics.filter(({ code }) => code === 'remote_image' || code === 'openapi_remote');
  return { status: job.status, findings: byCode, reasons: remote.map(({ message }) => message) };
}

async function exportFromRemote(client: DocyardClient): Promise<Outcome['remote']> {
  const source = { repository: `https://${farAway}/docs.git` };
  const domain = 'remote.example.com';
  await client.call('createProject', { body: { name: 'Remote', domain, source } });
  const { status, failure } = await runExport(client, domain);
  return { status, code: failure?.code ?? null, message: failure?.message ?? '' };
}

/** Resolves once each delivery was attempted or deferred. */
async function deliverWebhooks(client: DocyardClient): Promise<Outcome['webhooks']> {
  const { data: webhooks } = await client.call('listWebhooks');
  const deliveries: Outcome['webhooks'] = [];
  for (const { id, url } of webhooks) {
    for (;;) {
      const { data } = await client.call('listWebhookDeliveries', { params: { webhookId: id } });
      const first = data.at(-1);
      const isPutOff = Date.parse(first?.nextAttemptAt ?? '') > Date.now() + 20_000;
      if (first && (first.status !== 'pending' || first.attempts.length > 0 || isPutOff)) {
        deliveries.push({ url, status: first.status, attempts: first.attempts.length });
        break;
      }
      await pause(100);
    }
  }
  return deliveries.toSorted((a, b) => a.url.localeCompare(b.url));
}

const [, program, mode] = process.argv;
if (program?.endsWith('/scenario.ts') && (mode === 'offline' || mode === 'online'))
  process.stdout.write(`${JSON.stringify(await playScenario(mode), null, 2)}\n`);
