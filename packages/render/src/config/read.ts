/**
 * Finds and reads `docs.json`, else the older `mint.json`, with `$ref` files inlined. It never reads a file
 * outside of the site's folder.
 */
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type ParseError, createScanner, parse, printParseErrorCode } from 'jsonc-parser';
import { type Diagnostic, SiteLoadError, placeAt } from '../model/diagnostic.ts';
import { asObject } from './json.ts';
import { fromLegacyConfig } from './legacy-config.ts';
import { readInside } from './read-inside.ts';
import type { JsonObject } from '../model/json.ts';

export interface ConfigSource {
  /** Relative to the root; undefined when the site has no configuration. */
  file: string | undefined;
  text: string;
  config: JsonObject;
  diagnostics: Diagnostic[];
  parts?: { file: string; text: string }[];
}

const maxRefDepth = 20;
/** `$ref` files that include others several times grow exponentially. */
const maxRefs = 500;
const maxBytes = 10_000_000;

export async function readConfig(root: string): Promise<ConfigSource> {
  for (const file of ['docs.json', 'mint.json']) {
    const text = await readInside(root, join(root, file), maxBytes);
    if (text === undefined) continue;
    const diagnostics: Diagnostic[] = file === 'docs.json' ? await ignoredConfig(root) : [];
    const parts: { file: string; text: string }[] = [];
    const parsed = asObject(parseJson(text, file, diagnostics));
    if (!parsed) throw new SiteLoadError(notAnObject(file));
    const whole =
      asObject(await foldRefs(parsed, { root, file, chain: [file], diagnostics, parts })) ?? parsed;
    const config = file === 'mint.json' ? fromLegacyConfig(whole) : whole;
    parts.sort((a, b) => (a.file < b.file ? -1 : 1));
    return { file, text, config, diagnostics, parts };
  }
  return { file: undefined, text: '', config: {}, diagnostics: [] };
}

async function ignoredConfig(root: string): Promise<Diagnostic[]> {
  if ((await readInside(root, join(root, 'mint.json'), maxBytes)) === undefined) return [];
  return [
    {
      severity: 'info',
      code: 'config_older_ignored',
      message: 'mint.json is ignored because docs.json exists',
      file: 'mint.json',
      hint: 'Remove mint.json.',
    },
  ];
}

