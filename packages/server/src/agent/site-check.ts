/**
 * Asks the real renderer what it says of the tree: all findings compared with those before the run, or one page as
 * Markdown. Rendering happens in a process of its own without environment, network or secrets; the answer is checked.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CustomCode } from '../rendering/custom-code.ts';
import { ChannelAbused, converse, ProcessDied } from '../rendering/sandbox.ts';
import { SiteCheckFailed, type SiteChecks, type SiteFinding } from './contract.ts';

export interface SiteCheckOptions {
  /** The docs root. */
  folder: string;
  renderProcesses: number;
  /** Whether code of the authors may run, or why not. */
  customCode: CustomCode;
  memoryMegabytes?: number;
  mostSeconds?: number;
}

type Site = Pick<SiteCheckOptions, 'folder' | 'renderProcesses' | 'customCode'>;

export type SiteCheckOrder = Site & ({ type: 'check' } | { type: 'render'; file: string });

/** A finding before it is known whether it is new. */
export type FoundProblem = Omit<SiteFinding, 'isNew'>;

const mostFindings = 5000;
const mostMarkdownCharacters = 2_000_000;
const usualMemoryMegabytes = 768;
/** The largest of nine real sites (1,103 pages) took 22 s on two cores, and 43 s on two busy ones. */
const usualMostSeconds = 120;

const findings = z
  .array(
    z.object({
      severity: z.enum(['error', 'warning', 'info']),
      code: z.string().max(100),
      message: z.string().max(4000),
      file: z.string().max(2000),
      line: z.int().min(1).nullable(),
      hint: z.string().max(4000).nullable(),
    }),
  )
  .max(mostFindings);

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('checked'), findings }),
  z.object({ type: z.literal('rendered'), markdown: z.string().max(mostMarkdownCharacters), findings }),
  z.object({ type: z.literal('no-page'), reason: z.string().max(1000) }),
  z.object({ type: z.literal('failed'), message: z.string().max(4000) }),
]);
export type SiteCheckMessage = z.infer<typeof Message>;

const program = fileURLToPath(new URL('site-check-child.ts', import.meta.url));

/** Takes the baseline: the tree must be as it was before the run changed anything. */
export async function openSiteChecks(
  options: SiteCheckOptions,
  signal: AbortSignal,
): Promise<SiteChecks & { findingsBefore: number }> {
  const baseline = await findProblems(options, signal);
  return { ...siteChecksSince(baseline, options), findingsBefore: baseline.length };
}

function siteChecksSince(baseline: readonly FoundProblem[], options: SiteCheckOptions): SiteChecks {
  const isGone = (file: string): boolean => !existsSync(join(options.folder, file));
  const compared = (found: FoundProblem[]): SiteFinding[] => comparedWith(baseline, found, isGone);
  let last: { state: string; findings: SiteFinding[] } | undefined;
  return {
    async validate(signal) {
      const state = await stateOf(options.folder);
      if (last?.state !== state) {
        last = { state, findings: compared(await findProblems(options, signal)) };
      }
      return last.findings;
    },
    async renderPage(path, signal) {
      const order = { ...orderOf(options), type: 'render' as const, file: path };
      const answer = await ask(order, options, signal);
      if (answer.type === 'no-page') throw new SiteCheckFailed(answer.reason);
      if (answer.type !== 'rendered') throw unexpected(answer);
      return { markdown: answer.markdown, findings: compared(answer.findings) };
    },
  };
}

async function findProblems(options: SiteCheckOptions, signal: AbortSignal): Promise<FoundProblem[]> {
  const answer = await ask({ ...orderOf(options), type: 'check' }, options, signal);
  if (answer.type !== 'checked') throw unexpected(answer);
  return answer.findings;
}

function orderOf({ folder, renderProcesses, customCode }: SiteCheckOptions): Site {
  return { folder, renderProcesses, customCode };
}

async function ask(
  order: SiteCheckOrder,
  options: SiteCheckOptions,
  signal: AbortSignal,
): Promise<SiteCheckMessage> {
  const mostSeconds = options.mostSeconds ?? usualMostSeconds;
  const limit = AbortSignal.timeout(mostSeconds * 1000);
  try {
    return await converse<SiteCheckMessage>({
      program,
      order,
      readable: [options.folder],
      processes: options.renderProcesses,
      memoryMegabytes: options.memoryMegabytes ?? usualMemoryMegabytes,
      signal: AbortSignal.any([signal, limit]),
      hear(raw) {
        const { data: answer } = Message.safeParse(raw);
        if (answer === undefined) throw new SiteCheckFailed('The check of the site gave no usable answer.');
        return { answer };
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new SiteCheckFailed(`The check of the site took over ${mostSeconds} seconds.`);
    if (error instanceof ChannelAbused)
      throw new SiteCheckFailed('The check of the site gave no usable answer.', { cause: error });
    if (!(error instanceof ProcessDied)) throw error;
    throw new SiteCheckFailed(
      error.outOfMemory
        ? 'The check of the site needed more memory than it may use.'
        : 'The check of the site ended early.',
      { cause: error },
    );
  }
}

function unexpected(answer: SiteCheckMessage): SiteCheckFailed {
  const cause = answer.type === 'failed' ? new Error(answer.message) : undefined;
  return new SiteCheckFailed('The check of the site failed.', cause && { cause });
}

/**
 * A finding is old when the same one (file, code and message; text above may have moved its line) was there before. Nor is
 * it new when a page has only taken it along: its own findings stand in another file now, and links of other pages to an
 * anchor that never was name another address.
 */
export function comparedWith(
  baseline: readonly FoundProblem[],
  now: readonly FoundProblem[],
  isGone: (file: string) => boolean,
): SiteFinding[] {
  const before = counted(baseline, identityOf);
  const stays = now.map((finding) => take(before, identityOf(finding)));
  const vanished = baseline.filter((finding) => take(before, identityOf(finding)));
  const moved = counted(vanished, (finding) => movedKey(finding, isGone(finding.file)));
  // Its own file first: a finding of another file may be waiting for the page that moved.
  const isMoved = (finding: FoundProblem): boolean =>
    take(moved, movedKey(finding, false)) || take(moved, movedKey(finding, true));
  return now.map((finding, index) => ({ ...finding, isNew: stays[index] !== true && !isMoved(finding) }));
}

function identityOf({ code, file, message }: FoundProblem): string {
  return JSON.stringify([code, file, message]);
}

function movedKey({ code, file, message }: FoundProblem, anyFile: boolean): string {
  const isAboutAnchor = /"[^"#]*#/.test(message);
  const text = isAboutAnchor ? message.replaceAll(/"[^"#]*(#[^"]*)?"/g, '"$1"') : message;
  return JSON.stringify([code, anyFile ? '' : file, text]);
}

function counted(
  findings: readonly FoundProblem[],
  keyOf: (finding: FoundProblem) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const finding of findings) counts.set(keyOf(finding), (counts.get(keyOf(finding)) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

/** Changes whenever a file does: a write leaves a new time of change, which no program can set back. */
async function stateOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    const { size, ctimeNs, ino } = await lstat(file, { bigint: true });
    hash.update(`${file}\0${size}\0${ctimeNs}\0${ino}\n`);
  }
  return hash.digest('hex');
}
