/**
 * `npm run scenarios`: gives editing tasks to an oracle, to the model that MODEL_URL and MODEL_NAME name, or to a
 * recording, and prints what became of each. It says what the tools allow and what a task costs; it does not say how well a model writes.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Model } from '../../packages/server/src/agent/contract.ts';
import { playFrom } from '../../packages/server/src/agent/model/cassette.ts';
import type { ModelSettings } from '../../packages/server/src/agent/model/endpoint.ts';
import { findSites } from '../../scripts/measure/find-sites.ts';
import { startOracle } from './oracle.ts';
import { scenariosOf } from './real.ts';
import { sampleScenarios } from './sample.ts';
import { modelAt, runScenario, type Outcome, type Scenario, type ScenarioOptions } from './scenario.ts';

const help = `Gives editing tasks to a model and says what became of each.

  npm run scenarios -- [--only NAME] [--sites FOLDER] [--record FILE | --replay FILE]
  npm run scenarios -- --serve

  --only NAME      only tasks whose name or site contains this
  --sites FOLDER   real sites, unpacked or as *.tar.gz; ../shared/sites unless told
  --record FILE    add every question and answer to this file, one JSON line each; as confidential as the sites
  --replay FILE    no model: the answers of such a file, to look into a run again or to compare versions of Docyard
  --serve          be the oracle behind an address, for a first try of what follows; ends with Ctrl+C
  --help           this text

The model is an oracle that knows the right calls. To try another one, set MODEL_URL, MODEL_NAME and, if it wants them,
MODEL_KEY and MODEL_PROVIDER (openai or anthropic). The tasks and what is checked are the same for every model. Only the
oracle must also be refused no call.
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      sites: { type: 'string', default: fileURLToPath(new URL('../../../shared/sites', import.meta.url)) },
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
    const all = [...sampleScenarios, ...realScenarios(values.sites, scratch)];
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

function realScenarios(folder: string, scratch: string): Scenario[] {
  if (!existsSync(folder)) {
    process.stdout.write(`SKIPPED  tasks on real sites: there is no folder ${folder}\n`);
    return [];
  }
  return findSites([folder], scratch).flatMap(({ name, root }) => {
    const made = scenariosOf({ name, folder: root });
    if (made.length === 0) process.stdout.write(`SKIPPED  ${name}: no pages that the tasks could use\n`);
    return made;
  });
}

function endpointOf(environment: NodeJS.ProcessEnv): ModelSettings | undefined {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key, MODEL_PROVIDER: provider } = environment;
  if (url === undefined) return undefined;
  if (name === undefined) throw new Error('MODEL_URL needs MODEL_NAME.');
  return { provider: provider === 'anthropic' ? 'anthropic' : 'openai', url, key: key ?? null, name };
}
