/**
 * Follows the menus, tabs and sidebars of the output from the home page on, in the HTML that pages have and load, and says which
 * entries of the navigation no click leads to.
 */
import { nearestName } from '../navigation/branch-names.ts';
import type { Branch } from '../navigation/tree.ts';
import type { Diagnostic } from './diagnostic.ts';

export interface NavigationOutput {
  /** The page at the root, and the branch around it. */
  home: { route: string; branch: Branch } | undefined;
  branches: readonly Branch[];
  /** What leads on from the pages of a branch. */
  viewOf(branch: Branch): { prefix: string; html: readonly string[] };
  /** The page that an address from the root names. */
  routeAt(address: string): string | undefined;
  /** The names of the branches of a page, its home first. */
  namesOf(route: string): readonly string[];
  isShown(route: string): boolean;
}

const maximumExamples = 5;

export function unreachableEntries(output: NavigationOutput, file: string): Diagnostic[] {
  const reached = crawl(output);
  return output.branches.flatMap((branch) => {
    const pages = reached.get(branch.name);
    const lost = branch.pages.filter((route) => output.isShown(route) && !pages?.has(route));
    return lost.length === 0 ? [] : [finding(branch, lost, file)];
  });
}

/** The pages that clicks lead to, by the branch that is around them. */
function crawl(output: NavigationOutput): Map<string, Set<string>> {
  const { home, branches } = output;
  const byName = new Map(branches.map((branch) => [branch.name, branch]));
  const reached = new Map<string, Set<string>>();
  const waiting: Branch[] = [];
  const reach = (route: string, name: string): void => {
    const branch = byName.get(name);
    const known = reached.get(name);
    if (branch && !known) waiting.push(branch);
    if (known) known.add(route);
    else reached.set(name, new Set([route]));
  };
  if (home) reach(home.route, home.branch.name);
  for (let branch = waiting.pop(); branch; branch = waiting.pop()) {
    const { prefix, html } = output.viewOf(branch);
    for (const address of html.flatMap(addressesIn)) {
      const fromRoot = address.startsWith(prefix) ? address.slice(prefix.length) : undefined;
      const [path = '', query = ''] = (fromRoot ?? '').split('#', 1).join('').split('?');
      const route = fromRoot === undefined ? undefined : output.routeAt(path);
      if (route === undefined) continue;
      const names = output.namesOf(route);
      const asked = new URLSearchParams(query).get('nav') ?? '';
      const name = names.includes(asked) ? asked : nearestName(names, branch.name);
      if (name !== undefined) reach(route, name);
    }
  }
  return reached;
}

/** What links lead to, with scripts and without. */
function addressesIn(html: string): string[] {
  const start = 'href="';
  const found: string[] = [];
  for (let at = html.indexOf(start); at >= 0; at = html.indexOf(start, at + 1)) {
    const end = html.indexOf('"', at + start.length);
    if (end > 0) found.push(html.slice(at + start.length, end));
  }
  return found;
}

function finding(branch: Branch, lost: readonly string[], file: string): Diagnostic {
  const where = branch.steps.map(({ division }) => division.label).join(' › ');
  const shown = lost.slice(0, maximumExamples).join(', ') + (lost.length > maximumExamples ? ', …' : '');
  const what = lost.length === 1 ? 'an entry' : `${lost.length} entries`;
  return {
    severity: 'warning',
    code: 'nav_unreachable',
    message: `No menu, tab or sidebar leads to ${what} of the navigation${where ? ` in "${where}"` : ''}: ${shown}`,
    file,
    hint: 'Move the entries to a part of the navigation that the home page leads to.',
  };
}
