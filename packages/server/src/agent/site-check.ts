/**
 * Checks the tree with the renderer: findings compared with those before the run, or one page as Markdown. The
 * renderer runs in a separate process without environment, network or secrets, and its answers are validated.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { CustomCode } from '../sandbox/custom-code.ts';
import { ChannelError, runSandboxed, ProcessDiedError } from '../sandbox/sandbox.ts';
import { SiteCheckError, type SiteChecks, type SiteFinding } from './contract.ts';

export interface SiteCheckOptions {
  folder: string;
  renderProcesses: number;
  customCode: CustomCode;
  memoryMegabytes?: number;
  maxSeconds?: number;
}

type Site = Pick<SiteCheckOptions, 'folder' | 'renderProcesses' | 'customCode'>;

export type SiteCheckOrder = Site & ({ type: 'check' } | { type: 'render'; file: string });

export type FoundProblem = Omit<SiteFinding, 'isNew'>;

const maxFindings = 5000;
const maxMarkdownCharacters = 2_000_000;
const defaultMemoryMegabytes = 768;
const defaultMaxSeconds = 120;

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
  .max(maxFindings);

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('checked'), findings }),
  z.object({ type: z.literal('rendered'), markdown: z.string().max(maxMarkdownCharacters), findings }),
  z.object({ type: z.literal('no-page'), reason: z.string().max(1000) }),
  z.object({ type: z.literal('failed'), message: z.string().max(4000) }),
]);
export type SiteCheckMessage = z.infer<typeof Message>;

const program = fileURLToPath(new URL('site-check-child.ts', import.meta.url));

/** Records the baseline, so the tree must be unchanged. */
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
      if (answer.type === 'no-page') throw new SiteCheckError(answer.reason);
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
  const maxSeconds = options.maxSeconds ?? defaultMaxSeconds;
  const limit = AbortSignal.timeout(maxSeconds * 1000);
  try {
    return await runSandboxed<SiteCheckMessage>({
      program,
      order,
      readable: [options.folder],
      processes: options.renderProcesses,
      memoryMegabytes: options.memoryMegabytes ?? defaultMemoryMegabytes,
      signal: AbortSignal.any([signal, limit]),
      onMessage(raw) {
        const { data: answer } = Message.safeParse(raw);
        if (answer === undefined) throw new SiteCheckError('The site check returned an invalid answer.');
        return { answer };
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new SiteCheckError(`The site check took longer than ${maxSeconds} seconds.`);
    if (error instanceof ChannelError)
      throw new SiteCheckError('The site check returned an invalid answer.', { cause: error });
    if (!(error instanceof ProcessDiedError)) throw error;
    throw new SiteCheckError(
      error.outOfMemory ? 'The site check exceeded its memory limit.' : 'The site check ended unexpectedly.',
      { cause: error },
    );
  }
}

function unexpected(answer: SiteCheckMessage): SiteCheckError {
  const cause = answer.type === 'failed' ? new Error(answer.message) : undefined;
  return new SiteCheckError('The site check failed.', cause && { cause });
}

/**
 * A finding is old if the baseline has the same code, file and message; its line may differ. A finding that
 * moved with a renamed page is old too: it appears in another file, or its message names another address with
 * the same anchor.
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
  // The same file first: a moved page may need the match of another file.
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

/** Changes with every write, because no program can set ctime. */
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
