/**
 * What code makes of a page's nodes: worked out by the static evaluator where that is certain, run otherwise, and made an
 * island where it does something once the page is shown. It knows how to compute; what values look like is the renderer's
 * business.
 */
import type { Expression } from 'estree-jsx';
import type { FilePlace } from '../check/diagnostic.ts';
import { type Child, wordsOf } from '../components/contract.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { isEmptyExpression, parseExpression, parseSpread } from '../evaluate/parse.ts';
import { CodeRefused } from '../evaluate/realm/realm.ts';
import {
  ElementValue,
  Foreign,
  ObjectValue,
  SeveralValues,
  Unsupported,
  type Value,
} from '../evaluate/values.ts';
import { islandNeeds } from '../islands/needs.ts';
import { type Json, type PageIslands, jsonOf } from '../islands/page-islands.ts';
import { type CodePiece, type PageCode, findingOf } from './code.ts';
import { type Frame, placeOf } from './frame.ts';
import type { PageRecord } from './record.ts';
import { type JsxAttribute, type Node, isShortText } from './tree.ts';

/** What this file needs from the renderer. */
export interface ComputingHost extends Pick<PageRecord, 'report'> {
  render(children: readonly Child[]): string;
  childrenOfValue(value: Value, place: FilePlace | undefined): Child[];
}

/** A node of a document, and one of its attributes by number. */
interface Place {
  node: Node;
  frame: Frame;
  index: number;
}

export class Computed {
  readonly #host: ComputingHost;
  readonly #evaluator: Evaluator;
  readonly #code: PageCode;
  readonly #islands: PageIslands;
  /** What is computed now becomes part of an island. */
  isForIsland = false;

  constructor(host: ComputingHost, evaluator: Evaluator, code: PageCode, islands: PageIslands) {
    this.#host = host;
    this.#evaluator = evaluator;
    this.#code = code;
    this.#islands = islands;
  }

