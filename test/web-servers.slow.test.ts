/**
 * Serves an exported site with real web servers, their generated configuration and `docyard site`, in every URL style and below
 * a path. Servers that are not installed are skipped with a message.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join, relative } from 'node:path';
import { loadSite, renderSite, type UrlStyle } from '@docyard/render';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder, writeFiles } from './service.ts';

const site = {
  'docs.json': JSON.stringify({
    name: 'Harbour',
    theme: 'mint',
    colors: { primary: '#0f766e' },
    contextual: { options: ['view'] },
    navigation: { pages: ['index', 'guide', 'guides/start', 'guides/deep/er', 'cli/index', 'äpfel'] },
    redirects: [
      { source: '/old', destination: '/guide' },
      { source: '/soon', destination: '/guide#later', permanent: false },
      { source: '/older', destination: '/old' },
      { source: '/away', destination: 'https://example.com/there' },
      { source: '/v1/:slug*', destination: '/guides/:slug*' },
      { source: '/gone/*', destination: '/guide', permanent: false },
      { source: '/user/:name/page', destination: 'https://example.com/u/:name' },
      { source: '/guides/:slug*', destination: '/new/:slug*' },
      { source: '/guide', destination: '/cli' },
      { source: '/evil"; } location / { return 200 "x', destination: '/guide' },
      { source: '/brace', destination: "/guide?x=\"; return 200 '$uri' } {env.HOME}\n# `" },
      { source: '/line\n/two', destination: '/guide' },
    ],
  }),
  'index.mdx': '# Home',
  'guide.mdx': '# Guide\n\n[Start](/guides/start) ![A](/images/a.svg)',
  'guides/start.mdx': '# Start',
  'guides/deep/er.mdx': '# Deeper',
  'cli/index.mdx': '# Commands',
  'äpfel.mdx': '# Äpfel',
  'images/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'odd/say "hi".mdx': '# Quotes',
  'odd/tab\tnew\nline.mdx': '# Control characters',
  'odd/back\\slash.mdx': '# Backslash',
  'odd/{$x}:`${y}`.mdx': '# Braces',
  'odd/star*.mdx': '# Star',
};

interface Server {
  name: string;
  /** Undefined for `docyard site`, which is always available. */
  command: string | undefined;
  start(folder: string, root: string, bundle: string, port: number): Promise<Running>;
}

interface Running {
  complaint(): string;
  stop(): Promise<void>;
}

const servers: Server[] = [
  {
    name: 'nginx',
    command: 'nginx',
    async start(folder, root, bundle, port) {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const file = join(folder, 'nginx.conf');
      await writeFile(
        file,
        `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log stderr error;
events { worker_connections 64; }
http { access_log off;
${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
server { listen 127.0.0.1:${port}; root ${root}; include ${bundle}/_hosts/nginx.conf; } }\n`,
      );
      return running(
        spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] }),
      );
    },
  },
  {
    name: 'Caddy',
    command: 'caddy',
    async start(folder, root, bundle, port) {
      const file = join(folder, 'Caddyfile');
      await writeFile(
        file,
        `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  root * ${root}
  import ${bundle}/_hosts/Caddyfile
}\n`,
      );
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      };
      const args = ['run', '--config', file, '--adapter', 'caddyfile'];
      return running(spawn('caddy', args, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
    },
  },
  {
    name: 'docyard site',
    command: undefined,
    async start(folder, _, bundle, port) {
      const release = {
        id: 'r1',
        siteFolder: bundle,
        compressedFolder: folder,
        manifest: manifestOf(bundle),
      };
      const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
      const site = new HostedSite({ status });
      const own = new SiteServer({ host: '127.0.0.1', port, sites: [site] });
      await precompress(release);
      site.activate(await openSite(release));
      await own.listen();
      return { complaint: () => '', stop: () => own.close(0) };
    },
  },
];

function running(child: ChildProcess): Running {
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => (complaint += text.toString()));
  return {
    complaint: () => complaint,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function manifestOf(folder: string) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      return { path: relative(folder, file), sizeBytes: bytes.length, sha256: hash('sha256', bytes) };
    });
  return { files };
}

