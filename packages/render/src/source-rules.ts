/** How the renderer understands the sources of a site: files, routes, links, headings, code and credentials. */
import type { PageCode } from './check/page-code.ts';

export { findSecrets } from './facts/secrets.ts';
export { isPageFile, routeOfFile } from './navigation/files.ts';
export { type LinkResolver, type LinkTarget, createLinkResolver } from './navigation/links.ts';
export { generatedFiles, protectedOutputFiles } from './outputs/site-outputs.ts';
export { slugOf } from './page/headings.ts';
export { unknownPaths } from './pipeline/load.ts';
export type { PageAddress, PageCode } from './check/page-code.ts';
export type { FoundSecret } from './model/page.ts';

/** Loaded when asked for: the parser is native code, and a process that must not end keeps away from it. */
export async function pageCodeReader(parser: 'fast' | 'slow'): Promise<(source: string) => PageCode> {
  return (await import('./check/page-code.ts')).pageCodeReader(parser);
}
