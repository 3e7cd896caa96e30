/** `npm run agent-eval`: lets the agent follow changes of code and measures what it changes in the documentation. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noSitesMessage } from '../../scripts/measure/find-sites.ts';
import { anchorProblems } from './anchors.ts';
import { scriptedModels } from './models.ts';
import { readPairs, type Pair } from './pair.ts';
import { jsonOf, lineOf, tableOf, type Results } from './report.ts';
import { keyOf, nameOfModel, runSite, type EvaluatedModel } from './run.ts';
import { summariesOf, type PairResult } from './score.ts';
import { foldersBySite } from './sites.ts';

const help = `Lets the agent follow changes of code and prints how well the documentation follows.

  npm run agent-eval -- [--only TEXT] [--site NAME] [--model NAME | --endpoint URL] [--json FILE]

  --only TEXT      only pairs whose name or kind contains this; a name is SITE/NAME
  --site NAME      only pairs of this site; can be repeated
  --sites FOLDER   real sites, as folders or *.tar.gz (default: the folder that DOCYARD_SITES names)
  --model NAME     oracle (default), or a baseline: careless, always or never
  --endpoint URL   a model server, instead of MODEL_URL
  --json FILE      write the results to this file after each pair, and continue from it
  --fresh          run also the pairs whose results are in FILE
  --list           print the names and kinds of the pairs and run none
  --help           this text

The oracle knows the right edits and finds the pages with the tools, so it measures what they allow. To measure another model, set
MODEL_URL, MODEL_NAME and, if it needs them, MODEL_KEY and MODEL_PROVIDER (openai, anthropic or gemini). Exits with 1 if a pair of
the oracle fails.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      site: { type: 'string', multiple: true, default: [] },
      sites: { type: 'string', multiple: true, default: [] },
      model: { type: 'string' },
      endpoint: { type: 'string' },
      json: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const pairs = readPairs().filter(
    ({ name, kind, site }) =>
      `${name} ${kind}`.includes(values.only) && (values.site.length === 0 || values.site.includes(site)),
  );
  if (values.list) {
    process.stdout.write(pairs.map(({ name, kind }) => `${name}  ${kind}\n`).join(''));
    return 0;
  }
  if (pairs.length === 0) return refused('No pair has this name and site. Pass --list to see the names.');
  const model = modelOf(values, process.env);
  if (model === undefined) return refused(`The model is unknown. Pass --model ${scriptedModels.join(', ')}.`);
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-agent-eval-'));
  try {
    const folders = foldersBySite(values.sites, scratch);
    if (folders.size === 1) process.stdout.write(`SKIPPED  pairs of real sites. ${noSitesMessage}\n`);
    const known = values.fresh ? [] : earlierResults(values.json, model);
    const results = await runAll(pairs, folders, { model, known, file: values.json });
    process.stdout.write(`\n${tableOf(summariesOf(results))}`);
    return model === 'oracle' && results.some(({ problems }) => problems.length > 0) ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function refused(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}

/** Undefined if no model has the name. */
function modelOf(
  { model = 'oracle', endpoint }: { model?: string | undefined; endpoint?: string | undefined },
  { MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_PROVIDER = 'openai' }: NodeJS.ProcessEnv,
): EvaluatedModel | undefined {
  const url = endpoint ?? (model === 'oracle' ? MODEL_URL : undefined);
  if (url === undefined) return scriptedModels.find((name) => name === model);
  if (MODEL_NAME === undefined) throw new Error('An endpoint needs MODEL_NAME.');
  return { url, name: MODEL_NAME, key: MODEL_KEY ?? null, provider: MODEL_PROVIDER };
}

function earlierResults(file: string | undefined, model: EvaluatedModel): PairResult[] {
  if (file === undefined || !existsSync(file)) return [];
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as Results;
  return earlier.model === nameOfModel(model) ? earlier.pairs : [];
}

interface EvaluationOptions {
  model: EvaluatedModel;
  known: readonly PairResult[];
  file: string | undefined;
}

async function runAll(
  pairs: readonly Pair[],
  folders: ReadonlyMap<string, string>,
  { model, known, file }: EvaluationOptions,
): Promise<PairResult[]> {
  const present = pairs.filter(({ site }) => folders.has(site));
  const stored = new Map(known.map((result) => [result.name, result]));
  const results: PairResult[] = [];
  const add = (result: PairResult): void => {
    results.push(result);
    stored.set(result.name, result);
    process.stdout.write(lineOf(result, results.length, present.length));
    if (file !== undefined) writeFileSync(file, jsonOf(nameOfModel(model), [...stored.values()]));
  };
  const open = present.filter((pair) => {
    const earlier = stored.get(pair.name);
    if (earlier?.key !== keyOf(pair, model) || !earlier.isFinished) return true;
    add(earlier);
    return false;
  });
  for (const [site, ofSite] of Map.groupBy(open, (pair) => pair.site)) {
    const folder = folders.get(site) ?? '';
    for (const pair of ofSite) {
      const [problem] = anchorProblems(pair, folder);
      if (problem !== undefined) throw new Error(`${pair.name} does not fit its site: ${problem}.`);
    }
    await runSite({ folder, pairs: ofSite, model, onResult: add });
  }
  return results;
}
