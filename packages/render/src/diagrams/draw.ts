/**
 * Draws diagrams as SVG during the export, so that pages need no script for them. Colors come from the site's
 * stylesheet; the author's colors stay as attributes.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as MermaidNamespace from 'beautiful-mermaid';
import { escapeAttribute, escapeText } from '../text/html.ts';
import { canonicalFlowchart } from './flowchart.ts';
import { drawGantt } from './gantt-drawing.ts';
import { readGantt } from './gantt.ts';
import { drawGitGraph } from './git-graph.ts';
import { drawJourney } from './journey.ts';
import { drawMindmap } from './mindmap.ts';
import { canonicalClass, canonicalEntities, canonicalState } from './state-class-entity.ts';
import { drawPie } from './pie.ts';
import { drawQuadrants } from './quadrant.ts';
import { drawSankey } from './sankey.ts';
import { drawSequence } from './sequence-drawing.ts';
import { readSequence } from './sequence.ts';
import { DiagramError, type DiagramSource, decodeMarkup, readDiagramSource, shownTitle } from './source.ts';
import { drawTimeline } from './timeline.ts';

export interface Drawing {
  svg: string;
  width: number;
  height: number;
}

/** `beautiful-mermaid` lays out graphs; this package draws the other kinds. */
const kinds: Record<string, (source: DiagramSource) => string> = {
  graph: (source) => layOut(canonicalFlowchart(source)),
  flowchart: (source) => layOut(canonicalFlowchart(source)),
  'flowchart-elk': (source) => layOut(canonicalFlowchart(source)),
  sequenceDiagram: (source) => drawSequence(readSequence(source)),
  stateDiagram: (source) => layOut(canonicalState(source)),
  'stateDiagram-v2': (source) => layOut(canonicalState(source)),
  classDiagram: (source) => layOut(canonicalClass(source)),
  'classDiagram-v2': (source) => layOut(canonicalClass(source)),
  erDiagram: (source) => layOut(canonicalEntities(source)),
  pie: drawPie,
  gantt: (source) => drawGantt(readGantt(source), shownTitle(source)),
  mindmap: drawMindmap,
  gitGraph: drawGitGraph,
  timeline: drawTimeline,
  journey: drawJourney,
  quadrantChart: drawQuadrants,
  sankey: drawSankey,
  'sankey-beta': drawSankey,
};

/** Layout time grows faster than the diagram. */
const maxCharacters = 20_000;
const maxLines = 250;
const maxLineLength = 1000;

/** @param prefix makes the ids of arrowheads unique among the diagrams of a page. */
export function drawDiagram(code: string, prefix: string): Drawing {
  const source = readDiagramSource(code.replaceAll('\t', '  '));
  const draw = Object.hasOwn(kinds, source.kind) ? kinds[source.kind] : undefined;
  if (!draw)
    throw new DiagramError(
      source.kind
        ? `diagrams of the kind "${source.kind}" are not drawn`
        : 'it does not begin with a kind of diagram',
    );
  if (code.length > maxCharacters || source.lines.some((line) => line.length > maxLineLength))
    throw new DiagramError('it is too large to be drawn');
  return finish(
    cachedDrawing(code, () => draw(source)),
    source,
    prefix,
  );
}

/** Translated pages repeat their diagrams. */
const drawings = new Map<string, string>();
const maxDrawings = 100;

function cachedDrawing(code: string, draw: () => string): string {
  const known = drawings.get(code);
  if (known !== undefined) return known;
  const svg = draw();
  if (drawings.size >= maxDrawings) drawings.clear();
  drawings.set(code, svg);
  return svg;
}

const require = createRequire(import.meta.url);
let library: typeof MermaidNamespace | undefined;

function layOut(text: string): string {
  if (text.split('\n').length > maxLines) throw new DiagramError('it has too many parts to be drawn');
  /** An ES module with a large layout engine, loaded at first use. */
  library ??= require(fileURLToPath(import.meta.resolve('beautiful-mermaid'))) as typeof MermaidNamespace;
  try {
    return library.renderMermaidSVG(text, {
      padding: 8,
      nodeSpacing: 28,
      layerSpacing: 44,
      componentSpacing: 28,
      transparent: true,
    });
  } catch (error) {
    throw new DiagramError(
      `it cannot be laid out (${(error as Error).message.split('\n')[0]?.slice(0, 80)})`,
    );
  }
}

function finish(svg: string, source: DiagramSource, prefix: string): Drawing {
  const size = /^<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg);
  const [width, height] = [Number(size?.[1]), Number(size?.[2])];
  if (!(width > 0 && height > 0 && width < 20_000 && height < 20_000))
    throw new DiagramError('its drawing came out empty');
  const spoken = words(svg);
  /** A chart that shows its title already includes it in its words. */
  const label =
    source.title !== undefined && !spoken.includes(source.title)
      ? source.title
      : `${kindLabels[source.kind] ?? 'Diagram'}: ${spoken.join(', ')}`;
  const described = source.description ? `<desc>${escapeText(source.description)}</desc>` : '';
  const body = decodeMarkup(withoutNoteArrows(svg))
    .replace(/^<svg[^>]*>/, '')
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replaceAll(/ data-[\w-]+="[^"]*"/g, '')
    .replaceAll(/ (?:rx="0" ry="0"|font-family="[^"]*")/g, '')
    // Only in tags: numbers in labels stay as written.
    .replaceAll(/<[^<>]*>/g, (tag) => tag.replaceAll(/(\d\.\d{2})\d+/g, '$1'))
    .replaceAll(/ id="([\w-]+)"/g, ` id="${prefix}$1"`)
    .replaceAll(/url\(#([\w-]+)\)/g, `url(#${prefix}$1)`)
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(/ style="[^"]*"/g, '');
  const open = `<svg viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="img" aria-label="${escapeAttribute(label.slice(0, 400))}">`;
  return { svg: open + described + body, width, height };
}

/** The line from a note to its state is dashed and has no head. */
function withoutNoteArrows(svg: string): string {
  return svg.replaceAll(/<polyline class="edge"[^>]* data-to="note\d+"[^>]*>/g, (edge) =>
    edge.replace(/ marker-end="[^"]*"/, '').replace(/\s*\/?>$/, ' stroke-dasharray="4 4" />'),
  );
}

const kindLabels: Record<string, string> = {
  graph: 'Flowchart',
  flowchart: 'Flowchart',
  sequenceDiagram: 'Sequence diagram',
  stateDiagram: 'State diagram',
  'stateDiagram-v2': 'State diagram',
  classDiagram: 'Class diagram',
  erDiagram: 'Entity diagram',
  pie: 'Pie chart',
  gantt: 'Gantt chart',
  mindmap: 'Mind map',
  gitGraph: 'Git history',
  timeline: 'Timeline',
  journey: 'User journey',
  quadrantChart: 'Quadrant chart',
  sankey: 'Sankey diagram',
  'sankey-beta': 'Sankey diagram',
};

function words(svg: string): string[] {
  const texts = [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map(([, inner = '']) =>
    decodeMarkup(inner)
      .replaceAll(/<\/tspan>\s*<tspan[^>]*>/g, ' ')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .trim(),
  );
  return [...new Set(texts.filter((text) => text !== '' && text !== '\u200b'))];
}

function round(length: number): number {
  return Math.ceil(length);
}
