/** Runs whole agent jobs: a git host, a forge, a scripted model, and the real program over HTTP. */
import { waitForAgentJob, type AgentJob } from '@docyard/api';
import { startFakeGithub, type FakeGithub } from '../fakes/forges/github.ts';
import { startGitServer, type GitServer, type ServedRepository } from '../fakes/git-server.ts';
import { startModelServer, type ModelServer, type Script } from '../fakes/model-server.ts';
import { startService, temporaryFolder, type Service, type ServiceOptions } from '../service.ts';

export const modelKey = 'sk-secret-model-key-0123456789';

export interface Stage {
  git: GitServer;
  forge: FakeGithub;
  model: ModelServer;
  repository: ServedRepository;
  dataDir: string;
  environment: Record<string, string>;
  /** The log of all processes so far. */
  log(): string;
  /** Restarts the program on the same data. */
  start(more?: Partial<ServiceOptions>): Promise<Service>;
  close(): Promise<void>;
}

export interface StageOptions {
  script: Script;
  files?: Record<string, string | Uint8Array>;
  environment?: Record<string, string>;
}

export async function setStage({
  script,
  files = siteOfTwoPages,
  environment = {},
}: StageOptions): Promise<Stage> {
  const forge = await startFakeGithub();
  const git = await startGitServer({ token: forge.token });
  const model = await startModelServer(script);
  const repository = git.addRepository('harbour/docs', files);
  const dataDir = temporaryFolder('agent');
  const services = new Set<Service>();
  let log = '';
  const stage: Stage = {
    git,
    forge,
    model,
    repository,
    dataDir,
    environment: {
      EGRESS_ALLOW: `source+forge:${git.host},model:${model.host},forge:${new URL(forge.origin).host}`,
      MODEL_URL: model.url,
      MODEL_NAME: 'scripted',
      MODEL_KEY: modelKey,
      RENDER_PROCESSES: '1',
      LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: '1000000',
      ...environment,
    },
    log: () => log,
    async start(more = {}) {
      const service = await startService({
        dataDir,
        sample: false,
        onLog: (text) => (log += text),
        ...more,
        environment: { ...stage.environment, ...more.environment },
      });
      services.add(service);
      return service;
    },
    async close() {
      for (const service of services) await service.kill().catch(() => undefined);
      await Promise.all([git.close(), forge.stop(), model.close()]);
    },
  };
  return stage;
}

/** Returns the id of the project. */
export async function createProject(
  { client }: Pick<Service, 'client'>,
  stage: Stage,
  domain = 'docs.example.com',
): Promise<string> {
  const { id } = await client.call('createProject', {
    body: { name: 'Docs', domain, source: { repository: stage.repository.url, ref: 'main' } },
  });
  await client.call('updateProject', {
    params: { projectId: id },
    body: {
      agent: {
        forge: {
          kind: 'github',
          apiBase: stage.forge.apiBase,
          credential: { type: 'token', token: stage.forge.token },
        },
      },
    },
  });
  return id;
}

export async function runJob(
  service: Service,
  projectId: string,
  prompt: string,
  more: object = {},
): Promise<AgentJob> {
  const { id } = await service.client.call('createAgentJob', {
    params: { projectId },
    body: { prompt, ...more },
  });
  return ended(service, projectId, id);
}

export function ended(
  service: Service,
  projectId: string,
  id: string,
  timeoutSeconds = 120,
): Promise<AgentJob> {
  return waitForAgentJob(service.client, { projectId, id }, { timeoutSeconds });
}

export const siteOfTwoPages = {
  'docs.json': `${JSON.stringify(
    {
      theme: 'mint',
      name: 'Harbour',
      colors: { primary: '#0f766e' },
      navigation: { groups: [{ group: 'Guides', pages: ['index', 'guides/mooring'] }] },
    },
    null,
    2,
  )}\n`,
  'index.mdx': '---\ntitle: Welcome\n---\n\nRead about [mooring](/guides/moring) first.\n',
  'guides/mooring.mdx': '---\ntitle: Mooring\n---\n\nTwo lines fore, two lines aft.\n',
};

/** The calls of a model that fixes the link of `index.mdx`. */
export const mendLink: Script = ({ messages }) => {
  const calls = [
    { name: 'read_file', input: { path: 'index.mdx' } },
    { name: 'edit_file', input: { path: 'index.mdx', old: '/guides/moring', new: '/guides/mooring' } },
    {
      name: 'finish',
      input: { title: 'Mend the link to mooring', summary: 'The link had a letter too few.' },
    },
  ];
  const call = calls[messages.filter(({ role }) => role === 'assistant').length];
  return call === undefined ? { text: 'Nothing more.' } : { calls: [call] };
};
