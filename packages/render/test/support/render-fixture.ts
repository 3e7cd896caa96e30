/** For tests: renders a folder of `fixtures/`, or files given in memory, and collects the output. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Diagnostic,
  type RenderOptions,
  type SiteReport,
  loadSite,
  renderSite,
} from '../../src/index.ts';

export interface Rendered {
  /** The text of each output file by path; `copy` for copied files. The report files are excluded. */
  files: Map<string, string>;
  /** The same files without the copied ones, for binary content. */
  bytes: Map<string, Uint8Array>;
  report: SiteReport;
  reportFiles: Map<string, string>;
  diagnostics: Diagnostic[];
  codes: string[];
  /** The content of a page without its frame. */
  content(path: string): string;
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}

export async function renderFolder(root: string, options: RenderOptions = {}): Promise<Rendered> {
  const files = new Map<string, string>();
  const bytes = new Map<string, Uint8Array>();
  const reportFiles = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  let report: SiteReport | undefined;
  const site = await loadSite({ root });
  for await (const event of renderSite(site, { concurrency: 1, ...options })) {
    if (event.type === 'diagnostic') diagnostics.push(event.diagnostic);
    else if (event.type === 'report') report = event.report;
    else if (event.type === 'file') {
      const { path, content } = event.file;
      if (files.has(path)) throw new Error(`${path} was written twice`);
      const kept = /^report\.(?:html|json)$/.test(path) ? reportFiles : files;
      if ('read' in content) bytes.set(path, content.read());
      const written = bytes.get(path);
      kept.set(path, written === undefined ? 'copy' : Buffer.from(written).toString());
    }
  }
  if (report === undefined) throw new Error('no report came');
  return {
    files,
    bytes,
    report,
    reportFiles,
    diagnostics,
    codes: diagnostics.map(({ code }) => code),
    content: (path) =>
      /<div[^>]* class="dy-content mdx-content prose">([\s\S]*?)<\/div>\n(?:<nav[^>]* class="(?:dy-site-pagination|dy-directory)|<div class="dy-page-foot"|<\/main>)/.exec(
        files.get(path) ?? '',
      )?.[1] ?? '',
  };
}

/** Writes the generated files, and with `root`, the folder of the site, also the copied ones. */
export async function writeOutput({ files, bytes }: Rendered, folder: string, root?: string): Promise<void> {
  for (const path of files.keys()) {
    const content = bytes.get(path);
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    if (content !== undefined) await writeFile(target, content);
    else if (root !== undefined) await copyFile(join(root, path), target);
  }
}

export function renderFixture(name: string, options: RenderOptions = {}): Promise<Rendered> {
  return renderFolder(fixture(name), options);
}

/** Adds a `docs.json` when there is none. */
export async function renderFiles(
  files: Record<string, string | Uint8Array>,
  options: RenderOptions = {},
): Promise<Rendered> {
  return withFolder(files, (root) => renderFolder(root, options));
}

export async function withFolder<Result>(
  files: Record<string, string | Uint8Array>,
  work: (root: string) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(join(tmpdir(), 'docyard-render-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
