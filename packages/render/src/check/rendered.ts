/**
 * Judges a site by what was written, not by what was meant: every file of the output is shown to it, and after the last
 * one it says which addresses lead nowhere, which pages nothing leads to, and what else a reader would stumble over.
 * What the page renderer has told already is not told again.
 */
import { MarkedText, type Pieces, SharedText } from '../encoded-text.ts';
import { keptText } from '../kept-text.ts';
import { isPrinted } from '../outputs/print.ts';
import type { UrlStyle } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { slugOf } from '../page/headings.ts';
import { saysMore } from '../page/finished-page.ts';
import type { LinkUse, PageResult, PageTask, PageTier } from '../page/task.ts';
import type { PageDocument } from '../theme/shell.ts';
import type { Diagnostic, SourcePlace } from './diagnostic.ts';
import {
  type HtmlFacts,
  type OutputFacts,
  type Reference,
  type SkippedHeading,
  type Stretch,
  brief,
  frameFacts,
  gatheredFacts,
  readOutput,
  referencesIn,
} from './output-facts.ts';
import { type Verdict, OutputAddresses } from './output-addresses.ts';
import {
  anchorHint,
  heavyPage,
  orphanFinding,
  remoteFile,
  undescribed,
  withoutRepeats,
} from './output-findings.ts';
import { type FoundSecret, findSecrets, mostSecrets } from './secrets.ts';
import { SourcePlaces } from './source-places.ts';

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

export interface WrittenPage {
  document: PageDocument;
  content: HtmlFacts;
  bytes: number;
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

interface CheckedPage extends Omit<CheckTrace, 'secretsBeside'> {
  output: string;
  route: string;
  file: string;
  milliseconds: number;
}

/** What the check knows of one page that was written. */
export interface CheckTrace {
  anchors: readonly LinkUse[];
  tier: PageTier | undefined;
  saysMore: boolean;
  bytes: number;
  facts: OutputFacts | undefined;
  secretsBeside?: FoundSecret[] | undefined;
  /** Pages it leads to that nothing else may lead to. */
  reaches: readonly string[];
}

/** What it knows of everything around the pages. */
export interface FrameTrace {
  references: [folder: string, [address: string, loads: boolean, from: string][]][];
  unresolved: [written: string, code: 'broken_link' | 'unsafe_link' | 'image_missing'][];
  reached: string[];
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

/** Ordinary pages are 10 to 100 kB; at this size a phone takes noticeably long to lay a page out. */
const heavyBytes = 500_000;
const mostSlowest = 10;
/** 50,000 pages in 2,000 folders would otherwise keep 20 MB of addresses that are in order. */
const mostFolders = 200;
/** A page with more broken links is broken as a whole. */
const mostPerPage = 1000;
/** A hint costs up to 3 ms; whoever has more broken anchors has seen enough of them. */
const mostHints = 500;

interface SettledInFrame {
  addresses: Set<string>;
  /** Parts whose addresses were judged as pages of this folder have them. */
  read: WeakSet<SharedText>;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

export class RenderedCheck {
  readonly #site: CheckedSite;
  readonly #addresses: OutputAddresses;
  readonly #pages = new Map<string, CheckedPage>();
  /** By folder and address: what is not known to be in order before everything is written. */
  readonly #frameReferences = new Map<string, Map<string, { loads: boolean; from: string }>>();
  /** By folder: what is in order. Of folders that pages came from lately, since most frames are alike. */
  readonly #settledInFrame = new Map<string, SettledInFrame>();
  /** Parts that many pages have in common are read once. */
  readonly #sharedInFrame = new WeakMap<SharedText, { facts: HtmlFacts; withoutReferences: HtmlFacts }>();
  readonly #unresolved = new Map<string, 'broken_link' | 'unsafe_link' | 'image_missing'>();
  /** What stands in the Markdown beside a page; its comments are in no HTML. */
  readonly #secretsBeside = new Map<string, FoundSecret[]>();
  readonly #places: SourcePlaces;
  /** Pages that will be written: most links lead to one of them and need no second look. */
  #planned: ReadonlySet<string> = new Set();
  /** Those of them that the navigation does not lead to. */
  #lonely: ReadonlySet<string> = new Set();
  /** Those that the frame of a page leads to. */
  readonly #reachedByFrame = new Set<string>();
  #hintsLeft = mostHints;

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

