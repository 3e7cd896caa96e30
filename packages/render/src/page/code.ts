/**
 * The customer code of one page that must be run: which piece of a program a node is, what it gives, and what an author
 * is told when it gives nothing. It renders nothing, and it is used only where the static evaluator gives up or where an
 * element lives on in the browser.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { PageFacts } from '../realm/messages.ts';
import { type CodeRunner, CodeRefused, type RefusalReason } from '../realm/realm.ts';
import { type Tree, treeOfValue, valueOfTree } from '../realm/tree.ts';
import {
  Foreign,
  NotDefined,
  ObjectValue,
  SeveralValues,
  Unsupported,
  type Value,
} from '../evaluate/values.ts';
import { ambientNames } from '../program/ambient-names.ts';
import { isBuiltInName } from '../program/built-in-names.ts';
import { programGlobals } from '../program/globals.ts';
import type { Piece } from '../program/pieces.ts';
import {
  type DocumentProgram,
  type ProgramModule,
  type ProgramPage,
  authorLine,
} from '../program/program.ts';
import { type Frame, placeOf } from './frame.ts';
import type { ParserName } from '../document/parser.ts';
import type { SiteTools } from './site-tools.ts';
import type { PageTask, PageTier } from '../model/page.ts';
import { type Node, isShortText } from '../document/tree.ts';

/** A piece of a document's program, with what it is run with. */
export interface CodePiece {
  piece: Piece;
  /** The document's own module. */
  module: string;
  modules: ProgramModule[];
  program: DocumentProgram;
  /** The properties of the document, when it is a snippet. */
  given: ObjectValue;
}

export interface RunOptions {
  as: 'content' | 'value';
  /** What stands between the tags is one slot. */
  isWhole?: boolean;
  idSpace?: number;
  /** Content of the document by the numbers of its slots. */
  content?: (first: number, last: number) => Value;
}

const nothing = (): Value => null;

export class PageCode {
  readonly #tools: SiteTools;
  readonly #task: PageTask;
  readonly #parser: ParserName;
  /** What was run already, so that the Markdown of the page costs nothing twice and shows the same. */
  readonly #results = new Map<string, Tree | CodeRefused>();
  /** The page itself, whose names the snippets on it see. */
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

  /** How far up the page had to go for its code. */
  get tier(): PageTier {
    return this.#tier;
  }

