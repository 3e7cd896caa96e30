/**
 * Writes the docs files as a git tree of the whole repository and compares trees. Content outside the docs
 * folder is taken from the base and never read.
 */
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { DiffFile } from '../contract.ts';
import { entryAt, modes, parseEntries, type Repository } from './repository.ts';
import { gitFoldersIn } from './tree.ts';

/** Resolves with the tree hash. Ignored files are included, so nothing that an agent wrote is lost silently. */
export async function snapshot(repo: Repository, baseTree: string): Promise<string> {
  // Git would record a folder with a `.git` as a submodule and drop its files.
  for (const path of await gitFoldersIn(repo.tree)) {
    await rm(join(repo.tree, path), { recursive: true, force: true });
  }
  await repo.git(['add', '--all', '--force']);
  const written = String(await repo.git(['write-tree', '--missing-ok'])).trim();
  if (repo.directory === null) return written;
  const docs = (await entryAt(repo, written, repo.directory))?.oid ?? (await emptyTree(repo));
  return replaceFolder(repo, baseTree, repo.directory.split('/'), docs);
}

async function replaceFolder(repo: Repository, tree: string, names: string[], by: string): Promise<string> {
  const [name, ...rest] = names;
  if (name === undefined) return by;
  const entries = parseEntries(await repo.git(['ls-tree', '-z', tree]));
  const folder = entries.find(({ path }) => path === name)?.oid ?? (await emptyTree(repo));
  const replaced = await replaceFolder(repo, folder, rest, by);
  const lines = entries.map(
    ({ mode, type, oid, path }) => `${mode} ${type} ${path === name ? replaced : oid}\t${path}\0`,
  );
  return String(await repo.git(['mktree', '-z', '--missing'], { input: lines.join('') })).trim();
}

async function emptyTree(repo: Repository): Promise<string> {
  return String(await repo.git(['mktree'], { input: '' })).trim();
}

const plainDiff = ['-r', '--find-renames', '--no-ext-diff', '--no-textconv', '--no-color', '--full-index'];
const maxPatchBytes = 16_000_000;

/** Paths of files are relative to the docs folder, paths in the patch to the repository. */
export async function compare(
  repo: Repository,
  before: string,
  after: string,
): Promise<{ files: DiffFile[]; patch: string }> {
  // Files outside the docs folder may not have been fetched.
  const inside = [before, after, '--', ...(repo.directory === null ? [] : [repo.directory])];
  const [raw, counts, patch] = [
    await repo.git(['diff-tree', ...plainDiff, '--raw', '-z', ...inside]),
    await repo.git(['diff-tree', ...plainDiff, '--numstat', '-z', ...inside]),
    await repo.git(['diff-tree', ...plainDiff, '--patch', ...inside], { outputBytes: maxPatchBytes }),
  ];
  const changes = parseRaw(raw.toString());
  const lines = parseCounts(counts.toString());
  const texts = await readTexts(repo, changes);
  const start = repo.directory === null ? 0 : repo.directory.length + 1;
  const files = changes.map((change): DiffFile => {
    const { path, from, status, oldMode, newMode } = change;
    const count = lines.get(path);
    const [was, is] = [texts.get(change.oldOid), texts.get(change.newOid)];
    return {
      path: path.slice(start),
      from: from === null ? null : from.slice(start),
      status,
      oldMode,
      newMode,
      isBinary: count === undefined || was === 'binary' || is === 'binary',
      addedLines: count?.added ?? 0,
      removedLines: count?.removed ?? 0,
      before: typeof was === 'object' ? was.text : null,
      after: typeof is === 'object' ? is.text : null,
    };
  });
  return { files: [...files, ...(await changesOutside(repo, before, after))], patch: patch.toString() };
}

/**
 * A branch may hold changes by users outside the docs folder. Their paths start with `..` and their content is
 * not read.
 */
async function changesOutside(repo: Repository, before: string, after: string): Promise<DiffFile[]> {
  const { directory } = repo;
  if (directory === null) return [];
  const raw = await repo.git(['diff-tree', '-r', '--no-renames', '--raw', '-z', before, after]);
  return parseRaw(raw.toString())
    .filter(({ path }) => !path.startsWith(`${directory}/`))
    .map(({ path, status, oldMode, newMode }) => ({
      path: posix.relative(directory, path),
      from: null,
      status,
      oldMode,
      newMode,
      isBinary: true,
      addedLines: 0,
      removedLines: 0,
      before: null,
      after: null,
    }));
}

interface Change extends Pick<DiffFile, 'path' | 'from' | 'status' | 'oldMode' | 'newMode'> {
  oldOid: string;
  newOid: string;
}

export function parseRaw(output: string): Change[] {
  const fields = output.split('\0');
  const changes: Change[] = [];
  while (fields.length > 1) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = '', letter = ''] =
      fields.shift()?.slice(1).split(' ') ?? [];
    const from = letter.startsWith('R') ? (fields.shift() ?? '') : null;
    const path = fields.shift() ?? '';
    const status = letter.startsWith('R') ? 'moved' : (statuses[letter] ?? 'modified');
    changes.push({ path, from, status, oldMode, newMode, oldOid, newOid });
  }
  return changes;
}

const statuses: Record<string, DiffFile['status']> = { A: 'added', D: 'removed' };

/** Git prints dashes for binary files, which are not counted. */
function parseCounts(output: string): Map<string, { added: number; removed: number }> {
  const fields = output.split('\0');
  const counts = new Map<string, { added: number; removed: number }>();
  while (fields.length > 1) {
    const [added = '-', removed = '-', name = ''] = fields.shift()?.split('\t') ?? [];
    if (name === '') fields.shift();
    const path = name === '' ? (fields.shift() ?? '') : name;
    if (added !== '-') counts.set(path, { added: Number(added), removed: Number(removed) });
  }
  return counts;
}

type Content = { text: string } | 'binary';

/** Submodules have no text. */
async function readTexts(repo: Repository, changes: Change[]): Promise<Map<string, Content>> {
  const oids = new Set<string>();
  for (const { oldMode, oldOid, newMode, newOid } of changes) {
    if (isFile(oldMode)) oids.add(oldOid);
    if (isFile(newMode)) oids.add(newOid);
  }
  const output = await repo.git(['cat-file', '--batch'], { input: [...oids].join('\n') });
  const texts = new Map<string, Content>();
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf('\n', at);
    const [oid = '', , size = '0'] = output.subarray(at, end).toString().split(' ');
    const from = end + 1;
    at = from + Number(size) + 1;
    texts.set(oid, textOf(output.subarray(from, at - 1)));
  }
  return texts;
}

function isFile(mode: string): boolean {
  return mode !== '000000' && mode !== modes.submodule;
}

function textOf(bytes: Buffer): Content {
  if (bytes.includes(0)) return 'binary';
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return 'binary';
  }
}
