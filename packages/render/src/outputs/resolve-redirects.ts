/**
 * Resolves configured redirects to their final page, file or URL. Dead ends, cycles, duplicates and redirects
 * from existing pages become findings.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { relativeHref, splitSuffix } from '../navigation/addresses.ts';
import { type LinkResolver, createLinkResolver } from '../navigation/links.ts';
import type { OutputContext } from './contract.ts';
import { renamedRedirects } from './renamed-redirects.ts';
import {
  type Pattern,
  encodeAddress,
  fill,
  fixedStart,
  isFixed,
  isOutside,
  matcherOf,
  namesOf,
  parseDestination,
  parseSource,
  pathPattern,
} from '../navigation/redirect-pattern.ts';
import { percentDecode } from '../text/percent-decode.ts';
import type { Redirect } from '../model/site-plan.ts';

/** `href` is relative to the site root, or absolute when `outside`. */
export interface RedirectTarget {
  href: string;
  outside: boolean;
  title?: string | undefined;
}

export interface ExactRedirect {
  /** Decoded, with leading and without trailing slash. */
  source: string;
  target: RedirectTarget;
  permanent: boolean;
  expanded: boolean;
  /** A page has the same address in different case. */
  isCaseSensitive?: boolean;
  /** A file occupies the address, so no page can be written there. */
  isFile?: boolean;
}

/** Paths that a server must match, because they cannot be enumerated. */
export interface PatternRedirect {
  source: Pattern;
  /** A path with a leading slash, or a URL. */
  destination: Pattern;
  permanent: boolean;
}

export interface ResolvedRedirects {
  exact: ExactRedirect[];
  patterns: PatternRedirect[];
  findings: Diagnostic[];
}

type Context = Pick<OutputContext, 'site' | 'plan' | 'addresses' | 'pages' | 'used'>;

interface Rule {
  entry: Redirect;
  source: Pattern;
  destination: Pattern;
  matches: (path: string) => Map<string, string> | undefined;
}

type Arrival = Pick<ExactRedirect, 'target' | 'permanent'>;
type RedirectEnd = Arrival | 'loop' | 'broken' | 'excluded';

const maxRules = 20_000;
const maxPatterns = 500;
const maxExpanded = 20_000;
const maxHops = 10;

export function resolveRedirects(context: Context): ResolvedRedirects {
  return new Resolver(context).resolve();
}

class Resolver {
  readonly #context: Context;
  readonly #links: LinkResolver;
  readonly #pagePaths: Map<string, string>;
  readonly #exactRules = new Map<string, Rule>();
  readonly #patternRules: Rule[] = [];
  readonly #exact = new Map<string, ExactRedirect>();
  readonly #patterns: PatternRedirect[] = [];
  readonly #findings: Diagnostic[] = [];
  readonly #written: ReadonlySet<string>;

