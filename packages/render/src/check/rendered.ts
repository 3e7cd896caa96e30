/**
 * Judges a site by what was written, not by what was meant: every file of the output is shown to it, and after the last
 * one it says which addresses lead nowhere, which pages nothing leads to, and what else a reader would stumble over.
 * What the page renderer has told already is not told again.
 */
import { MarkedText, type Pieces, SharedText, encodedText } from '../text/encoded-text.ts';
import { isOutputFile } from '../outputs/site-outputs.ts';
import { keptList } from '../text/kept.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { saysMore } from '../page/finished-page.ts';
import type { HtmlFacts, PageResult, PageTask, PageTier } from '../model/page.ts';
import type { PageDocument } from '../theme/shell.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageCheck, Reference } from '../model/finished-page.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import { FrameCheck } from './frame-check.ts';
import { type Stretch, gatheredFacts, readOutput, referencesIn } from '../facts/output-facts.ts';
import { OutputAddresses } from './output-addresses.ts';
import { orphanFinding, withoutRepeats } from './output-findings.ts';
import { type CheckedPage, PageFindings } from './page-findings.ts';
import { findSecrets, mostSecrets } from '../facts/secrets.ts';
import { SourcePlaces } from './source-places.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export interface CheckedSite {
  root: string;
  configFile: string;
  files: { all: readonly string[] };
  navigation: { order: readonly string[] };
  /** Pages that the navigation names, also those it hides. */
  searchRules: { has(route: string): boolean };
  metas: ReadonlyMap<string, { hidden: boolean }>;
}

export interface OutputPiece {
  path: string;
  kind: 'page' | 'asset' | 'output';
  /** Of what a check reads; anything else only has to be there. */
  text?: string | undefined;
}

/** A page as it is written. */
export interface WrittenPage {
  document: PageDocument;
  bytes: number;
  /** What stands above the content in the Markdown beside it. */
  markdownHead: string;
}

export interface PageWeight {
  /** In the output. */
  path: string;
  /** In the source. */
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
  /** The slowest first; different on every run. */
  slowest: PageTime[];
  /** How many pages needed what for their code. */
  tiers: Record<PageTier, number>;
  /** Source files of pages that nothing leads to. */
  orphans: string[];
}

const mostSlowest = 10;
const tierNames = { none: 'none', static: 'static', run: 'run', refused: 'refused' } as const;

export class RenderedCheck {
  readonly #site: CheckedSite;
  readonly #addresses: OutputAddresses;
  readonly #pages = new Map<string, CheckedPage>();
  readonly #frame = new FrameCheck((address, from, reaches) => this.#isSettled(address, from, reaches));
  readonly #places: SourcePlaces;
  /** Pages that will be written: most links lead to one of them and need no second look. */
  #planned: ReadonlySet<string> = new Set();
  /** Those of them that the navigation does not lead to. */
  #lonely: ReadonlySet<string> = new Set();
  /** Those that the frame of a page leads to. */
  readonly #reachedByFrame = new Set<string>();

  constructor(site: CheckedSite, urlStyle: UrlStyle) {
    this.#site = site;
    this.#addresses = new OutputAddresses(urlStyle);
    this.#places = new SourcePlaces(site.root, site.files.all);
  }

