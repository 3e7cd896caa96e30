/** Serves the files of the dashboard, which `scripts/dashboard.mjs` builds from `packages/dashboard`. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../context.ts';
import { cacheControl, fileResponse, type StaticFile, staticFile } from '@docyard/site/serving';
import { Problem } from '../problem.ts';
import { type App, fileRequestOf, type Web } from './request.ts';
import { probeForSecureCookies } from './session-cookie.ts';

const built = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));

/** `data:` images: browsers draw parts of form controls with them. */
const policyFor = (inline: InlineHashes, frames: string) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inline.scripts].join(' '),
    ["style-src 'self'", ...inline.styles].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

interface InlineHashes {
  scripts: string[];
  styles: string[];
}

const noInline: InlineHashes = { scripts: [], styles: [] };

/** The build adds a content hash to these names. */
const contentHashed = /^assets\//;
const startFile = 'index.html';
const extensions = { br: '.br', gzip: '.gz' } as const;

export const hasDashboard = ({ config }: Pick<Context, 'config'>): boolean =>
  config.dashboard && existsSync(join(built, startFile));

export function addDashboard(app: App, context: Pick<Context, 'config' | 'log'>, folder = built): void {
  if (!context.config.dashboard) return;
  const frames = context.config.previewUrl ?? "'self'";
  const files = new DashboardFiles(folder, frames);
  app.get('/dashboard', (web) => web.redirect('/dashboard/', 308));
  app.get('/dashboard/*', async (web) => {
    const path = web.req.path.slice('/dashboard/'.length);
    const found = await files.find(path);
    if (found !== undefined) return send(web, found);
    if (contentHashed.test(path)) throw new Problem('not_found', 'The dashboard has no such file.');
    // Every other path is a screen of the dashboard.
    const start = await files.find(startFile);
    probeForSecureCookies(context, web);
    return start === undefined ? explainBuild(web, frames) : send(web, start);
  });
}

/** Kept in memory and reloaded after a new build. */
class DashboardFiles {
  readonly #folder: string;
  readonly #frames: string;
  #builtAtMs: number | undefined;
  #files: Promise<Map<string, StaticFile>> = Promise.resolve(new Map());

  constructor(folder: string, frames: string) {
    this.#folder = folder;
    this.#frames = frames;
  }

  async find(path: string): Promise<StaticFile | undefined> {
    const builtAtMs = await stat(join(this.#folder, startFile)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (builtAtMs !== this.#builtAtMs) {
      this.#builtAtMs = builtAtMs;
      this.#files =
        builtAtMs === undefined ? Promise.resolve(new Map()) : readFiles(this.#folder, this.#frames);
    }
    return (await this.#files).get(path);
  }
}

async function readFiles(folder: string, frames: string): Promise<Map<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = new Map(
    await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async (entry): Promise<[string, Uint8Array]> => {
          const file = join(entry.parentPath, entry.name);
          return [relative(folder, file).replaceAll('\\', '/'), await readFile(file)];
        }),
    ),
  );
  const paths = [...contents.keys()].filter((path) => !/\.(br|gz)$/.test(path));
  return new Map(paths.map((path) => [path, describeFile(path, contents, frames)]));
}

function describeFile(path: string, contents: ReadonlyMap<string, Uint8Array>, frames: string): StaticFile {
  const bytes = contents.get(path) ?? new Uint8Array();
  const compressed: NonNullable<Parameters<typeof staticFile>[0]['compressed']> = {};
  for (const encoding of ['br', 'gzip'] as const) {
    const form = contents.get(path + extensions[encoding]);
    if (form !== undefined) compressed[encoding] = { bytes: form };
  }
  const policy = policyFor(path === startFile ? hashesOfInline(bytes) : noInline, frames);
  return staticFile({
    path,
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    plain: { bytes },
    compressed,
    headers: [
      'Cache-Control',
      contentHashed.test(path) ? cacheControl.neverChanges : 'no-cache',
      'Content-Security-Policy',
      policy,
      'Cross-Origin-Opener-Policy',
      'same-origin',
    ],
  });
}

/** The policy allows inline code by its hash only. */
function hashesOfInline(page: Uint8Array): InlineHashes {
  const html = Buffer.from(page).toString();
  const hashes = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(
      ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
    );
  return {
    scripts: hashes(/<script>([^<]*)<\/script>/g),
    styles: hashes(/<style>([^<]*)<\/style>/g),
  };
}

async function send(web: Web, file: StaticFile): Promise<Response> {
  const response = await fileResponse(file, fileRequestOf(web));
  return web.newResponse(response.body, response);
}

function explainBuild(web: Web, frames: string): Response {
  web.header('content-security-policy', policyFor(noInline, frames));
  return web.html(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The dashboard is not built</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/start.css">
</head>
<body>
<main>
<h1>The dashboard is not built</h1>
<p class="lead">The server is running, but the files of the dashboard are missing. Build them in the repository, then reload this page.</p>
<pre tabindex="0" aria-label="Command"><code>node scripts/dashboard.mjs</code></pre>
<p><a href="/">Back to the start page</a></p>
</main>
</body>
</html>
`,
    503,
  );
}
