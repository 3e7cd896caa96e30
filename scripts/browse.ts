/**
 * `npm run browse -- FOLDER…`: renders real sites and opens every page of them in Chromium over http, and some from
 * disk. Ends with status 1 when a page asks another host, fails a request, logs an error or breaks its policy.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown } from '../bench/measurement.ts';
import { browse, launchChromium, sample } from './measure/browser.ts';
import { findSites } from './measure/find-sites.ts';
import { filesBelow, render } from './measure/render.ts';

const help = `Opens every page of real sites in Chromium, without a network, and lists what goes wrong.

  npm run browse -- FOLDER... [--only NAME]... [--most NUMBER] [--json FILE]

FOLDER holds *.tar.gz archives or unpacked sites; the usual one is ../shared/sites.

  --only NAME     only sites whose name contains this; may be repeated
  --most NUMBER   at most so many pages of a site over http (all of them unless given)
  --json FILE     write the complaints to a file as well
  --help          this text
`;

const fromDisk = 12;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      most: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-browse-'));
  const browser = await launchChromium();
  try {
    const rows: (string | number)[][] = [];
    const all: Record<string, string[]> = {};
    for (const { name, root } of findSites(positionals, join(scratch, 'sources'))) {
      if (values.only && !values.only.some((part) => name.includes(part))) continue;
      process.stderr.write(`${name}\n`);
      const out = join(scratch, 'out', name);
      const { crash } = await render(root, out);
      const pages = crash === undefined ? filesBelow(out).filter((file) => file.endsWith('.html')) : [];
      const overHttp = sample(pages, Number(values.most ?? pages.length));
      const overFile = sample(pages, fromDisk);
      const complaints = [
        ...(crash === undefined ? [] : [`crashed: ${crash}`]),
        ...(await browse(browser, out, overHttp, 'http')),
        ...(await browse(browser, out, overFile, 'file')).map((text) => `from disk: ${text}`),
      ];
      all[name] = complaints;
      rows.push([name, overHttp.length, overFile.length, complaints.length]);
      rmSync(out, { recursive: true, force: true });
    }
    console.log(
      toMarkdown({ columns: ['site', 'pages over http', 'from disk', 'complaints'], rows, notes: [] }),
    );
    for (const [name, complaints] of Object.entries(all))
      if (complaints.length) console.log(`\n${name}\n  ${complaints.join('\n  ')}`);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
    return Object.values(all).some((complaints) => complaints.length > 0) ? 1 : 0;
  } finally {
    await browser.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}
