/** `docyard export` and related commands against the real service, with failing jobs, interrupted downloads and Ctrl-C. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ExportJob } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newSigningKey,
  publicKeyOf,
  publicKeyText,
  secretKeyText,
} from '../packages/bundle/src/signature.ts';
import { endWithTest } from './temporary-resources.ts';
import {
  commitAll,
  gitRepository,
  program,
  siteFiles,
  startService,
  temporaryFolder,
  writeFiles,
  type Service,
} from './service.ts';

const domain = 'docs.example.com';
const signingKey = newSigningKey();
const environment = { SIGNING_KEY: secretKeyText(signingKey) };
const home = temporaryFolder('home');
const keyFile = join(home, 'key');

let service: Service;
let repository: string;

beforeAll(async () => {
  repository = gitRepository(siteFiles(12));
  service = await startService({ sample: false, environment });
  writeFileSync(keyFile, `${service.key}\n`);
  await createProject(domain, repository);
});

async function createProject(of: string, folder: string): Promise<void> {
  const source = { repository: `file://${folder}` };
  await service.client.call('createProject', { body: { name: of, domain: of, source } });
}

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Running extends Promise<Ended> {
  child: ChildProcess;
  /** Resolves as soon as standard error contains the text. */
  said(text: string): Promise<void>;
}

function docyard(
  args: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Running {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      DOCYARD_URL: service.origin,
      DOCYARD_API_KEY: service.key,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  endWithTest(child);
  child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of listeners) look();
    });
  }
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (status) => resolve({ status, ...output })),
  );
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (output.stderr.includes(text)) resolve();
      };
      listeners.add(look);
      look();
    });
  return Object.assign(ended, { child, said });
}

async function json<T = ExportJob>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await docyard([...args, '--json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

describe('an export', () => {
  test('is started, followed and downloaded in one command, and is the same as one without a service', async () => {
    const file = join(home, 'bundle.tar.gz');
    const job = await json<ExportJob & { download: { file: string; sha256: string } }>(
      'export',
      'start',
      domain,
      '--version',
      '2.4.1',
      '--metadata',
      'build=7',
      'by=ci',
      '--download',
      file,
    );
    expect(ExportJob.parse(job)).toMatchObject({
      status: 'completed',
      version: '2.4.1',
      metadata: { build: '7', by: 'ci' },
    });
    const bytes = readFileSync(file);
    expect(hash('sha256', bytes)).toBe(job.bundle?.sha256);
    expect(job.download).toMatchObject({ file, sha256: job.bundle?.sha256 });

    const local = join(home, 'local.tar.gz');
    const args = [
      'export',
      repository,
      '--origin',
      `https://${domain}`,
      '--version',
      '2.4.1',
      '--output',
      local,
    ];
    const made = await docyard([...args, '--json'], { env: environment });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({ pages: 12, sha256: job.bundle?.sha256 });
    expect(readFileSync(local).equals(bytes)).toBe(true);

    const opened = await docyard([
      'open',
      file,
      '--print',
      '--public-key',
      publicKeyText(publicKeyOf(signingKey)),
    ]);
    expect(opened).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(opened.stdout.trim(), 'utf8')).toContain('Text of page 0');
  });

  test('an export without a terminal reports its progress and, at the end, its record', async () => {
    const { status, stdout, stderr } = await docyard([
      'export',
      'start',
      domain,
      '--wait',
      '--path',
      'index',
    ]);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Started se_[0-9a-f]{16}\.\n/);
    expect(stdout).toMatch(/^status +completed$/m);
    expect(stdout).toMatch(/^pages +1$/m);
  });

  test('an export can be listed, shown and watched, and sets the exit status', async () => {
    const { jobId } = await json('export', 'start', domain, '--wait', '--path', 'index');
    expect(await json('export', 'status', jobId)).toMatchObject({ jobId, status: 'completed' });
    const listed = await json<ExportJob[]>(
      'export',
      'list',
      '--domain',
      domain,
      '--status',
      'completed',
      '--limit',
      '1',
    );
    expect(listed.map((job) => job.jobId)).toEqual([jobId]);
    const watched = await docyard(['export', 'wait', jobId, '--watch']);
    expect(
      watched.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as ExportJob).status),
    ).toEqual(['completed']);
    const unknown = await docyard(['export', 'status', 'se_0000000000000000', '--json']);
    expect(unknown.status).toBe(4);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await docyard(['export', 'cancel', jobId])).toMatchObject({ status: 8, stdout: '' });
    expect(await docyard(['export', 'start', 'other.example.com'])).toMatchObject({ status: 4, stdout: '' });
  });

  test('that fails ends with status 5, says where, and annotates the line in a pipeline of GitHub', async () => {
    const broken = gitRepository({
      ...siteFiles(2),
      'guides/page-1.mdx': 'Some text.\n\n[lost](/nowhere)\n',
    });
    await createProject('broken.example.com', broken);
    const args = ['export', 'start', 'broken.example.com', '--fail-on', 'broken_link', '--wait', '--json'];
    const { status, stdout, stderr } = await docyard(args, { env: { GITHUB_ACTIONS: 'true' } });
    expect(status).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      code: 'job_failed',
      job: { status: 'failed', failure: { code: 'strict_failed' } },
    });
    expect(stderr).toMatch(/failed: guides\/page-1\.mdx:3: .*nowhere/);
    expect(stderr).toContain('::warning file=guides/page-1.mdx,line=3,col=1,title=broken_link::');
    writeFiles(broken, { 'guides/page-1.mdx': 'Mended.\n' });
    commitAll(broken, 'Mend');
    expect(
      (await json('export', 'start', 'broken.example.com', '--fail-on', 'broken_link', '--wait')).status,
    ).toBe('completed');
  });
});

