/**
 * Reads a source file into a validated syntax tree. `readDocument` lists the steps; those that change the
 * text keep its lines.
 */
import type { FilePlace } from '../model/diagnostic.ts';
import { markMath } from '../math/marks.ts';
import { MarkupError, type ParserName, maxDepth, parseMdx } from './parser.ts';
import { prepare, repairs } from './repair.ts';
import { decodeSource, maxSourceBytes } from '../source/source.ts';
import { splitFrontMatter } from '../source/split-source.ts';
import type { Node, SurveyedTree } from './tree.ts';
import { DocumentError } from './document-error.ts';
import type { MathMode } from '../model/site-plan.ts';

export interface Document {
  tree: Node;
  /** Contains no elements, expressions or modules. */
  isPlain: boolean;
  /** The parsed text, to which the positions of the tree refer. */
  text: string;
  /** Lines of the file before the body. */
  linesBefore: number;
  /** `import` and `export` blocks with their line in the file. */
  modules: { source: string; line: number }[];
  /** Targets of reference links by name. */
  definitions: Map<string, { url: string; title: string | undefined }>;
  footnotes: Map<string, Node>;
  repaired: { what: string; place: FilePlace | undefined }[];
}

export interface DocumentOptions {
  file: string;
  variables: Record<string, string>;
  math: MathMode;
  parser: ParserName;
}

export function readDocument(bytes: Uint8Array, options: DocumentOptions): Document {
  const { file } = options;
  if (bytes.length > maxSourceBytes)
    throw new DocumentError('page_too_large', 'The page is larger than 1 MB', { file, line: 1, column: 1 });
  const source = decodeSource(bytes);
  const { body, linesBefore } = splitFrontMatter(source);
  const prepared = prepare(markMath(substituteVariables(body, options.variables), options.math));
  refuseDeepNesting(prepared, file, linesBefore);
  refuseDensity(prepared, file, linesBefore);
  const { parsed, text, repaired } = parseWithRepairs(prepared, options, linesBefore, source);
  if (parsed.depth > maxDepth) throw tooDeep({ file, line: 1, column: 1 });
  const { tree, isPlain, declarations } = parsed;
  return { tree, isPlain, text, linesBefore, repaired, ...declared(declarations, linesBefore) };
}

function tooDeep(place: FilePlace): DocumentError {
  return new DocumentError('page_too_deep', `The page is nested more than ${maxDepth} levels deep`, place);
}

const opensDeeply = /(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){200}/y;

/**
 * A line that opens hundreds of quotes or lists takes parsers seconds, so it is rejected before parsing. Only
 * a line longer than the limit can, so the search jumps ahead by that length.
 */
function refuseDeepNesting(body: string, file: string, linesBefore: number): void {
  for (let start = 0; start + maxDepth <= body.length;) {
    const lineEnd = body.lastIndexOf('\n', start + maxDepth - 1);
    if (lineEnd >= start) {
      start = lineEnd + 1;
      continue;
    }
    opensDeeply.lastIndex = start;
    if (opensDeeply.test(body)) {
      const line = body.slice(0, start).split('\n').length;
      throw tooDeep({ file, line: line + linesBefore, column: 1 });
    }
    const next = body.indexOf('\n', start);
    if (next < 0) return;
    start = next + 1;
  }
}

/** Parsers need quadratic time and memory for the braces, entities and comments of one paragraph. */
const maxMarks = 10_000;

function refuseDensity(body: string, file: string, linesBefore: number): void {
  if (marksIn(body) <= maxMarks) return;
  let marks = 0;
  let isCode = false;
  for (const [index, line] of body.split('\n').entries()) {
    const isFence = /^\s{0,20}(?:`{3}|~{3})/.test(line);
    if (isFence) isCode = !isCode;
    const isApart = isFence || isCode || line.trim() === '' || /^(?:import|export)\s/.test(line);
    marks = isApart ? 0 : marks + marksIn(line);
    if (marks > maxMarks)
      throw new DocumentError(
        'page_too_dense',
        'A paragraph contains more than 10,000 braces, entities or comments',
        {
          file,
          line: index + 1 + linesBefore,
          column: 1,
        },
      );
  }
}

function marksIn(text: string): number {
  let marks = 0;
  for (const mark of ['{', '&', '<!'])
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) marks++;
  return marks;
}

const maxRepairs = 60;
/** Each repair parses the page again, so a page with more marks gets fewer of them. */
const marksPerRepairs = 60_000;

function parseWithRepairs(
  body: string,
  { file, parser }: DocumentOptions,
  linesBefore: number,
  source: string,
): Pick<Document, 'text' | 'repaired'> & { parsed: SurveyedTree } {
  const repaired: Document['repaired'] = [];
  let text = body;
  let firstError: MarkupError | undefined;
  let maxAttempts = maxRepairs;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      return { parsed: parseMdx(text, parser), text, repaired };
    } catch (error) {
      if (!(error instanceof MarkupError)) throw error;
      firstError ??= error;
      if (attempt === 0)
        maxAttempts = Math.min(maxAttempts, Math.ceil(marksPerRepairs / (1 + marksIn(body))) + 1);
      const place = error.place && { file, line: error.place.line + linesBefore, column: error.place.column };
      const current = text;
      const repair = repairs.find(({ apply }) => apply(current, error) !== current);
      if (!repair) break;
      text = repair.apply(current, error);
      refuseDensity(text, file, linesBefore);
      repaired.push({ what: repair.name, place });
    }
  }
  throw syntaxError(firstError, file, linesBefore, source);
}

function syntaxError(
  error: MarkupError | undefined,
  file: string,
  linesBefore: number,
  source: string,
): DocumentError {
  const line = (error?.place?.line ?? 1) + linesBefore;
  const lines = source.split('\n');
  const start = Math.max(1, line - 2);
  return new DocumentError(
    'mdx_syntax',
    error?.message ?? 'The page cannot be read',
    { file, line, column: error?.place?.column ?? 1 },
    { lines: lines.slice(start - 1, line + 2), start },
  );
}

function declared(
  declarations: readonly Node[],
  linesBefore: number,
): Pick<Document, 'modules' | 'definitions' | 'footnotes'> {
  const modules: Document['modules'] = [];
  const definitions: Document['definitions'] = new Map();
  const footnotes: Document['footnotes'] = new Map();
  for (const node of declarations) {
    const { identifier = '' } = node;
    if (node.type === 'mdxjsEsm')
      modules.push({ source: node.value ?? '', line: (node.position?.start.line ?? 1) + linesBefore });
    else if (identifier === '') continue;
    else if (node.type === 'footnoteDefinition') footnotes.set(identifier, node);
    else if (!definitions.has(identifier))
      definitions.set(identifier, { url: node.url ?? '', title: node.title ?? undefined });
  }
  return { modules, definitions, footnotes };
}

/** Replaces `{{name}}` with the variable of the configuration; undefined names stay as written. */
function substituteVariables(body: string, variables: Record<string, string>): string {
  if (!body.includes('{{') || Object.keys(variables).length === 0) return body;
  return body.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? plainText(variables[name] ?? '') : whole,
  );
}

/** Values are text: tags are dropped, and nothing in them can open an expression. */
function plainText(value: string): string {
  return value
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('{', '&#123;')
    .replaceAll('<', '&lt;')
    .replaceAll('\n', ' ');
}