  /** Of what was written, so that another run can do without it. */
  trace(output: string, markdown: string): CheckTrace | undefined {
    const page = this.#pages.get(output);
    if (!page) return undefined;
    // So that the next run need not read the page to look for them.
    for (const heading of page.facts?.skippedHeadings ?? [])
      heading.place = this.#placeOf(page.file, heading);
    const { anchors, tier, saysMore, bytes, facts, reaches } = page;
    return {
      anchors,
      tier,
      saysMore,
      bytes,
      facts,
      reaches,
      secretsBeside: this.#secretsBeside.get(markdown),
    };
  }

  /** A page that stands in the output as it did before, with its Markdown. */
  recall({ output, route, file }: PageTask, markdown: string, trace: CheckTrace): void {
    const { secretsBeside, ...known } = trace;
    this.#pages.set(output, { ...known, output, route, file, milliseconds: 0 });
    this.#addresses.add(output, known.facts?.ids);
    this.#addresses.add(markdown);
    if (secretsBeside) this.#secretsBeside.set(markdown, secretsBeside);
  }

  frameTrace(): FrameTrace {
    return {
      references: [...this.#frameReferences].map(([folder, known]) => [
        folder,
        [...known].map(([address, use]) => [address, use.loads, use.from]),
      ]),
      unresolved: [...this.#unresolved],
      reached: [...this.#reachedByFrame],
    };
  }

  recallFrame({ references, unresolved, reached }: FrameTrace): void {
    for (const [folder, all] of references) {
      const known = new Map(all.map(([address, loads, from]) => [address, { loads, from }]));
      this.#frameReferences.set(folder, known);
    }
    for (const [written, code] of unresolved) this.#unresolved.set(written, code);
    for (const output of reached) this.#reachedByFrame.add(output);
  }

  /** What is known of a page from rendering it; comes before its file. */
  expectPage(task: PageTask, result: PageResult): void {
    const { output, route, file } = task;
    const { anchors = [], milliseconds = 0, tier } = result;
    const known = { output, route, file, anchors: brief(anchors), milliseconds, tier };
    this.#pages.set(output, {
      ...known,
      saysMore: saysMore(task, result),
      bytes: 0,
      facts: undefined,
      reaches: brief([]),
    });
  }

  /** The same resolver, but what it finds no target for is told: addresses of the frame that lead nowhere are not drawn. */
  watchFrame(links: LinkResolver): LinkResolver {
    return {
      resolve: (href, from) => {
        const target = links.resolve(href, from);
        if (target.kind === 'broken') this.#unresolved.set(href, 'broken_link');
        if (target.kind === 'unsafe') this.#unresolved.set(href, 'unsafe_link');
        return target;
      },
      resolveFile: (address, from) => {
        const target = links.resolveFile(address, from);
        if (target.kind === 'broken') this.#unresolved.set(address, 'image_missing');
        return target;
      },
    };
  }

  /** A page as it is written, of whose content it is known already what it holds. */
  seePage(output: string, { document, content, bytes }: WrittenPage): void {
    const page = this.#pages.get(output);
    const reaches: string[] = [];
    const facts = gatheredFacts(
      {
        before: this.#stretches(document.before, content, output),
        main: this.#stretches(document.main, content, output),
        after: this.#stretches(document.after, content, output),
      },
      {
        noteFrame: this.#frameReader(output),
        isSettled: ({ address }) => this.#isSettled(address, output, reaches),
        looksForSecrets: page === undefined || page.saysMore,
      },
    );
    this.#addresses.add(output, facts.ids);
    if (page) Object.assign(page, { facts, bytes, reaches: brief(reaches) });
  }

  /** Bytes are the content, whose parts are known as one. */
  #stretches(pieces: Pieces, content: HtmlFacts, output: string): Stretch[] {
    const stretches: Stretch[] = [];
    for (const piece of pieces) {
      if (typeof piece === 'string') stretches.push(piece);
      else if (piece instanceof SharedText) stretches.push(this.#sharedFacts(piece, output));
      // Marks hold no address and no id.
      else if (piece instanceof MarkedText) stretches.push(this.#sharedFacts(piece.shared, output));
      else if (!stretches.includes(content)) stretches.push(content);
    }
    return stretches;
  }

  /** Its addresses mean the same for all pages of a folder: the first one of them has them judged. */
  #sharedFacts(shared: SharedText, output: string): HtmlFacts {
    let known = this.#sharedInFrame.get(shared);
    if (!known) {
      const facts = frameFacts(shared.text);
      known = { facts, withoutReferences: { ...facts, references: [] } };
      this.#sharedInFrame.set(shared, known);
    }
    const { read } = this.#settledIn(folderOf(output));
    if (read.has(shared)) return known.withoutReferences;
    read.add(shared);
    return known.facts;
  }