describe('a download', () => {
  let jobId: string;
  beforeAll(async () => {
    ({ jobId } = await json('export', 'start', domain, '--wait'));
  });

  /** Resolves when the first bytes are on disk and the download stalls. */
  async function stalledDownload(...args: string[]) {
    const way = await unreliableWay(service.origin, 20_000);
    const folder = temporaryFolder('download');
    const file = join(folder, 'bundle.tar.gz');
    const again = () =>
      docyard(['export', 'download', ...args, '--output', file], { env: { DOCYARD_URL: way.origin } });
    const running = again();
    await expect
      .poll(() => readdirSync(folder).map((name) => statSync(join(folder, name)).size))
      .toEqual([20_000]);
    return { way, file, running, again };
  }

  test('an interrupted download resumes where it ended', async () => {
    const { way, file, running } = await stalledDownload('--latest', domain, '--verify');
    way.cut();
    const { status, stdout, stderr } = await running;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`signed by ${signingKey.keyId}`);
    expect(stdout).toContain(hash('sha256', readFileSync(file)));
    expect(way.ranges).toEqual([undefined, 'bytes=20000-']);
  });

  test('a download that the user interrupts resumes with the next command', async () => {
    const { way, running, again } = await stalledDownload(jobId);
    running.child.kill('SIGINT');
    const { status, stderr } = await running;
    expect({ status, stderr }).toEqual({
      status: 130,
      stderr: 'docyard: Interrupted. Run the same command again to resume.\n',
    });
    expect(await again()).toMatchObject({ status: 0, stderr: '' });
    expect(way.ranges).toEqual([undefined, 'bytes=20000-']);
  });

  test('of a bundle that another key signed leaves no file', async () => {
    const file = join(temporaryFolder('download'), 'bundle.tar.gz');
    const other = publicKeyText(publicKeyOf(newSigningKey()));
    const { status, stderr } = await docyard([
      'export',
      'download',
      jobId,
      '-o',
      file,
      '--public-key',
      other,
    ]);
    expect(status).toBe(7);
    expect(stderr).toContain('[wrong_key]');
    expect(existsSync(file)).toBe(false);
  });

  test('may go to standard output', async () => {
    const tar = spawn(
      'bash',
      ['-c', `"${process.execPath}" "${program}" export download ${jobId} -o - | tar tz`],
      {
        env: { PATH: process.env['PATH'], DOCYARD_URL: service.origin, DOCYARD_API_KEY: service.key },
      },
    );
    let names = '';
    tar.stdout.setEncoding('utf8').on('data', (text: string) => (names += text));
    await new Promise((resolve) => tar.once('close', resolve));
    expect(names.split('\n').slice(0, 2)).toEqual(['manifest.json', 'manifest.json.minisig']);
    expect(names).toContain('\nindex.html\n');
  });
});

