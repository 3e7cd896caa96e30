/**
 * Detects code that is interactive once a page is shown: it keeps state, handles events, or runs effects.
 * Only such code is shipped to the browser. A false positive costs a script, a false negative a dead button.
 */
import type { Node, Program } from 'estree-jsx';
import type { Reference, Scopes } from './references.ts';
import { walk } from './syntax.ts';

/** Facts derived from a part of a module alone. */
export interface CodeFacts {
  live: boolean;
  /** Names of the module scope, and undeclared names. */
  uses: Set<string>;
}

/** One top-level statement of a module. */
export interface Unit extends CodeFacts {
  declares: string[];
}

const liveHooks: ReadonlySet<string> = new Set([
  'useState',
  'useReducer',
  'useEffect',
  'useLayoutEffect',
  'useInsertionEffect',
  'useRef',
  'useImperativeHandle',
  'useSyncExternalStore',
  'useTransition',
  'useDeferredValue',
  'useOptimistic',
  'useActionState',
]);

const handlerName = /^on[A-Z]/;

export function unitsOf(program: Program, { declared, references }: Scopes): Unit[] {
  const byStatement = Map.groupBy(references, ({ statement }) => statement);
  return program.body.map((statement, index) => ({
    ...factsOf(statement, byStatement.get(index) ?? []),
    declares: isUnnamedDefault(statement) ? ['$$default'] : (declared[index] ?? []),
  }));
}

function isUnnamedDefault(statement: Program['body'][number]): boolean {
  return (
    statement.type === 'ExportDefaultDeclaration' &&
    !(
      'id' in statement.declaration &&
      statement.declaration.type.endsWith('Declaration') &&
      statement.declaration.id
    )
  );
}

export function factsOf(node: Node, references: readonly Reference[]): CodeFacts {
  let live = false;
  walk(node, (inner) => {
    live ||= isLive(inner);
  });
  return { live, uses: new Set(references.map(({ name }) => name)) };
}

/** Event handlers and the like: functional only in a browser. */
export function isLiveAttribute(name: string): boolean {
  return name === 'ref' || handlerName.test(name);
}

function isLive(node: Node): boolean {
  switch (node.type) {
    case 'CallExpression':
      return liveHooks.has(calledName(node.callee));
    case 'JSXAttribute':
      return (
        node.name.type === 'JSXIdentifier' &&
        isLiveAttribute(node.name.name) &&
        node.value?.type === 'JSXExpressionContainer'
      );
    /** `createElement('button', { onClick })` */
    case 'Property':
      return (
        node.key.type === 'Identifier' && handlerName.test(node.key.name) && node.value.type !== 'Literal'
      );
    case 'ClassDeclaration':
    case 'ClassExpression':
      return Boolean(node.superClass);
    case 'MemberExpression':
      return node.property.type === 'Identifier' && node.property.name === 'addEventListener';
    default:
      return false;
  }
}

function calledName(callee: Node): string {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
    ? callee.property.name
    : '';
}