  /** The Markdown beside a page; what stands above its content comes as text. */
  seeMarkdown(path: string, head: string, secrets: readonly FoundSecret[]): void {
    this.#addresses.add(path);
    const all = [...findSecrets(head, () => head), ...secrets].slice(0, mostSecrets);
    if (all.length > 0) this.#secretsBeside.set(path, all);
  }

  seeFile({ path, kind, text }: OutputPiece): void {
    /** What is printed repeats the pages, and their links were judged there. */
    if (text === undefined || (kind === 'output' && isPrinted(path))) return this.#addresses.add(path);
    const noteFrame = this.#frameReader(path);
    const isSettled = ({ address }: Reference): boolean => this.#isSettled(address, path);
    const facts = readOutput(text, { noteFrame, isSettled, looksForSecrets: true });
    this.#addresses.add(path, facts.ids);
    if (path !== '404.html') for (const reference of referencesIn(facts)) noteFrame(reference);
  }

  /** Every address of a file that is no page of an author counts as part of the frame. */
  #frameReader(path: string): (reference: Reference) => void {
    const folder = folderOf(path);
    const open = this.#frameReferences.get(folder) ?? new Map<string, { loads: boolean; from: string }>();
    this.#frameReferences.set(folder, open);
    const settled = this.#settledIn(folder).addresses;
    return ({ address, loads }) => {
      if (settled.has(address) || open.has(address)) return;
      if (this.#isSettled(address, path)) settled.add(keptText(address));
      else open.set(keptText(address), { loads, from: path });
    };
  }