const cases: { urlStyle: UrlStyle; basePath: string }[] = [
  { urlStyle: 'html', basePath: '' },
  { urlStyle: 'directory', basePath: '' },
  { urlStyle: 'clean', basePath: '' },
  { urlStyle: 'clean', basePath: '/docs' },
  { urlStyle: 'directory', basePath: '/docs' },
];

for (const server of servers) {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;
  const isHere =
    server.command === undefined ||
    spawnSync('sh', ['-c', `command -v ${server.command}`], { env: { PATH: path } }).status === 0;
  if (!isHere) {
    process.stderr.write(`${server.name} is not installed: its tests are skipped.\n`);
    test.skip(`${server.name} serves a bundle`, () => undefined);
    continue;
  }
  process.env['PATH'] = path;
  describe.each(cases)(`${server.name}, $urlStyle $basePath`, (shape) => serves(server, shape));
}

function serves(server: Server, { urlStyle, basePath }: (typeof cases)[number]): void {
  let started: Running;
  let port = 0;

  beforeAll(async () => {
    const root = await exportedSite({ urlStyle, basePath });
    port = await freePort();
    started = await server.start(temporaryFolder('server'), root, join(root, basePath), port);
    const isUp = (): Promise<boolean> =>
      get('/').then(
        () => true,
        () => false,
      );
    await vi.waitUntil(isUp, { timeout: 20_000, interval: 50 }).catch(() => {
      throw new Error(`${server.name} does not answer: ${started.complaint()}`);
    });
  }, 60_000);

  afterAll(() => started.stop());

  const get = (path: string): Promise<Answer> => fetchRaw(port, path);
  const at = (path: string): Promise<Answer> => get(basePath + path);
  /** Follows redirects. */
  const arrive = async (path: string): Promise<Answer & { path: string }> => {
    let current = basePath + path;
    for (let hop = 0; hop < 3; hop++) {
      const answer = await get(current);
      if (answer.location === undefined) return { ...answer, path: current };
      current = new URL(answer.location, `http://127.0.0.1${current}`).pathname;
    }
    throw new Error(`${path} is sent around`);
  };

  test('every spelling of an address reaches the page, where its links are right', async () => {
    for (const page of ['guide', 'guides/start', 'cli', encodeURI('äpfel')]) {
      const first = await arrive(`/${page}`);
      expect(first).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
      for (const spelling of [`/${page}/`, `/${page}.html`]) {
        if (page === 'cli' && spelling.endsWith('.html') && urlStyle !== 'directory') continue;
        expect((await arrive(spelling)).body, spelling).toBe(first.body);
      }
    }
    const guide = await arrive('/guide/');
    const link =
      /href="([^"]*)"[^>]*>Start</.exec(guide.body.slice(guide.body.indexOf('class="dy-content ')))?.[1] ??
      '';
    const target = new URL(link, `http://127.0.0.1${guide.path}`).pathname;
    expect((await get(target)).body).toContain('<h1 id="page-title">Start');
    expect((await at('/')).body).toContain('<h1 id="page-title">Home');
  });

  test('redirects answer with their status', async () => {
    const page = (name: string): string => basePath + addressOf(name, urlStyle);
    const answers = {
      '/old': [308, page('/guide')],
      '/old/': [308, page('/guide')],
      '/old?a=b': [308, `${page('/guide')}?a=b`],
      '/older': [308, page('/guide')],
      '/soon': [307, `${page('/guide')}#later`],
      '/away': [308, 'https://example.com/there'],
      '/v1/start': [308, page('/guides/start')],
      '/v1/not/there': [308, `${basePath}/guides/not/there`],
      '/gone/any/where': [307, page('/guide')],
      '/gone': [307, page('/guide')],
      '/user/ann/page': [308, 'https://example.com/u/ann'],
      '/brace': [
        308,
        `${page('/guide')}?x=%22%3B%20return%20200%20%27%24uri%27%20%7D%20%7Benv.HOME%7D%0A#%20%60`,
      ],
    };
    for (const [path, [status, location]] of Object.entries(answers)) {
      expect(await at(path), path).toMatchObject({ status, location });
    }
  });

  test('a page that no file system can hold is found at its own address, percent-encoded', async () => {
    const odd = [
      ['/odd/say%20%22hi%22', '/odd/say%20-hi-', 'Quotes'],
      ['/odd/tab%09new%0Aline', '/odd/tab-new-line', 'Control characters'],
      ['/odd/back%5Cslash', '/odd/back-slash', 'Backslash'],
      ['/odd/%7B%24x%7D%3A%60%24%7By%7D%60', '/odd/%7B%24x%7D-%60%24%7By%7D%60', 'Braces'],
      ['/odd/star%2A', '/odd/star-', 'Star'],
    ] as const;
    for (const [from, to, title] of odd) {
      const location = basePath + addressOf(to, urlStyle);
      expect(await at(from), from).toMatchObject({ status: 308, location });
      expect((await arrive(from)).body, from).toContain(`<h1 id="page-title">${title}`);
    }
    expect((await at('/odd/starlight')).status).toBe(404);
  });

  test('a page wins over a redirect', async () => {
    expect((await arrive('/guide')).body).toContain('<h1 id="page-title">Guide');
    expect((await arrive('/guides/start')).body).toContain('<h1 id="page-title">Start');
  });

  test('a wildcard leads to no other host and writes no header of its own', async () => {
    for (const path of [
      '/v1//example.net/',
      '/v1/%2F%2Fexample.net',
      '/v1/%5Cexample.net',
      '/v1/a%0d%0aset-cookie:%20x=1',
    ]) {
      const answer = await at(path);
      expect(answer.headers['set-cookie']).toBeUndefined();
      if (answer.location !== undefined)
        expect(new URL(answer.location, 'http://here.test').host).toBe('here.test');
    }
  });

  test('what is missing is answered with the not-found page, at any depth', async () => {
    for (const path of ['/nowhere', '/no/where/at/all/', '/guides/none.html', '/images/none.svg', '/x.md']) {
      const answer = await at(path);
      expect(answer, path).toMatchObject({ status: 404, type: 'text/html; charset=utf-8' });
      expect(answer.body).toContain(
        '<p class="dy-not-found-code not-found-status-code" aria-hidden="true">404</p>',
      );
    }
  });

  test('types and headers', async () => {
    expect((await at('/guide.md')).type).toBe('text/markdown; charset=utf-8');
    expect((await at('/_docyard/style.css')).type).toMatch(/^text\/css; charset=utf-8$/i);
    expect((await at('/_docyard/app.js')).type).toMatch(/^(?:text|application)\/javascript; charset=utf-8$/i);
    expect((await at('/images/a.svg')).type).toMatch(/^image\/svg\+xml/);
    for (const path of ['/', '/nowhere']) {
      const { headers } = await at(path);
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'self'$/,
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin');
      expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
      expect(headers['link']).toBe(`<${basePath}/llms.txt>; rel="llms-txt"`);
    }
  });
}

