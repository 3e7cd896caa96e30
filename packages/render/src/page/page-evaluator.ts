/**
 * Computes a page's expressions and own elements: with the static evaluator where the result is certain,
 * otherwise by running the code, and as an island where the code is interactive.
 */
import type { FilePlace } from '../model/diagnostic.ts';
import type { Child } from '../components/contract.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { isEmptyExpression, parseExpression } from '../evaluate/parse.ts';
import { CodeRefusedError } from '../realm/realm.ts';
import {
  Foreign,
  type ObjectValue,
  SeveralValuesError,
  UnsupportedError,
  type Value,
} from '../evaluate/values.ts';
import { islandNeeds } from '../islands/needs.ts';
import { type IslandSource, type Json, type PageIslands, jsonOf } from '../islands/page-islands.ts';
import { type CodePiece, type PageCode, type RunOptions, givenContent, reportRefusal } from './code.ts';
import { type Frame, placeOf } from './frame.ts';
import type { PageCollector } from './collector.ts';
import { type Node, isShortText } from '../document/tree.ts';

interface EvaluationHost extends Pick<PageCollector, 'report'> {
  render(children: readonly Child[]): string;
  childrenOfValue(value: Value, place: FilePlace | undefined): Child[];
  childrenOfNodes(nodes: readonly Node[], frame: Frame): Child[];
}

export class PageEvaluator {
  readonly #host: EvaluationHost;
  readonly #evaluator: Evaluator;
  readonly #code: PageCode;
  readonly #islands: PageIslands;
  /** Whether the current computation becomes part of an island. */
  isForIsland = false;

  constructor(host: EvaluationHost, evaluator: Evaluator, code: PageCode, islands: PageIslands) {
    this.#host = host;
    this.#evaluator = evaluator;
    this.#code = code;
    this.#islands = islands;
  }

