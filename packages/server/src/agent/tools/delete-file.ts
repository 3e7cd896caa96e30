/** `delete_file`: removes a file that is no longer used, or any file with `force`. */
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { existingPath } from './existing-path.ts';
import { lineAt, requireInScope, writeAll } from './files.ts';
import { filePath } from './inputs.ts';
import { findLinks } from './links.ts';
import { nearestPaths } from './similarity.ts';
import { addressOf, linksTo, readSite, type SiteView, sourceFiles } from './site.ts';
import { defineTool, listItems, ToolError } from './tool.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  description:
    'Deletes a file. Refused while pages link to it or the navigation names it: change those first, or set force. ' +
    'Use move_page to change the address of a page.',
  input: z.object({
    path: filePath,
    force: z.boolean().default(false).describe('Delete even if links or the navigation still use it.'),
  }),
  async run(context, { path: given, force }) {
    const path = await existingPath(context.tree, given, { inAnyFolder: false });
    requireInScope(context, path);
    const site = await readSite(context);
    if ((await context.tree.read(path)) === undefined) {
      const [near] = nearestPaths(path, site.files);
      throw new ToolError(
        `${path} does not exist.${near === undefined ? ' Use list_files to see all files.' : ` Did you mean ${near}?`}`,
      );
    }
    if (site.config.some((file) => file.path === path)) {
      throw new ToolError(`${path} is the configuration of the site and cannot be deleted. Edit it instead.`);
    }
    const uses = await usesOf(context, site, path);
    const list = listItems(
      uses.map((use) => `- ${use}`),
      '',
      30,
    ).join('\n');
    if (uses.length > 0 && !force) {
      throw new ToolError(`${path} is still in use. Change these first, or set force:\n${list}`);
    }
    const changes = await writeAll(context, [{ path, content: null }]);
    const route = site.routeOf(path);
    const advice =
      route === undefined
        ? ''
        : ` Add a redirect from ${addressOf(route)} to ${site.configFile} if another page takes its place.`;
    return {
      text: `Deleted ${path}.${advice}${uses.length > 0 ? ` These are now broken:\n${list}` : ''}`,
      changes,
    };
  },
});

async function usesOf(context: ToolContext, site: SiteView, path: string): Promise<string[]> {
  const route = site.routeOf(path);
  if (route !== undefined) {
    const entries = site.navigationEntries(route).map(({ file, text, start }) => {
      const source = site.config.find((config) => config.path === file)?.text ?? '';
      return `${file}:${lineAt(source, start)} navigation entry "${text}"`;
    });
    const links = await linksTo(context, site, route);
    return [...entries, ...links.map(({ file, line, link }) => `${file}:${line} link ${link.href}`)];
  }
  const uses: string[] = [];
  for await (const { file, text } of sourceFiles(context, site)) {
    for (const { href, start, kind } of findLinks(text)) {
      const target = site.resolver.resolveFile(href, file);
      if (target.kind === 'file' && target.file === path) {
        uses.push(`${file}:${lineAt(text, start)} ${kind === 'import' ? 'import' : 'link'} ${href}`);
      }
    }
  }
  return uses;
}
