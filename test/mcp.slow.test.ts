/** `docyard mcp` with an independent client of the protocol, a real service, a git host and a scripted model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createProject, mendLink, setStage, type Stage } from './agent/harness.ts';
import type { Script } from './fakes/model-server.ts';
import { endWithTest } from './temporary-resources.ts';
import { program, startService, type Service } from './service.ts';

/** A prompt that contains “wait” keeps the agent running. */
const script: Script = (asked) => {
  const said = asked.messages.map((message) => ('text' in message ? message.text : '')).join('\n');
  if (said.includes('Please wait')) return { fault: 'hang' };
  return typeof mendLink === 'function' ? mendLink(asked) : {};
};

let stage: Stage;
let service: Service;
let projectId: string;
let client: Client;

beforeAll(async () => {
  stage = await setStage({ script });
  service = await stage.start();
  projectId = await createProject(service, stage);
  client = await connected();
});

afterAll(async () => {
  await client.close();
  await stage.close();
});

interface Started {
  args?: string[];
  environment?: Record<string, string>;
  options?: Partial<ClientOptions>;
}

async function connected({ args = [], environment = {}, options = {} }: Started = {}): Promise<Client> {
  const env = { ...process.env, DOCYARD_URL: service.origin, DOCYARD_API_KEY: service.key, ...environment };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env,
    stderr: 'pipe',
  });
  const made = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, ...options },
  );
  await made.connect(transport);
  return made;
}

async function forThisTest(started: Started): Promise<Client> {
  const made = await connected(started);
  onTestFinished(() => made.close());
  return made;
}

/** The client validates results against the schema of the tool. */
async function call(name: string, input: object = {}, through = client): Promise<Record<string, unknown>> {
  const result = await through.callTool({ name, arguments: { ...input } });
  if (result.isError === true) throw new Error(textOf(result));
  expect(JSON.parse(textOf(result).split('\n')[0] ?? '')).toEqual(result.structuredContent);
  return result.structuredContent as Record<string, unknown>;
}

async function refusal(name: string, input: object = {}, through = client): Promise<string> {
  const result = await through.callTool({ name, arguments: { ...input } });
  expect(result.isError).toBe(true);
  return textOf(result);
}

function textOf({ content }: { content: readonly { type: string }[] }): string {
  return content.map((part) => (part as { text?: string }).text ?? '').join('\n');
}

const names = async (through: Client) => (await through.listTools()).tools.map(({ name }) => name);
const reading = [
  'list_projects',
  'list_exports',
  'get_export',
  'get_bundle_link',
  'get_report',
  'list_agent_jobs',
  'get_agent_job',
  'get_agent_diff',
];

describe('the tools', () => {
  test('are offered with titles, schemas and what they change', async () => {
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)).toEqual(
      reading,
    );
    expect(tools.map(({ name }) => name).filter((name) => !reading.includes(name))).toEqual([
      'start_export',
      'cancel_export',
      'create_agent_job',
      'message_agent_job',
      'cancel_agent_job',
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.stringMatching(/^[A-Z]/) as string,
        description: expect.stringMatching(/\.$/) as string,
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object' },
      });
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
    expect(destructive.map(({ name }) => name)).toEqual(['cancel_export', 'cancel_agent_job']);
  });

  test('are only those that change nothing with --read-only', async () => {
    const reader = await forThisTest({ args: ['--read-only'] });
    expect(await names(reader)).toEqual(reading);
    await expect(reader.callTool({ name: 'start_export', arguments: {} })).rejects.toThrow(
      'There is no tool',
    );
    expect(await call('list_projects', {}, reader)).toMatchObject({ projects: [{ id: projectId }] });
  });

  test.each([
    ['the stateless revision', { versionNegotiation: { mode: { pin: '2026-07-28' } } }, '2026-07-28'],
    ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }, '2025-11-25'],
    [
      '2025-06-18',
      { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: ['2025-06-18'] },
      '2025-06-18',
    ],
  ] as const)('serve a client that speaks %s', async (_name, options, version) => {
    const speaker = await forThisTest({ options: options as Partial<ClientOptions> });
    expect(speaker.getNegotiatedProtocolVersion()).toBe(version);
    expect(speaker.getServerVersion()).toMatchObject({ name: 'docyard' });
    expect(speaker.getInstructions()).toContain('waitSeconds');
    expect(await call('list_projects', {}, speaker)).toMatchObject({ projects: [{ id: projectId }] });
  });
});

