/**
 * What is gathered while a page is rendered: headings, files, styles and findings, with the services for components
 * that add to them. It knows nothing of syntax trees.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { join } from 'node:path';
import { pictureSize } from '../assets/picture-size.ts';
import { prepareStylesheet } from '../assets/references.ts';
import type { Diagnostic, FilePlace, Severity } from '../model/diagnostic.ts';
import type { BesideKind, HeadingOptions, WrittenField } from '../components/contract.ts';
import { hint as remoteHint, remoteNotice } from '../components/remote.ts';
import { classOfDeclarations, pageStylesheet } from '../components/style.ts';
import { classWithFile } from '../css/class-files.ts';
import { diagramHtml, isDiagram } from '../diagrams/diagram.ts';
import { type CodeBlock, codeBlockHtml } from '../highlight/code-block.ts';
import { attributes, element, escapeAttribute, escapeText, textOfHtml } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { iconHtml } from '../icons/markup.ts';
import { type Addresses, prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { type Formula, isMathFence } from '../math/marks.ts';
import { typeset } from '../math/typeset.ts';
import { UniqueIds, slugOf } from './headings.ts';
import type { CodeRunner } from '../realm/realm.ts';
import type { Programs } from '../program/program.ts';
import type { ModuleSources } from './module-sources.ts';
import type { FeedItem, Heading, LinkUse, PageFeature, PageTask, RenderedUpdate } from '../model/page.ts';
import { feedItems } from './updates.ts';
import { type IdHook, part } from '../model/style-hooks.ts';
import { DocumentError } from '../document/document-error.ts';
import type { SitePlan, RemotePicture, PictureSize } from '../model/site-plan.ts';

/** What all pages share: built once per process from the plan. */
export interface SiteTools {
  plan: SitePlan;
  rendered: ReadonlySet<string>;
  addresses: Addresses;
  links: LinkResolver;
  sources: ModuleSources;
  programs: Programs;
  /** Runs code of pages; made when it is first needed. */
  realm: () => CodeRunner;
  /** For tests that hold ways of computing a page against each other: what replaces QuickJS, and whether it does all. */
  evaluation?: { skipStatic?: boolean; runner?: CodeRunner };
  /** Sizes of pictures that were looked at, by file. */
  pictureSizes: Map<string, PictureSize | undefined>;
}

const severities: Record<string, Severity> = {
  broken_link: 'warning',
  unsafe_link: 'warning',
  duplicate_id: 'warning',
  image_missing: 'warning',
  missing_alt: 'warning',
  import_missing: 'warning',
  component_unknown: 'warning',
  expression_unsupported: 'warning',
  module_unsupported: 'warning',
  code_failed: 'warning',
  code_memory: 'warning',
  code_refused: 'warning',
  code_timeout: 'warning',
  code_too_large: 'warning',
  snippet_missing: 'warning',
  snippet_failed: 'error',
  mdx_repaired: 'warning',
  math_syntax: 'warning',
  diagram_unsupported: 'warning',
};

/** A field with those that its description holds. */
export interface NotedField extends WrittenField {
  fields: NotedField[];
}

/** More fields side by side are shown, but samples do without them. */
const maximumFields = 200;

/** A feed tells what is new; readers have seen the rest. */
const mostFeedItems = 15;

/** A page with more pictures of other hosts links to the rest of them. */
const mostWantedPictures = 500;

/** A page that links more often still shows its links; only where they were written is not remembered. */
const maximumAnchors = 5000;

/**
 * Snippets that show their children four times make a page of a megabyte from a few lines, and twenty of them a page without
 * an end. A part counts for what its tags take, besides its text.
 */
const maximumShown = 20_000_000;
const charactersOfPart = 20;

const siteStylesheetFile = '_docyard/site.css';
/** Characters of rules that stand in a page. */
const maximumRules = 500_000;

interface BesidePart {
  html: string;
  kind?: BesideKind | undefined;
}

const besideIds: Record<BesideKind, IdHook> = {
  request: 'request-example',
  response: 'response-example',
  panel: 'panel',
};

