/**
 * Turns the files that lie in the tree into a git tree of the whole repository, and tells how it differs from the base.
 * What stands outside the docs folder is taken from the base by its name and never looked at.
 */
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { DiffFile } from '../contract.ts';
import { entryAt, modes, parseEntries, type Repository } from './repository.ts';
import { gitFoldersIn } from './tree.ts';

/** The name of the tree. Ignored files count too: nothing an agent wrote may be lost without a word. */
export async function snapshot(repo: Repository, baseTree: string): Promise<string> {
  // git would take a folder with a `.git` for a submodule, and what lies in it would be lost.
  for (const path of await gitFoldersIn(repo.tree)) {
    await rm(join(repo.tree, path), { recursive: true, force: true });
  }
  await repo.git(['add', '--all', '--force']);
  const written = String(await repo.git(['write-tree', '--missing-ok'])).trim();
  if (repo.directory === null) return written;
  const docs = (await entryAt(repo, written, repo.directory))?.oid ?? (await emptyTree(repo));
  return replaceFolder(repo, baseTree, repo.directory.split('/'), docs);
}

/** The same tree with another one in the place of a folder. */
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
const mostPatchBytes = 16_000_000;

/** Paths of files are relative to the docs folder; those in the patch to the repository, so that it can be applied. */
export async function compare(
  repo: Repository,
  before: string,
  after: string,
): Promise<{ files: DiffFile[]; patch: string }> {
  // Files outside of the docs may not have been fetched, so git must not look into them.
  const inside = [before, after, '--', ...(repo.directory === null ? [] : [repo.directory])];
  const [raw, counts, patch] = [
    await repo.git(['diff-tree', ...plainDiff, '--raw', '-z', ...inside]),
    await repo.git(['diff-tree', ...plainDiff, '--numstat', '-z', ...inside]),
    await repo.git(['diff-tree', ...plainDiff, '--patch', ...inside], { outputBytes: mostPatchBytes }),
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

/** No run makes any; a branch may hold those of people. They are named, with `..` in front, and not read. */
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

/** `:mode mode oid oid status NUL path NUL`, with two paths when the file was moved. */
function parseRaw(output: string): Change[] {
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

/** Only files of text are counted: git writes dashes for others. */
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

/** Every file before and after in one go. Names of commits, which submodules are, have no text. */
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
