/** The text changes of one page between two exports, from the Markdown in both bundles. */
import type { PageChange } from '@docyard/api';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diffTexts } from '@docyard/bundle';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import { findBase } from './compare.ts';
import { forgetPreview, openPreview, type UnpackedSite } from './unpacked-sites.ts';
import { finishedResult } from './read.ts';

const maxPageBytes = 2_000_000;

export async function readPageChange(
  context: Pick<Context, 'blobs' | 'config' | 'database' | 'log'>,
  { job, older, path, reach }: { job: Job; older: string | undefined; path: string; reach: AccessScope },
): Promise<PageChange> {
  finishedResult(job);
  const base = await findBase(context, job, { older, reach });
  const file = markdownFileOf(path);
  const [from, to] = await Promise.all([openSite(context, base), openSite(context, job)]);
  const [before, after] = await Promise.all([readPage(from, file), readPage(to, file)]);
  if (before === null && after === null) {
    throw new Problem(
      'not_found',
      `Neither export has a page ${path}. GET /v1/static-export/jobs/${job.id}/compare lists changed pages.`,
    );
  }
  const isTooLong = [before, after].some((text) => text !== null && text.length > maxPageBytes);
  const diff = isTooLong
    ? { patch: '', addedLines: 0, removedLines: 0, isTruncated: true }
    : diffTexts(file, before, after);
  return {
    path,
    from: base.id,
    to: job.id,
    status:
      before === null ? 'added' : after === null ? 'removed' : before === after ? 'unchanged' : 'changed',
    title: titleIn(to, file) ?? titleIn(from, file) ?? null,
    addedLines: diff.addedLines,
    removedLines: diff.removedLines,
    patch: diff.patch,
    truncated: diff.isTruncated,
  };
}

function openSite(context: Pick<Context, 'blobs' | 'config' | 'log'>, job: Job): Promise<UnpackedSite> {
  return openPreview(context, { jobId: job.id, generation: finishedResult(job).attempt });
}

/** Only files of the manifest are read, so the path cannot leave the folder. */
async function readPage(site: UnpackedSite, file: string): Promise<string | null> {
  if (!site.manifest.files.some(({ path }) => path === file)) return null;
  try {
    return await readFile(join(site.siteFolder, file), 'utf8');
  } catch (error) {
    // Another process may have removed the unpacked files; the next request unpacks them again.
    forgetPreview(site);
    throw error;
  }
}

function titleIn({ manifest }: UnpackedSite, file: string): string | undefined {
  return manifest.files.find(({ path }) => path === file)?.title;
}

function markdownFileOf(path: string): string {
  const name = path.startsWith('/') ? path.slice(1) : path;
  return name === '' ? 'index.md' : `${name}.md`;
}