function addressOf(page: string, urlStyle: UrlStyle): string {
  return { html: `${page}.html`, directory: `${page}/`, clean: page }[urlStyle];
}

const exported = new Map<string, Promise<string>>();

/** All servers serve the same folder. */
function exportedSite(options: { urlStyle: UrlStyle; basePath: string }): Promise<string> {
  const key = JSON.stringify(options);
  const before = exported.get(key);
  if (before !== undefined) return before;
  const root = temporaryFolder('host');
  const made = exportSite(join(root, options.basePath), options).then(() => root);
  exported.set(key, made);
  return made;
}

async function exportSite(folder: string, options: { urlStyle: UrlStyle; basePath: string }): Promise<void> {
  const source = temporaryFolder('source');
  writeFiles(source, site);
  for await (const event of renderSite(await loadSite({ root: source }), { ...options, concurrency: 1 })) {
    if (event.type !== 'file') continue;
    const { path, content } = event.file;
    const bytes = 'read' in content ? content.read() : site['images/a.svg'];
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}

interface Answer {
  status: number;
  location: string | undefined;
  type: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends the path unchanged; `fetch` would normalize it. */
function fetchRaw(port: number, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => {
        const { location: sent, 'content-type': type } = response.headers;
        /** Servers send names as UTF-8 bytes, which Node decodes as Latin-1. */
        const location = sent && Buffer.from(sent, 'latin1').toString();
        resolve({ status: response.statusCode ?? 0, location, type, headers: response.headers, body });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
