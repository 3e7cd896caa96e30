/**
 * Measures a second export after an edit of one page of 10,000, relative to the first: into a folder, into an archive, and
 * through the API.
 */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForExport } from '@docyard/api';
import { commitAll, git, startService, temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import type { Bar } from './chart.ts';
import { writeCorpus } from './corpus.ts';
import { docyardBuild, docyardExport } from './docyard.ts';
import { counted, median, rounded, verdict, type Measurement } from './measurement.ts';

const defaultPages = 10_000;
const edits = 3;
const domain = 'corpus.example.com';
/** Share of the cold time. */
const target = floors.maxReExportShare;

interface Timed {
  coldSeconds: number;
  /** One value per edit. */
  againSeconds: number[];
}

export const reExport: Measurement = {
  name: 're-export',
  about: 'a second export of 10,000 pages after one of them was edited',
  async run(report, { pages = defaultPages }) {
    report(`a corpus of ${pages} pages`);
    const folder = temporaryFolder('corpus');
    // The sandbox would copy a folder that only its owner can read.
    chmodSync(folder, 0o755);
    writeCorpus(folder, pages, { extension: 'md' });
    const out = join(temporaryFolder('out'), 'site');
    const ways: [string, Timed][] = [];
    const measure = async (name: string, once: () => Promise<number>): Promise<void> => {
      report(`${name}, cold`);
      const coldSeconds = await once();
      const againSeconds: number[] = [];
      for (let edit = 1; edit <= edits; edit += 1) {
        report(`${name}, edit ${edit} of ${edits}`);
        editPage(folder, edit / (edits + 1), `${name} ${edit}`);
        againSeconds.push(await once());
      }
      ways.push([name, { coldSeconds, againSeconds }]);
    };
    const cacheFolder = temporaryFolder('cache');
    await measure('docyard build', async () => (await docyardBuild(folder, out, { cacheFolder })).seconds);
    rmSync(out, { recursive: true, force: true });
    rmSync(cacheFolder, { recursive: true, force: true });
    await measure(
      'docyard export',
      async () => (await docyardExport(folder, `${out}.tar.gz`, { cacheFolder })).seconds,
    );
    rmSync(`${out}.tar.gz`);
    await throughApi(folder, (once) => measure('through the API', once));
    const figures = ways.map(([name, timed]) => ({ name, ...timed, seconds: median(timed.againSeconds) }));
    return {
      columns: ['', 'cold, s', 'after an edit, s', 'share', 'fastest, s', 'slowest, s'],
      rows: figures.map(({ name, coldSeconds, seconds, againSeconds }) => [
        name,
        rounded(coldSeconds, 2),
        rounded(seconds, 2),
        `${rounded((100 * seconds) / coldSeconds)} %`,
        rounded(Math.min(...againSeconds), 2),
        rounded(Math.max(...againSeconds), 2),
      ]),
      notes: [
        `${counted(pages)} pages. Cold finds nothing of an earlier run. Then a sentence with a new word is added to one page, ${edits} times, to another page each time: the median. \`docyard build\` writes into the same folder again, \`docyard export\` writes the whole archive again. Through the API it is from the request to the completed record, with the fetch from git, the archive and its durable storage; the service runs all the while.`,
      ],
      verdicts: figures.map(({ name, coldSeconds, seconds }) =>
        verdict(
          `Re-export, one page of ${counted(pages)} edited: ${name}`,
          '≤ 30 % of the cold time',
          `${rounded((100 * seconds) / coldSeconds)} % (${rounded(seconds, 2)} s)`,
          seconds <= target * coldSeconds,
          pages === defaultPages,
        ),
      ),
      panels: [
        {
          title: `One page of ${counted(pages)} edited`,
          about: 'Seconds, lower is better.',
          bars: figures.flatMap(({ name, coldSeconds, seconds }) => barsOf(name, coldSeconds, seconds)),
        },
      ],
    };
  },
};

function barsOf(name: string, coldSeconds: number, seconds: number): Bar[] {
  return [
    { label: name, value: coldSeconds, text: `${rounded(coldSeconds)} s` },
    { label: 'after the edit', value: seconds, text: `${rounded(seconds)} s`, isOwn: true },
  ];
}

async function throughApi(
  folder: string,
  measure: (once: () => Promise<number>) => Promise<void>,
): Promise<void> {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  // Automatic packing by git would distort the measurement.
  git(folder, 'config', 'gc.auto', '0');
  const service = await startService({ sample: false });
  try {
    const source = { repository: `file://${folder}`, ref: 'main' };
    await service.client.call('createProject', { body: { name: 'Corpus', domain, source } });
    await measure(async () => {
      commitAll(folder, 'Edit');
      const began = performance.now();
      const { jobId } = await service.client.call('startExport', { body: { domain } });
      const { failure } = await waitForExport(service.client, jobId);
      if (failure !== null) throw new Error(`The export ended as ${JSON.stringify(failure)}`);
      return (performance.now() - began) / 1000;
    });
  } finally {
    await service.stop();
  }
}

/** Edits the page at this share of the list, from 0 to 1. */
function editPage(folder: string, share: number, about: string): void {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('.git'))
    .toSorted();
  const file = join(folder, pages[Math.floor(share * pages.length)] ?? '');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('\n\n## ', `\n\nA newfangled sentence about ${about}.\n\n## `));
}
