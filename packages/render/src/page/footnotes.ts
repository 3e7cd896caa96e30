/** Numbers the footnotes of a page in the order they are referred to, and lists them at its end. */
import { type Frame } from './frame.ts';
import type { Node } from '../document/tree.ts';

interface Footnote {
  node: Node;
  frame: Frame;
  number: number;
  references: number;
}

export class Footnotes {
  readonly #notes = new Map<string, Footnote>();

  /** The number of a footnote, and which reference to it this is; undefined when it is not defined. */
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
