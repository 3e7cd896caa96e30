/** Runs tasks that name no file with the clumsy model, and restores the site after each. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../../fakes/model-server.ts';
import type { CaseResult, RobustnessCase } from '../case.ts';
import { runTask } from '../run-task.ts';
import { clumsyScript } from './clumsy-model.ts';
import type { LargeSite } from './large-site.ts';
import { clumsyTasks, type ClumsyTask } from './tasks.ts';

export function clumsyCase(
  seed: number,
  site: () => Promise<LargeSite>,
  tasks: readonly ClumsyTask[] = clumsyTasks,
): RobustnessCase {
  return {
    group: 'clumsy',
    server: 'clumsy model',
    name: `seed ${seed}`,
    async run() {
      const total: CaseResult = { problems: [], turns: 0, inputTokens: 0, outputTokens: 0 };
      let passed = 0;
      for (const [index, task] of tasks.entries()) {
        const result = await runClumsy(task, seed * 1000 + index, await site());
        if (result.problems.length === 0) passed += 1;
        total.problems.push(...result.problems);
        total.turns += result.turns;
        total.inputTokens += result.inputTokens;
        total.outputTokens += result.outputTokens;
      }
      return { ...total, tasks: { passed, total: tasks.length } };
    },
  };
}

async function runClumsy(task: ClumsyTask, seed: number, site: LargeSite): Promise<CaseResult> {
  const { script, made } = clumsyScript(task, seed);
  const server = await startModelServer(script);
  try {
    const { folder } = site;
    const { instruction } = task;
    const run = await runTask({
      folder,
      instruction,
      provider: 'openai',
      url: server.url,
      minutes: 10,
    });
    const problems = clumsyProblems(task, site, [...run.changed.keys()]);
    if (run.end.reason !== 'done')
      problems.unshift(`ended as ${run.end.reason}: ${run.end.problem ?? run.end.summary}`);
    restore(site, [...run.changed.keys()]);
    const { steps: turns, inputTokens, outputTokens } = run.usage;
    const cause = made.length === 0 ? 'no mistake' : made.join(', ');
    return {
      problems: problems.map((problem) => `${task.name}: ${problem} (after ${cause})`),
      turns,
      inputTokens,
      outputTokens,
    };
  } finally {
    await server.close();
  }
}

function restore({ folder, files }: LargeSite, changed: readonly string[]): void {
  for (const path of changed) {
    const content = files[path];
    if (content === undefined) rmSync(join(folder, path), { force: true });
    else writeFileSync(join(folder, path), content);
  }
}

function clumsyProblems(
  task: ClumsyTask,
  { folder, files }: LargeSite,
  changed: readonly string[],
): string[] {
  const wanted = (files[task.path] ?? '').replace(task.old, task.new);
  return [
    ...(readFileSync(join(folder, task.path), 'utf8') === wanted ? [] : ['the page is not corrected']),
    ...changed.filter((path) => path !== task.path).map((path) => `changed ${path} too`),
  ];
}
