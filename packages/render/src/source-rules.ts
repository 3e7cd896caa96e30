/**
 * How the renderer interprets the sources of a site: files, routes, links, headings, code and credentials.
 */
import type { PageCode } from './check/page-code.ts';

export { dataTree, readYaml } from './config/yaml.ts';
export { findSecrets } from './facts/secrets.ts';
export { isPageFile, routeOfFile } from './navigation/files.ts';
export { type LinkResolver, type LinkTarget, createLinkResolver } from './navigation/links.ts';
export { generatedFiles, protectedOutputFiles } from './outputs/site-outputs.ts';
export { slugOf } from './page/headings.ts';
export { unknownPaths } from './pipeline/load.ts';
export type { PageAddress, PageCode } from './check/page-code.ts';
export type { FoundSecret } from './model/page.ts';

/** Imported on demand: the native parser can crash its process. */
export async function pageCodeReader(parser: 'fast' | 'slow'): Promise<(source: string) => PageCode> {
  return (await import('./check/page-code.ts')).pageCodeReader(parser);
}