  /** The pages there will be; comes before the first of them. */
  expectPages(pages: readonly Pick<PageTask, 'output' | 'route'>[]): void {
    this.#planned = new Set(pages.map(({ output }) => output));
    const shown = new Set(this.#site.navigation.order);
    const lonely = pages.filter(({ route }) => !shown.has(route) && this.#mayBeLost(route));
    this.#lonely = new Set(lonely.map(({ output }) => output));
  }

  /** The same resolver for the frame, but what it finds no target for is told at the end. */
  watchFrame(links: LinkResolver): LinkResolver {
    return this.#frame.watch(links);
  }

  /** Reads a page before it is written. */
  judgePage(task: PageTask, result: PageResult, { document, bytes, markdownHead }: WrittenPage): PageCheck {
    const { output } = task;
    const { anchors = [], tier, content } = result;
    const reaches: string[] = [];
    const frameReferences: Reference[] = [];
    const facts = gatheredFacts(
      {
        before: this.#stretches(document.before, content, output),
        main: this.#stretches(document.main, content, output),
        after: this.#stretches(document.after, content, output),
      },
      {
        noteFrame: this.#frame.noterFor(output, frameReferences, reaches),
        isSettled: ({ address }) => this.#isSettled(address, output, reaches),
        looksForSecrets: saysMore(task, result),
      },
    );
    const secretsBeside = [
      ...findSecrets([encodedText(markdownHead)], () => markdownHead),
      ...result.secretsBeside,
    ];
    return {
      anchors: keptList(anchors),
      // The text of the table, of which there is one for all pages.
      tier: tier && tierNames[tier],
      bytes,
      facts,
      secretsBeside: keptList(secretsBeside.slice(0, mostSecrets)),
      reaches: keptList(reaches),
      frameReferences: keptList(frameReferences),
      unresolved: keptList(this.#frame.takeUnresolved()),
    };
  }

  /** A page that is part of the output, with its Markdown. */
  addPage({ output, route, file }: PageTask, check: PageCheck, milliseconds: number): void {
    this.#pages.set(output, { ...check, output, route, file, milliseconds });
    this.#addresses.add(output, check.facts.ids);
    this.#addresses.add(markdownPath(route));
    this.#frame.add(output, check.frameReferences, check.unresolved);
  }

  /** Bytes are the content, whose parts are known as one. */
  #stretches(pieces: Pieces, content: HtmlFacts, output: string): Stretch[] {
    const stretches: Stretch[] = [];
    for (const piece of pieces) {
      if (typeof piece === 'string') stretches.push(piece);
      else if (piece instanceof SharedText) stretches.push(this.#frame.factsOf(piece, output));
      // Marks hold no address and no id.
      else if (piece instanceof MarkedText) stretches.push(this.#frame.factsOf(piece.shared, output));
      else if (!stretches.includes(content)) stretches.push(content);
    }
    return stretches;
  }

  seeFile({ path, kind, text }: OutputPiece): void {
    if (text === undefined || (kind === 'output' && isOutputFile(path, ({ repeatsPages }) => repeatsPages)))
      return this.#addresses.add(path);
    const noteFrame = this.#frame.noterFor(path);
    const isSettled = ({ address }: Reference): boolean => this.#isSettled(address, path);
    const facts = readOutput(text, { noteFrame, isSettled, looksForSecrets: true });
    this.#addresses.add(path, facts.ids);
    if (path !== '404.html') for (const reference of referencesIn(facts)) noteFrame(reference);
  }

  #isSettled(address: string, from: string, reaches?: string[]): boolean {
    const target = this.#addresses.among(this.#planned, address, from);
    if (target === undefined) return false;
    if (target !== from && this.#lonely.has(target)) {
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
      .slice(0, mostSlowest);
  }

  get tiers(): Record<PageTier, number> {
    const tiers = { none: 0, static: 0, run: 0, refused: 0 };
    for (const { tier } of this.#pages.values()) if (tier) tiers[tier] += 1;
    return tiers;
  }

  #orphans(pages: readonly CheckedPage[], reached: ReadonlySet<string>): string[] {
    const shown = new Set(this.#site.navigation.order);
    const orphans = pages.filter(
      ({ output, route }) => !reached.has(output) && !shown.has(route) && this.#mayBeLost(route),
    );
    return [...new Set(orphans.map(({ file }) => file))];
  }

  /** Whether readers would miss the page if nothing led to it. */
  #mayBeLost(route: string): boolean {
    const { searchRules, metas } = this.#site;
    return !searchRules.has(route) && route !== 'index' && metas.get(route)?.hidden !== true;
  }
}
