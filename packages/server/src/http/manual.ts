/**
 * The manual under /docs: rendered once by the same engine as every export, in a process of its own, and served
 * from the files that came out. Only names found then can be asked for, so no path can lead elsewhere.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../context.ts';

/** In the published package the manual lies beside the code, in the repository above the packages. */
const [source = ''] = ['../../docs', '../../../../docs']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(join(folder, 'docs.json')));
const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
  xml: 'application/xml',
};

export class Manual {
  readonly #context: Context;
  #files: Promise<Map<string, string>> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Begins with the first caller: a start of the service should not wait for it, nor pay for it twice. */
  async read(path: string): Promise<{ bytes: Uint8Array; contentType: string } | undefined> {
    this.#files ??= this.#render().catch((error: unknown) => {
      this.#context.log.warn({ err: error }, 'the manual could not be rendered');
      this.#files = undefined;
      return new Map<string, string>();
    });
    const files = await this.#files;
    const name = [path, `${path}.html`, `${path}/index.html`.replace(/^\//, '')].find((choice) =>
      files.has(choice),
    );
    const file = name === undefined ? undefined : files.get(name);
    if (name === undefined || file === undefined) return undefined;
    const extension = name.split('.').at(-1) ?? '';
    return {
      bytes: await readFile(file),
      contentType: contentTypes[extension] ?? 'application/octet-stream',
    };
  }

  async #render(): Promise<Map<string, string>> {
    const folder = join(this.#context.config.dataDir, 'cache', `manual-${await this.#fingerprint()}`);
    const done = await stat(folder).catch(() => undefined);
    if (done === undefined) {
      const draft = `${folder}.draft`;
      await rm(draft, { recursive: true, force: true });
      await build(draft);
      await rename(draft, folder);
    }
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return new Map(files.map((file) => [relative(folder, file).replaceAll('\\', '/'), file]));
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

async function build(folder: string): Promise<void> {
  const args = [program, 'build', source, '--out', folder, '--base-path', '/docs', '--offline'];
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (status !== 0) throw new Error(`Rendering the manual ended with ${status}.`);
}