  constructor(context: Context) {
    this.#context = context;
    const { plan, addresses } = context;
    this.#links = createLinkResolver({ ...plan, redirects: [] });
    this.#written = new Set(context.pages.map(({ route }) => route));
    this.#pagePaths = new Map(
      plan.routes.flatMap((route) => [
        [`/${route}`, route],
        [`/${addresses.canonicalOf(route)}`, route],
      ]),
    );
  }

  resolve(): ResolvedRedirects {
    this.#readRules();
    for (const rule of this.#exactRules.values()) this.#resolveExact(rule);
    for (const rule of this.#patternRules) this.#resolvePattern(rule);
    const hrefOf = (route: string): string => this.#hrefOf(route);
    for (const redirect of renamedRedirects({ ...this.#context, hrefOf, written: this.#written }))
      if (!this.#exact.has(redirect.source)) this.#exact.set(redirect.source, redirect);
    return { exact: [...this.#exact.values()], patterns: this.#patterns, findings: this.#findings };
  }

  #readRules(): void {
    const seen = new Set<string>();
    this.#context.plan.redirects.forEach((entry, index) => {
      const source = parseSource(entry.source);
      const destination = parseDestination(entry.destination);
      const known = new Set(source && namesOf(source));
      const usable = source && destination && namesOf(destination).every((name) => known.has(name));
      const full =
        index >= maxRules || (source && !isFixed(source) && this.#patternRules.length >= maxPatterns);
      if (!usable || full) {
        const problem = full ? 'exceeds the limit for redirects' : 'has no safe form for web servers';
        return this.#report(entry, 'redirect_invalid', problem);
      }
      const key = fill(source, (name) => `:${name}`);
      if (seen.has(key))
        return this.#report(entry, 'redirect_duplicate', 'is a duplicate; the first one applies');
      seen.add(key);
      const rule = { entry, source, destination, matches: matcherOf(source) };
      if (!isFixed(source)) this.#patternRules.push(rule);
      else if (this.#pagePaths.has(key)) this.#reportShadowed(entry, key);
      else if (key !== '/') this.#exactRules.set(key, rule);
    });
  }

  #reportShadowed(entry: Redirect, path: string): void {
    const file = this.#context.site.metas.get(this.#pagePaths.get(path) ?? '')?.file ?? path;
    const problem = `has an existing page as its source (${file}); the page is shown`;
    this.#report(entry, 'redirect_shadowed', problem);
  }

  #resolveExact({ entry, source, destination }: Rule): void {
    const path = fill(source, String);
    const end = this.#endOf(entry, destination, new Set([path]));
    if (end) this.#exact.set(path, { source: path, ...end, expanded: false });
  }

  #resolvePattern(rule: Rule): void {
    const { entry, source, destination } = rule;
    if (isOutside(destination)) {
      this.#patterns.push({ source, destination, permanent: entry.permanent });
    } else if (isFixed(destination)) this.#resolveToOnePlace(rule);
    else this.#resolveToManyPlaces(rule);
  }

  #resolveToOnePlace({ entry, source, destination }: Rule): void {
    const end = this.#endOf(entry, destination, new Set());
    if (!end) return;
    const { target, permanent } = end;
    const start = fixedStart(source);
    if (start.endsWith('/') && start !== '/') this.#expand(start.slice(0, -1), target, permanent);
    const text = target.outside ? target.href : `/${target.href}`;
    this.#patterns.push({ source, destination: [{ text }], permanent });
  }

  /** Undefined for a loop or a missing destination, which it reports, and for a page that is not exported. */
  #endOf(entry: Redirect, destination: Pattern, visited: Set<string>): Arrival | undefined {
    const end = this.#follow(fill(destination, String), entry.permanent, visited);
    if (end === 'loop') this.#report(entry, 'redirect_loop', 'is part of a loop');
    else if (end === 'broken')
      this.#report(entry, 'redirect_broken', 'has a destination that does not exist');
    return typeof end === 'object' ? end : undefined;
  }

  #resolveToManyPlaces(rule: Rule): void {
    const { entry, source, destination } = rule;
    const inverse = matcherOf(pathPattern(source, destination));
    let found = 0;
    for (const page of this.#context.pages) {
      const values = inverse(`/${this.#context.addresses.canonicalOf(page.route)}`);
      if (!values) continue;
      found += 1;
      const from = fill(source, (name) => values.get(name) ?? '').replace(/\/$/, '');
      const target = { href: this.#hrefOf(page.route), outside: false, title: page.title };
      this.#expand(from, target, entry.permanent);
    }
    const onward = this.#patternCycle(rule);
    if (onward === 'loop') this.#report(entry, 'redirect_loop', 'is part of a loop');
    else if (found === 0 && onward === 'end')
      this.#report(entry, 'redirect_broken', 'has a destination that matches no page');
    else if (onward !== 'itself') this.#patterns.push({ source, destination, permanent: entry.permanent });
  }

  /**
   * Whether the pattern redirects missing pages endlessly. A pattern whose destination matches its own source
   * is expanded for existing pages only.
   */
  #patternCycle(rule: Rule): 'itself' | 'loop' | 'onward' | 'end' {
    const visited = new Set<Rule>();
    let path = fill(rule.destination, () => 'x').replace(/[?#].*$/, '');
    if (rule.matches(path)) return 'itself';
    for (let hop = 0; hop < maxHops; hop++) {
      const next = this.#firstRule(path);
      if (!next || isOutside(next.rule.destination)) return hop === 0 && !next ? 'end' : 'onward';
      if (next.rule === rule || visited.has(next.rule)) return 'loop';
      visited.add(next.rule);
      path = next.path.replace(/[?#].*$/, '');
    }
    return 'loop';
  }

  #expand(source: string, target: RedirectTarget, permanent: boolean): void {
    if (source === '' || this.#pagePaths.has(source) || this.#exactRules.has(source)) return;
    if (this.#exact.has(source) || this.#exact.size >= maxExpanded) return;
    this.#exact.set(source, { source, target, permanent, expanded: true });
  }

  #follow(destination: string, permanent: boolean, visited: Set<string>): RedirectEnd {
    let address = destination;
    let lasting = permanent;
    for (let hop = 0; hop <= maxHops; hop++) {
      if (/^https?:/i.test(address)) return { target: { href: address, outside: true }, permanent: lasting };
      const [path, suffix] = splitSuffix(address);
      const next = this.#pagePaths.has(path) ? undefined : this.#firstRule(path);
      if (!next) return this.#arrive(path, suffix, lasting);
      if (visited.has(path)) return 'loop';
      visited.add(path);
      lasting &&= next.rule.entry.permanent;
      address = next.path;
    }
    return 'loop';
  }

  #arrive(path: string, suffix: string, permanent: boolean): RedirectEnd {
    const { site } = this.#context;
    // The root always shows a page.
    if (path === '/') {
      const href = this.#context.plan.urlStyle === 'html' ? 'index.html' : '';
      return { target: { href: href + suffix, outside: false, title: site.settings.name }, permanent };
    }
    const found = this.#links.resolve(path, 'docs.json');
    if (found.kind === 'file') {
      return { target: { href: relativeHref('', found.output) + suffix, outside: false }, permanent };
    }
    if (found.kind === 'withheld') return 'excluded';
    if (found.kind !== 'page') return 'broken';
    if (!this.#written.has(found.route)) return 'excluded';
    const href = this.#hrefOf(found.route) + suffix;
    return { target: { href, outside: false, title: site.metas.get(found.route)?.title }, permanent };
  }

  /** Servers apply exact rules first, then patterns in order. */
  #firstRule(path: string): { rule: Rule; path: string } | undefined {
    const key = percentDecode(path)
      .replace(/(?<=.)\/$/, '')
      .replace(/\.html$/, '');
    const exact = this.#exactRules.get(key);
    if (exact) return { rule: exact, path: fill(exact.destination, String) };
    for (const rule of this.#patternRules) {
      const values = rule.matches(key);
      if (!values) continue;
      return { rule, path: fill(rule.destination, (name) => encodeAddress(values.get(name) ?? '')) };
    }
    return undefined;
  }

  #hrefOf(route: string): string {
    const href = this.#context.addresses.hrefOf(route);
    return href === '' ? '' : relativeHref('', href);
  }

  #report(entry: Redirect, code: DiagnosticCode, problem: string): void {
    const { site } = this.#context;
    this.#findings.push({
      severity: code === 'redirect_shadowed' ? 'info' : 'warning',
      code,
      message: `The redirect from ${shown(entry.source)} to ${shown(entry.destination)} ${problem}`,
      file: site.configFile,
      ...(entry.index === undefined ? {} : site.placeInConfig(['redirects', String(entry.index)])),
      hint: hints[code] ?? '',
    });
  }
}

const hints: Partial<Record<DiagnosticCode, string>> = {
  redirect_invalid:
    'Use letters, digits, - _ . / and :name, :name* or * in the source, and a path or https:// address as destination.',
  redirect_duplicate: 'Remove one of the two.',
  redirect_shadowed: 'Remove the redirect, or the page.',
  redirect_loop: 'Change one of the redirects to lead to a page.',
  redirect_broken: 'Correct the destination.',
};

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