/** Comments and trailing commas are accepted with a warning because editors accept them in this file. */
function parseJson(text: string, file: string, diagnostics: Diagnostic[]): unknown {
  const errors: ParseError[] = [];
  const source = text.replace(/^\uFEFF/, ' ');
  const plain = plainJson(source);
  if (plain !== undefined) return plain;
  const deepest = tooDeepAt(source);
  if (deepest !== undefined) throw nestedTooDeeply(text, file, deepest);
  const value: unknown = parse(source, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (!first) {
    const strict: ParseError[] = [];
    parse(source, strict, { disallowComments: true });
    if (strict[0]) diagnostics.push(looseSyntax(text, file, strict[0].offset));
    return value;
  }
  const name = printParseErrorCode(first.error);
  throw new SiteLoadError({
    severity: 'error',
    code: 'config_syntax',
    message: `${file} is not valid JSON: ${jsonProblems[name] ?? name}`,
    file,
    ...placeAt(text, first.offset),
    hint: jsonHint(text, first.offset, name),
  });
}

function plainJson(source: string): unknown {
  // `JSON.parse` and the tolerant parser treat this key differently.
  if (source.includes('__proto__')) return undefined;
  try {
    const value: unknown = JSON.parse(source);
    return isDeeperThan(maxDepth, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

const maxDepth = 200;
/** `SyntaxKind` of jsonc-parser is a const enum, which isolated modules cannot import. */
const [openBrace, closeBrace, openBracket, closeBracket, endOfText] = [1, 2, 3, 4, 17];

/** The parser is recursive; deep nesting would exhaust the stack. */
function tooDeepAt(source: string): number | undefined {
  const scanner = createScanner(source, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== endOfText; token = scanner.scan()) {
    if (token === openBrace || token === openBracket) depth += 1;
    if (token === closeBrace || token === closeBracket) depth -= 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return undefined;
}

function nestedTooDeeply(text: string, file: string, offset: number): SiteLoadError {
  return new SiteLoadError({
    severity: 'error',
    code: 'config_syntax',
    message: `${file} is nested too deeply`,
    file,
    ...placeAt(text, offset),
    hint: 'Check for repeated opening brackets.',
  });
}

function looseSyntax(text: string, file: string, offset: number): Diagnostic {
  return {
    severity: 'warning',
    code: 'config_loose_syntax',
    message: `${file} contains a comment or a trailing comma, which JSON does not allow`,
    file,
    ...placeAt(text, offset),
    hint: 'Docyard accepts the file; other tools may reject it.',
  };
}

const jsonProblems: Record<string, string> = {
  InvalidSymbol: 'a word that is not JSON',
  InvalidNumberFormat: 'a malformed number',
  PropertyNameExpected: 'a property name was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing brace was expected',
  CloseBracketExpected: 'a closing bracket was expected',
  EndOfFileExpected: 'text after the end of the document',
  UnexpectedEndOfString: 'a string that is not closed',
  InvalidCharacter: 'a character that is not allowed here',
};

function jsonHint(text: string, offset: number, problem: string): string {
  const line = text.slice(0, offset).split('\n').length;
  if (problem === 'CommaExpected') return `Put a comma at the end of the entry before line ${line}.`;
  if (problem === 'UnexpectedEndOfString') return 'Close the string with a double quote on the same line.';
  if (problem === 'PropertyNameExpected' || problem === 'InvalidSymbol')
    return 'Property names and text need double quotes.';
  return `Check the brackets, commas and quotes around line ${line}.`;
}

function notAnObject(file: string): Diagnostic {
  return {
    severity: 'error',
    code: 'config_shape',
    message: `${file} must contain one JSON object`,
    file,
    line: 1,
    column: 1,
    hint: 'Start the file with { and end it with }.',
  };
}

interface RefContext {
  root: string;
  file: string;
  chain: string[];
  diagnostics: Diagnostic[];
  parts: { file: string; text: string }[];
}

async function foldRefs(value: unknown, context: RefContext): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => foldRefs(item, context)));
  const object = asObject(value);
  if (!object) return value;
  const ref = object['$ref'];
  if (typeof ref !== 'string') return foldProperties(object, context);
  const target = await readRef(ref, context);
  const own = asObject(await foldProperties(object, context)) ?? {};
  const siblings = Object.fromEntries(Object.entries(own).filter(([key]) => key !== '$ref'));
  const targetObject = asObject(target);
  return targetObject ? { ...targetObject, ...siblings } : target;
}

async function foldProperties(object: JsonObject, context: RefContext): Promise<JsonObject> {
  const entries = await Promise.all(
    Object.entries(object).map(async ([key, item]) => [key, await foldRefs(item, context)] as const),
  );
  return Object.fromEntries(entries);
}

async function readRef(ref: string, context: RefContext): Promise<unknown> {
  const path = resolve(context.root, dirname(context.file), ref);
  const file = relative(context.root, path).split(sep).join(posix.sep);
  const refuse = (message: string): undefined => {
    context.diagnostics.push({ severity: 'error', code: 'config_ref', message, file: context.file });
    return undefined;
  };
  if (file.startsWith('..')) return refuse(`$ref "${ref}" leaves the site's folder`);
  if (context.chain.includes(file)) return refuse(`$ref "${ref}" refers back to itself`);
  if (context.chain.length >= maxRefDepth) return refuse(`$ref "${ref}" is nested too deeply`);
  if (context.parts.length >= maxRefs) return undefined;
  const text = await readInside(context.root, path, maxBytes);
  if (text === undefined) return refuse(`$ref "${ref}" names a file that does not exist`);
  context.parts.push({ file, text });
  if (context.parts.length === maxRefs) refuse(`more than ${maxRefs} files are named by $ref`);
  return foldRefs(parseJson(text, file, context.diagnostics), {
    ...context,
    file,
    chain: [...context.chain, file],
  });
}
