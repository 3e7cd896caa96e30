/** A few tasks of the scenario suite: tools and policy allow everything that a perfect model does. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../service.ts';
import { sampleScenarios } from './sample-site.ts';
import { runScenario } from './scenario.ts';

test.each(sampleScenarios.slice(0, 4))('$site.name: $name', { timeout: 120_000 }, async (scenario) => {
  const { problems, usage } = await runScenario(scenario);
  expect(problems).toEqual([]);
  expect(usage.steps).toBe(scenario.calls.length + 2);
});

const program = fileURLToPath(new URL('main.ts', import.meta.url));
const only = ['--only', 'sample: correct a figure', '--sites', '/nowhere'];
const passed = /passed {2}sample: correct a figure {2}\(4 steps, .*\n1 of 1 tasks passed\n$/;

async function runProgram(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment };
  return (await promisify(execFile)(process.execPath, [program, ...only, ...args], { env })).stdout;
}

/** The oracle as a process, so that it is an endpoint like any other. */
async function serveOracle(): Promise<string> {
  const child = spawn(process.execPath, [program, ...only, '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!said.includes('MODEL_URL=')) await once(child.stdout, 'data');
  return /MODEL_URL=(\S+)/.exec(said)?.[1] ?? '';
}

test('the suite runs the same with an endpoint; its recording stands in for the endpoint', async () => {
  const url = await serveOracle();
  const recording = join(temporaryFolder('recording'), 'run.jsonl');
  const key = 'sk-key-of-the-endpoint-0123456789';
  const endpoint = { MODEL_URL: url, MODEL_NAME: 'any', MODEL_KEY: key };
  expect(await runProgram(['--record', recording], endpoint)).toMatch(passed);
  const lines = readFileSync(recording, 'utf8');
  expect(lines.trim().split('\n')).toHaveLength(4);
  expect(lines).not.toContain(key);
  expect(await runProgram(['--replay', recording])).toMatch(passed);
}, 120_000);

test('the suite speaks the other wire format too', async () => {
  const endpoint = { MODEL_URL: await serveOracle(), MODEL_NAME: 'any', MODEL_PROVIDER: 'anthropic' };
  expect(await runProgram([], endpoint)).toMatch(passed);
}, 120_000);
