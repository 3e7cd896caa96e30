// `npm run check` runs the static checks; with `--test` (`npm test`) the quick tests follow. The first failure ends the run.
import { spawnSync } from 'node:child_process';

const quickProjects = ['render', 'packages', 'isolated'].flatMap((name) => ['--project', name]);

/** @type {{ name: string, command: string, args: string[] }[]} */
const steps = [
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware', '--max-warnings=0'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  { name: 'unused code', command: 'knip', args: ['--no-progress'] },
  { name: 'wording', command: 'node', args: ['scripts/wording.ts'] },
  { name: 'licenses', command: 'node', args: ['scripts/licenses.ts'] },
  { name: 'imports', command: 'node', args: ['scripts/import-graph.ts'] },
  { name: 'regular expressions', command: 'node', args: ['scripts/redos.ts'] },
  ...(process.argv.includes('--test')
    ? [{ name: 'tests', command: 'vitest', args: ['run', ...quickProjects, ...process.argv.slice(3)] }]
    : []),
];

for (const { name, command, args } of steps) {
  const started = performance.now();
  console.log(`\n── ${name}: ${command} ${args.join(' ')}`);
  const ended = spawnSync(command, args, { stdio: 'inherit' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${name}: ${ended.status === 0 ? 'ok' : 'FAILED'} after ${seconds} s`);
  if (ended.status !== 0) process.exit(ended.status ?? 1);
}
