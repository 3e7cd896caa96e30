/**
 * What the descriptions of a site hold that no page shows: operations that neither a page nor the navigation names, and
 * descriptions that nothing names. It tells, so that nothing is missing in silence; it changes nothing.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { SpecLibrary } from './library.ts';
import type { ApiTarget } from '../model/site-plan.ts';

const mostNamed = 200;

export function unlistedFindings(library: SpecLibrary, metas: Iterable<PageMeta>): Diagnostic[] {
  const shown = new Map<string, Set<string>>();
  for (const { api } of metas) {
    if (!api || api.kind === 'written') continue;
    const targets = shown.get(api.spec) ?? new Set();
    shown.set(api.spec, targets.add(nameOf(api)));
  }
  const partly = [...shown].flatMap(([spec, targets]) => unlistedIn(library, spec, targets) ?? []);
  const refused = new Set(library.diagnostics.map(({ file }) => file));
  const unused = library.candidates.filter((file) => !shown.has(file) && !refused.has(file));
  return [...partly, ...unused.map(unusedFinding)];
}

function unlistedIn(library: SpecLibrary, spec: string, shown: ReadonlySet<string>): Diagnostic | undefined {
  const entries = (library.get(spec)?.entries ?? []).filter(({ isExcluded }) => !isExcluded);
  const names = entries.map(({ target }) => nameOf(target)).filter((name) => !shown.has(name));
  if (names.length === 0) return undefined;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return {
    severity: 'info',
    code: 'openapi_unlisted',
    message: `${names.length} of ${entries.length} operations have no page: ${names.slice(0, mostNamed).join(', ')}${more}`,
    file: spec,
    hint: 'Name them in the navigation, or give a navigation node the whole description.',
  };
}

function unusedFinding(file: string): Diagnostic {
  return {
    severity: 'info',
    code: 'openapi_unused',
    message: 'No page is about this API description',
    file,
    hint: 'Name it in the navigation, in front matter or under "api", or list it in .mintignore.',
  };
}

function nameOf(target: Exclude<ApiTarget, { kind: 'written' }>): string {
  if (target.kind === 'operation') return `${target.method.toUpperCase()} ${target.path}`;
  return `${target.kind} ${target.name}`;
}
