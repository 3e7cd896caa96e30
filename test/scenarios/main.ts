/**
 * `npm run scenarios`: runs editing tasks with an oracle, with the model that MODEL_URL and MODEL_NAME name, or with a recording.
 * It measures what the tools allow and what a task costs, not how well a model writes.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { modelProviders } from '@docyard/api';
import type { Model } from '../../packages/server/src/agent/contract.ts';
import { playFrom } from '../../packages/server/src/agent/model/cassette.ts';
import type { ModelSettings } from '../../packages/server/src/agent/model/endpoint.ts';
import { findSites, noSitesMessage, siteFolders } from '../../scripts/measure/find-sites.ts';
import { startOracle } from './oracle.ts';
import { scenariosOf } from './real-sites.ts';
import { sampleScenarios } from './sample-site.ts';
import { modelAt, runScenario, type Outcome, type Scenario, type ScenarioOptions } from './scenario.ts';

const help = `Runs editing tasks with a model and prints the result of each.

  npm run scenarios -- [--only NAME] [--sites FOLDER] [--record FILE | --replay FILE]
  npm run scenarios -- --serve

  --only NAME      only tasks whose name or site contains this
  --sites FOLDER   real sites, as folders or *.tar.gz (default: the folder that DOCYARD_SITES names)
  --record FILE    append every request and response to this file as JSON lines; as confidential as the sites
  --replay FILE    use the responses of such a file instead of a model
  --serve          serve the oracle as a model over HTTP until Ctrl+C
  --help           this text

The default model is an oracle that knows the right calls. To use another one, set MODEL_URL, MODEL_NAME and, if it needs them,
MODEL_KEY and MODEL_PROVIDER (openai, anthropic or gemini). Tasks and checks are the same for every model; only the oracle also fails
when a call is refused.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      sites: { type: 'string', multiple: true, default: [] },
      record: { type: 'string' },
      replay: { type: 'string' },
      serve: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-scenarios-'));
  try {
    const all = [...sampleScenarios, ...realScenarios(siteFolders(values.sites), scratch)];
    const wanted = all.filter(({ name, site }) => `${site.name}: ${name}`.includes(values.only));
    if (values.serve) return await serve(wanted);
    return await runAll(wanted, { recordFile: values.record, model: await modelOf(values.replay) });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function serve(scenarios: readonly Scenario[]): Promise<number> {
  const oracle = await startOracle(scenarios);
  process.stdout.write(`MODEL_URL=${oracle.url} MODEL_NAME=oracle\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await oracle.close();
  return 0;
}

/** Undefined for the oracle. */
async function modelOf(replayFile: string | undefined): Promise<Model | undefined> {
  if (replayFile !== undefined) return playFrom(replayFile, 'recorded');
  const endpoint = endpointOf(process.env);
  return endpoint && modelAt(endpoint);
}

async function runAll(scenarios: readonly Scenario[], options: ScenarioOptions): Promise<number> {
  let passed = 0;
  for (const scenario of scenarios) {
    const outcome = await runScenario(scenario, options);
    if (outcome.problems.length === 0) passed += 1;
    process.stdout.write(lineOf(outcome));
  }
  process.stdout.write(`${passed} of ${scenarios.length} tasks passed\n`);
  return passed === scenarios.length ? 0 : 1;
}

function lineOf({ name, problems, usage }: Outcome): string {
  const { steps, inputTokens, outputTokens } = usage;
  const verdict = problems.length === 0 ? 'passed' : 'FAILED';
  const cost = `${steps} steps, ${inputTokens} tokens in, ${outputTokens} out`;
  return [`${verdict}  ${name}  (${cost})`, ...problems.map((problem) => `        ${problem}`), ''].join(
    '\n',
  );
}

function realScenarios(folders: readonly string[], scratch: string): Scenario[] {
  if (folders.length === 0) process.stdout.write(`SKIPPED  tasks on real sites. ${noSitesMessage}\n`);
  return findSites(folders, scratch).flatMap(({ name, root }) => {
    const made = scenariosOf({ name, folder: root });
    if (made.length === 0) process.stdout.write(`SKIPPED  ${name}: no pages that the tasks can use\n`);
    return made;
  });
}

function endpointOf(environment: NodeJS.ProcessEnv): ModelSettings | undefined {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key, MODEL_PROVIDER: provider } = environment;
  if (url === undefined) return undefined;
  if (name === undefined) throw new Error('MODEL_URL needs MODEL_NAME.');
  const known = modelProviders.find((each) => each === provider);
  return { provider: known ?? 'openai', url, key: key ?? null, name };
}
