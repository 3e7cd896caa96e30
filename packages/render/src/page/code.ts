/**
 * Runs a page's own code where the static evaluator gives up or an element stays interactive in the browser,
 * and turns failures into findings.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { PageFacts } from '../realm/messages.ts';
import { type CodeRunner, CodeRefusedError, type RefusalReason } from '../realm/realm.ts';
import { type Tree, treeOfValue, valueOfTree } from '../realm/tree.ts';
import {
  Foreign,
  NotDefinedError,
  ObjectValue,
  SeveralValuesError,
  UnsupportedError,
  type Value,
} from '../evaluate/values.ts';
import { ambientNames, isBuiltInName } from '../program/built-in-names.ts';
import { programGlobals } from '../program/globals.ts';
import type { Piece } from '../program/pieces.ts';
import {
  type DocumentProgram,
  type ProgramModule,
  type ProgramPage,
  authorLine,
} from '../program/program.ts';
import type { PageCollector } from './collector.ts';
import { type Frame, placeOf } from './frame.ts';
import type { ParserName } from '../document/parser.ts';
import type { SiteTools } from './site-tools.ts';
import type { PageTask, PageTier } from '../model/page.ts';
import { type Node, isShortText } from '../document/tree.ts';

export interface CodePiece {
  piece: Piece;
  module: string;
  modules: ProgramModule[];
  program: DocumentProgram;
  /** The snippet's properties; empty for a page. */
  given: ObjectValue;
}

export interface RunOptions {
  as: 'content' | 'value';
  /** The element's children are one slot. */
  isWhole?: boolean;
  idSpace?: number;
  /** Document content by slot number. */
  content?: (first: number, last: number) => Value;
}

const nothing = (): Value => null;

export class PageCode {
  readonly #tools: SiteTools;
  readonly #task: PageTask;
  readonly #parser: ParserName;
  /** Results by piece, so that the page's Markdown reuses what its HTML computed. */
  readonly #results = new Map<string, Tree | CodeRefusedError>();
  #page: ProgramPage | undefined;
  #tier: PageTier = 'none';
  #idSpaces = 0;
  #hasBegun = false;

  constructor(tools: SiteTools, task: PageTask, parser: ParserName) {
    this.#tools = tools;
    this.#task = task;
    this.#parser = parser;
  }

  beginPage(page: ProgramPage): void {
    this.#page = page;
  }

  get tier(): PageTier {
    return this.#tier;
  }

