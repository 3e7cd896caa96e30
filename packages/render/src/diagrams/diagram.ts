import { attributes, element, escapeText } from '../text/html.ts';
import { type CodeBlock, codeBlockHtml } from '../highlight/code-block.ts';
import { readFenceMeta } from '../highlight/meta.ts';
import { drawDiagram } from './draw.ts';
import { DiagramError } from './source.ts';
import { hooked } from '../model/style-hooks.ts';

export function isDiagram(language: string): boolean {
  return language.toLowerCase() === 'mermaid';
}

export interface DiagramHost {
  /** Unique among the diagrams of a page. */
  prefix: string;
  icon: (name: string | undefined) => string;
  report: (message: string, line: number) => void;
}

const placements = new Set(['top-left', 'top-right', 'bottom-left', 'bottom-right']);
/** A wider drawing scrolls, because its text would become unreadable. */
const maxShrunkWidth = 1050;
const broad = 560;
/** Lower drawings have no controls. */
const minControlsHeight = 120;

export function diagramHtml(block: CodeBlock, host: DiagramHost): string {
  const title = readFenceMeta(block.meta).title;
  try {
    const { svg, width, height } = drawDiagram(block.code, host.prefix);
    const actions = option(block.meta, 'actions');
    const placement = option(block.meta, 'placement') ?? '';
    const controlled = actions === undefined ? height > minControlsHeight : actions !== 'false';
    const values = {
      class: `${hooked('dy-diagram', 'mermaid')}${width > broad ? ' dy-diagram-broad' : ''}${width > maxShrunkWidth ? ' dy-diagram-wide' : ''}`,
      'data-component-name': 'mermaid-container',
      'data-controls': controlled ? (placements.has(placement) ? placement : 'bottom-right') : undefined,
    };
    const caption = title ? element('figcaption', {}, escapeText(title)) : '';
    const reach = width > broad ? { tabindex: 0, role: 'group', 'aria-label': 'Diagram' } : {};
    const view = element('div', { class: 'dy-diagram-view', ...reach }, svg);
    return `<figure${attributes(values)}>${view}${caption}</figure>`;
  } catch (error) {
    if (!(error instanceof DiagramError)) throw error;
    host.report(`A diagram is shown as its source: ${error.message}`, error.line ?? 0);
    return (
      codeBlockHtml({ ...block, language: 'mermaid' }, host.icon) +
      '<p class="dy-diagram-note">This diagram is shown as its source.</p>'
    );
  }
}

function option(meta: string, name: string): string | undefined {
  return new RegExp(`\\b${name}=["'{]*([\\w-]+)`, 'i').exec(meta)?.[1]?.toLowerCase();
}
