/** The HTML of single parts of a page: headings, code blocks, diagrams, formulas and icons. */
import type { HeadingOptions } from '../components/contract.ts';
import { diagramHtml, isDiagram } from '../diagrams/diagram.ts';
import { type CodeBlock, codeBlockHtml } from '../highlight/code-block.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { iconHtml } from '../icons/markup.ts';
import { type Formula, isMathFence } from '../math/marks.ts';
import { typeset } from '../math/typeset.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { SitePlan } from '../model/site-plan.ts';
import { part } from '../model/style-hooks.ts';
import { attributes, element, escapeAttribute, escapeText, textOfHtml } from '../text/html.ts';
import type { PageCollector } from './collector.ts';
import { slugOf } from './headings.ts';

/** The address of a file relative to the page; undefined when the site does not have it. */
export type FindAsset = (address: string, place: FilePlace | undefined) => string | undefined;

export class PageParts {
  readonly #plan: SitePlan;
  readonly #collector: PageCollector;
  readonly #asset: FindAsset;
  readonly #formulas = new Map<string, string>();
  #diagrams = 0;

  constructor(plan: SitePlan, collector: PageCollector, asset: FindAsset) {
    this.#plan = plan;
    this.#collector = collector;
    this.#asset = asset;
  }

  code(block: CodeBlock): string {
    if (isMathFence(block.language) && this.#plan.math !== 'never')
      return element('p', { class: 'dy-math' }, this.math({ tex: block.code, display: true }, block.place));
    if (isDiagram(block.language)) return this.#diagram(block);
    return codeBlockHtml(block, (name) => this.icon(name));
  }

  #diagram(block: CodeBlock): string {
    return diagramHtml(block, {
      prefix: `diagram-${++this.#diagrams}-`,
      icon: (name) => this.icon(name),
      report: (message, line) =>
        this.#collector.report(
          'diagram_unsupported',
          message,
          block.place && { ...block.place, line: block.place.line + line },
        ),
    });
  }

  math(formula: Formula, place: FilePlace | undefined): string {
    const { html, styles, error } = typeset(formula);
    if (error === undefined) this.#collector.features.add('math');
    else
      this.#collector.report(
        'math_syntax',
        `A formula cannot be read: ${error}`,
        place,
        'Its source is shown instead.',
      );
    for (const [name, declaration] of styles) this.#collector.mathStyles.set(name, declaration);
    this.#formulas.set(html, spokenFormula(formula.tex, html));
    return html;
  }

  heading({ level, html, id, shortId, anchor = true, className, part: partName }: HeadingOptions): string {
    const text = textOfHtml(this.#withFormulaSources(html)).trim();
    const unique = this.#collector.takeId(id ?? slugOf(text));
    this.#collector.noteHeading({ level, text, id: unique });
    const alias =
      shortId !== undefined && this.#collector.claimId(shortId)
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

  /**
   * A formula contains its text twice, as MathML and as drawn text. Ids and the table of contents use its
   * source.
   */
  #withFormulaSources(html: string): string {
    let text = html;
    if (html.includes('katex'))
      for (const [drawn, tex] of this.#formulas) text = text.replaceAll(drawn, escapeText(tex));
    return text;
  }

  icon(icon: string | undefined, place?: FilePlace): string {
    if (icon === undefined) return '';
    const { iconLibrary: library } = this.#plan;
    const html = iconHtml(icon, { library, picture: (address) => this.#asset(address, place) });
    if (html !== undefined) return html;
    this.#collector.report('icon_unknown', `No icon is called "${icon}"; a plain shape is shown`, place);
    return interfaceIcon('unknown');
  }
}

function spokenFormula(tex: string, html: string): string {
  const symbols = /<semantics>([\s\S]*?)<annotation/.exec(html)?.[1];
  return symbols !== undefined && !/[{}^_]/.test(tex) ? textOfHtml(symbols) : tex.replaceAll('\\', '');
}
