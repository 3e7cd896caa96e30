// The whole quality gate in one place: types, lint, format, dead code, tests. `npm run check` stops before the
// tests; `npm test` runs everything. Each step prints its time; the first failure ends the run.
import { spawnSync } from 'node:child_process';

const steps = [
  ['types', 'tsc', ['-p', '.']],
  ['lint', 'oxlint', ['--type-aware', '--max-warnings=0']],
  ['format', 'oxfmt', ['--check', '.']],
  ['unused code', 'knip', ['--no-progress']],
  ...(process.argv.includes('--test') ? [['tests', 'vitest', ['run', ...process.argv.slice(3)]]] : []),
];

for (const [name, command, args] of steps) {
  const started = performance.now();
  console.log(`\n── ${name}: ${command} ${args.join(' ')}`);
  const ended = spawnSync(command, args, { stdio: 'inherit' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${name}: ${ended.status === 0 ? 'ok' : 'FAILED'} after ${seconds} s`);
  if (ended.status !== 0) process.exit(ended.status ?? 1);
}
