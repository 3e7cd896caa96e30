/**
 * Resolves names in an author's code to their declarations by the rules of strict modules: functions in
 * blocks are block-scoped, `var` is function-scoped. The temporal dead zone is ignored.
 */
import type {
  ArrowFunctionExpression,
  Class,
  FunctionDeclaration,
  FunctionExpression,
  Identifier,
  ImportDeclaration,
  JSXElement,
  JSXIdentifier,
  Node,
  Pattern,
  Program,
  SwitchStatement,
} from 'estree-jsx';
import { type Reference, type Scopes, beginningOf, rootOfName } from './references.ts';
import { forEachChild } from './syntax.ts';

export function analyseScopes(program: Program): Scopes {
  return new Analysis().run(program);
}

class Scope {
  readonly names = new Set<string>();
  readonly uses = new Map<string, Reference[]>();
  readonly parent: Scope | undefined;
  /** The scope that receives `var` declarations. */
  readonly holder: Scope;

  constructor(parent: Scope | undefined, holds: boolean) {
    this.parent = parent;
    this.holder = holds || !parent ? this : parent.holder;
  }

  /** All names of a scope are known at its end; unresolved references move to the parent. */
  close(): void {
    for (const [name, references] of this.uses) {
      if (this.names.has(name)) continue;
      const outer = this.parent?.uses.get(name) ?? [];
      /** Merging the shorter list into the longer one keeps the cost near linear at any depth. */
      const [shorter, longer] = outer.length < references.length ? [outer, references] : [references, outer];
      for (const reference of shorter) longer.push(reference);
      this.parent?.uses.set(name, longer);
    }
  }
}

type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression;

class Analysis {
  readonly #top: Scopes['top'] = new Map();
  readonly #topScope = new Scope(undefined, true);
  readonly #afterNew = new Set<Node>();
  readonly #declared: string[][] = [];
  #statement = 0;

  run(program: Program): Scopes {
    for (const step of ['declare', 'visit'] as const)
      program.body.forEach((node, index) => {
        this.#statement = index;
        this.#declared[index] ??= [];
        if (step === 'declare') this.#declareStatement(node, this.#topScope);
        else this.#visit(node, this.#topScope);
      });
    return { top: this.#top, declared: this.#declared, references: [...this.#topScope.uses.values()].flat() };
  }

  #inside(parent: Scope, holds: boolean, work: (scope: Scope) => void): void {
    const scope = new Scope(parent, holds);
    work(scope);
    scope.close();
  }

  #declare(name: string, scope: Scope): void {
    scope.names.add(name);
    if (scope !== this.#topScope) return;
    this.#declared[this.#statement]?.push(name);
    if (!this.#top.has(name)) this.#top.set(name, undefined);
  }

  /** Declarations first: they are visible in the whole block. */
  #statements(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.#declareStatement(node, scope);
    for (const node of nodes) this.#visit(node, scope);
  }

