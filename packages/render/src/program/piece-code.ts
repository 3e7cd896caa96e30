/** Compiles an expression of a document into a function of the document's properties. */
import type { Expression } from 'estree-jsx';
import { ambientNames, isBuiltInText } from './built-in-names.ts';
import { Edits } from './edits.ts';
import type { InheritedNames } from './inherited-names.ts';
import { factsOf } from './liveness.ts';
import type { CompiledPiece } from './pieces.ts';
import type { Reference } from './references.ts';
import { type NameText, rewriteCode } from './rewrite.ts';
import { analyseScopes } from './scope.ts';
import { CompileError, parseScript } from './syntax.ts';

/** How pieces read names of their module; the document's properties take precedence over inherited names. */
export interface PieceNames {
  textOf: NameText;
  inherited: InheritedNames;
}

export type PieceCode = Omit<CompiledPiece, 'index' | 'kind' | 'interactive' | 'line' | 'column'>;

export function expressionPiece(source: string, names: PieceNames): PieceCode {
  return pieceOf(`(${source}\n)`, () => true, names);
}

/** `...rest` as an object. */
export function spreadPiece(source: string, names: PieceNames): PieceCode {
  const isSpread = (node: Expression): boolean =>
    node.type === 'ObjectExpression' &&
    node.properties.length === 1 &&
    node.properties[0]?.type === 'SpreadElement';
  return pieceOf(`({${source}\n})`, isSpread, names);
}

function pieceOf(source: string, isExpected: (node: Expression) => boolean, names: PieceNames): PieceCode {
  const program = parseScript(source);
  const [statement, ...more] = program.body;
  /**
   * Security: an expression that begins at 0 is not the parenthesized one, so the author's text has closed
   * the parentheses.
   */
  if (
    statement?.type !== 'ExpressionStatement' ||
    more.length > 0 ||
    statement.expression.start === 0 ||
    !isExpected(statement.expression)
  )
    throw new CompileError('this is not an expression', 1, 1);
  const { references } = analyseScopes(program);
  const given = new GivenNames(names);
  const edits = new Edits(source);
  rewriteCode(source, statement, references, given.textOf, edits);
  const value = edits.result();
  const body = given.readers.length ? `{ const ${given.readers.join(', ')}; return ${value}; }` : value;
  return { ...factsOf(program, references), code: `($$given) => ${body}`, pieces: [], shownPieces: [] };
}

function readText(name: string, use: Reference['use']): string {
  return use === 'typeof' ? `typeof ${name} === "undefined" ? undefined : ${name}` : name;
}

/**
 * Names that neither the module nor the language defines are properties of the document. They are read at
 * use, so that a missing one fails only there.
 */
class GivenNames {
  readonly readers: string[] = [];
  readonly #names: PieceNames;
  readonly #texts = new Map<string, string>();

  constructor(names: PieceNames) {
    this.#names = names;
  }

  readonly textOf: NameText = (name, use) => {
    const { textOf, inherited } = this.#names;
    const known = textOf(name, use);
    const isReplaceable = use !== 'element' && inherited.has(name);
    if (known !== undefined && (isReplaceable || isBuiltInText(known))) return this.#reader(name, use, known);
    if (known !== undefined || use === 'element' || use === 'write') return known;
    if (name === 'props') return '$$given';
    if (ambientNames.has(name)) return name;
    return this.#reader(name, use);
  };

  #reader(name: string, use: Reference['use'], otherwise = readText(name, use)): string {
    const isTypeof = use === 'typeof';
    const key = `${isTypeof ? 'typeof ' : ''}${name}`;
    const text = this.#texts.get(key);
    if (text !== undefined) return text;
    const reader = `$$${isTypeof ? 't' : 'n'}${this.readers.length}`;
    const quoted = JSON.stringify(name);
    this.readers.push(`${reader} = () => $$own($$given, ${quoted}) ? $$given[${quoted}] : ${otherwise}`);
    this.#texts.set(key, `${reader}()`);
    return `${reader}()`;
  }
}