  expression(node: Node, frame: Frame): Child[] {
    const source = node.value ?? '';
    if (isEmptyExpression(source)) return [];
    if (isShortText(node) && isList(source)) throw new SeveralValuesError();
    return this.content(node, frame, undefined, () =>
      this.#host.childrenOfValue(
        this.#evaluator.evaluate(parseExpression(source), frame.scope),
        placeOf(node, frame),
      ),
    );
  }

  /**
   * Shows what `compute` returns for the node's children, or the result of running the node's code. Throws
   * `UnsupportedError` when neither is possible.
   */
  content(node: Node, frame: Frame, children: Value, compute: (children: Value) => Child[]): Child[] {
    const { found, cause, isLive } = this.#statically(() => compute(children));
    if (found && !isLive) return found;
    const piece = this.#code.pieceOf(node, frame, cause);
    const { interactive = false, content } = piece?.piece ?? {};
    if (piece && (interactive || (!found && content?.interactive)))
      return this.#island(piece, node, frame, found && compute);
    if (found) return found;
    if (!piece) throw this.#code.problemOf(node, frame, cause);
    const idSpace = this.#code.idSpaceOf(piece);
    return this.#run(piece, node, frame, { idSpace, content: this.#contentOf(piece, frame) }).content;
  }

  #contentOf({ program }: CodePiece, frame: Frame): (first: number, last: number) => Value {
    const known = new Map<string, Foreign>();
    return (first, last) => {
      const nodes = program.slots.slice(first, last + 1).flatMap((slot) => slot.nodes);
      const key = `${first} ${last}`;
      const content = known.get(key) ?? Foreign.lazily(() => this.#host.childrenOfNodes(nodes, frame));
      known.set(key, content);
      return content;
    };
  }

  #statically(compute: () => Child[]): { found?: Child[]; cause?: UnsupportedError; isLive: boolean } {
    const before = this.#evaluator.liveParts;
    if (this.#code.skipsStatic) return { isLive: false };
    try {
      const found = compute();
      this.#code.noteStatic();
      return { found, isLive: this.#evaluator.liveParts > before };
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      return { cause: error, isLive: false };
    }
  }

  #run(
    piece: CodePiece,
    node: Node,
    frame: Frame,
    options: Omit<RunOptions, 'as'>,
  ): { content: Child[]; isWhole: boolean; refused?: CodeRefusedError } {
    const attempt = (isWhole: boolean): { content: Child[]; isWhole: boolean } => {
      const value = this.#code.run(piece, { ...options, as: 'content', isWhole });
      return { content: this.#host.childrenOfValue(value, placeOf(node, frame)), isWhole };
    };
    try {
      return attempt(false);
    } catch (error) {
      if (!(error instanceof CodeRefusedError)) throw error;
      // An undefined name in a few words within a sentence is text.
      if (isShortText(node) && error.message.startsWith('ReferenceError'))
        throw new UnsupportedError(error.message);
      if (error.reason === 'failed' && piece.piece.content?.hasCode) {
        const whole = refusedAsUndefined(() => attempt(true));
        if (whole) return whole;
      }
      reportRefusal(this.#host, error, { what: nameOf(node), node, frame, piece });
      return { content: [], isWhole: false, refused: error };
    }
  }

  /** Code that fails here may still work in a browser, except code that exceeds its time limit. */
  #island(
    code: CodePiece,
    node: Node,
    frame: Frame,
    compute: ((children: Value) => Child[]) | undefined,
  ): Child[] {
    const idSpace = this.#code.idSpaceOf(code);
    const { content, isWhole, refused } = this.#forIsland(() =>
      this.#firstState(code, node, frame, idSpace, compute),
    );
    if (refused && refused.reason !== 'failed' && refused.reason !== 'refused') return [];
    const render = (): string =>
      this.#islands.render(this.#source(code, node, frame, { isWhole, idSpace }), () =>
        this.#host.render(content),
      );
    return [{ kind: 'markdown', isParagraph: false, render }];
  }

  /** The first state of an island. The evaluator knows content as one slot only. */
  #firstState(
    code: CodePiece,
    node: Node,
    frame: Frame,
    idSpace: number,
    compute: ((children: Value) => Child[]) | undefined,
  ): { content: Child[]; isWhole: boolean; refused?: CodeRefusedError } {
    const { content } = code.piece;
    const words = content && wordsIn(node);
    const slot = (first: number, last: number): Foreign =>
      new Foreign([{ kind: 'markdown', isParagraph: false, render: () => this.#islands.slot(first, last) }]);
    if (compute && !content) return { content: compute(undefined), isWhole: false };
    if (compute && words !== undefined) return { content: compute(words), isWhole: false };
    if (compute && content?.slots && !content.hasBuiltIn)
      return { content: compute(slot(content.slots.first, content.slots.last)), isWhole: false };
    if (compute && content && !this.#code.canRun)
      return { content: compute(slot(content.whole, content.whole)), isWhole: true };
    return this.#run(code, node, frame, { idSpace, content: slot });
  }

  #source(
    code: CodePiece,
    node: Node,
    frame: Frame,
    { isWhole, idSpace }: { isWhole: boolean; idSpace: number },
  ): IslandSource {
    const { piece, module, given, program } = code;
    const modules = program.liveModulesFor(piece);
    const names = program.namesUsedBy(piece);
    const passed = givenContent(given).filter(({ name }) => names.has(name) || names.has('props'));
    const own = isWhole && piece.content ? [piece.content.whole] : program.slotsOf(piece);
    return {
      module,
      piece: piece.index,
      props: dataOf(given),
      content: Object.fromEntries(passed.map(({ name, slot }) => [name, slot])),
      isWhole,
      idSpace,
      modules,
      needs: () => islandNeeds(modules),
      slots: [
        ...own.map((slot) => ({
          slot,
          inside: program.slots[slot]?.inside,
          render: () =>
            this.#host.render(this.#host.childrenOfNodes(program.slots[slot]?.nodes ?? [], frame)),
        })),
        ...passed.map(({ slot, content }) => ({
          slot,
          inside: undefined,
          render: () => this.#host.render(this.#host.childrenOfValue(content, placeOf(node, frame))),
        })),
      ],
      place: placeOf(node, frame),
    };
  }

  #forIsland<Result>(work: () => Result): Result {
    const around = this.isForIsland;
    this.isForIsland = true;
    try {
      return work();
    } finally {
      this.isForIsland = around;
    }
  }
}

/** Words separated by commas parse as an expression only by chance. */
function isList(source: string): boolean {
  try {
    return source.includes(',') && parseExpression(source).type === 'SequenceExpression';
  } catch (error) {
    if (error instanceof UnsupportedError) return false;
    throw error;
  }
}

/** Properties that can be serialized into the page; content and functions cannot. */
function dataOf(given: ObjectValue): Record<string, Json> {
  const data = [...given.entries].flatMap(([name, value]) => {
    const json = jsonOf(value);
    return json === undefined ? [] : [[name, json] as const];
  });
  return Object.fromEntries(data);
}

export function nameOf(node: Node): string {
  return node.name ? `<${node.name}>` : `{${(node.value ?? '').trim().slice(0, 60)}}`;
}

export function wordsIn({ children = [] }: Node): string | undefined {
  if (children.length === 0 || children.some(({ type }) => type !== 'text')) return undefined;
  return children.map(({ value }) => value ?? '').join('');
}

function refusedAsUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodeRefusedError) return undefined;
    throw error;
  }
}
