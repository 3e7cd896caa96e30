/**
 * The values of the static evaluator. Objects are maps without a prototype, functions are source and scope,
 * so that no value can reach the JavaScript engine of the evaluator.
 */
import type { ArrowFunctionExpression, FunctionDeclaration, FunctionExpression } from 'estree-jsx';

export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Value[]
  | ObjectValue
  | FunctionValue
  | NativeFunction
  | ElementValue
  | Foreign;

export class ObjectValue {
  readonly entries: Map<string, Value>;

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    this.entries = new Map(entries);
  }

  get(key: string): Value {
    return this.entries.get(key);
  }
}

export type FunctionSource = ArrowFunctionExpression | FunctionExpression | FunctionDeclaration;

export class FunctionValue {
  readonly source: FunctionSource;
  readonly scope: Scope;

  constructor(source: FunctionSource, scope: Scope) {
    this.source = source;
    this.scope = scope;
  }
}

/** A host function that authors may call, such as `useState`. */
export class NativeFunction {
  readonly call: (args: Value[]) => Value;

  constructor(call: (args: Value[]) => Value) {
    this.call = call;
  }
}

/** An evaluated but unrendered JSX element; `type` is null for a fragment. */
export class ElementValue {
  readonly type: string | FunctionValue | Foreign | null;
  readonly props: ObjectValue;
  readonly children: Value[];

  constructor(type: ElementValue['type'], props: ObjectValue, children: Value[]) {
    this.type = type;
    this.props = props;
    this.children = children;
  }
}

export class Foreign {
  #content: unknown;
  #make: (() => unknown) | undefined;

  constructor(content: unknown) {
    this.#content = content;
  }

  /** Created when it is first placed. */
  static lazily(make: () => unknown): Foreign {
    const foreign = new Foreign(undefined);
    foreign.#make = make;
    return foreign;
  }

  get content(): unknown {
    const make = this.#make;
    this.#make = undefined;
    if (make) this.#content = make();
    return this.#content;
  }
}

/**
 * Thrown for everything that may evaluate differently in JavaScript: it must be run instead, or is not shown.
 */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}

export class NotDefinedError extends UnsupportedError {
  readonly missing: string;

  constructor(missing: string) {
    super(`"${missing}" is not defined on this page`);
    this.missing = missing;
  }
}

/** `"a", "b"` in braces: the comma operator in JavaScript, a list in a sentence. */
export class SeveralValuesError extends UnsupportedError {
  constructor() {
    super('values with commas between them are not supported');
  }
}

/** Names visible to an expression. There is no global scope. */
export class Scope {
  readonly #bindings = new Map<string, Value | (() => Value)>();
  readonly #lazy = new Set<string>();
  readonly #parent: Scope | undefined;
  #isWithheld = false;

  constructor(parent?: Scope, entries: Iterable<readonly [string, Value]> = []) {
    this.#parent = parent;
    for (const [name, value] of entries) this.define(name, value);
  }

  define(name: string, value: Value): void {
    this.#lazy.delete(name);
    this.#bindings.set(name, value);
  }

  /** Evaluated at first use, so that an unsupported export matters only where it is used. */
  defineLazily(name: string, evaluate: () => Value): void {
    this.#lazy.add(name);
    this.#bindings.set(name, evaluate);
  }

  /** Hides all values except documents: the others depend on statements that were not run. */
  withhold(): void {
    this.#isWithheld = true;
  }

  /** The names of this scope, without its parents. */
  get names(): string[] {
    return [...this.#bindings.keys()];
  }

  /** Whether this scope, without its parents, defines the name. */
  defines(name: string): boolean {
    return this.#bindings.has(name);
  }

  has(name: string): boolean {
    return this.#bindings.has(name) || (this.#parent?.has(name) ?? false);
  }

  get(name: string): Value {
    if (!this.#bindings.has(name)) {
      if (this.#parent) return this.#parent.get(name);
      throw new NotDefinedError(name);
    }
    const value = this.#valueOf(name);
    if (this.#isWithheld && !(value instanceof Foreign))
      throw new UnsupportedError(`"${name}" is from a module that must be run`);
    return value;
  }

  #valueOf(name: string): Value {
    const binding = this.#bindings.get(name);
    if (!this.#lazy.has(name)) return binding;
    const evaluate = binding as () => Value;
    this.defineLazily(name, () => {
      throw new UnsupportedError(`"${name}" is used before it is defined`);
    });
    try {
      const value = evaluate();
      this.define(name, value);
      return value;
    } catch (error) {
      this.defineLazily(name, evaluate);
      throw error;
    }
  }
}

export function isFunction(value: Value): boolean {
  return value instanceof FunctionValue || value instanceof NativeFunction;
}