  #settledIn(folder: string): SettledInFrame {
    const known = this.#settledInFrame.get(folder);
    if (known) return known;
    if (this.#settledInFrame.size === mostFolders) this.#settledInFrame.clear();
    const settled = { addresses: new Set<string>(), read: new WeakSet<SharedText>() };
    this.#settledInFrame.set(folder, settled);
    return settled;
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
    for (const page of pages) findings.push(...this.#pageFindings(page, reached));
    findings.push(...this.#frameFindings(reached));
    const orphans = this.#orphans(pages, reached);
    findings.push(...orphans.map(orphanFinding));
    return {
      findings: withoutRepeats(findings),
      weights: pages
        .map(({ output, file, bytes }) => ({ path: output, file, bytes }))
        .toSorted((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1)),
      slowest: pages
        .map(({ file, milliseconds }) => ({ file, milliseconds: Math.round(milliseconds * 10) / 10 }))
        .toSorted((a, b) => b.milliseconds - a.milliseconds)
        .slice(0, mostSlowest),
      tiers: tiersOf(pages),
      orphans,
    };
  }

  #pageFindings(page: CheckedPage, reached: Set<string>): Diagnostic[] {
    const { facts, file } = page;
    if (!facts) return [];
    const found: Diagnostic[] = [];
    for (const reference of referencesIn(facts)) {
      if (found.length >= mostPerPage) break;
      const verdict = this.#addresses.judge(reference.address, page.output);
      if (verdict.kind === 'there' && verdict.path !== page.output) reached.add(verdict.path);
      else if (verdict.kind === 'no id') found.push(...this.#lostAnchor(page, reference.address, verdict));
      else if (verdict.kind === 'no file') found.push(this.#lostFile(page, reference, verdict.path));
    }
    const own = { kind: 'no id', path: page.output, ids: facts.ids } as const;
    for (const fragment of facts.lostFragments)
      found.push(...this.#lostAnchor(page, fragment, { ...own, fragment: fragment.slice(1) }));
    for (const id of facts.duplicateIds) found.push(this.#duplicateId(file, id));
    for (const heading of facts.skippedHeadings) found.push(this.#skippedHeading(file, heading));
    for (const picture of facts.undescribedPictures) found.push(undescribed(file, picture));
    for (const address of facts.remoteFiles) found.push(remoteFile(file, address));
    const secrets = new Map(
      [...facts.secrets, ...(this.#secretsBeside.get(`${page.route}.md`) ?? [])].map((secret) => [
        secret.whole,
        secret,
      ]),
    );
    for (const secret of secrets.values()) found.push(this.#secret(file, secret));
    if (page.bytes > heavyBytes) found.push(heavyPage(file, page.bytes));
    return found;
  }

  /** One finding for each place where the link was written. */
  #lostAnchor(
    page: CheckedPage,
    href: string,
    { path, fragment, ids }: Extract<Verdict, { kind: 'no id' }>,
  ): Diagnostic[] {
    const uses = page.anchors.filter((use) => use.href === href);
    const written = uses[0]?.written ?? href;
    const place = uses.length === 0 ? this.#places.find(page.file, [href, `#${fragment}`]) : undefined;
    const route = this.#pages.get(path)?.route ?? path;
    const message =
      path === page.output
        ? `The link "${written}" names an id that is not on this page`
        : `The link "${written}" names an id that is not on the page "${route}"`;
    const hint = anchorHint(fragment, this.#hintsLeft-- > 0 ? ids : '');
    const target = `${path}#${fragment}`;
    const finding = { severity: 'warning', code: 'broken_anchor', message, hint, target } as const;
    if (uses.length === 0) return [{ ...finding, file: page.file, ...place }];
    return uses.map(({ place: at }) => ({ ...finding, ...(at ? at : { file: page.file }) }));
  }

  #lostFile(page: CheckedPage, { address, loads }: Reference, target: string): Diagnostic {
    const name = address.slice(address.lastIndexOf('/') + 1).replace(/\.html$/, '');
    return {
      severity: 'warning',
      code: loads ? 'image_missing' : 'broken_link',
      message: `"${address}" leads to no file of the output`,
      file: page.file,
      ...this.#places.find(page.file, [address, name]),
      target,
    };
  }

  /** Header, sidebar and footer are the same on many pages, and all come from the configuration. */
  #frameFindings(reached: Set<string>): Diagnostic[] {
    const found: Diagnostic[] = [];
    const file = this.#site.configFile;
    for (const [written, code] of [...this.#unresolved].toSorted(byFirst)) {
      const place = this.#places.find(file, [JSON.stringify(written), written]);
      const what = code === 'image_missing' ? 'picture' : 'link';
      const message = `The ${what} "${written}" of the configuration leads to nothing on the site; it is not shown`;
      found.push({ severity: 'warning', code, message, file, ...place, target: written });
    }
    const told = new Set<string>();
    const references = [...this.#frameReferences]
      .toSorted(byFirst)
      .flatMap(([, known]) => [...known].toSorted(byFirst));
    for (const [address, { loads, from }] of references) {
      const verdict = this.#addresses.judge(address, from);
      if (verdict.kind === 'there') reached.add(verdict.path);
      if (verdict.kind === 'there' || verdict.kind === 'elsewhere') continue;
      const wanted = verdict.kind === 'no id' ? `${verdict.path}#${verdict.fragment}` : verdict.path;
      if (told.has(wanted)) continue;
      told.add(wanted);
      const route = wanted.replace(/(?:\/index)?\.html(?=#|$)/, '');
      const fragment = verdict.kind === 'no id' ? `#${verdict.fragment}"` : '';
      found.push({
        severity: 'warning',
        code: verdict.kind === 'no id' ? 'broken_anchor' : loads ? 'image_missing' : 'broken_link',
        message: `"${route}" is linked around the pages, and leads nowhere`,
        file,
        ...this.#places.find(file, [`${route}"`, fragment]),
        ...(verdict.kind === 'no id' ? { hint: anchorHint(verdict.fragment, verdict.ids) } : {}),
        target: wanted,
      });
    }
    return found;
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

  #duplicateId(file: string, id: string): Diagnostic {
    const message = `The id "${id}" stands on the page more than once`;
    const place = this.#places.find(file, [`id="${id}"`, `{#${id}}`]);
    return { severity: 'warning', code: 'duplicate_id', message, file, ...place };
  }

  #placeOf(file: string, { id, level }: SkippedHeading): SourcePlace | null {
    const place = this.#places.findHeading(file, level, (text) => {
      const slug = slugOf(text);
      return slug === id || id.startsWith(`${slug}-`);
    });
    return place ?? null;
  }

  #skippedHeading(file: string, heading: SkippedHeading): Diagnostic {
    const { id, level, before, place = this.#placeOf(file, heading) } = heading;
    const message = `The heading "${id}" is of level ${level}, right after one of level ${before}`;
    const hint = `Make it level ${before + 1}, so that those who listen to the page know where it belongs.`;
    return { severity: 'info', code: 'heading_order', message, file, ...place, hint };
  }

  #secret(file: string, { kind, start, whole, severity }: FoundSecret): Diagnostic {
    return {
      severity,
      code: 'secret_in_page',
      message: `The page shows what looks like ${kind}: "${start}"`,
      file,
      ...this.#places.find(file, [whole, whole.slice(0, 40)]),
      hint: 'Revoke it, then write an example that nobody can use.',
    };
  }
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function tiersOf(pages: readonly CheckedPage[]): Record<PageTier, number> {
  const tiers = { none: 0, static: 0, run: 0, refused: 0 };
  for (const { tier } of pages) if (tier) tiers[tier] += 1;
  return tiers;
}
