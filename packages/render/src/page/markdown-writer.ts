import type { Child, PageContext } from '../components/contract.ts';
import type { Document } from '../document/document.ts';
import { parseMarkdown } from '../document/parser.ts';
import { type Node, isCode, isSilent } from '../document/tree.ts';
import type { Scope } from '../evaluate/values.ts';
import type { PageTask } from '../model/page.ts';
import { escapeText } from '../text/html.ts';
import type { PageCollector } from './collector.ts';
import { type Frame, codeBlockOf, placeOf } from './frame.ts';
import { type MarkdownHost, markdownHtml } from './markdown.ts';
import { withoutRepeatedTitle } from './repeated-title.ts';

const mayBeMarkdown = /[\\`*_[\]<>&~!"'.-]/;
/** Text that contains no Markdown syntax. */
const plainSentences =
  /^\p{L}(?:[\p{L}\p{N},;]| (?=\S)|(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])\.(?= |$))*$/u;

export interface WriterOptions {
  page: PageContext;
  task: PageTask;
  collector: PageCollector;
  scope: Scope;
  childrenOf: (nodes: readonly Node[], frame: Frame) => Child[];
}

export class MarkdownWriter {
  readonly #options: WriterOptions;
  readonly #page: PageContext;
  readonly #footnotes = new Footnotes();
  readonly #hosts = new WeakMap<Frame, MarkdownHost>();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#page = options.page;
  }

  document(document: Document, scope: Scope): string {
    const { file, title } = this.#options.task;
    const frame: Frame = { file, document, scope, interpolations: new Map(), depth: 0 };
    const nodes = withoutRepeatedTitle(document.tree.children ?? [], title);
    const content = this.#content(nodes, frame);
    return content + this.#footnotes.html((node, noted) => this.#content(node.children ?? [], noted));
  }

  blocks(source: string): string {
    return this.#content(parseMarkdown(source).children ?? [], this.#textFrame());
  }

  line(source: string): string {
    if (!mayBeMarkdown.test(source) || plainSentences.test(source)) return escapeText(source);
    const nodes = parseMarkdown(asOneLine(source)).children ?? [];
    return this.#page.renderPhrasing(this.#options.childrenOf(nodes, this.#textFrame()));
  }

  /** `unwrap` omits the paragraph's tags. */
  node(node: Node, frame: Frame, unwrap: boolean): string {
    const host = this.#hostOf(frame);
    return unwrap && node.type === 'paragraph' ? host.content(node.children) : markdownHtml(node, host);
  }

  #textFrame(): Frame {
    const { task, scope } = this.#options;
    return { file: task.file, document: undefined, scope, interpolations: new Map(), depth: 0 };
  }

  /** Evaluates all code among the nodes before the first node is written. */
  #content(nodes: readonly Node[], frame: Frame, host = this.#hostOf(frame)): string {
    if (!frame.document?.isPlain && nodes.some(isCode))
      return this.#page.render(this.#options.childrenOf(nodes, frame));
    let html = '';
    for (const node of nodes) {
      if (isSilent(node)) continue;
      this.#options.collector.charge(node.type === 'text' ? (node.value ?? '').length : 0);
      html += markdownHtml(node, host);
    }
    return html;
  }

  #hostOf(frame: Frame): MarkdownHost {
    const known = this.#hosts.get(frame);
    if (known) return known;
    const host: MarkdownHost = {
      content: (nodes) => (nodes ? this.#content(nodes, frame, host) : ''),
      heading: (options) => this.#page.heading(options),
      link: (href, place) => this.#page.link(href, place),
      asset: (address, place) => this.#page.asset(address, place),
      pictureSize: (address) => this.#page.pictureSize(address),
      isFirstPicture: () => this.#page.isFirstPicture(),
      remoteAddress: (address) => this.#page.remoteAddress(address),
      place: (inner) => placeOf(inner, frame),
      definition: (identifier) => frame.document?.definitions.get(identifier),
      footnoteNumber: (identifier) => this.#footnotes.refer(identifier, frame),
      code: (inner) => this.#page.code(codeBlockOf(inner, frame)),
      math: (formula, place) => this.#page.math(formula, place),
      report: (...finding) => this.#page.report(...finding),
    };
    this.#hosts.set(frame, host);
    return host;
  }
}

interface Footnote {
  node: Node;
  frame: Frame;
  number: number;
  references: number;
}

class Footnotes {
  readonly #notes = new Map<string, Footnote>();

  refer(identifier: string, frame: Frame): { number: number; reference: number } | undefined {
    const node = frame.document?.footnotes.get(identifier);
    if (!node) return undefined;
    const key = `${frame.file}#${identifier}`;
    const note = this.#notes.get(key) ?? { node, frame, number: this.#notes.size + 1, references: 0 };
    note.references++;
    this.#notes.set(key, note);
    return { number: note.number, reference: note.references };
  }

  html(render: (node: Node, frame: Frame) => string): string {
    if (this.#notes.size === 0) return '';
    const items = [...this.#notes.values()].map(({ node, frame, number }) => {
      const back = `<a href="#footnote-ref-${number}" aria-label="Back to the text">↩</a>`;
      const content = render(node, frame);
      const inside = content.endsWith('</p>') ? `${content.slice(0, -4)} ${back}</p>` : `${content} ${back}`;
      return `<li id="footnote-${number}">${inside}</li>`;
    });
    return `<section class="dy-footnotes" aria-label="Footnotes"><ol>${items.join('')}</ol></section>`;
  }
}

const blockMark = /^\s*(?:(\d{1,9})([.)])(?=\s)|([-+*>]|#{1,6})(?=\s))/;

function asOneLine(source: string): string {
  if (source.includes('\n')) return source;
  return source.replace(blockMark, (_whole, number?: string, end?: string, mark?: string) =>
    mark === undefined ? `${number}\\${end}` : `\\${mark}`,
  );
}
