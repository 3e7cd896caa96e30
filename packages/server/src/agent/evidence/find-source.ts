/** Finds the lines that a source of evidence names. The text is by a model, so nothing in it is trusted. */
import type { Code, Tree } from '../contract.ts';
import type { EvidenceSource } from './evidence.ts';

export interface Library {
  code: Pick<Code, 'repositories' | 'tree'> | undefined;
  /** The pages with the change. */
  docs: Pick<Tree, 'read'>;
}

/** A text says what is wrong. */
export async function findSource(library: Library, given: string): Promise<EvidenceSource | string> {
  const [, place, from, to = from] = /^(.{1,1200})#L(\d{1,7})(?:-L?(\d{1,7}))?$/.exec(given.trim()) ?? [];
  if (place === undefined) return 'It names no lines. Write them as path#L10-L20.';
  const [fromLine, toLine] = [Number(from), Number(to)];
  if (fromLine < 1 || toLine < fromLine) return 'Its lines are not a range.';
  const located = locate(library, place);
  if (typeof located === 'string') return located;
  const { code, path } = located;
  const tree = code === null ? library.docs : library.code?.tree;
  const bytes = await tree?.read(code === null ? path : `${code.name}/${path}`).catch(() => undefined);
  if (bytes === undefined) return 'The file does not exist.';
  const lines = lineCount(bytes);
  if (lines === undefined) return 'The file is not text.';
  if (toLine > lines) return `The file has only ${lines} lines.`;
  return { code, path, fromLine, toLine };
}

function locate({ code }: Library, place: string): Pick<EvidenceSource, 'code' | 'path'> | string {
  const repositories = code?.repositories ?? [];
  const [, named, commit = '', path = ''] = /^([\w.-]{1,100})@([^:]{0,100}):(.*)$/s.exec(place) ?? [];
  if (named !== undefined) {
    const pinned = repositories.find(({ name }) => name === named);
    if (pinned === undefined) return 'The project has no context repository of this name.';
    const isPinned = /^[0-9a-f]{7,64}$/.test(commit) && pinned.commit.startsWith(commit);
    if (!isPinned) return `This run reads ${named} at ${pinned.commit.slice(0, 12)}.`;
    return { code: pinnedCode(pinned), path };
  }
  // As the tools write it.
  const pinned = repositories.find(({ name }) => place.startsWith(`${name}/`));
  if (pinned === undefined) return { code: null, path: place };
  return { code: pinnedCode(pinned), path: place.slice(pinned.name.length + 1) };
}

function pinnedCode({ name, repository, commit }: Code['repositories'][number]): EvidenceSource['code'] {
  return { name, repository, commit };
}

/** Undefined for a file that is not text. */
function lineCount(bytes: Uint8Array): number | undefined {
  if (bytes.includes(0)) return undefined;
  const breaks = bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  return bytes.length === 0 || bytes.at(-1) === 10 ? breaks : breaks + 1;
}
