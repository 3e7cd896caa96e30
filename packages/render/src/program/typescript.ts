/** Removes the types from TypeScript; JSX stays. The native compiler is loaded for the first such file. */
import { createRequire } from 'node:module';
import type * as Oxc from 'oxc-transform';
import { CompileError } from './syntax.ts';

export interface PlainScript {
  code: string;
  /** The author's line of each line of `code`; absent when they are equal. */
  lines?: number[];
}

export function withoutTypes(source: string, file: string): PlainScript {
  const lang = /\.(tsx?)$/.exec(file)?.[1];
  if (lang !== 'ts' && lang !== 'tsx') return { code: source };
  refuseDepth(source);
  const { code, errors, map } = compiler().transformSync(file, source, {
    lang,
    jsx: 'preserve',
    sourceType: 'module',
    sourcemap: true,
    target: 'es2022',
  });
  const error = errors.find(({ severity }) => (severity as string) === 'Error');
  if (error) throw compileError(error, source);
  return { code, lines: map ? linesOf(map.mappings) : [] };
}

let loaded: typeof Oxc | undefined;

function compiler(): typeof Oxc {
  loaded ??= createRequire(import.meta.url)('oxc-transform') as typeof Oxc;
  return loaded;
}

const maxLength = 256 * 1024;

/**
 * The native compiler is recursive, and a stack overflow there ends the process. The estimate assumes the
 * worst case: everything that can nest is nested. Each entry is the stack in KB that one level takes, rounded
 * up.
 */
const stackKb: readonly [RegExp, number][] = [
  [/[([{<]/g, 2.5],
  [/[?!~:=]|\b(?:if|else|new|typeof|void|delete|await|keyof|infer|extends|do|for|while)\b/g, 0.8],
  [/[.+\-*/%&|]/g, 0.3],
];
const maxStackKb = 7000;

function refuseDepth(source: string): void {
  /** `namespace a.b.c` is three nested namespaces. */
  const dotKb = /\b(?:namespace|module)\b/.test(source) ? 0.8 : 0;
  const levels: typeof stackKb = [...stackKb, [/\./g, dotKb]];
  const needed = levels.reduce((sum, [pattern, kb]) => sum + (source.match(pattern)?.length ?? 0) * kb, 0);
  if (source.length > maxLength || needed > maxStackKb)
    throw new CompileError('the file contains too much TypeScript to compile; split it', 1, 1);
}

function compileError({ message, labels }: Oxc.OxcError, source: string): CompileError {
  /** The compiler reports positions in bytes of UTF-8. */
  const before = Buffer.from(source)
    .subarray(0, labels[0]?.start ?? 0)
    .toString('utf8')
    .split('\n');
  return new CompileError(message, before.length, (before.at(-1)?.length ?? 0) + 1);
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Maps each line to the source line of its first segment, or to the previous line's. */
function linesOf(mappings: string): number[] {
  let authorLine = 0;
  let last = 1;
  return mappings.split(';').map((group) => {
    let first: number | undefined;
    for (const segment of group.split(',')) {
      if (segment === '') continue;
      authorLine += numbersOf(segment)[2] ?? 0;
      first ??= authorLine + 1;
    }
    last = first ?? last;
    return last;
  });
}

/** Base64 VLQ. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const bits = base64.indexOf(letter);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
