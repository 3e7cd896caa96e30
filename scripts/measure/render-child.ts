/** Renders one site in a child process of `render.ts` and sends the results. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Diagnostic, loadSite, renderSite } from '@docyard/render';

export interface ChildReport {
  pages: number;
  /** Pages about an operation, webhook, schema or channel. */
  apiPages: number;
  /** Pages without code, with statically evaluated code, with code that ran, and with code that was refused. */
  tiers: Record<'none' | 'static' | 'run' | 'refused', number>;
  diagnostics: Diagnostic[];
}

const [root = '', out = ''] = process.argv.slice(2);
const site = await loadSite({ root });
const apiPages = [...site.metas.values()].filter(({ api }) => api !== undefined).length;
const tiers = { none: 0, static: 0, run: 0, refused: 0 };
const report: ChildReport = { pages: 0, apiPages, tiers, diagnostics: [] };
for await (const event of renderSite(site)) {
  if (event.type === 'diagnostic') {
    report.diagnostics.push(event.diagnostic);
    continue;
  }
  if (event.type === 'report') {
    report.tiers = event.tiers;
    continue;
  }
  if (event.type !== 'file') continue;
  const { path, content, kind } = event.file;
  const target = join(out, path);
  mkdirSync(dirname(target), { recursive: true });
  if ('copyFrom' in content) copyFileSync(content.copyFrom, target);
  else await writeFile(target, 'pieces' in content ? content.pieces : content.read());
  if (kind === 'page') report.pages += 1;
}
process.send?.(report, () => process.disconnect());
