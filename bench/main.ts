/**
 * `npm run bench`: runs measurements, prints Markdown tables and stores a report. To add a measurement, add a file and an entry
 * to the list.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { coldStart } from './cold-start.ts';
import { pinToCores } from './cores.ts';
import { delta } from './delta.ts';
import { devEdit } from './dev-edit.ts';
import { enqueue } from './enqueue.ts';
import { exportPages } from './export-pages.ts';
import { firstPage } from './first-page.ts';
import { generators } from './generators.ts';
import { toMarkdown, type Choices, type Measurement } from './measurement.ts';
import { pollers } from './pollers.ts';
import { committedResults, publish } from './published-figures.ts';
import { readerBytes } from './reader-bytes.ts';
import { realSites } from './real-sites.ts';
import { reExport } from './re-export.ts';
import { readReport, recordName, verdictTable, writeReport } from './report.ts';
import { scale } from './scale.ts';
import { searchIndex } from './search-index.ts';
import { staticServing } from './static-serving.ts';
import { statusUnderLoad } from './status-under-load.ts';

/** In the order of the report. */
const measurements: readonly Measurement[] = [
  generators,
  scale,
  realSites,
  reExport,
  searchIndex,
  readerBytes,
  coldStart,
  firstPage,
  exportPages,
  statusUnderLoad,
  pollers,
  enqueue,
  staticServing,
  delta,
  devEdit,
];
const defaultResults = fileURLToPath(new URL('../.cache/bench', import.meta.url));
const defaultTimeLimitSeconds = 900;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      missing: { type: 'boolean', default: false },
      results: { type: 'string', default: defaultResults },
      json: { type: 'string' },
      pages: { type: 'string' },
      peers: { type: 'string' },
      pollers: { type: 'string' },
      folder: { type: 'string' },
      sites: { type: 'string' },
      cores: { type: 'string' },
      'time-limit': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const names = measurements.map(({ name }) => name);
  const choices: Choices = {
    pages: countOf(values.pages),
    pollers: countOf(values.pollers),
    peers: values.peers?.split(','),
    folder: values.folder,
    sites: values.sites,
    timeLimitSeconds: countOf(values['time-limit']) ?? defaultTimeLimitSeconds,
  };
  const isWrong =
    values.only?.some((name) => !names.includes(name)) === true ||
    [choices.pages, choices.pollers, choices.timeLimitSeconds].some(Number.isNaN);
  if (values.help || isWrong) {
    process.stdout.write(help());
    return values.help ? 0 : 2;
  }
  const report = readReport(values.results);
  const chosen = measurements.filter(
    ({ name }) =>
      (values.only?.includes(name) ?? true) && !(values.missing && recordName(name, choices.pages) in report),
  );
  const machine = `${describeMachine()}, ${pinToCores(values.cores)}`;
  console.log(`${machine}. Load average ${loadavg()[0]?.toFixed(1)} at the start.`);
  const failed: string[] = [];
  for (const [index, measurement] of chosen.entries()) {
    const { name } = measurement;
    const began = Date.now();
    const onProgress = (progress: string) =>
      process.stderr.write(`[${index + 1}/${chosen.length}, ${elapsed(began)}] ${name}: ${progress}\n`);
    try {
      const result = await measurement.run(onProgress, choices);
      report[recordName(name, choices.pages)] = {
        date: new Date().toISOString().slice(0, 10),
        machine,
        isUsualSize: choices.pages === undefined,
        result,
      };
      writeReport(values.results, report, names);
      if (resolve(values.results) === committedResults) publish();
      console.log(`\n## ${name}\n\n${toMarkdown(result)}`);
      if (result.verdicts !== undefined && result.verdicts.length > 0)
        console.log(`\n${verdictTable(result.verdicts)}`);
    } catch (error) {
      // One failure must not discard hours of other measurements.
      failed.push(name);
      console.log(`\n## ${name}\n\nFailed: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nThe report is ${join(relative('.', values.results), 'README.md')}.`);
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}. Repeat them with --only.`);
  return failed.length > 0 ? 1 : 0;
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** NaN when the value is not a positive number. */
function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number(text) > 0 ? Math.round(Number(text)) : Number.NaN;
}

function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${processor}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.versions.node}`;
}

function help(): string {
  const list = measurements.map(({ name, about }) => `  ${name.padEnd(20)} ${about}`).join('\n');
  return `Measures Docyard and other generators on this machine and reports which targets are met.

  npm run bench -- [--only NAME]... [--missing] [--results FOLDER] [--pages NUMBER] [--peers NAME,NAME]
                   [--time-limit SECONDS] [--sites FOLDER] [--pollers NUMBER] [--folder FOLDER] [--cores LIST]
                   [--json FILE]

  --only NAME        only this measurement; may be repeated
  --missing          only measurements that the report lacks, to resume after an interruption
  --results FOLDER   where the report is kept: README.md, results.json, chart.svg. Results of earlier runs stay in it
                     (${relative('.', defaultResults)} unless given; bench/results is committed, and
                     the README and the manual show figures from it)
  --pages NUMBER     size of the site; results of other sizes than the default have no verdict
  --peers NAMES      only these other generators, separated by commas
  --time-limit SECONDS  stop a generator that takes longer (${defaultTimeLimitSeconds} by default)
  --sites FOLDER     real sites, as folders or *.tar.gz (default: the folder that DOCYARD_SITES names)
  --pollers NUMBER   number of pollers (10,000 by default)
  --folder FOLDER    an additional documentation folder for dev-edit
  --cores LIST       the cores that everything runs on, in the format of taskset (the first two by default)
  --json FILE        also write the results to this file
  --help             this text

Measurements:
${list}
`;
}
