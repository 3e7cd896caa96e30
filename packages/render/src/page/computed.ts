/**
 * What code makes of a page's nodes: worked out by the static evaluator where that is certain, run otherwise, and made an
 * island where it does something once the page is shown. It knows how to compute; what values look like is the renderer's
 * business.
 */
import type { Expression } from 'estree-jsx';
import type { FilePlace } from '../model/diagnostic.ts';
import type { Child } from '../components/contract.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { isEmptyExpression, parseExpression, parseSpread } from '../evaluate/parse.ts';
import { CodeRefused } from '../realm/realm.ts';
import {
  ElementValue,
  Foreign,
  ObjectValue,
  SeveralValues,
  Unsupported,
  type Value,
} from '../evaluate/values.ts';
import { islandNeeds } from '../islands/needs.ts';
import { type IslandSource, type Json, type PageIslands, jsonOf } from '../islands/page-islands.ts';
import { type CodePiece, type PageCode, type RunOptions, findingOf, givenContent } from './code.ts';
import { type Frame, placeOf } from './frame.ts';
import type { PageCollector } from './collector.ts';
import { type JsxAttribute, type Node, isShortText } from '../document/tree.ts';

/** What this file needs from the renderer. */
export interface ComputingHost extends Pick<PageCollector, 'report'> {
  render(children: readonly Child[]): string;
  childrenOfValue(value: Value, place: FilePlace | undefined): Child[];
  childrenOfNodes(nodes: readonly Node[], frame: Frame): Child[];
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
    return this.content(node, frame, undefined, () =>
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

  /** Content of the document that code places. */
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

  /** Code that fails with elements as its children may be able to show them as they are. */
  #run(
    piece: CodePiece,
    node: Node,
    frame: Frame,
    options: Omit<RunOptions, 'as'>,
  ): { content: Child[]; isWhole: boolean; refused?: CodeRefused } {
    const attempt = (isWhole: boolean): { content: Child[]; isWhole: boolean } => {
      const value = this.#code.run(piece, { ...options, as: 'content', isWhole });
      return { content: this.#host.childrenOfValue(value, placeOf(node, frame)), isWhole };
    };
    try {
      return attempt(false);
    } catch (error) {
      if (!(error instanceof CodeRefused)) throw error;
      // A name that nothing defines, in a few words within a sentence.
      if (isShortText(node) && error.message.startsWith('ReferenceError'))
        throw new Unsupported(error.message);
      if (error.reason === 'failed' && piece.piece.content?.hasCode) {
        const whole = refusedAsUndefined(() => attempt(true));
        if (whole) return whole;
      }
      this.#reportRefused(error, nameOf(node), { node, frame }, piece);
      return { content: [], isWhole: false, refused: error };
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

  /** What an island shows at first. The evaluator knows content as one slot only. */
  #firstState(
    code: CodePiece,
    node: Node,
    frame: Frame,
    idSpace: number,
    compute: ((children: Value) => Child[]) | undefined,
  ): { content: Child[]; isWhole: boolean; refused?: CodeRefused } {
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
      return this.#code.run(piece, { as: 'value' });
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

/** What stands between the tags of an element where it is nothing but words. */
export function wordsIn({ children = [] }: Node): string | undefined {
  if (children.length === 0 || children.some(({ type }) => type !== 'text')) return undefined;
  return children.map(({ value }) => value ?? '').join('');
}

function refusedAsUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodeRefused) return undefined;
    throw error;
  }
}