describe('an export', () => {
  let jobId: string;

  test('is started for the only project, and followed to its end with progress', async () => {
    const reports: number[] = [];
    const result = await client.callTool(
      { name: 'start_export', arguments: { version: 'v7', waitSeconds: 60 } },
      { onprogress: ({ progress }) => reports.push(progress) },
    );
    expect(result.structuredContent).toMatchObject({
      status: 'completed',
      domain: 'docs.example.com',
      version: 'v7',
      progress: 100,
      failure: null,
    });
    expect(textOf(result)).toContain('get_bundle_link');
    expect(reports.at(-1)).toBe(100);
    expect(reports).toEqual([...new Set(reports)].toSorted((a, b) => a - b));
    ({ jobId } = result.structuredContent as { jobId: string });
  });

  test('is listed and read', async () => {
    expect(await call('list_exports', { domain: 'docs.example.com', status: 'completed' })).toMatchObject({
      exports: [{ jobId, bundle: { fileCount: expect.any(Number) as number } }],
      nextCursor: null,
    });
    expect(await call('get_export', { jobId, waitSeconds: 5 })).toMatchObject({ jobId, status: 'completed' });
  });

  test.each(['jobId', 'domain'])('has a link, by %s, that needs no right but to read', async (by) => {
    const { key } = await service.client.call('createKey', {
      body: { name: 'reader', scopes: ['exports:read'] },
    });
    const reader = await forThisTest({ args: ['--read-only'], environment: { DOCYARD_API_KEY: key } });
    const link = await call(
      'get_bundle_link',
      by === 'jobId' ? { jobId } : { domain: 'docs.example.com' },
      reader,
    );
    expect(link).toMatchObject({ jobId, validSeconds: 3600 });
    const file = await fetch(link['bundleUrl'] as string);
    expect((await file.arrayBuffer()).byteLength).toBe(link['sizeBytes']);
  });

  test('has findings, narrowed as asked', async () => {
    const all = await call('get_report', { jobId });
    expect(all).toMatchObject({ pages: 2, warnings: 1, byCode: { broken_link: 1 }, notShown: 0 });
    const link = { code: 'broken_link', file: 'index.mdx', line: 5 };
    expect(all['findings']).toMatchObject([link, { severity: 'info' }]);
    for (const narrow of [{ severity: 'warning' }, { codes: ['broken_link'] }, { file: 'index' }]) {
      expect(await call('get_report', { jobId, ...narrow })).toMatchObject({ findings: [link], notShown: 0 });
    }
    expect(await call('get_report', { jobId, limit: 1 })).toMatchObject({ findings: [link], notShown: 1 });
    for (const narrow of [{ severity: 'error' }, { codes: ['broken_anchor'] }, { file: 'guides/' }]) {
      expect(await call('get_report', { jobId, ...narrow })).toMatchObject({ findings: [], notShown: 0 });
    }
  });

  test('that has ended cannot be canceled, and the answer says so', async () => {
    expect(await refusal('cancel_export', { jobId })).toMatch(/already ended[^]*job_finished, /);
  });

  test('includes scripts of the repository where the call says so', async () => {
    const started = await call('start_export', { customScripts: 'include' });
    const params = { jobId: started['jobId'] as string };
    const { options } = await service.client.call('readExport', { params });
    expect(options.customScripts).toBe('include');
    expect(await refusal('start_export', { customScripts: 'all' })).toContain('customScripts: ');
  });
});

describe('an agent job', () => {
  let id: string;

  test('is created, followed to its end, and its change is shown', async () => {
    const job = await call('create_agent_job', { prompt: 'Mend the link.', waitSeconds: 60 });
    expect(job).toMatchObject({
      status: 'completed',
      statusReason: 'done',
      prLink: expect.stringMatching(/^http/) as string,
      result: { filesChanged: 1, fixedFindings: 1 },
    });
    id = job['id'] as string;
    expect(await call('get_agent_job', { id, projectId })).toMatchObject({ id, status: 'completed' });
    expect(await call('get_agent_diff', { id })).toMatchObject({
      files: [{ path: 'index.mdx', status: 'modified' }],
      patch: expect.stringContaining('+Read about [mooring](/guides/mooring) first.') as string,
      cut: false,
    });
    expect(await call('list_agent_jobs', { status: 'completed' })).toMatchObject({ jobs: [{ id }] });
  });

  test('a job resumes after a message; a waiting call can be canceled, and so can the job', async () => {
    expect(await call('message_agent_job', { id, prompt: 'Please wait.' })).toMatchObject({
      status: 'active',
      runs: 2,
    });
    const soon = await client.callTool({ name: 'get_agent_job', arguments: { id, waitSeconds: 1 } });
    expect(soon.structuredContent).toMatchObject({ status: 'active' });
    expect(textOf(soon)).toContain('Call get_agent_job with waitSeconds');
    const enough = new AbortController();
    const waiting = client.callTool(
      { name: 'get_agent_job', arguments: { id, waitSeconds: 300 } },
      { signal: enough.signal, onprogress: () => enough.abort(new Error('Enough.')) },
    );
    await expect(waiting).rejects.toThrow('Enough.');
    expect(await call('cancel_agent_job', { id })).toMatchObject({ id });
    expect(await call('get_agent_job', { id, waitSeconds: 60 })).toMatchObject({
      status: 'failed',
      statusReason: 'cancelled',
    });
  });
});

