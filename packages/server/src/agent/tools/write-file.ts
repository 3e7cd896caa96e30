import { z } from 'zod';
import { newPath } from './existing-path.ts';
import { requireSeen } from './file-view.ts';
import { inStyleOf, linesOf, readText, requireInScope, writeAll } from './files.ts';
import { withoutMarkers } from './invisible-characters.ts';
import { newFilePath } from './inputs.ts';
import { refuseHidden } from './replace.ts';
import { readSite } from './site.ts';
import { pluralize, defineTool } from './tool.ts';

const maxCharacters = 500_000;

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a whole file. Use it for new files; change existing files with edit_file. Read an existing file ' +
    'first. A new page also needs an entry in the navigation of docs.json.',
  input: z.object({
    path: newFilePath,
    content: z
      .string()
      .max(maxCharacters)
      .describe(
        'The whole content. A page begins with front matter: three dashes, title: Start, three dashes.',
      ),
  }),
  async run(context, { path: given, content }) {
    const path = await newPath(context.tree, given);
    requireInScope(context, path);
    const exists = (await context.tree.read(path)) !== undefined;
    const before = exists ? await readText(context, path) : '';
    if (exists) requireSeen(context, path, before);
    refuseHidden(withoutMarkers(content), before);
    const changes = await writeAll(context, [{ path, content: inStyleOf(before, withoutMarkers(content)) }]);
    const size = pluralize(linesOf(content).length, 'line');
    if (exists) return { text: `Replaced ${path}: ${size}, ${linesOf(before).length} before.`, changes };
    const site = await readSite(context);
    const route = site.routeOf(path);
    const isOrphan = route !== undefined && site.hasNavigation && site.navigationEntries(route).length === 0;
    const advice = isOrphan
      ? ` It is not in the navigation yet: add "${route}" to a "pages" list in ${site.configFile}.`
      : '';
    return { text: `Created ${path}: ${size}.${advice}`, changes };
  },
});
