/**
 * `npm run differential`: compares the static evaluator with QuickJS and V8 on pages of real sites and on generated expressions.
 * Exits with 1 when two of them differ.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Realm } from '../../packages/render/src/realm/realm.ts';
import { findSites, noSitesMessage, siteFolders } from '../../scripts/measure/find-sites.ts';
import { compareExpressions } from './expressions.ts';
import { generatedExpressions } from './generate.ts';
import { compareSite } from './sites.ts';
import { V8Runner } from './v8-runner.ts';

const help = `Compares the results of the static evaluator with those of QuickJS and V8.

  npm run differential -- [FOLDER...] [--expressions N] [--seed N]

FOLDER holds sites as folders or *.tar.gz archives; the default is the folder that DOCYARD_SITES names. V8 runs their code without
a sandbox, so pass only trusted sites.

  --expressions N   generated expressions to compare (100000)
  --seed N          other expressions (1)
  --help            this text
`;

process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      expressions: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const different =
    (await compareSites(siteFolders(positionals))) +
    compareGenerated(Number(values.expressions), Number(values.seed));
  process.stdout.write(different === 0 ? 'No difference.\n' : `${different} differences.\n`);
  return different === 0 ? 0 : 1;
}

async function compareSites(folders: readonly string[]): Promise<number> {
  if (folders.length === 0) {
    process.stdout.write(`Skipped real sites. ${noSitesMessage}\n`);
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-differential-'));
  let different = 0;
  const all = { pages: 0, none: 0, static: 0, run: 0, refused: 0 };
  try {
    process.stdout.write(
      '| Site | Pages | No code | Static | QuickJS | Compared | Differences |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
    );
    for (const { name, root } of findSites(folders, scratch)) {
      const { tiers, compared, differences } = await compareSite(root);
      const pages = tiers.none + tiers.static + tiers.run + tiers.refused;
      process.stdout.write(
        `| ${name} | ${pages} | ${tiers.none} | ${tiers.static} | ${tiers.run} | ${compared} | ${differences.length} |\n`,
      );
      for (const { page, engine } of differences.slice(0, 20))
        process.stdout.write(`DIFFERS  ${name}: ${page} in ${engine}\n`);
      different += differences.length;
      all.pages += pages;
      all.none += tiers.none;
      all.static += tiers.static;
      all.run += tiers.run;
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const share = (count: number): string => `${((100 * count) / Math.max(1, all.pages)).toFixed(1)} %`;
  process.stdout.write(
    `Of ${all.pages} pages ${share(all.none)} have no code, ${share(all.static)} need the static evaluator, ${share(all.run)} QuickJS.\n`,
  );
  return different;
}

function compareGenerated(count: number, seed: number): number {
  const engines = { QuickJS: new Realm(), V8: new V8Runner() };
  let [generated, taken, different] = [0, 0, 0];
  const began = performance.now();
  for (let batch = 0; generated < count; batch += 1) {
    const size = Math.min(5000, count - generated);
    const compared = compareExpressions(generatedExpressions(seed + batch, size), engines);
    generated += size;
    taken += compared.taken;
    different += compared.differences.length;
    for (const { source, engine, expected, given } of compared.differences.slice(0, 5))
      process.stdout.write(`DIFFERS  ${source}\n  static ${expected}\n  ${engine} ${given}\n`);
    if (process.stderr.isTTY) process.stderr.write(`\r${generated} of ${count} expressions`);
  }
  engines.QuickJS.close();
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  process.stdout.write(
    `${generated} generated expressions, ${taken} accepted by the static evaluator, ${different} differences, ${seconds} s.\n`,
  );
  return different;
}