describe('what goes wrong', () => {
  test.each([
    ['get_export', {}, 'jobId: '],
    ['get_export', { jobId: 'se_1', color: 'red' }, 'color'],
    ['get_export', { jobId: 'se_1', waitSeconds: 9999 }, 'waitSeconds: '],
    ['start_export', { domain: 'https://docs.example.com' }, 'must not contain a scheme'],
    ['get_bundle_link', {}, 'either jobId or domain'],
    ['create_agent_job', { prompt: '' }, 'prompt: '],
  ])('%s with %j is an answer that names the argument', async (name, input, expected) => {
    expect(await refusal(name, input)).toContain(expected);
  });

  test.each([
    ['get_export', { jobId: 'se_none' }, /no such export job[^]*list_exports[^]*not_found, /],
    ['get_bundle_link', { domain: 'other.example.com' }, /No export of other\.example\.com has completed/],
    ['start_export', { domain: 'other.example.com' }, /not_found, /],
    ['get_agent_diff', { id: 'aj_none' }, /no such agent job/],
  ])('%s with %j is an answer that says what to do', async (name, input, expected) => {
    expect(await refusal(name, input)).toMatch(expected);
  });

  test('an invalid key or a missing scope is reported to the user', async () => {
    const stranger = await forThisTest({ environment: { DOCYARD_API_KEY: 'docyard_wrong' } });
    expect(await refusal('list_projects', {}, stranger)).toMatch(/docyard login[^]*unauthorized/);
    const { key } = await service.client.call('createKey', {
      body: { name: 'reader', scopes: ['exports:read'] },
    });
    const reader = await forThisTest({ environment: { DOCYARD_API_KEY: key } });
    const start = { domain: 'docs.example.com' };
    expect(await refusal('start_export', start, reader)).toMatch(/exports:write[^]*scope_missing/);
  });

  test('an unreachable service is reported', async () => {
    const lost = await forThisTest({ environment: { DOCYARD_URL: 'http://127.0.0.1:9' } });
    expect(await names(lost)).toContain('list_projects');
    expect(await refusal('list_projects', {}, lost)).toContain('Cannot connect to http://127.0.0.1:9');
  });

  test('several projects are selected by the call or by --project', async () => {
    const source = { repository: stage.repository.url, ref: 'main' };
    const { id } = await service.client.call('createProject', {
      body: { name: 'Other', domain: 'other.example.com', source },
    });
    expect(await refusal('list_agent_jobs')).toMatch(new RegExp(`${id} \\(other\\.example\\.com\\)`));
    const other = await forThisTest({ args: ['--project', id] });
    expect(await call('list_agent_jobs', {}, other)).toEqual({ jobs: [], nextCursor: null });
    await service.client.call('deleteProject', { params: { projectId: id } });
  });
});

describe('the program', () => {
  function start(args: string[] = [], environment: Record<string, string | undefined> = {}) {
    const env = { ...process.env, DOCYARD_URL: service.origin, DOCYARD_API_KEY: service.key, ...environment };
    const child = spawn(process.execPath, [program, 'mcp', ...args], { env });
    endWithTest(child);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    return { child, output: () => output, ended: once(child, 'exit').then(([status]) => status as number) };
  }

  test('the server ignores garbage, continues, and ends with its input', async () => {
    const { child, ended, output } = start();
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stdin.write('hello\n{"jsonrpc":"2.0"}\n');
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects"}}');
    const answers: { id?: number; result?: object }[] = [];
    for await (const line of lines) answers.push(JSON.parse(line) as (typeof answers)[number]);
    expect(answers.map(({ id }) => id)).toEqual([1]);
    expect(answers.at(-1)?.result).toMatchObject({ isError: false });
    expect(await ended).toBe(0);
    expect(output()).toMatch(/^docyard: 13 tools for http/);
  });

  test('ends when a message is too long', async () => {
    const { child, ended } = start();
    child.stdin.on('error', () => {}).write('x'.repeat(2_000_000));
    expect(await ended).toBe(0);
  });

  test('does not start without a key, and says so where no client looks for the protocol', async () => {
    const environment = {
      DOCYARD_API_KEY: undefined,
      DOCYARD_KEY: undefined,
      XDG_CONFIG_HOME: stage.dataDir,
    };
    const { child, ended, output } = start([], environment);
    const [out] = await Promise.all([child.stdout.toArray(), ended]);
    expect(out).toEqual([]);
    expect(await ended).toBe(3);
    expect(output()).toContain('docyard login');
  });

  test('the key is not read from standard input, which carries the protocol', async () => {
    const { ended, output } = start(['--key-file', '-']);
    expect(await ended).toBe(2);
    expect(output()).toContain('Standard input carries the protocol. Pass a file with --key-file.');
  });
});

test('missing agent settings are reported to the user', async () => {
  const bare = await startService({ environment: { RENDER_PROCESSES: '1' } });
  onTestFinished(async () => void (await bare.stop()));
  const environment = { DOCYARD_URL: bare.origin, DOCYARD_API_KEY: bare.key };
  const asking = await forThisTest({ environment });
  const output = await refusal('create_agent_job', { prompt: 'Mend the link.' }, asking);
  expect(output).toMatch(/No model endpoint[^]*Do not retry/);
});
