/**
 * `npm run browse`: renders real sites and opens every page in Chromium over http, and some from disk. Exits with 1 when a page
 * contacts another host, fails a request, logs an error or violates its content security policy.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown } from '../bench/measurement.ts';
import { browse, launchChromium, sample } from './measure/browser.ts';
import { findSites, noSitesMessage, siteFolders } from './measure/find-sites.ts';
import { filesBelow, render } from './measure/render.ts';

const help = `Opens every page of real sites in Chromium, without a network, and lists the problems.

  npm run browse -- [FOLDER...] [--only NAME]... [--max-pages NUMBER] [--json FILE]

FOLDER holds sites as folders or *.tar.gz archives; the default is the folder that DOCYARD_SITES names.

  --only NAME          only sites whose name contains this; may be repeated
  --max-pages NUMBER   pages of each site to open over http (default: all)
  --json FILE          also write the problems to a file
  --help               this text
`;

const fromDisk = 12;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      'max-pages': { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const folders = siteFolders(positionals);
  if (folders.length === 0) {
    console.error(noSitesMessage);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-browse-'));
  const browser = await launchChromium();
  try {
    const rows: (string | number)[][] = [];
    const all: Record<string, string[]> = {};
    for (const { name, root } of findSites(folders, join(scratch, 'sources'))) {
      if (values.only && !values.only.some((part) => name.includes(part))) continue;
      process.stderr.write(`${name}\n`);
      const out = join(scratch, 'out', name);
      const { crash } = await render(root, out);
      const pages = crash === undefined ? filesBelow(out).filter((file) => file.endsWith('.html')) : [];
      const overHttp = sample(pages, Number(values['max-pages'] ?? pages.length));
      const overFile = sample(pages, fromDisk);
      const problems = [
        ...(crash === undefined ? [] : [`crashed: ${crash}`]),
        ...(await browse(browser, out, overHttp, 'http')),
        ...(await browse(browser, out, overFile, 'file')).map((text) => `from disk: ${text}`),
      ];
      all[name] = problems;
      rows.push([name, overHttp.length, overFile.length, problems.length]);
      rmSync(out, { recursive: true, force: true });
    }
    console.log(
      toMarkdown({ columns: ['site', 'pages over http', 'from disk', 'problems'], rows, notes: [] }),
    );
    for (const [name, problems] of Object.entries(all))
      if (problems.length) console.log(`\n${name}\n  ${problems.join('\n  ')}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
    return Object.values(all).some((problems) => problems.length > 0) ? 1 : 0;
  } finally {
    await browser.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}
