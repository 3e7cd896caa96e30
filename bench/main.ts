/**
 * `npm run bench`: runs the measurements and prints Markdown tables. A new measurement is a file beside this one and
 * an entry in the list below. Nothing here is a test: figures depend on the machine and on what else it does.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { delta } from './delta.ts';
import { devEdit } from './dev-edit.ts';
import { exportPages } from './export-pages.ts';
import { generators } from './generators.ts';
import { toMarkdown, type Measurement, type Result } from './measurement.ts';
import { pollers } from './pollers.ts';
import { staticServing } from './static-serving.ts';
import { statusUnderLoad } from './status-under-load.ts';

const measurements: readonly Measurement[] = [
  exportPages,
  statusUnderLoad,
  pollers,
  delta,
  devEdit,
  generators,
  staticServing,
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      pages: { type: 'string' },
      peers: { type: 'string' },
      pollers: { type: 'string' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = measurements.filter(({ name }) => values.only?.includes(name) ?? true);
  const pages = countOf(values.pages);
  const pollerCount = countOf(values.pollers);
  if (values.help || chosen.length === 0 || Number.isNaN(pages) || Number.isNaN(pollerCount)) {
    process.stdout.write(help());
    return values.help ? 0 : 2;
  }
  const machine = describeMachine();
  console.log(
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGigabytes} GB, Node ${machine.node}, load average ${machine.loadAverage} at the start.`,
  );
  const results: Record<string, Result> = {};
  for (const { name, run } of chosen) {
    const tell = (progress: string) => process.stderr.write(`${name}: ${progress}\n`);
    const result = await run(tell, {
      pages,
      pollers: pollerCount,
      peers: values.peers?.split(','),
      folder: values.folder,
    });
    results[name] = result;
    console.log(`\n## ${name}\n\n${toMarkdown(result)}`);
  }
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  }
  return 0;
}

/** Not a number when it is none that makes sense. */
function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return Number(text) > 0 ? Math.round(Number(text)) : Number.NaN;
}

function help(): string {
  const list = measurements.map(({ name, about }) => `  ${name.padEnd(20)} ${about}`).join('\n');
  return `Measures Docyard on this machine.

  npm run bench -- [--only NAME]... [--pages NUMBER] [--peers NAME,NAME] [--pollers NUMBER] [--folder FOLDER]
                   [--json FILE]

  --only NAME       only this measurement; may be repeated
  --pages NUMBER    a site of so many pages instead of 1,000
  --peers NAMES     only these other generators, separated by commas
  --pollers NUMBER  so many instead of 10,000
  --folder FOLDER   a documentation folder that dev-edit measures as well
  --json FILE       write the figures to a file as well
  --help            this text

Measurements:
${list}
`;
}

function describeMachine() {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    loadAverage: loadavg()[0]?.toFixed(1) ?? 'unknown',
  };
}
