/**
 * The same pages of plain Markdown with Docyard and with other generators, on the same cores, beside the floor of plain
 * file operations. Generators are fetched when this runs; what cannot be fetched or built is skipped aloud.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, temporaryFolder } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { megabytes, rounded, type Measurement } from './measurement.ts';
import { docusaurus } from './peers/docusaurus.ts';
import { fumadocs } from './peers/fumadocs.ts';
import { hugo } from './peers/hugo.ts';
import type { Build, Peer } from './peers/peer.ts';
import { rspress } from './peers/rspress.ts';
import { starlight } from './peers/starlight.ts';
import { vitePress } from './peers/vitepress.ts';
import { filesBelow, secondsToCopy, sizeOf } from './plain-files.ts';
import { watchMemory } from './process-tree.ts';

const peers: readonly Peer[] = [hugo, docusaurus, starlight, vitePress, rspress, fumadocs];

export const generators: Measurement = {
  name: 'generators',
  about: `1,000 pages of plain Markdown with Docyard and with other generators: ${peers.map(({ id }) => id).join(', ')}`,
  async run(tell, { pages = 1000, peers: wanted }) {
    const unknown = wanted?.filter((id) => !peers.some((peer) => peer.id === id)) ?? [];
    if (unknown.length > 0) throw new Error(`There is no generator called ${unknown.join(' or ')}.`);
    const chosen = peers.filter(({ id }) => wanted?.includes(id) ?? true);
    const sources = join(temporaryFolder('corpus'), 'pages');
    await writeCorpus(sources, pages);
    asPlainMarkdown(sources);
    const output = join(temporaryFolder('generator'), 'out');

    tell('Docyard');
    const own = await measure({
      command: [process.execPath, program, 'build', sources, '--out', output],
      cwd: sources,
      output,
    });
    tell('plain file operations');
    const floorSeconds = await secondsToCopy(sources, output, join(temporaryFolder('copy'), 'site'));
    const rows = [
      row('Docyard', own, own),
      ['plain file operations', rounded(floorSeconds, 2), '–', '–', '–', '–', ratio(floorSeconds, own)],
    ];
    const skipped: string[] = [];
    for (const peer of chosen) {
      tell(peer.name);
      const folder = temporaryFolder('generator');
      try {
        rows.push(row(peer.name, await measure(peer.prepare(sources, folder)), own));
      } catch (error) {
        skipped.push(`Skipped ${peer.name}: ${error instanceof Error ? error.message : String(error)}.`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    return {
      columns: ['', 'seconds', 'CPU seconds', 'peak memory MB', 'files', 'output MB', 'time to Docyard'],
      rows,
      notes: [
        `${pages} pages, one run each, nothing kept from an earlier build. ${chosen.map(({ name, about }) => `${name}: ${about}.`).join(' ')} Plain file operations read the same sources and write what Docyard wrote.`,
        ...skipped,
      ],
    };
  },
};

interface Figures {
  seconds: number;
  cpuSeconds: number;
  peakBytes: number;
  files: number;
  bytes: number;
}

function row(name: string, figures: Figures, own: Figures): (string | number)[] {
  const { seconds, cpuSeconds, peakBytes, files, bytes } = figures;
  const memory = Math.round(peakBytes / 1e6);
  return [
    name,
    rounded(seconds, 2),
    rounded(cpuSeconds, 2),
    memory,
    files,
    megabytes(bytes),
    ratio(seconds, own),
  ];
}

function ratio(seconds: number, own: Figures): string {
  return `${rounded(seconds / own.seconds, 2)} ×`;
}

/** No generator may call home or look for a newer version while it is measured. */
const quiet = {
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  NODE_ENV: 'production',
  CI: '1',
};

/** The shell knows the processor time of everything it has waited for. */
async function measure({ command, cwd, output }: Build): Promise<Figures> {
  const began = performance.now();
  const child = spawn('bash', ['-c', '"$@" >&2; status=$?; times; exit $status', 'measure', ...command], {
    cwd,
    env: { ...process.env, ...quiet },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const peak = watchMemory(child.pid ?? 0);
  let times = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (times += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-20_000)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - began) / 1000;
  const peakBytes = peak();
  if (status !== 0) throw new Error(`it ended with status ${status}, and said: ${complaintOf(said)}`);
  return { seconds, cpuSeconds: childSeconds(times), peakBytes, ...sizeOf(output) };
}

/** The first line is the shell's own time, the second that of its children. */
function childSeconds(times: string): number {
  const found = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

function complaintOf(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const complaint =
    lines.find((line) => /\berror: /i.test(line)) ??
    lines.find((line) => /error/i.test(line)) ??
    lines.findLast((line) => line !== '');
  return complaint?.slice(0, 300) ?? 'nothing';
}

/** Components are left out, since every generator has its own: what stays is what all of them read. */
function asPlainMarkdown(folder: string): void {
  for (const file of filesBelow(folder)) {
    if (!file.endsWith('.mdx')) continue;
    const text = readFileSync(file, 'utf8')
      .replaceAll(/^ *<\/?[A-Z].*>\n/gm, '')
      .replaceAll(/^ {2,4}(?=[A-Z])/gm, '');
    writeFileSync(file.replace(/\.mdx$/, '.md'), text);
    rmSync(file);
  }
}
