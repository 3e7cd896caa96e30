/**
 * Measures start times: the `docyard` command, the server until it is ready, the command lines of other generators, and Node
 * alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../test/free-port.ts';
import { program, temporaryFolder } from '../test/service.ts';
import { counted, median, rounded, type Measurement } from './measurement.ts';
import { docusaurus } from './peers/docusaurus.ts';
import { fumadocs } from './peers/fumadocs.ts';
import { rspress } from './peers/rspress.ts';
import { starlight } from './peers/starlight.ts';

const runs = 10;
const pollEveryMs = 5;

interface Start {
  name: string;
  once(): number | Promise<number>;
}

export const coldStart: Measurement = {
  name: 'cold-start',
  about:
    '`docyard --help`, `docyard --version` and the server to ready, relative to the command lines of other generators',
  async run(report, { peers: wanted }) {
    const rows: [string, ...number[]][] = [];
    const skipped: string[] = [];
    for (const { name, once } of starts(wanted)) {
      report(name);
      try {
        // The first start reads from disk, the others from the page cache, as in daily use.
        await once();
        const all: number[] = [];
        while (all.length < runs) all.push(await once());
        rows.push([
          name,
          rounded(median(all), 0),
          rounded(Math.min(...all), 0),
          rounded(Math.max(...all), 0),
        ]);
      } catch (error) {
        skipped.push(`Skipped ${name}: ${error instanceof Error ? error.message : String(error)}.`);
      }
    }
    return {
      columns: ['', 'median ms', 'fastest ms', 'slowest ms'],
      rows,
      notes: [
        `${runs} starts after one that is not counted. The server begins with an empty data folder and is ready when \`/readyz\` answers 200. Other generators with the command that only prints their version or help.`,
        ...skipped,
      ],
      panels: [
        {
          title: 'Start of the program',
          about: 'Median milliseconds, lower is better.',
          bars: rows.map(([label, ms = 0]) => ({
            label,
            value: ms,
            text: `${counted(ms)} ms`,
            isOwn: label.startsWith('docyard'),
          })),
        },
      ],
    };
  },
};

/** VitePress has no such command. */
const commandLines = [
  {
    peer: docusaurus,
    name: 'docusaurus build --help',
    file: '@docusaurus/core/bin/docusaurus.mjs',
    args: ['build', '--help'],
  },
  { peer: starlight, name: 'astro --help', file: 'astro/bin/astro.mjs', args: ['--help'] },
  { peer: rspress, name: 'rspress --help', file: '@rspress/core/bin/rspress.js', args: ['--help'] },
  { peer: fumadocs, name: 'next --help', file: 'next/dist/bin/next', args: ['--help'] },
];

function starts(wanted: readonly string[] | undefined): Start[] {
  const isWanted = (id: string): boolean => wanted?.includes(id) ?? true;
  const node = (...args: string[]) => millisecondsOf([process.execPath, ...args]);
  return [
    { name: 'docyard --version', once: () => node(program, '--version') },
    { name: 'docyard --help', once: () => node(program, '--help') },
    { name: 'docyard serve, ready', once: millisecondsToReady },
    ...(isWanted('hugo') ? [{ name: 'hugo version', once: () => millisecondsOf(['hugo', 'version']) }] : []),
    ...commandLines
      .filter(({ peer }) => isWanted(peer.id))
      .map(({ peer, name, file, args }) => {
        const installed = once(() => join(peer.install?.() ?? '', 'node_modules', file));
        return { name, once: () => node(installed(), ...args) };
      }),
    { name: 'node -e 0', once: () => node('-e', '0') },
  ];
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function millisecondsOf([file = '', ...args]: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(`it ended with status ${status}: ${(stderr ?? '').slice(0, 200)}`);
  return performance.now() - began;
}

async function millisecondsToReady(): Promise<number> {
  const port = await freePort();
  const dataDir = join(temporaryFolder('data'), 'data');
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', String(port), '--data', dataDir, '--no-sample', '--log-level', 'warn'],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
    return performance.now() - began;
  } finally {
    child.kill();
    await ended;
  }
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}