export class PageRecord {
  readonly headings: Heading[] = [];
  readonly assets = new Set<string>();
  readonly styles = new Map<string, string>();
  readonly classes = new Set<string>();
  /** What goes beside the content rather than into it. */
  readonly aside: BesidePart[] = [];
  readonly besideKinds = new Set<BesideKind>();
  /** Values of an API that the page describes, those inside of others below them. */
  readonly fields: NotedField[] = [];
  #fieldsAround = this.fields;
  readonly diagnostics: Diagnostic[] = [];
  readonly anchors: LinkUse[] = [];
  readonly wantedPictures = new Set<string>();
  readonly features = new Set<PageFeature>();
  readonly mathStyles = new Map<string, string>();
  readonly updates: FeedItem[] = [];
  readonly #formulas = new Map<string, string>();
  protected readonly task: PageTask;
  readonly #tools: SiteTools;
  readonly #prefix: string;
  readonly #ids = new UniqueIds();
  #diagrams = 0;
  #quiet = 0;
  #shown = 0;
  #isBeside = false;
  #hasPicture = false;
  #rules = 0;

  constructor(tools: SiteTools, task: PageTask) {
    this.#tools = tools;
    this.task = task;
    this.#prefix = prefixToRoot(task.output);
  }

  /** Charged for every part of the page before it is placed or written. */
  protected charge(characters: number, parts = 1): void {
    this.#shown += characters + parts * charactersOfPart;
    if (this.#shown > maximumShown)
      throw new DocumentError('page_output_too_large', 'The page would show more than 20 MB', {
        file: this.task.file,
        line: 1,
        column: 1,
      });
  }

  code(block: CodeBlock): string {
    if (isMathFence(block.language) && this.#tools.plan.math !== 'never')
      return element('p', { class: 'dy-math' }, this.math({ tex: block.code, display: true }, block.place));
    if (isDiagram(block.language)) return this.#diagram(block);
    return codeBlockHtml(block, (name) => this.icon(name));
  }

  #diagram(block: CodeBlock): string {
    return diagramHtml(block, {
      prefix: `diagram-${++this.#diagrams}-`,
      icon: (name) => this.icon(name),
      report: (message, line) =>
        this.report(
          'diagram_unsupported',
          message,
          block.place && { ...block.place, line: block.place.line + line },
        ),
    });
  }

  math(formula: Formula, place: FilePlace | undefined): string {
    const { html, styles, error } = typeset(formula);
    if (error === undefined) this.features.add('math');
    else
      this.report('math_syntax', `A formula cannot be read: ${error}`, place, 'Its source is shown instead.');
    for (const [name, declaration] of styles) this.mathStyles.set(name, declaration);
    this.#formulas.set(html, spokenFormula(formula.tex, html));
    return html;
  }

  heading({ level, html, id, shortId, anchor = true, className, part: partName }: HeadingOptions): string {
    const text = textOfHtml(this.#withFormulaSources(html)).trim();
    const unique = this.#ids.take(id ?? slugOf(text));
    if (this.#quiet === 0 && level <= 4 && text !== '') this.headings.push({ level, text, id: unique });
    const alias =
      shortId !== undefined && this.#ids.claim(shortId)
        ? `<span id="${escapeAttribute(shortId)}"></span>`
        : '';
    const name = `h${Math.min(Math.max(level, 2), 6)}`;
    const written = escapeAttribute(unique);
    const mark = anchor
      ? `<a class="dy-anchor" href="#${written}" aria-hidden="true" tabindex="-1">#</a>`
      : '';
    const classes = className === undefined ? '' : ` class="${escapeAttribute(className)}"`;
    const partMark = partName === undefined ? '' : attributes(part(partName));
    return `<${name} id="${written}"${classes}${partMark}>${alias}${html}${mark}</${name}>`;
  }

  /** A formula holds its text twice, as markup and as drawn; for ids and the table of contents its source is enough. */
  #withFormulaSources(html: string): string {
    let text = html;
    if (html.includes('katex'))
      for (const [drawn, tex] of this.#formulas) text = text.replaceAll(drawn, escapeText(tex));
    return text;
  }

  uniqueId(text: string): string {
    return this.#ids.take(slugOf(text));
  }

  claimId(id: string): boolean {
    return this.#ids.claim(id);
  }

  outsideContents<Result>(work: () => Result): Result {
    this.#quiet++;
    try {
      return work();
    } finally {
      this.#quiet--;
    }
  }

  link(written: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean } {
    const link = this.#resolve(written, place);
    const { href } = link;
    if (!link.outside && href !== undefined && href.includes('#') && this.anchors.length < maximumAnchors)
      this.anchors.push({ href, written, place });
    return link;
  }

  #resolve(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean } {
    const target = this.#tools.links.resolve(href, this.task.file);
    switch (target.kind) {
      case 'outside':
        return { href: target.href, outside: true };
      case 'here':
        return { href: target.suffix || '#', outside: false };
      case 'page':
        return { href: this.#pageHref(target.route, target.suffix), outside: false };
      case 'output':
        return { href: relativeHref(this.#prefix, target.path) + target.suffix, outside: false };
      case 'file':
        this.assets.add(target.file);
        return { href: relativeHref(this.#prefix, target.output) + target.suffix, outside: false };
      case 'unsafe':
        this.report(
          'unsafe_link',
          `The link "${href}" has the scheme "${target.scheme}:", which is not allowed; readers see its text without a link`,
          place,
        );
        return { href: undefined, outside: false };
      case 'broken':
        this.report(
          'broken_link',
          `The link "${href}" leads to no page or file of the site; readers see its text without a link`,
          place,
          'Check the spelling, or add a redirect for a page that has moved.',
          href,
        );
        return { href: undefined, outside: false };
    }
  }

  #pageHref(route: string, suffix: string): string | undefined {
    const { addresses, rendered, plan } = this.#tools;
    if (rendered.has(route)) return relativeHref(this.#prefix, addresses.hrefOf(route)) + suffix;
    return plan.origin
      ? `${plan.origin}${plan.basePath}/${addresses.canonicalOf(route)}${suffix}`
      : undefined;
  }

  /** The address of a page or file of the site as seen from the page; undefined when there is none. Reports nothing. */
  quietAddress(written: string): string | undefined {
    const { links } = this.#tools;
    const page = links.resolve(written, this.task.file);
    const target = page.kind === 'broken' ? links.resolveFile(written, this.task.file) : page;
    if (target.kind === 'page') return this.#pageHref(target.route, target.suffix);
    if (target.kind === 'output') return relativeHref(this.#prefix, target.path) + target.suffix;
    if (target.kind !== 'file') return undefined;
    this.assets.add(target.file);
    return relativeHref(this.#prefix, target.output) + target.suffix;
  }

  /** A picture of another host, once it is a file of the output. It is asked for when it is not. */
  quietPicture(address: string): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.task.file);
    if (target.kind === 'file') return relativeHref(this.#prefix, target.output);
    if (target.kind === 'outside') this.#want(target.href);
    return undefined;
  }

  asset(address: string, place: FilePlace | undefined): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.task.file);
    if (target.kind === 'file') {
      this.assets.add(target.file);
      return relativeHref(this.#prefix, target.output) + target.suffix;
    }
    if (target.kind === 'outside') {
      if (/^data:/i.test(target.href)) return target.href;
      this.#leaveElsewhere(target.href, place);
      return undefined;
    }
    this.report(
      target.kind === 'unsafe' ? 'unsafe_link' : 'image_missing',
      `"${address.slice(0, 200)}" is not a file of the site; readers see its description instead`,
      place,
      undefined,
      address,
    );
    return undefined;
  }

  #leaveElsewhere(href: string, place: FilePlace | undefined): void {
    const known = this.#want(href);
    const problem = known && 'problem' in known ? known.problem : undefined;
    const message = remoteNotice(href, problem, 'is not loaded');
    this.report('remote_image', message, place, remoteHint, href);
  }

  /** What became of a picture of another host; one that nobody knows of is asked for. */
  #want(href: string): RemotePicture | undefined {
    const { pictures, asksForPictures } = this.#tools.plan;
    const known = pictures.get(href);
    if (asksForPictures && known === undefined && this.wantedPictures.size < mostWantedPictures)
      this.wantedPictures.add(href);
    return known;
  }

  elsewhere(address: string): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.task.file);
    if (target.kind !== 'outside' || !/^https?:/i.test(target.href)) return undefined;
    return target.href.replace(/^http:/i, 'https:');
  }

  pictureSize(address: string): PictureSize | undefined {
    const target = this.#tools.links.resolveFile(address, this.task.file);
    if (target.kind !== 'file') return undefined;
    const { pictureSizes, plan } = this.#tools;
    if (!pictureSizes.has(target.file))
      pictureSizes.set(target.file, pictureSize(join(plan.root, target.file)));
    return pictureSizes.get(target.file);
  }

  isFirstPicture(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
  }

  icon(icon: string | undefined, place?: FilePlace): string {
    if (icon === undefined) return '';
    const { iconLibrary: library } = this.#tools.plan;
    const html = iconHtml(icon, { library, picture: (address) => this.asset(address, place) });
    if (html !== undefined) return html;
    this.report('icon_unknown', `No icon is called "${icon}"; a plain shape is shown`, place);
    return interfaceIcon('unknown');
  }

  beside(work: () => string, kind?: BesideKind): string {
    if (this.#isBeside) return work();
    this.#isBeside = true;
    if (kind) this.besideKinds.add(kind);
    try {
      this.aside.push({ html: work(), kind });
    } finally {
      this.#isBeside = false;
    }
    return '';
  }

  /** The first part of a kind has an id for stylesheets of authors, unless the content of the page has the same. */
  besideHtml(): string {
    return this.aside
      .map(({ html, kind }) => {
        const id = kind && besideIds[kind];
        return id !== undefined && html.startsWith('<section') && this.#ids.claim(id)
          ? html.replace('<section', `<section id="${id}"`)
          : html;
      })
      .join('');
  }

  field(field: WrittenField, work: () => string): string {
    const noted: NotedField = { ...field, fields: [] };
    const around = this.#fieldsAround;
    if (around.length < maximumFields) around.push(noted);
    this.#fieldsAround = noted.fields;
    try {
      return work();
    } finally {
      this.#fieldsAround = around;
    }
  }

  noteUpdate(update: RenderedUpdate): void {
    if (this.updates.length < mostFeedItems) this.updates.push(...feedItems(update));
  }

  /** Notes the classes of an element, so that the site's stylesheet can hold the utilities among them. */
  useClasses(names: string): string {
    for (const name of names.split(/\s+/)) if (name) this.classes.add(this.#classWithFile(name));
    return names;
  }

  /** `bg-[url(/hero.png)]` names a file of the site; without one the class stays as it is and gets no rule. */
  #classWithFile(name: string): string {
    const [, before, address, after] =
      /^([^'"]{0,200}url\()['"]?([^'"()]{1,500})['"]?(\)[^'"()]{0,200})$/.exec(name) ?? [];
    if (before === undefined || address === undefined) return name;
    const file = this.styleFile(address, undefined);
    return file === undefined || /[^\w./%~@+-]/.test(file)
      ? name
      : classWithFile(name, `${before}${file}${after}`);
  }

  styleClass(declarations: string): string | undefined {
    if (declarations === '') return undefined;
    const name = classOfDeclarations(declarations);
    this.styles.set(name, declarations);
    return name;
  }

  styleFile(address: string, place: FilePlace | undefined): string | undefined {
    if (/["\\\n]/.test(address)) return undefined;
    if (/^data:image\//i.test(address)) return address;
    const target = this.#tools.links.resolveFile(address, this.task.file);
    if (target.kind !== 'file') {
      const isRemote = target.kind === 'outside';
      const fate = isRemote
        ? 'is on another host; readers do not see it'
        : 'is not a file of the site; readers do not see it';
      const message = `"${address.slice(0, 200)}" ${fate}`;
      this.report(isRemote ? 'remote_asset' : 'image_missing', message, place, undefined, address);
      return undefined;
    }
    this.assets.add(target.file);
    return encodeURI(prefixToRoot(siteStylesheetFile) + target.output) + target.suffix;
  }

  /** The policy of a page allows no rules in it. */
  useRules(css: string, place: FilePlace | undefined): void {
    const file = place?.file ?? this.task.file;
    const output = pageStylesheet(css, file);
    if (this.styles.has(output)) return;
    if ((this.#rules += css.length) > maximumRules)
      return this.report(
        'element_dropped',
        'A page has no room for so many rules; readers see its content without those of this <style>',
        place,
      );
    const prepared = prepareStylesheet(css, file, this.#tools.links, output);
    for (const asset of prepared.assets) this.assets.add(asset);
    for (const { code, message, hint } of prepared.diagnostics) this.report(code, message, place, hint);
    this.styles.set(output, prepared.css);
  }

  report(
    code: DiagnosticCode,
    message: string,
    place: FilePlace | undefined,
    hint?: string,
    target?: string,
  ): void {
    this.diagnostics.push({
      severity: severities[code] ?? 'info',
      code,
      message,
      file: place?.file ?? this.task.file,
      ...(place ? { line: place.line, column: place.column } : {}),
      ...(hint ? { hint } : {}),
      ...(target === undefined ? {} : { target: target.slice(0, 500) }),
    });
  }
}

/** A formula in a line of plain text: its symbols when they stand side by side, otherwise what was typed. */
function spokenFormula(tex: string, html: string): string {
  const symbols = /<semantics>([\s\S]*?)<annotation/.exec(html)?.[1];
  return symbols !== undefined && !/[{}^_]/.test(tex) ? textOfHtml(symbols) : tex.replaceAll('\\', '');
}
