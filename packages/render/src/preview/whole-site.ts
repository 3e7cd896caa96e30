/** Outputs such as llms.txt, print and report, for which the preview renders the whole site on request. */
import { renderSite } from '../pipeline/render-site.ts';
import type { RenderOptions } from '../pipeline/site-plan.ts';
import { isOutputFile } from '../outputs/site-outputs.ts';
import type { Site } from '../site/site.ts';

/** A preview has no origin. */
export function isOfWholeSite(path: string): boolean {
  return isOutputFile(path, ({ hasPreview, needsOrigin }) => !hasPreview && !needsOrigin);
}

export async function wholeSiteFiles(site: Site, options: RenderOptions): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for await (const event of renderSite(site, options)) {
    if (event.type !== 'file' || event.file.kind !== 'output') continue;
    const { path, content } = event.file;
    if ('copyFrom' in content || !isOfWholeSite(path)) continue;
    files.set(path, 'pieces' in content ? inOne(content.pieces) : content.read());
  }
  return files;
}

function inOne(pieces: Iterable<Uint8Array>): Uint8Array {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
}
