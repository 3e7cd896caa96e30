/**
 * Keeps what Node has compiled of the rendering process for those to come, which may only read it: written by one that had
 * strangers' files in its hands, it could be anything. So once for each version this program's own sample, with a page more, is
 * exported outside of the walls, and what that has compiled is kept.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { converseIn } from '../rendering/conversation.ts';
import { findIsolation, unconfined } from '../rendering/isolation.ts';
import { compiledCode } from '../rendering/own-files.ts';
import { probe } from '../rendering/probe.ts';
import { copySample, sampleFolder } from '../sample-site.ts';
import { version } from '../version.ts';
import { newestSourceMs, unchangingVersion } from './engine-identity.ts';
import { Message, type ExportOrder, type Signed } from './messages.ts';
import { exportMemoryMegabytes, program } from './process.ts';
import { optionsOf } from './record.ts';

const mostSeconds = 120;

/**
 * What the sample has no use for is loaded when a page needs it: what draws diagrams, what sets formulas, and the languages that have
 * no lexer of ours. Of every second site some page does, and to compile the first of them alone takes 0.13 s.
 */
const seldomUsed = `---
title: Seldom used
---

\`\`\`mermaid
flowchart LR
  measured --> sent
\`\`\`

$$
e = mc^2
$$

\`\`\`hcl
station = "harbour"
\`\`\`
`;

/** Not where it was done before, where nothing is kept, and where processes can keep their own. */
export async function isCompiledCodeMissing(): Promise<boolean> {
  const folder = getCompileCacheDir();
  const { confinement } = await findIsolation();
  if (folder === undefined || !confinement.walls || !existsSync(sampleFolder)) return false;
  return !(await isNewerThanSources(markerIn(folder)));
}

/** Does nothing where none is missing. */
export async function keepCompiledCode(signal = new AbortController().signal): Promise<void> {
  const folder = getCompileCacheDir();
  if (folder === undefined || !(await isCompiledCodeMissing())) return;
  const { own } = await findIsolation();
  const work = await mkdtemp(join(tmpdir(), 'docyard-compiled-'));
  try {
    const site = join(work, 'site');
    await copySample(site);
    await writeFile(join(site, 'seldom-used.mdx'), seldomUsed);
    await converseIn({ confinement: unconfined, own }, exportOfSample(work, signal, site));
    // The process that tries the walls is waited for at every start; it finds none here, and does no harm.
    await probe({ confinement: unconfined, own });
    // Where root keeps it, those who are to read it have another user.
    for (const { source } of compiledCode(0)) {
      for (const entry of await readdir(source, { withFileTypes: true })) {
        if (entry.isFile()) await chmod(join(source, entry.name), 0o644);
      }
    }
    await writeFile(markerIn(folder), '');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function markerIn(folder: string): string {
  return join(folder, `rendering-${unchangingVersion() ?? version}`);
}

async function isNewerThanSources(marker: string): Promise<boolean> {
  const made = await stat(marker).catch(() => undefined);
  return made !== undefined && made.mtimeMs >= ((await newestSourceMs()) ?? 0);
}

/** The whole of a conversation; the bundle goes nowhere. */
export function exportOfSample(
  work: string,
  signal: AbortSignal,
  folder = sampleFolder,
): Parameters<typeof converseIn<void>>[1] {
  const order: ExportOrder = {
    type: 'export',
    folder,
    origin: '',
    version: null,
    commit: null,
    committedAt: null,
    renderProcesses: 1,
    offline: true,
    customCode: 'run',
    engine: null,
    isolationLevel: 0,
    isSigned: true,
    isHashed: true,
    isReportWhole: true,
    options: optionsOf({ domain: 'sample.test' }),
  };
  return {
    program,
    order,
    memoryMegabytes: exportMemoryMegabytes,
    readable: [folder],
    files: ['spool', 'report'].map((name) => ({ path: join(work, name), use: 'write' })),
    signal: AbortSignal.any([signal, AbortSignal.timeout(mostSeconds * 1000)]),
    hear(raw, send) {
      const message = Message.parse(raw);
      if (message.type === 'failed') throw new Error(message.message);
      const unsigned: Signed = { type: 'signed', signature: '' };
      if (message.type === 'sign') send(unsigned);
      return message.type === 'exported' ? { answer: undefined } : undefined;
    },
    takeOutput: async (output) => void output.resume(),
  };
}
