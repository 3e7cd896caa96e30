import type { Expression } from 'estree-jsx';
import type { Child } from '../components/contract.ts';
import type { JsxAttribute, Node } from '../document/tree.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { isEmptyExpression, parseExpression, parseSpread } from '../evaluate/parse.ts';
import { ElementValue, Foreign, ObjectValue, UnsupportedError, type Value } from '../evaluate/values.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import { CodeRefusedError } from '../realm/realm.ts';
import { type PageCode, reportRefusal } from './code.ts';
import type { PageCollector } from './collector.ts';
import { type Frame, placeOf } from './frame.ts';

interface PropsHost extends Pick<PageCollector, 'report'> {
  childrenOfValue(value: Value, place: FilePlace | undefined): Child[];
}

interface AttributePlace {
  node: Node;
  frame: Frame;
  index: number;
}

export class ElementProps {
  readonly #host: PropsHost;
  readonly #evaluator: Evaluator;
  readonly #code: PageCode;

  constructor(host: PropsHost, evaluator: Evaluator, code: PageCode) {
    this.#host = host;
    this.#evaluator = evaluator;
    this.#code = code;
  }

  /** An attribute that cannot be computed is reported and omitted. */
  of(node: Node, frame: Frame): ObjectValue {
    const props = new ObjectValue();
    node.attributes?.forEach((attribute, index) => {
      const at = { node, frame, index };
      try {
        addAttribute(props, attribute, (parse) => this.#attributeValue(parse, at));
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        const message = `${attributeName(at)} was left out: ${error.message}`;
        this.#host.report('expression_unsupported', message, placeOf(node, frame));
      }
    });
    return props;
  }

  /** Throws `UnsupportedError` when a property cannot be computed: an author's own component needs all of them. */
  ofOwnComponent(node: Node, { scope }: Frame): ObjectValue {
    const props = new ObjectValue();
    for (const attribute of node.attributes ?? [])
      addAttribute(props, attribute, (parse) => this.#evaluator.evaluate(parse(), scope));
    return props;
  }

  #attributeValue(parse: () => Expression, at: AttributePlace): Value {
    const { node, frame, index } = at;
    let cause: UnsupportedError | undefined;
    try {
      if (!this.#code.skipsStatic) {
        const value = this.#evaluateElements(
          this.#evaluator.evaluate(parse(), frame.scope),
          placeOf(node, frame),
        );
        this.#code.noteStatic();
        return value;
      }
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      cause = error;
    }
    const piece = this.#code.pieceOf(node, frame, cause, index);
    if (!piece) throw this.#code.problemOf(node, frame, cause);
    try {
      return this.#code.run(piece, { as: 'value' });
    } catch (error) {
      if (!(error instanceof CodeRefusedError)) throw error;
      reportRefusal(this.#host, error, { what: attributeName(at), node, frame, piece });
      return undefined;
    }
  }

  /** The author's own elements in a property are evaluated here; no code can run where they are shown. */
  #evaluateElements(value: Value, place: FilePlace | undefined): Value {
    if (Array.isArray(value)) return value.map((item) => this.#evaluateElements(item, place));
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
    if (!(spread instanceof ObjectValue)) throw new UnsupportedError('this value cannot be spread');
    for (const [key, item] of spread.entries) props.entries.set(key, item);
  } else if (value === null || value === undefined) props.entries.set(name, true);
  else if (typeof value === 'string') props.entries.set(name, value);
  else if (!isEmptyExpression(value.value))
    props.entries.set(
      name,
      compute(() => parseExpression(value.value)),
    );
}

function attributeName({ node, index }: AttributePlace): string {
  return `${node.attributes?.[index]?.name ?? '…'} of <${node.name}>`;
}
