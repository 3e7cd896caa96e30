/**
 * Checks the written output: it sees every file and afterwards reports broken addresses, orphaned pages and
 * other problems for readers. Findings of the page renderer are not repeated.
 */
import { MarkedText, type Pieces, SharedText, encodedText } from '../text/encoded-text.ts';
import { isOutputFile } from '../outputs/site-outputs.ts';
import { sharedIfEmpty } from '../text/compact-values.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { mayContainMoreThanMarkdown } from '../page/finished-page.ts';
import type { HtmlFacts, PageResult, PageTask, PageTier } from '../model/page.ts';
import type { PageDocument } from '../theme/shell.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageCheck, Reference } from '../model/finished-page.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import { FrameCheck } from './frame-check.ts';
import { type HtmlPart, collectFacts, readOutput, referencesIn } from '../facts/output-facts.ts';
import { OutputAddresses } from './output-addresses.ts';
import { orphanFinding, withoutRepeats } from './output-findings.ts';
import { type CheckedPage, PageFindings } from './page-findings.ts';
import { findSecrets, maxSecrets } from '../facts/secrets.ts';
import { SourcePlaces } from './source-places.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export interface CheckedSite {
  root: string;
  configFile: string;
  files: { all: readonly string[] };
  navigation: { order: readonly string[] };
  /** Pages that the navigation names, including hidden ones. */
  searchRules: { has(route: string): boolean };
  metas: ReadonlyMap<string, { hidden: boolean }>;
}

export interface OutputPiece {
  path: string;
  kind: 'page' | 'asset' | 'output';
  /** Only for files that the check reads. */
  text?: string | undefined;
}

export interface WrittenPage {
  document: PageDocument;
  bytes: number;
  /** The part of the page's Markdown file before the content. */
  markdownHead: string;
}

export interface PageWeight {
  /** The output path. */
  path: string;
  /** The source path. */
  file: string;
  bytes: number;
}

export interface PageTime {
  file: string;
  milliseconds: number;
}

export interface CheckResult {
  findings: Diagnostic[];
  /** The heaviest first. */
  weights: PageWeight[];
  /** The slowest first; differs between builds. */
  slowest: PageTime[];
  /** Pages by evaluation tier. */
  tiers: Record<PageTier, number>;
  /** Source files of pages without incoming links. */
  orphans: string[];
}

const maxSlowestPages = 10;
const tierNames = { none: 'none', static: 'static', run: 'run', refused: 'refused' } as const;

export class OutputCheck {
  readonly #site: CheckedSite;
  readonly #addresses: OutputAddresses;
  readonly #pages = new Map<string, CheckedPage>();
  readonly #frame = new FrameCheck((address, from, reaches) => this.#isSettled(address, from, reaches));
  readonly #places: SourcePlaces;
  /** Pages that will be written: most links lead to one of them and need no second check. */
  #planned: ReadonlySet<string> = new Set();
  /** Planned pages that the navigation does not link to. */
  #unlisted: ReadonlySet<string> = new Set();
  readonly #reachedByFrame = new Set<string>();

  constructor(site: CheckedSite, urlStyle: UrlStyle) {
    this.#site = site;
    this.#addresses = new OutputAddresses(urlStyle);
    this.#places = new SourcePlaces(site.root, site.files.all);
  }

