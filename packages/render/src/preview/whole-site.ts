/** Outputs that the preview does not make separately, such as llms.txt, print and report: rendered together on request. */
import { renderSite } from '../pipeline/render-site.ts';
import type { RenderOptions } from '../pipeline/site-plan.ts';
import { isOutputFile } from '../outputs/site-outputs.ts';
import type { Site } from '../site/site.ts';

/** Names of outputs that the preview makes without rendering the whole site. */
const separateOutputs = new Set([
  'theme',
  'not-found',
  'redirects',
  'navigation',
  'search',
  'scripts',
  'math',
]);

/** A preview has no origin. */
export function isOfWholeSite(path: string): boolean {
  return isOutputFile(path, ({ name, needsOrigin }) => !needsOrigin && !separateOutputs.has(name));
}

export async function wholeSiteFiles(site: Site, options: RenderOptions): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for await (const event of renderSite(site, options)) {
    if (event.type !== 'file' || event.file.kind !== 'output') continue;
    const { path, content } = event.file;
    if ('copyFrom' in content || !isOfWholeSite(path)) continue;
    files.set(path, content instanceof Uint8Array ? content : inOne(content.pieces));
  }
  return files;
}

function inOne(pieces: Iterable<Uint8Array>): Uint8Array {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
}