  #declareStatement(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'VariableDeclaration':
        if (node.kind !== 'var') for (const { id } of node.declarations) this.#declarePattern(id, scope);
        return;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (node.id) this.#declare(node.id.name, scope);
        return;
      case 'ImportDeclaration':
        return this.#declareImport(node, scope);
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
        if (node.declaration) this.#declareStatement(node.declaration as Node, scope);
        return;
      case 'LabeledStatement':
        return this.#declareStatement(node.body, scope);
      default:
    }
  }

  #declareImport(node: ImportDeclaration, scope: Scope): void {
    const specifier = String(node.source.value);
    for (const item of node.specifiers) {
      this.#declare(item.local.name, scope);
      this.#top.set(item.local.name, { specifier, name: importedName(item) });
    }
  }

  #declarePattern(pattern: Pattern, scope: Scope): void {
    switch (pattern.type) {
      case 'Identifier':
        this.#declare(pattern.name, scope);
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties)
          this.#declarePattern(property.type === 'RestElement' ? property.argument : property.value, scope);
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element) this.#declarePattern(element, scope);
        return;
      case 'AssignmentPattern':
        return this.#declarePattern(pattern.left, scope);
      case 'RestElement':
        return this.#declarePattern(pattern.argument, scope);
      default:
    }
  }

  #visit(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'Identifier':
        return this.#refer(node, scope, 'read');
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          if (node.kind === 'var') this.#declarePattern(id, scope.holder);
          this.#pattern(id, scope, false);
          if (init) this.#visit(init, scope);
        }
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return this.#function(node, scope);
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.#class(node, scope);
      case 'StaticBlock':
        return this.#inside(scope, true, (inner) => this.#statements(node.body, inner));
      case 'BlockStatement':
        return this.#inside(scope, false, (inner) => this.#statements(node.body, inner));
      case 'SwitchStatement':
        this.#visit(node.discriminant, scope);
        return this.#inside(scope, false, (inner) => this.#switchCases(node, inner));
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
        return this.#inside(scope, false, (inner) => this.#loop(node, inner));
      case 'CatchClause':
        return this.#inside(scope, false, (inner) => {
          if (node.param) {
            this.#declarePattern(node.param, inner);
            this.#pattern(node.param, inner, false);
          }
          this.#visit(node.body, inner);
        });
      case 'LabeledStatement':
        return this.#visit(node.body, scope);
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return;
      case 'ExportNamedDeclaration':
        if (node.declaration) this.#visit(node.declaration, scope);
        if (!node.source)
          for (const { local } of node.specifiers)
            if (local.type === 'Identifier') this.#refer(local, scope, 'export');
        return;
      default:
        return this.#expression(node, scope);
    }
  }

  #expression(node: Node, scope: Scope): void {
    switch (node.type) {
      case 'MemberExpression':
        this.#visit(node.object, scope);
        if (node.computed) this.#visit(node.property, scope);
        return;
      case 'Property':
        if (node.computed) this.#visit(node.key, scope);
        if (node.shorthand && node.value.type === 'Identifier')
          return this.#refer(node.value, scope, 'read', true);
        return this.#visit(node.value, scope);
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.#visit(node.key, scope);
        /** A field's value is a function body: it cannot contain `var`, and has no `arguments`. */
        if (node.value) this.#visit(node.value, scope);
        return;
      case 'AssignmentExpression':
        this.#pattern(node.left, scope, true);
        return this.#visit(node.right, scope);
      case 'UpdateExpression':
        return this.#pattern(node.argument as Pattern, scope, true);
      case 'UnaryExpression':
        if (node.operator === 'typeof' && node.argument.type === 'Identifier')
          return this.#refer(node.argument, scope, 'typeof');
        return this.#visit(node.argument, scope);
      case 'NewExpression':
        this.#afterNew.add(beginningOf(node.callee));
        break;
      case 'JSXElement':
        return this.#element(node, scope);
      case 'JSXAttribute':
        if (node.value) this.#visit(node.value, scope);
        return;
      default:
    }
    forEachChild(node, (child) => this.#visit(child, scope));
  }

  #element(node: JSXElement, scope: Scope): void {
    const root = rootOfName(node);
    if (root) this.#refer(root, scope, 'element');
    for (const attribute of node.openingElement.attributes) this.#visit(attribute, scope);
    for (const child of node.children) this.#visit(child as Node, scope);
  }

  #function(node: FunctionNode, outer: Scope): void {
    if (node.type === 'FunctionExpression' && node.id) {
      const { name } = node.id;
      return this.#inside(outer, false, (scope) => {
        scope.names.add(name);
        this.#parametersAndBody(node, scope);
      });
    }
    this.#parametersAndBody(node, outer);
  }

  #parametersAndBody({ type, params, body }: FunctionNode, outer: Scope): void {
    this.#inside(outer, true, (scope) => {
      if (type !== 'ArrowFunctionExpression') scope.names.add('arguments');
      for (const param of params) this.#declarePattern(param, scope);
      for (const param of params) this.#pattern(param, scope, false);
      if (body.type !== 'BlockStatement') this.#visit(body, scope);
      else this.#inside(scope, true, (inner) => this.#statements(body.body, inner));
    });
  }

  #class(node: Class, outer: Scope): void {
    this.#inside(outer, false, (scope) => {
      if (node.id) scope.names.add(node.id.name);
      if (node.superClass) this.#visit(node.superClass, scope);
      for (const member of node.body.body) this.#visit(member, scope);
    });
  }

  #switchCases({ cases }: SwitchStatement, scope: Scope): void {
    for (const { consequent } of cases) for (const node of consequent) this.#declareStatement(node, scope);
    for (const { test, consequent } of cases) {
      if (test) this.#visit(test, scope);
      for (const node of consequent) this.#visit(node, scope);
    }
  }

  #loop(node: Extract<Node, { type: `For${string}` }>, scope: Scope): void {
    const head = node.type === 'ForStatement' ? node.init : node.left;
    if (head?.type === 'VariableDeclaration') this.#declareStatement(head, scope);
    if (head?.type === 'VariableDeclaration' || node.type === 'ForStatement') {
      if (head) this.#visit(head, scope);
    } else this.#pattern(head as Pattern, scope, true);
    forEachChild(node, (child) => {
      if (child !== head) this.#visit(child, scope);
    });
  }

  /** The left side of `=`: written names, and expressions within. */
  #pattern(pattern: Pattern, scope: Scope, writes: boolean): void {
    switch (pattern.type) {
      case 'Identifier':
        if (writes) this.#refer(pattern, scope, 'write');
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') this.#pattern(property.argument, scope, writes);
          else {
            if (property.computed) this.#visit(property.key, scope);
            this.#pattern(property.value, scope, writes);
          }
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element) this.#pattern(element, scope, writes);
        return;
      case 'AssignmentPattern':
        this.#pattern(pattern.left, scope, writes);
        return this.#visit(pattern.right, scope);
      case 'RestElement':
        return this.#pattern(pattern.argument, scope, writes);
      default:
        return this.#visit(pattern, scope);
    }
  }

  #refer(node: Identifier | JSXIdentifier, scope: Scope, use: Reference['use'], shorthand = false): void {
    const { name } = node;
    const afterNew = this.#afterNew.has(node);
    const reference = { node, name, use, statement: this.#statement, shorthand, afterNew };
    const known = scope.uses.get(name);
    if (known) known.push(reference);
    else scope.uses.set(name, [reference]);
  }
}

function importedName(item: ImportDeclaration['specifiers'][number]): string {
  if (item.type === 'ImportDefaultSpecifier') return 'default';
  if (item.type === 'ImportNamespaceSpecifier') return '*';
  return item.imported.type === 'Identifier' ? item.imported.name : String(item.imported.value);
}