  /** Must be called before the first page. */
  expectPages(pages: readonly Pick<PageTask, 'output' | 'route'>[]): void {
    this.#planned = new Set(pages.map(({ output }) => output));
    const shown = new Set(this.#site.navigation.order);
    const unlisted = pages.filter(({ route }) => !shown.has(route) && this.#mustBeReachable(route));
    this.#unlisted = new Set(unlisted.map(({ output }) => output));
  }

  /** Wraps the frame's link resolver to report addresses without a target. */
  watchFrame(links: LinkResolver): LinkResolver {
    return this.#frame.watch(links);
  }

  checkPage(task: PageTask, result: PageResult, { document, bytes, markdownHead }: WrittenPage): PageCheck {
    const { output } = task;
    const { anchors = [], tier, content } = result;
    const reaches: string[] = [];
    const frameReferences: Reference[] = [];
    const facts = collectFacts(
      {
        before: this.#parts(document.before, content, output),
        main: this.#parts(document.main, content, output),
        after: this.#parts(document.after, content, output),
      },
      {
        noteFrame: this.#frame.noterFor(output, frameReferences, reaches),
        isSettled: ({ address }) => this.#isSettled(address, output, reaches),
        looksForSecrets: mayContainMoreThanMarkdown(task, result),
      },
    );
    const secretsBeside = [
      ...findSecrets([encodedText(markdownHead)], () => markdownHead),
      ...result.secretsBeside,
    ];
    return {
      anchors: sharedIfEmpty(anchors),
      // Interned, so that all pages share one string.
      tier: tier && tierNames[tier],
      bytes,
      facts,
      secretsBeside: sharedIfEmpty(secretsBeside.slice(0, maxSecrets)),
      reaches: sharedIfEmpty(reaches),
      frameReferences: sharedIfEmpty(frameReferences),
      unresolved: sharedIfEmpty(this.#frame.takeUnresolved()),
    };
  }

  addPage({ output, route, file }: PageTask, check: PageCheck, milliseconds: number): void {
    this.#pages.set(output, { ...check, output, route, file, milliseconds });
    this.#addresses.add(output, check.facts.ids);
    this.#addresses.add(markdownPath(route));
    this.#frame.add(output, check.frameReferences, check.unresolved);
  }

  #parts(pieces: Pieces, content: HtmlFacts, output: string): HtmlPart[] {
    const parts: HtmlPart[] = [];
    for (const piece of pieces) {
      if (typeof piece === 'string') parts.push(piece);
      else if (piece instanceof SharedText) parts.push(this.#frame.factsOf(piece, output));
      // Marks contain neither addresses nor ids.
      else if (piece instanceof MarkedText) parts.push(this.#frame.factsOf(piece.shared, output));
      else if (!parts.includes(content)) parts.push(content);
    }
    return parts;
  }

  seeFile({ path, kind, text }: OutputPiece): void {
    if (text === undefined || (kind === 'output' && isOutputFile(path, ({ repeatsPages }) => repeatsPages)))
      return this.#addresses.add(path);
    // Its addresses are those of the home page, with another prefix.
    const noteFrame = path === '404.html' ? () => undefined : this.#frame.noterFor(path);
    const isSettled = ({ address }: Reference): boolean => this.#isSettled(address, path);
    const facts = readOutput(text, { noteFrame, isSettled, looksForSecrets: true });
    this.#addresses.add(path, facts.ids);
    for (const reference of referencesIn(facts)) noteFrame(reference);
  }

  #isSettled(address: string, from: string, reaches?: string[]): boolean {
    const target = this.#addresses.among(this.#planned, address, from);
    if (target === undefined) return false;
    if (target !== from && this.#unlisted.has(target)) {
      if (reaches) reaches.push(target);
      else this.#reachedByFrame.add(target);
    }
    return true;
  }

  finish(): CheckResult {
    const pages = [...this.#pages.values()].toSorted((a, b) => (a.output < b.output ? -1 : 1));
    const findings: Diagnostic[] = [];
    const reached = new Set([...this.#reachedByFrame, ...pages.flatMap(({ reaches }) => reaches)]);
    const ofPages = new PageFindings(this.#addresses, this.#places, this.#pages);
    for (const page of pages) findings.push(...ofPages.of(page, reached));
    const { configFile } = this.#site;
    findings.push(
      ...this.#frame.findings({ addresses: this.#addresses, places: this.#places, configFile, reached }),
    );
    const orphans = this.#orphans(pages, reached);
    findings.push(...orphans.map(orphanFinding));
    return {
      findings: withoutRepeats(findings),
      weights: pages
        .map(({ output, file, bytes }) => ({ path: output, file, bytes }))
        .toSorted((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1)),
      slowest: this.slowest,
      tiers: this.tiers,
      orphans,
    };
  }

  get slowest(): PageTime[] {
    return [...this.#pages.values()]
      .map(({ file, milliseconds }) => ({ file, milliseconds: Math.round(milliseconds * 10) / 10 }))
      .toSorted((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, maxSlowestPages);
  }

  get tiers(): Record<PageTier, number> {
    const tiers = { none: 0, static: 0, run: 0, refused: 0 };
    for (const { tier } of this.#pages.values()) if (tier) tiers[tier] += 1;
    return tiers;
  }

  #orphans(pages: readonly CheckedPage[], reached: ReadonlySet<string>): string[] {
    const shown = new Set(this.#site.navigation.order);
    const orphans = pages.filter(
      ({ output, route }) => !reached.has(output) && !shown.has(route) && this.#mustBeReachable(route),
    );
    return [...new Set(orphans.map(({ file }) => file))];
  }

  /** Whether the page must be reachable. */
  #mustBeReachable(route: string): boolean {
    const { searchRules, metas } = this.#site;
    return !searchRules.has(route) && route !== 'index' && metas.get(route)?.hidden !== true;
  }
}
