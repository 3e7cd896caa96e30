/** File access of tools: text only, no overwriting of unread files, nothing outside the scope of the job. */
import { createHash } from 'node:crypto';
import type { FileChange, ToolContext } from '../contract.ts';
import { nearestPaths } from './similarity.ts';
import { ToolError } from './tool.ts';

const byteOrderMark = '\ufeff';

/** Keeps line endings and the byte order mark. */
export async function readText(context: ToolContext, path: string): Promise<string> {
  const bytes = await context.tree.read(path);
  if (bytes === undefined) throw await missingFile(context, path);
  const text = decode(bytes);
  if (text === undefined) {
    throw new ToolError(
      `${path} is not a text file (${bytes.length} bytes). It cannot be read or edited, but pages may link to it.`,
    );
  }
  if (text.startsWith('version https://git-lfs.github.com/spec/')) {
    throw new ToolError(
      `${path} is stored in Git LFS; its content cannot be read or edited. Leave it unchanged.`,
    );
  }
  return text;
}

export async function textIfAny(context: ToolContext, path: string): Promise<string | undefined> {
  const bytes = await context.tree.read(path);
  return bytes && decode(bytes);
}

function decode(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function missingFile(context: ToolContext, path: string): Promise<ToolError> {
  const paths = (await context.tree.list()).map((file) => file.path);
  const near = nearestPaths(path, paths);
  const isCode = context.code?.repositories.some(({ name }) => path.startsWith(`${name}/`)) ?? false;
  const nearest = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'List the files to find it.';
  const advice = isCode ? `Code is read with read_code. ${nearest}` : nearest;
  return new ToolError(`${path} does not exist. ${advice}`);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function isInScope(context: ToolContext, path: string): boolean {
  const scopes = context.scopePaths.map((scope) => scope.replace(/\/+$/, ''));
  return scopes.length === 0 || scopes.some((scope) => path === scope || path.startsWith(`${scope}/`));
}

export function requireInScope(context: ToolContext, path: string): void {
  if (isInScope(context, path)) return;
  throw new ToolError(
    `${path} is outside the scope of this job: ${context.scopePaths.join(', ')}. Leave it unchanged.`,
  );
}

/** Atomic: after a refusal, earlier writes are undone. A file that was seen stays seen. */
export async function writeAll(context: ToolContext, changes: readonly FileChange[]): Promise<FileChange[]> {
  for (const { path } of changes) requireInScope(context, path);
  const before: FileChange[] = [];
  try {
    for (const change of changes) {
      const content = (await textIfAny(context, change.path)) ?? null;
      await put(context, change);
      before.unshift({ path: change.path, content });
    }
  } catch (error) {
    for (const change of before) await put(context, change);
    throw error;
  }
  for (const [index, { path, content }] of changes.entries()) {
    const wasThere = before[changes.length - 1 - index]?.content !== null;
    if (content === null) context.seen.delete(path);
    else if (!wasThere || context.seen.has(path)) context.seen.set(path, hashOf(content));
  }
  return [...changes];
}

function put({ tree }: ToolContext, { path, content }: FileChange): Promise<void> {
  return content === null ? tree.remove(path) : tree.write(path, content);
}

export function inStyleOf(file: string, text: string): string {
  const plain = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  const mark = file.startsWith(byteOrderMark) ? byteOrderMark : '';
  return mark + withLineEndingsOf(file, plain);
}

export function withLineEndingsOf(file: string, text: string): string {
  const windows = file.split('\r\n').length - 1;
  const all = file.split('\n').length - 1;
  return windows > all / 2 ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}

export function linesOf(text: string): string[] {
  const plain = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  const lines = plain.split(/\r\n|\n/);
  return lines.at(-1) === '' && lines.length > 1 ? lines.slice(0, -1) : lines;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
