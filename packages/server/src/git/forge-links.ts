/** URLs at a forge that open the editor for a file, or a new issue. */
import type { ForgeLinks } from '@docyard/render';
import type { ForgeKind } from '../ports/forge.ts';

export interface EditedFolder {
  kind: ForgeKind;
  /** Address of the repository. */
  repository: string;
  branch: string;
  directory: string | null;
}

export interface LinesOfFile {
  kind: ForgeKind;
  repository: string;
  commit: string;
  path: string;
  fromLine: number;
  toLine: number;
}

/** The page of a forge that shows lines of a file; undefined for a forge without one. */
export function linesLink(lines: LinesOfFile): string | undefined {
  const { kind, repository, commit, fromLine, toLine } = lines;
  const home = homeOf(repository);
  if (home === undefined) return undefined;
  const path = encodedPath(lines.path);
  switch (kind) {
    case 'github':
      return `${home}/blob/${commit}/${path}#L${fromLine}-L${toLine}`;
    case 'gitlab':
      return `${home}/-/blob/${commit}/${path}#L${fromLine}-${toLine}`;
    case 'gitea':
      return `${home}/src/commit/${commit}/${path}#L${fromLine}-L${toLine}`;
    case 'bitbucket':
      return `${home}/src/${commit}/${path}#lines-${fromLine}:${toLine}`;
    default:
      return undefined;
  }
}

/** Undefined for a forge without an editor. The paths of files are appended. */
export function forgeLinks({ kind, repository, branch, directory }: EditedFolder): ForgeLinks | undefined {
  const home = homeOf(repository);
  if (home === undefined) return undefined;
  const ref = encodedPath(branch);
  const folder = directory === null ? '' : `${encodedPath(directory)}/`;
  switch (kind) {
    case 'github':
      return { edit: `${home}/edit/${ref}/${folder}`, newIssue: `${home}/issues/new?title=` };
    case 'gitlab':
      return { edit: `${home}/-/edit/${ref}/${folder}`, newIssue: `${home}/-/issues/new?issue[title]=` };
    case 'gitea':
      return { edit: `${home}/_edit/${ref}/${folder}`, newIssue: `${home}/issues/new?title=` };
    case 'bitbucket':
      return { edit: `${home}/src/${ref}/${folder}` };
    default:
      return undefined;
  }
}

/** The web page of the repository. */
function homeOf(repository: string): string | undefined {
  const url = URL.parse(repository);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  return [url.origin, ...segmentsOf(url.pathname)].join('/').replace(/\.git$/, '');
}

function encodedPath(path: string): string {
  return segmentsOf(path).map(encodeURIComponent).join('/');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}
