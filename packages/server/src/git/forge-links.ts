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

/** Undefined for a forge without an editor. The paths of files are appended. */
export function forgeLinks({ kind, repository, branch, directory }: EditedFolder): ForgeLinks | undefined {
  if (!URL.canParse(repository)) return undefined;
  const url = new URL(repository);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  const home = [url.origin, ...segmentsOf(url.pathname)].join('/').replace(/\.git$/, '');
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

function encodedPath(path: string): string {
  return segmentsOf(path).map(encodeURIComponent).join('/');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}