  /** What an expression in braces shows. */
  expression(node: Node, frame: Frame): Child[] {
    const source = node.value ?? '';
    if (isEmptyExpression(source)) return [];
    if (isShortText(node) && isList(source)) throw new SeveralValues();
    return this.content(node, frame, [], () =>
      this.#host.childrenOfValue(
        this.#evaluator.evaluate(parseExpression(source), frame.scope),
        placeOf(node, frame),
      ),
    );
  }

  /**
   * What a node shows: what `compute` works out of what stands between its tags, or what its code gives. Throws
   * `Unsupported` when neither is possible.
   */
  content(node: Node, frame: Frame, children: Child[], compute: (children: Child[]) => Child[]): Child[] {
    const { found, cause, isLive } = this.#statically(() => compute(children));
    if (found && !isLive) return found;
    const piece = this.#code.pieceOf(node, frame, cause);
    if (piece?.piece.interactive) return this.#island(piece, node, frame, children, found && compute);
    if (found) return found;
    if (!piece) throw this.#code.problemOf(node, frame, cause);
    return this.#run(piece, node, frame, children).content;
  }

  #statically(compute: () => Child[]): { found?: Child[]; cause?: Unsupported; isLive: boolean } {
    const before = this.#evaluator.liveParts;
    if (this.#code.skipsStatic) return { isLive: false };
    try {
      const found = compute();
      this.#code.noteStatic();
      return { found, isLive: this.#evaluator.liveParts > before };
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      return { cause: error, isLive: false };
    }
  }

  #run(
    piece: CodePiece,
    node: Node,
    frame: Frame,
    children: Child[],
  ): { content: Child[]; refused?: CodeRefused } {
    try {
      const given = wordsOf(children) ?? (children.length ? new Foreign(children) : undefined);
      const value = this.#code.run(piece, given, 'content');
      return { content: this.#host.childrenOfValue(value, placeOf(node, frame)) };
    } catch (error) {
      if (!(error instanceof CodeRefused)) throw error;
      // A name that nothing defines, in a few words within a sentence.
      if (isShortText(node) && error.message.startsWith('ReferenceError'))
        throw new Unsupported(error.message);
      this.#reportRefused(error, nameOf(node), { node, frame }, piece);
      return { content: [], refused: error };
    }
  }

  #reportRefused(error: CodeRefused, what: string, at: Omit<Place, 'index'>, piece: CodePiece): void {
    const { code, message, place, hint } = findingOf(error, what, at.node, at.frame, piece);
    this.#host.report(code, message, place, hint);
  }

  /** Code that fails here may need a browser; code that never ends would not end there either. */
  #island(
    code: CodePiece,
    node: Node,
    frame: Frame,
    children: Child[],
    compute: ((children: Child[]) => Child[]) | undefined,
  ): Child[] {
    const slot: Child = { kind: 'markdown', isParagraph: false, render: () => this.#islands.slot() };
    const words = wordsOf(children);
    const isSlot = words === undefined && children.length > 0;
    const placed = isSlot ? [slot] : children;
    const { content, refused } = this.#forIsland(() =>
      compute ? { content: compute(placed), refused: undefined } : this.#run(code, node, frame, placed),
    );
    if (refused && refused.reason !== 'failed' && refused.reason !== 'refused') return [];
    const { piece, module, modules, given } = code;
    const source = {
      module,
      piece: piece.index,
      props: dataOf(given),
      modules,
      needs: () => islandNeeds(modules),
      words,
      slot: isSlot ? () => this.#host.render(children) : undefined,
      place: placeOf(node, frame),
    };
    const render = (): string => this.#islands.render(source, () => this.#host.render(content));
    return [{ kind: 'markdown', isParagraph: false, render }];
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

  /** The properties of an element of the page. An attribute that cannot be computed is told and left out. */
  props(node: Node, frame: Frame): ObjectValue {
    const props = new ObjectValue();
    node.attributes?.forEach((attribute, index) => {
      const at = { node, frame, index };
      try {
        addAttribute(props, attribute, (parse) => this.#attributeValue(parse, at));
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        const message = `${attributeName(at)} was left out: ${error.message}`;
        this.#host.report('expression_unsupported', message, placeOf(node, frame));
      }
    });
    return props;
  }

  /** The properties of a component of the author's own, which needs all of them as they are: throws `Unsupported`. */
  ownProps(node: Node, { scope }: Frame): ObjectValue {
    const props = new ObjectValue();
    for (const attribute of node.attributes ?? [])
      addAttribute(props, attribute, (parse) => this.#evaluator.evaluate(parse(), scope));
    return props;
  }

  #attributeValue(parse: () => Expression, at: Place): Value {
    const { node, frame, index } = at;
    let cause: Unsupported | undefined;
    try {
      if (!this.#code.skipsStatic) {
        const value = this.#settled(this.#evaluator.evaluate(parse(), frame.scope), placeOf(node, frame));
        this.#code.noteStatic();
        return value;
      }
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      cause = error;
    }
    const piece = this.#code.pieceOf(node, frame, cause, index);
    if (!piece) throw this.#code.problemOf(node, frame, cause);
    try {
      return this.#code.run(piece, undefined, 'value');
    } catch (error) {
      if (!(error instanceof CodeRefused)) throw error;
      this.#reportRefused(error, attributeName(at), at, piece);
      return undefined;
    }
  }

  /** Elements of the author's own in a property are worked out at once: where they are shown it is too late to run code. */
  #settled(value: Value, place: FilePlace | undefined): Value {
    if (Array.isArray(value)) return value.map((item) => this.#settled(item, place));
    if (!(value instanceof ElementValue)) return value;
    return new Foreign(this.#host.childrenOfValue(value, place));
  }
}

function addAttribute(
  props: ObjectValue,
  { name, value }: JsxAttribute,
  compute: (parse: () => Expression) => Value,
): void {
  if (name === undefined) {
    const spread = compute(() => parseSpread(typeof value === 'string' ? value : ''));
    if (spread === null || spread === undefined || spread === false) return;
    if (!(spread instanceof ObjectValue)) throw new Unsupported('this value cannot be spread');
    for (const [key, item] of spread.entries) props.entries.set(key, item);
  } else if (value === null || value === undefined) props.entries.set(name, true);
  else if (typeof value === 'string') props.entries.set(name, value);
  else if (!isEmptyExpression(value.value))
    props.entries.set(
      name,
      compute(() => parseExpression(value.value)),
    );
}

/** Words with commas between them, which are an expression only by chance. */
function isList(source: string): boolean {
  try {
    return source.includes(',') && parseExpression(source).type === 'SequenceExpression';
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

function attributeName({ node, index }: Place): string {
  return `${node.attributes?.[index]?.name ?? '…'} of <${node.name}>`;
}

/** Properties that can be written into the page; content and functions cannot. */
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
