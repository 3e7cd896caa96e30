/** Writes `expected.json` anew and prints the change of each counter. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { countExport, expectedFile, type Expected } from './count.ts';

const before = existsSync(expectedFile)
  ? (JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected).eachPage
  : {};
const eachPage = await countExport();
writeFileSync(expectedFile, `${JSON.stringify({ node: process.version, eachPage }, null, 2)}\n`);
for (const [name, count] of Object.entries(eachPage)) {
  const known = before[name];
  const change = known === undefined ? 'new' : `${((count / known - 1) * 100).toFixed(1)} %`;
  console.log(`${name}: ${count} (${change})`);
}
