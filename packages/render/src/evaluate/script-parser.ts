/**
 * The parser for authors' code: acorn, with sets instead of arrays for declared names, which acorn searches
 * linearly.
 */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';

class NameList {
  readonly #names = new Set<string>();
  /** The parameter of a `catch`, which may be redeclared. */
  0?: string;

  push(name: string): void {
    this[0] ??= name;
    this.#names.add(name);
  }

  indexOf(name: string): number {
    return this.#names.has(name) ? 0 : -1;
  }
}

function withNameSets(Base: typeof Parser): typeof Parser {
  return class extends Base {
    enterScope(flags: number): void {
      const { scopeStack } = this as unknown as { scopeStack: object[] };
      scopeStack.push({ flags, var: new NameList(), lexical: new NameList(), functions: new NameList() });
    }
  };
}

const numericEntity = /&#(?:x([\da-f]{1,6})|(\d{1,7}));/iy;

/** acorn-jsx truncates characters beyond 16 bits, such as `&#x1F600;`. */
function withWholeEntities(Base: typeof Parser): typeof Parser {
  return class extends Base {
    jsx_readEntity(): string {
      const state = this as unknown as { pos: number; input: string };
      numericEntity.lastIndex = state.pos;
      const [whole = '', hex, decimal] = numericEntity.exec(state.input) ?? [];
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (whole === '' || code > 0x10_ff_ff)
        return (super['jsx_readEntity' as never] as () => string).call(this);
      state.pos += whole.length;
      return String.fromCodePoint(code);
    }
  };
}

export const ScriptParser = Parser.extend(withNameSets);
export const JsxParser = ScriptParser.extend(jsx(), withWholeEntities);
