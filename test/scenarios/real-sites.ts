/** Generates tasks for any site: change a title, move a page, add a page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario, Site } from './scenario.ts';

interface ListedPage {
  /** As the navigation names it. */
  path: string;
  file: string;
  titleLine: string;
}

/** Empty when the site has no page that its configuration names plainly. */
export function scenariosOf(site: Site): Scenario[] {
  const config = ['docs.json', 'mint.json'].find((name) => existsSync(join(site.folder, name)));
  if (config === undefined) return [];
  const configText = readFileSync(join(site.folder, config), 'utf8');
  const [first, , third] = listedPages(site, configText);
  if (first === undefined || third === undefined) return [];
  return [retitle(site, first), move(site, third, config), add(site, first, config)];
}

/** Pages that the configuration names exactly once and whose title is on one line. */
function listedPages({ folder }: Site, configText: string): ListedPage[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mdx') && !file.includes('node_modules'))
    .toSorted();
  return paths.flatMap((file) => {
    const path = file.slice(0, -'.mdx'.length);
    if (configText.split(`"${path}"`).length !== 2) return [];
    const text = readFileSync(join(folder, file), 'utf8');
    const titleLine = /^---\n(?:[a-zA-Z]+:.*\n){0,9}?(title: *(["'])[^"'\\\n]+\2)\n/.exec(text)?.[1];
    return titleLine !== undefined && text.split(titleLine).length === 2 ? [{ path, file, titleLine }] : [];
  });
}

function retitle(site: Site, { file, titleLine }: ListedPage): Scenario {
  const wanted = `${titleLine.slice(0, -1)} anew${titleLine.at(-1)}`;
  return {
    name: 'give a page another title',
    site,
    instruction: `In ${file}, put the word "anew" at the end of the title.`,
    calls: [
      { name: 'read_file', input: { path: file } },
      { name: 'edit_file', input: { path: file, old: titleLine, new: wanted } },
    ],
    check: ({ text, changed }) => [
      ...(changed.join() === file ? [] : [`changed ${changed.join(', ')}`]),
      ...(text(file).includes(wanted) ? [] : ['the title is as it was']),
    ],
  };
}

function move(site: Site, { path, file }: ListedPage, config: string): Scenario {
  const target = `moved-here/${path.split('/').at(-1)}`;
  const address = `/${path.replace(/\/index$/, '')}`;
  return {
    name: 'move a page',
    site,
    instruction: `Move the page ${path} to ${target}. All links must work, also old ones from outside.`,
    calls: [{ name: 'move_page', input: { from: file, to: `${target}.mdx` } }],
    check: ({ text, changed }) => [
      ...(text(file) === '' ? [] : ['the old file is still there']),
      ...(text(`${target}.mdx`) === '' ? ['the new file is missing'] : []),
      ...(text(config).includes(`"${target}"`) ? [] : ['the navigation lacks the page']),
      // A configuration may keep its redirects in a separate file.
      ...(changed.some((name) => name.endsWith('.json') && text(name).includes(`"${address}"`))
        ? []
        : ['there is no redirect']),
    ],
  };
}

function add(site: Site, { path }: ListedPage, config: string): Scenario {
  const added = 'added-here';
  const content = '---\ntitle: "Added here"\ndescription: "A page that was added."\n---\n\nA new page.\n';
  return {
    name: 'add a page',
    site,
    instruction: `Add a page ${added} with the title "Added here" before ${path} in the navigation.`,
    calls: [
      { name: 'write_file', input: { path: `${added}.mdx`, content } },
      { name: 'search', input: { pattern: `"${path}"` } },
      { name: 'read_file', input: { path: config } },
      { name: 'edit_file', input: { path: config, old: `"${path}"`, new: `"${added}", "${path}"` } },
    ],
    check: ({ text, changed }) => [
      ...(changed.join() === [`${added}.mdx`, config].toSorted().join()
        ? []
        : [`changed ${changed.join(', ')}`]),
      ...(text(config).includes(`"${added}"`) ? [] : ['the navigation lacks the page']),
    ],
  };
}
