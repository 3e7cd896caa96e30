/**
 * Crawls the menus, tabs and sidebars of the output from the home page, and the content links of pages
 * without a sidebar, and reports the navigation entries that cannot be reached.
 */
import { nearestName } from '../navigation/branch-names.ts';
import type { Branch } from '../navigation/tree.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { LinkedHtml, NavigationOutput } from '../theme/navigation-output.ts';

const maxExamples = 5;

export function unreachableEntries(output: NavigationOutput, file: string): Diagnostic[] {
  const reached = crawl(output);
  return output.branches.flatMap((branch) => {
    const pages = reached.get(branch.name);
    const lost = branch.pages.filter((route) => output.isShown(route) && !pages?.has(route));
    return lost.length === 0 ? [] : [finding(branch, lost, file)];
  });
}

function crawl(output: NavigationOutput): Map<string, Set<string>> {
  const byName = new Map(output.branches.map((branch) => [branch.name, branch]));
  const reached = new Map(output.branches.map(({ name }) => [name, new Set<string>()]));
  const seen = new Set<Branch>();
  const waiting: { branch: Branch; view: LinkedHtml }[] = [];
  const reach = (route: string, name: string): void => {
    const branch = byName.get(name);
    const pages = reached.get(name);
    if (!branch || !pages || pages.has(route)) return;
    pages.add(route);
    const bare = output.bareViewOf(route, branch);
    if (!bare && seen.has(branch)) return;
    if (!bare) seen.add(branch);
    waiting.push({ branch, view: bare ?? output.viewOf(branch) });
  };
  if (output.home) reach(output.home.route, output.home.branch.name);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const reader = next.branch.name;
    for (const { route, branchName } of targetsIn(next.view, output)) {
      const names = output.namesOf(route);
      const name = names.includes(branchName) ? branchName : nearestName(names, reader);
      if (name !== undefined) reach(route, name);
    }
  }
  return reached;
}

function targetsIn(
  { prefix, html }: LinkedHtml,
  output: NavigationOutput,
): { route: string; branchName: string }[] {
  return html.flatMap(addressesIn).flatMap((address) => {
    if (!address.startsWith(prefix)) return [];
    const [path = '', query = ''] = address.slice(prefix.length).split('#', 1).join('').split('?');
    const route = output.routeAt(path);
    return route === undefined ? [] : [{ route, branchName: new URLSearchParams(query).get('nav') ?? '' }];
  });
}

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
  const shown = lost.slice(0, maxExamples).join(', ') + (lost.length > maxExamples ? ', …' : '');
  const what = lost.length === 1 ? 'an entry' : `${lost.length} entries`;
  return {
    severity: 'warning',
    code: 'nav_unreachable',
    message: `No click from the home page leads to ${what} of the navigation${where ? ` in "${where}"` : ''}: ${shown}`,
    file,
    hint: 'Link to one of them from a page that readers reach, or move them to another part of the navigation.',
  };
}
