/**
 * `npm run completeness`: renders sites and compares the words, headings, pictures, code blocks, tables, links and components of
 * every source page with its rendered page. Exits with 1 when a page loses content and no rule explains the loss.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Completeness, checkCompleteness } from './completeness/check-site.ts';
import { findSites, noSitesMessage, siteFolders } from './measure/find-sites.ts';
import { render } from './measure/render.ts';

const help = `Renders sites and lists pages that lose content.

  npm run completeness -- [FOLDER...] [--only NAME]... [--explained]

FOLDER holds sites as folders or *.tar.gz archives; the default is the folder that DOCYARD_SITES names.

  --only NAME     only sites whose name contains this; may be repeated
  --explained     list how often each rule explains a loss
  --help          this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      explained: { type: 'boolean', default: false },
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
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-completeness-'));
  let isComplete = true;
  try {
    const sites = findSites(folders, join(scratch, 'sources'));
    for (const { name, root } of sites) {
      if (!(values.only?.some((part) => name.includes(part)) ?? true)) continue;
      const out = join(scratch, 'out');
      const { crash, diagnostics } = await render(root, out);
      if (crash !== undefined) throw new Error(`${name} cannot be rendered: ${crash}`);
      const result = await checkCompleteness(root, out, diagnostics);
      print(name, result, values.explained);
      isComplete &&= result.unexplained.length === 0;
    }
    return isComplete ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function print(
  name: string,
  { pages, words, unexplained, explained }: Completeness,
  showsExplained: boolean,
): void {
  console.log(`${name}: ${pages} pages, ${words} words, ${unexplained.length} pages with unexplained losses`);
  for (const { file, losses } of unexplained)
    for (const { kind, lost, of, examples } of losses)
      console.log(
        `  ${file}: ${lost} of ${of} ${kind}: ${examples.map((text) => text.slice(0, 60)).join(', ')}`,
      );
  if (showsExplained)
    for (const [reason, count] of explained) console.log(`  explained ${count} times: ${reason}`);
}
