/**
 * Reads the pages that a configuration names and reports those that are missing in the output. It is independent of the
 * renderer.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Sources that the navigation names and that have no page in the output. */
export function pagesLeftOut(root: string, outputs: ReadonlySet<string>): string[] {
  const named = new Set(namedPages(root));
  return [...named].flatMap((reference) => {
    const route = reference.replace(/\.mdx?$/, '').replaceAll(/^\/+|\/+$/g, '');
    const source = [route, `${route}/index`].find((each) =>
      ['.mdx', '.md'].some((extension) => existsSync(join(root, each + extension))),
    );
    if (source === undefined) return [];
    return outputs.has(`${source}.html`) ? [] : [source];
  });
}

function namedPages(root: string): string[] {
  const file = ['docs.json', 'mint.json'].map((name) => join(root, name)).find(existsSync);
  if (file === undefined) return [];
  const config = readJson(file);
  return collect(config?.['navigation'], dirname(file), false);
}

type Json = Record<string, unknown>;

function readJson(file: string): Json | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Json;
  } catch {
    return undefined;
  }
}

/** Strings in `pages`, `page` and `root`, except in hidden groups. */
function collect(value: unknown, folder: string, inPages: boolean): string[] {
  if (typeof value === 'string') return inPages ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => collect(item, folder, inPages));
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Json;
  if (node['hidden'] === true) return [];
  if (typeof node['$ref'] === 'string') {
    const file = join(folder, node['$ref']);
    return collect(readJson(file), dirname(file), inPages);
  }
  return Object.entries(node).flatMap(([key, item]) =>
    collect(item, folder, ['pages', 'page', 'root'].includes(key)),
  );
}