/** git blocks on a FIFO without a writer. */
describe('waiting for a job that does not end', () => {
  const stuck = 'stuck.example.com';
  let jobId: string;

  beforeAll(async () => {
    const folder = gitRepository(siteFiles(1));
    rmSync(join(folder, '.git', 'HEAD'));
    expect(spawnSync('mkfifo', [join(folder, '.git', 'HEAD')]).status).toBe(0);
    await createProject(stuck, folder);
    ({ jobId } = await service.client.call('startExport', { body: { domain: stuck } }));
  });

  afterAll(() => service.client.call('cancelExport', { params: { jobId } }));

  test('ends with status 6 after the given time', async () => {
    const { status, stdout, stderr } = await docyard(['export', 'wait', jobId, '--timeout', '0.2']);
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' });
    expect(stderr).toContain(`It is still running; follow it with docyard export wait ${jobId}`);
  });

  test('Ctrl-C exits with status 130, and the job continues', async () => {
    const running = docyard(['export', 'start', stuck, '--wait']);
    await running.said('Started');
    running.child.kill('SIGINT');
    const { status, stderr } = await running;
    const [, started = ''] = /Started (se_\w+)/.exec(stderr) ?? [];
    expect(status).toBe(130);
    expect(stderr).toContain(
      `docyard: ${started} is still running. Follow it with docyard export wait ${started}\n`,
    );
    expect((await service.client.call('readExport', { params: { jobId: started } })).status).toMatch(
      /^(queued|running)$/,
    );
  });

  test('cancels the job by Ctrl-C when that was asked for', async () => {
    const running = docyard(['export', 'start', stuck, '--wait', '--cancel-on-interrupt']);
    await running.said('Started');
    running.child.kill('SIGINT');
    const { status, stderr } = await running;
    const [, started = ''] = /Started (se_\w+)/.exec(stderr) ?? [];
    expect(status).toBe(130);
    expect(stderr).toContain(`docyard: ${started} is canceled.\n`);
    const { failure } = await service.client.call('readExport', { params: { jobId: started } });
    expect(failure?.code).toBe('canceled');
  });
});

describe('logging in', () => {
  const unset = { DOCYARD_API_KEY: '', DOCYARD_URL: '' };

  test('login stores the key of a server for this user alone; whoami shows it, logout removes it', async () => {
    const config = temporaryFolder('config');
    const env = { ...unset, XDG_CONFIG_HOME: config };
    const logged = await docyard(['login', `${service.origin}/`, '--key-file', '-'], {
      env,
      input: `${service.key}\n`,
    });
    expect(logged).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`Logged in to ${service.origin}: `) as string,
    });
    expect(logged.stdout + logged.stderr).not.toContain(service.key);
    const stored = join(config, 'docyard', 'servers.json');
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    const who = await docyard(['whoami', '--json'], { env });
    expect(JSON.parse(who.stdout)).toMatchObject({
      server: service.origin,
      keyFrom: 'docyard login',
      organization: {},
    });
    expect(await docyard(['export', 'list', '--limit', '1'], { env })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await docyard(['logout'], { env })).toMatchObject({ status: 0 });
    expect(existsSync(stored)).toBe(false);
    expect(await docyard(['whoami'], { env: { ...env, DOCYARD_URL: service.origin } })).toMatchObject({
      status: 3,
    });
  });

  test('with a key that the server does not know stores nothing', async () => {
    const config = temporaryFolder('config');
    const env = { ...unset, XDG_CONFIG_HOME: config };
    const { status, stderr } = await docyard(['login', service.origin, '--key-file', '-'], {
      env,
      input: 'docyard_wrong\n',
    });
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: `docyard: ${service.origin} does not accept this key. Check that it is complete and belongs to this server.\n`,
    });
    expect(readdirSync(config)).toEqual([]);
  });

  test('a refused key gets a message with the next step', async () => {
    const { status, stderr } = await docyard(['export', 'list'], {
      env: { DOCYARD_API_KEY: 'docyard_wrong' },
    });
    expect(status).toBe(3);
    expect(stderr).toContain(`${service.origin} does not accept the key from DOCYARD_API_KEY.`);
    expect(stderr).toContain(`docyard login ${service.origin}`);
  });
});

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A proxy; the first response with a bundle stalls after so many bytes. */
async function unreliableWay(target: string, bytes: number) {
  const ranges: (string | undefined)[] = [];
  let cut = () => {};
  const server = createServer((request, response) => {
    const isBundle = request.url?.startsWith('/b/') ?? false;
    if (isBundle) ranges.push(request.headers.range);
    const silent = isBundle && ranges.length === 1;
    const { method, headers } = request;
    const passed = ask(`${target}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (silent) void buffer(answer).then((whole) => response.write(whole.subarray(0, bytes)));
      else answer.pipe(response);
    });
    if (silent) cut = () => response.socket?.end();
    request.pipe(passed);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, ranges, cut: () => cut() };
}
