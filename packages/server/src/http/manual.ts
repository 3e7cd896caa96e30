/** Serves the manual under /docs, rendered on the first request in a child process. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  fileResponse,
  hasDotSegments,
  openSite,
  precompress,
  readRequestPath,
  type ServedSite,
} from '@docyard/site/serving';
import type { Context } from '../context.ts';
import { fileRequestOf, rawTarget, type Web } from './request.ts';

/** The published package contains the manual; in the repository it is above the packages. */
const [source = ''] = ['../../docs', '../../../../docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(join(folder, 'docs.json')));
const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));

/** Each page of the manual adds a stricter policy, which limits its requests. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "font-src 'self' data:",
  'connect-src *',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const headers = [
  'Cache-Control',
  'no-cache',
  'Content-Security-Policy',
  policy,
  'Cross-Origin-Opener-Policy',
  'same-origin',
];
const basePath = '/docs';

interface ManualFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}

export class Manual {
  readonly #context: Context;
  #site: Promise<ServedSite | undefined> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Undefined when the page does not exist. The first call starts the build. */
  async answer(web: Web): Promise<Response | undefined> {
    const requested = readRequestPath(rawTarget(web).slice(basePath.length));
    if (typeof requested === 'string' || requested.hasControlCharacter || hasDotSegments(requested.path))
      return undefined;
    this.#site ??= this.#open().catch((error: unknown) => {
      this.#context.log.warn({ err: error }, 'cannot render the manual');
      this.#site = undefined;
      return undefined;
    });
    const found = (await this.#site)?.find(requested.path);
    if (found === undefined) return undefined;
    if ('file' in found) return fileResponse(found.file, fileRequestOf(web));
    const { to, permanent } = found.redirect;
    const location = to.startsWith('/') ? basePath + to : to;
    return new Response(null, { status: permanent ? 308 : 307, headers: { location } });
  }

  async #open(): Promise<ServedSite> {
    const folder = join(this.#context.config.dataDir, 'cache', `manual-site-${await this.#fingerprint()}`);
    if (!existsSync(folder)) {
      const draft = `${folder}.draft`;
      await rm(draft, { recursive: true, force: true });
      await build(draft);
      await rename(draft, folder);
    }
    const files = JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')) as ManualFile[];
    const site = await openSite({ id: folder, ...foldersIn(folder), manifest: { files } });
    site.configure({ onlyHeaders: headers });
    return site;
  }

  async #fingerprint(): Promise<string> {
    const hash = createHash('sha256').update(this.#context.version);
    const entries = await readdir(source, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = await stat(file);
      hash.update(`${relative(source, file)}:${size}:${mtimeMs}\n`);
    }
    return hash.digest('hex').slice(0, 16);
  }
}

function foldersIn(folder: string): { siteFolder: string; compressedFolder: string } {
  return { siteFolder: join(folder, 'site'), compressedFolder: join(folder, 'compressed') };
}

async function build(folder: string): Promise<void> {
  const folders = foldersIn(folder);
  await render(folders.siteFolder);
  const files = await listFiles(folders.siteFolder);
  await precompress({ ...folders, manifest: { files } });
  await writeFile(join(folder, 'files.json'), JSON.stringify(files));
}

async function listFiles(folder: string): Promise<ManualFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      const path = relative(folder, file).replaceAll('\\', '/');
      return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}

async function render(folder: string): Promise<void> {
  const args = [program, 'build', source, '--out', folder, '--base-path', basePath, '--offline'];
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (status !== 0) throw new Error(`Rendering the manual failed with status ${status}.`);
}
