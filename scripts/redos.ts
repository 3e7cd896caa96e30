/**
 * Checks every regular expression for catastrophic backtracking. Exponential ones fail; polynomial ones need a bound on their
 * input in `redos/accepted.json`. `--write` stores new verdicts.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { growthOf, nameOf, readVerdicts, writeVerdicts } from './redos/analysis.ts';
import { findPatterns, type Pattern } from './redos/patterns.ts';

interface Accepted {
  file: string;
  pattern: string;
  /** `any` when the reason shows that the pattern is linear, which recheck could not decide. */
  maxInputCharacters: number | 'any';
  reason: string;
}

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const root = path('..');
const committedFile = path('redos/verdicts.json');
const cacheFile = path('../node_modules/.cache/redos.json');
/** Their input is written by the tests and scripts themselves. */
const ofTests = /^(?:(?:packages\/\w+\/)?test|bench|scripts)\/|\.test\.tsx?$/;

const patterns = findPatterns(root);
const accepted = JSON.parse(readFileSync(path('redos/accepted.json'), 'utf8')) as Accepted[];
const verdicts = { ...readVerdicts(cacheFile), ...readVerdicts(committedFile) };
const names = new Set(patterns.map(nameOf));
let checked = 0;
for (const pattern of patterns) {
  const name = nameOf(pattern);
  if (verdicts[name] !== undefined) continue;
  verdicts[name] = await growthOf(pattern);
  checked += 1;
  if (checked % 20 === 0) writeVerdicts(cacheFile, verdicts);
}
writeVerdicts(cacheFile, verdicts);
if (process.argv.includes('--write')) {
  const current = Object.entries(verdicts).filter(([name]) => names.has(name));
  writeVerdicts(committedFile, Object.fromEntries(current));
}

const textOf = ({ source, flags }: Pattern): string => `/${source}/${flags}`;
const problems: string[] = [];
const used = new Set<Accepted>();
for (const pattern of patterns) {
  const growth = verdicts[nameOf(pattern)];
  if (growth === 'linear') continue;
  const entry = accepted.find((each) => each.file === pattern.file && each.pattern === textOf(pattern));
  if (entry !== undefined) used.add(entry);
  const isBounded = entry !== undefined || ofTests.test(pattern.file);
  if (growth !== 'exponential' && isBounded) continue;
  problems.push(`${pattern.file}:${pattern.line} takes ${growth} time: ${textOf(pattern)}`);
}
for (const entry of accepted)
  if (!used.has(entry))
    problems.push(`scripts/redos/accepted.json names a pattern that ${entry.file} lacks: ${entry.pattern}`);

for (const { file, pattern, maxInputCharacters, reason } of accepted) {
  const isBounded = Number.isSafeInteger(maxInputCharacters);
  if (!isBounded && !(maxInputCharacters === 'any' && reason.startsWith('Linear:')))
    problems.push(`scripts/redos/accepted.json gives no bound for a pattern of ${file}: ${pattern}`);
}

for (const problem of problems) console.error(problem);
console.log(`${patterns.length} patterns, ${checked} checked now, ${accepted.length} accepted.`);
if (problems.length > 0) {
  console.error('Make each pattern linear, or bound its input and add it to scripts/redos/accepted.json.');
  process.exitCode = 1;
}
