/** Finds the regular expressions of all source files. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

export interface Pattern {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** AssemblyScript has no regular expressions; the islands and the ranking are made from sources that are checked. */
const leftOut = [
  'packages/render/assembly/',
  'packages/render/src/islands/files/islands.js',
  'packages/site/src/search/files/ranking.js',
];
const languages = { ts: 'ts', tsx: 'tsx', js: 'js', mjs: 'js' } as const;

export function findPatterns(root: string): Pattern[] {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listed.status !== 0) throw new Error(`Cannot list the source files: ${listed.stderr}`);
  return listed.stdout
    .split('\0')
    .filter((file) => !leftOut.some((prefix) => file.startsWith(prefix)))
    .flatMap((file) => patternsOf(root, file));
}

function patternsOf(root: string, file: string): Pattern[] {
  const lang = languages[file.slice(file.lastIndexOf('.') + 1) as keyof typeof languages];
  // Git lists a deleted file until its removal is staged.
  if (lang === undefined || !existsSync(join(root, file))) return [];
  const text = readFileSync(join(root, file), 'utf8');
  const found: Pattern[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const pattern = literalOf(node) ?? constructedOf(node);
    if (pattern !== undefined)
      found.push({ file, line: text.slice(0, (node as Node).start).split('\n').length, ...pattern });
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(text, { lang }, file));
  return found;
}

interface Node {
  type?: string;
  start?: number;
  value?: unknown;
  regex?: { pattern: string; flags: string };
  callee?: { name?: string };
  arguments?: Node[];
  quasis?: { value: { cooked: string; raw: string } }[];
  quasi?: Node;
}

function literalOf({ type, regex }: Node): Pick<Pattern, 'source' | 'flags'> | undefined {
  return type === 'Literal' && regex !== undefined
    ? { source: regex.pattern, flags: regex.flags }
    : undefined;
}

/** `new RegExp` with a constant pattern. */
function constructedOf(node: Node): Pick<Pattern, 'source' | 'flags'> | undefined {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
  const [source, flags] = node.callee?.name === 'RegExp' ? (node.arguments ?? []) : [];
  const text = source === undefined ? undefined : constantText(source);
  return text === undefined ? undefined : { source: text, flags: (flags && constantText(flags)) ?? '' };
}

function constantText({ type, value, quasis, quasi }: Node): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateLiteral' && quasis?.length === 1) return quasis[0]?.value.cooked;
  if (type === 'TaggedTemplateExpression' && quasi?.quasis?.length === 1) return quasi.quasis[0]?.value.raw;
  return undefined;
}