  /** Something of the page was computed without running it. */
  noteStatic(): void {
    if (this.#tier === 'none') this.#tier = 'static';
  }

  get canRun(): boolean {
    return this.#tools.plan.customCode === 'run';
  }

  /** Tests send everything to the runner. */
  get skipsStatic(): boolean {
    return this.#tools.evaluation?.skipStatic ?? false;
  }

  /**
   * The piece that a node of a document is; `attribute` is the number of one of its attributes. Undefined when there is
   * none, or when running it could not help.
   */
  pieceOf(
    node: Node,
    frame: Frame,
    cause: Unsupported | undefined,
    attribute?: number,
  ): CodePiece | undefined {
    const { document, file, given } = frame;
    if (!document || (cause && isHopeless(cause, node))) return undefined;
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

  /** Why there is no piece for a node: what the compiler says of its lines, or what the evaluator said. */
  problemOf(node: Node, { file, document }: Frame, cause: Unsupported | undefined): Unsupported {
    const unread = new Unsupported('this code cannot be read');
    if (!document || (cause && isHopeless(cause, node))) return cause ?? unread;
    const first = (node.position?.start.line ?? 1) + document.linesBefore;
    const last = first + (node.value?.split('\n').length ?? 1) - 1;
    const { problems } = this.#tools.programs.ofDocument(file, document, this.#parser, this.#page);
    const found = problems.find((each) => each.file === file && each.line >= first && each.line <= last);
    return found ? new Unsupported(found.message) : (cause ?? unread);
  }

  /** Runs a piece. Throws `CodeRefused`. */
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
    if (result instanceof CodeRefused) throw result;
    return valueOfTree(result, { given, content });
  }

  /** Ids that code asks for are its own, also where the same code stands on the page twice. */
  idSpaceOf({ modules }: CodePiece): number {
    return modules.some(({ factory }) => /\buseId\s*\(/.test(factory)) ? ++this.#idSpaces : 0;
  }

  #runNow(modules: ProgramModule[], request: Parameters<CodeRunner['run']>[1]): Tree | CodeRefused {
    const { customCode } = this.#tools.plan;
    if (customCode !== 'run') {
      this.#tier = 'refused';
      return new CodeRefused('refused', customCode.refused);
    }
    if (this.#tier !== 'refused') this.#tier = 'run';
    const runner = this.#tools.evaluation?.runner ?? this.#tools.realm();
    if (!this.#hasBegun) runner.beginPage(this.#facts());
    this.#hasBegun = true;
    try {
      return runner.run(modules, request);
    } catch (error) {
      if (error instanceof CodeRefused) return error;
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

/** A name that no engine knows either, or words that are no code: running them would help nobody. */
function isHopeless(cause: Unsupported, node: Node): boolean {
  if (cause instanceof SeveralValues) return isShortText(node);
  if (!(cause instanceof NotDefined)) return false;
  const { missing } = cause;
  return !ambientNames.has(missing) && !programGlobals.includes(missing) && !isBuiltInName(missing);
}

/** The content that a document was given, by the names of its properties, with the slots that stand for it. */
export function givenContent(given: ObjectValue): { name: string; slot: number; content: Foreign }[] {
  const slots: Foreign[] = [];
  propsTree(given, slots);
  return [...given.entries].flatMap(([name, value]) =>
    value instanceof Foreign ? [{ name, slot: -slots.indexOf(value) - 1, content: value }] : [],
  );
}

/** What the format gives every document besides its own properties. */
function propsTree(given: ObjectValue, slots: Foreign[]): Tree {
  return treeOfValue(new ObjectValue([['user', new ObjectValue()], ...given.entries]), slots);
}

/** FNV-1a: the same page has the same chance each time. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export interface CodeFinding {
  code: DiagnosticCode;
  message: string;
  place: FilePlace | undefined;
  hint: string;
}

const findings: Record<RefusalReason, { code: DiagnosticCode; hint: string }> = {
  timeout: {
    code: 'code_timeout',
    hint: 'Each piece of code has a second, all code of a page together has two.',
  },
  memory: { code: 'code_memory', hint: 'The code of a page has 64 MB of memory.' },
  failed: {
    code: 'code_failed',
    hint: 'The code runs without a browser while the page is rendered; effects and handlers run later.',
  },
  too_large: { code: 'code_too_large', hint: 'Show less at once, or write the content into the page.' },
  refused: { code: 'code_refused', hint: 'An operator decides what is needed to run the code of pages.' },
};

/** What an author is told of a piece that gave nothing. */
export function findingOf(
  refused: CodeRefused,
  what: string,
  node: Node,
  frame: Frame,
  code: CodePiece,
): CodeFinding {
  return {
    ...findings[refused.reason],
    message: `${what} shows nothing: ${refused.message}`,
    place: placeOfTrace(refused.trace, code.program.modules) ?? placeOf(node, frame),
  };
}

/** The first place of a trace that is in a file of the author's: `at Counter (snippets/counter.jsx:12:5)`. */
function placeOfTrace(trace: string, modules: readonly ProgramModule[]): FilePlace | undefined {
  for (const line of trace.split('\n', 50)) {
    const [, file, row] =
      /\(?([^()]+):(\d{1,7}):\d{1,7}\)?$/.exec(line.trim().replace(/^at (?:.* \()?/, '')) ?? [];
    const module = modules.find(({ id }) => id === file);
    /** Lines are kept when code is compiled, columns are not. */
    if (module) return { file: module.id, line: authorLine(module, Number(row)), column: 1 };
  }
  return undefined;
}