  noteStatic(): void {
    if (this.#tier === 'none') this.#tier = 'static';
  }

  get canRun(): boolean {
    return this.#tools.plan.customCode === 'run';
  }

  /** Tests set this to send all code to the runner. */
  get skipsStatic(): boolean {
    return this.#tools.evaluation?.skipStatic ?? false;
  }

  /**
   * The program piece of a node, or of one of its attributes by index. Undefined when there is none or
   * running it cannot help.
   */
  pieceOf(
    node: Node,
    frame: Frame,
    cause: UnsupportedError | undefined,
    attribute?: number,
  ): CodePiece | undefined {
    const { document, file, given } = frame;
    if (!document || (cause && failsInEveryEngine(cause, node))) return undefined;
    const program = this.#tools.programs.ofDocument(file, document, this.#parser, this.#page);
    const piece = attribute === undefined ? program.pieceOf(node) : program.attributePieceOf(node, attribute);
    const module = program.modules.at(-1)?.id;
    if (!piece || module === undefined) return undefined;
    return {
      piece,
      module,
      program,
      modules: program.modulesFor([piece]),
      given: given ?? new ObjectValue(),
    };
  }

  /** Explains why a node has no piece: the compiler's problem, or the evaluator's. */
  problemOf(node: Node, { file, document }: Frame, cause: UnsupportedError | undefined): UnsupportedError {
    const unread = new UnsupportedError('this code cannot be read');
    if (!document || (cause && failsInEveryEngine(cause, node))) return cause ?? unread;
    const first = (node.position?.start.line ?? 1) + document.linesBefore;
    const last = first + (node.value?.split('\n').length ?? 1) - 1;
    const { problems } = this.#tools.programs.ofDocument(file, document, this.#parser, this.#page);
    const found = problems.find((each) => each.file === file && each.line >= first && each.line <= last);
    return found ? new UnsupportedError(found.message) : (cause ?? unread);
  }

  /** Throws `CodeRefusedError`. */
  run(code: CodePiece, { as, isWhole = false, idSpace = 0, content = nothing }: RunOptions): Value {
    const given: Foreign[] = [];
    const props = propsTree(code.given, given);
    const request = { module: code.module, piece: code.piece.index, props, isWhole, as, idSpace };
    const key = JSON.stringify(request);
    let result = this.#results.get(key);
    if (result === undefined) {
      result = this.#runNow(code.modules, request);
      this.#results.set(key, result);
    }
    if (result instanceof CodeRefusedError) throw result;
    return valueOfTree(result, { given, content });
  }

  /** Each occurrence of a piece gets its own id space, so that generated ids stay unique. */
  idSpaceOf({ modules }: CodePiece): number {
    return modules.some(({ factory }) => /\buseId\s*\(/.test(factory)) ? ++this.#idSpaces : 0;
  }

  #runNow(modules: ProgramModule[], request: Parameters<CodeRunner['run']>[1]): Tree | CodeRefusedError {
    const { customCode } = this.#tools.plan;
    if (customCode !== 'run') {
      this.#tier = 'refused';
      return new CodeRefusedError('refused', customCode.refused);
    }
    if (this.#tier !== 'refused') this.#tier = 'run';
    const runner = this.#tools.evaluation?.runner ?? this.#tools.realm();
    if (!this.#hasBegun) runner.beginPage(this.#facts());
    this.#hasBegun = true;
    try {
      return runner.run(modules, request);
    } catch (error) {
      if (error instanceof CodeRefusedError) return error;
      throw error;
    }
  }

  #facts(): PageFacts {
    const { plan, addresses } = this.#tools;
    const origin = /^https?:/.test(plan.origin) ? plan.origin : 'http://localhost';
    return {
      seed: seedOf(this.#task.route),
      clockMs: plan.clockMs,
      address: `${origin}${plan.basePath}/${addresses.canonicalOf(this.#task.route)}`,
    };
  }
}

/** Undefined names and plain words in braces fail in every engine. */
function failsInEveryEngine(cause: UnsupportedError, node: Node): boolean {
  if (cause instanceof SeveralValuesError) return isShortText(node);
  if (!(cause instanceof NotDefinedError)) return false;
  const { missing } = cause;
  return !ambientNames.has(missing) && !programGlobals.includes(missing) && !isBuiltInName(missing);
}

/** The content that a snippet received, by property name, with the slots that stand for it. */
export function givenContent(given: ObjectValue): { name: string; slot: number; content: Foreign }[] {
  const slots: Foreign[] = [];
  propsTree(given, slots);
  return [...given.entries].flatMap(([name, value]) =>
    value instanceof Foreign ? [{ name, slot: -slots.indexOf(value) - 1, content: value }] : [],
  );
}

function propsTree(given: ObjectValue, slots: Foreign[]): Tree {
  return treeOfValue(new ObjectValue([['user', new ObjectValue()], ...given.entries]), slots);
}

/** FNV-1a, so that a page gets the same random numbers in every build. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const findings: Record<RefusalReason, { code: DiagnosticCode; hint: string }> = {
  timeout: {
    code: 'code_timeout',
    hint: 'Each piece of code may run for one second, all code of a page for two.',
  },
  memory: { code: 'code_memory', hint: 'The code of a page may use 64 MB of memory.' },
  failed: {
    code: 'code_failed',
    hint: 'The code runs without a browser while the page is rendered; effects and handlers run later.',
  },
  too_large: { code: 'code_too_large', hint: 'Show less at once, or write the content into the page.' },
  refused: { code: 'code_refused', hint: 'The operator decides which isolation the code of pages requires.' },
};

export function reportRefusal(
  host: Pick<PageCollector, 'report'>,
  refused: CodeRefusedError,
  { what, node, frame, piece }: { what: string; node: Node; frame: Frame; piece: CodePiece },
): void {
  const { code, hint } = findings[refused.reason];
  const place = placeOfTrace(refused.trace, piece.program.modules) ?? placeOf(node, frame);
  host.report(code, `${what} shows nothing: ${refused.message}`, place, hint);
}

/** The first stack frame in one of the author's files: `at Counter (snippets/counter.jsx:12:5)`. */
function placeOfTrace(trace: string, modules: readonly ProgramModule[]): FilePlace | undefined {
  for (const line of trace.split('\n', 50)) {
    const [, file, row] =
      /\(?([^()]+):(\d{1,7}):\d{1,7}\)?$/.exec(line.trim().replace(/^at (?:.* \()?/, '')) ?? [];
    const module = modules.find(({ id }) => id === file);
    /** Compilation keeps lines, not columns. */
    if (module) return { file: module.id, line: authorLine(module, Number(row)), column: 1 };
  }
  return undefined;
}
