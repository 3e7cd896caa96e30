/**
 * Collects everything a page contributes to the site besides its HTML: headings, ids, files, styles, feed
 * entries, fields and findings.
 */
import type { BesideKind, WrittenField } from '../components/contract.ts';
import { classOfDeclarations } from '../components/style.ts';
import { DocumentError } from '../document/document-error.ts';
import type { Diagnostic, FilePlace, Severity } from '../model/diagnostic.ts';
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type {
  FeedItem,
  Heading,
  LinkUse,
  PageFeature,
  PageResult,
  PageTask,
  RenderedUpdate,
} from '../model/page.ts';
import type { IdHook } from '../model/style-hooks.ts';
import { UniqueIds, slugOf } from './headings.ts';
import { feedItems } from './updates.ts';

export type CollectedResult = Pick<
  PageResult,
  | 'headings'
  | 'styles'
  | 'classes'
  | 'features'
  | 'mathStyles'
  | 'assets'
  | 'diagnostics'
  | 'anchors'
  | 'wantedPictures'
  | 'updates'
>;

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

/** A field with the fields nested in its description. */
export interface NotedField extends WrittenField {
  fields: NotedField[];
}

/** Further fields are shown, but omitted from request samples. */
const maxFields = 200;

const maxFeedItems = 15;

/** Further pictures of other hosts stay links. */
const maxWantedPictures = 500;

/** Further links to ids are rendered without their source position. */
const maxAnchors = 5000;

/** Bounds nested snippets that multiply their children. Each part also counts for its tags. */
const maxShownCharacters = 20_000_000;
const charactersOfPart = 20;

interface BesidePart {
  html: string;
  kind?: BesideKind | undefined;
}

const besideIds: Record<BesideKind, IdHook> = {
  request: 'request-example',
  response: 'response-example',
  panel: 'panel',
};

export class PageCollector {
  readonly assets = new Set<string>();
  readonly styles = new Map<string, string>();
  readonly classes = new Set<string>();
  readonly features = new Set<PageFeature>();
  readonly mathStyles = new Map<string, string>();
  readonly aside: BesidePart[] = [];
  readonly besideKinds = new Set<BesideKind>();
  readonly fields: NotedField[] = [];
  readonly #task: PageTask;
  readonly #headings: Heading[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #anchors: LinkUse[] = [];
  readonly #wantedPictures = new Set<string>();
  readonly #updates: FeedItem[] = [];
  readonly #ids = new UniqueIds();
  #fieldsAround = this.fields;
  #quiet = 0;
  #shownCharacters = 0;
  #isBeside = false;
  #hasPicture = false;

  constructor(task: PageTask) {
    this.#task = task;
  }

  result(): CollectedResult {
    return {
      headings: this.#headings,
      styles: [...this.styles],
      features: [...this.features],
      mathStyles: [...this.mathStyles],
      classes: [...this.classes],
      assets: [...this.assets],
      diagnostics: this.#diagnostics,
      anchors: this.#anchors,
      ...(this.#wantedPictures.size > 0 ? { wantedPictures: [...this.#wantedPictures] } : {}),
      updates: this.#updates,
    };
  }

  /** Called for every part of the page before it is placed or written. */
  charge(characters: number, parts = 1): void {
    this.#shownCharacters += characters + parts * charactersOfPart;
    if (this.#shownCharacters > maxShownCharacters)
      throw new DocumentError('page_output_too_large', 'The page would contain more than 20 MB', {
        file: this.#task.file,
        line: 1,
        column: 1,
      });
  }

  /** The table of contents omits headings without text and those inside `outsideContents`. */
  noteHeading(heading: Heading): void {
    if (this.#quiet === 0 && heading.level <= 4 && heading.text !== '') this.#headings.push(heading);
  }

  noteAnchor(use: LinkUse): void {
    if (this.#anchors.length < maxAnchors) this.#anchors.push(use);
  }

  wantPicture(address: string): void {
    if (this.#wantedPictures.size < maxWantedPictures) this.#wantedPictures.add(address);
  }

  /** Returns `id` if it is free, otherwise `id` with a number. */
  takeId(id: string): string {
    return this.#ids.take(id);
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

  isFirstPicture(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
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

  /** The first part of each kind gets an id for authors' stylesheets, unless the content uses that id. */
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
    if (around.length < maxFields) around.push(noted);
    this.#fieldsAround = noted.fields;
    try {
      return work();
    } finally {
      this.#fieldsAround = around;
    }
  }

  noteUpdate(update: RenderedUpdate): void {
    if (this.#updates.length < maxFeedItems) this.#updates.push(...feedItems(update));
  }

  styleClass(declarations: string): string | undefined {
    if (declarations === '') return undefined;
    const name = classOfDeclarations(declarations);
    this.styles.set(name, declarations);
    return name;
  }

  report(
    code: DiagnosticCode,
    message: string,
    place: FilePlace | undefined,
    hint?: string,
    target?: string,
  ): void {
    this.#diagnostics.push({
      severity: severities[code] ?? 'info',
      code,
      message,
      file: place?.file ?? this.#task.file,
      ...(place ? { line: place.line, column: place.column } : {}),
      ...(hint ? { hint } : {}),
      ...(target === undefined ? {} : { target: target.slice(0, 500) }),
    });
  }

  /** Drops the findings of `work`. */
  withoutFindings<Result>(work: () => Result): Result {
    const before = this.#diagnostics.length;
    const result = work();
    this.#diagnostics.length = before;
    return result;
  }
}
