/** The file that a path means: models leave out extensions, and write addresses of pages and paths of the repository. */
import type { Tree } from '../contract.ts';

const pageFiles = ['.mdx', '.md', '/index.mdx', '/index.md'];

/**
 * The given path if the file exists or no single file is meant. `inAnyFolder` also finds the file if leading folders of
 * the path do not exist, such as the docs root or the base path of an address.
 */
export async function existingPath(
  tree: Tree,
  given: string,
  { inAnyFolder }: { inAnyFolder: boolean },
): Promise<string> {
  const isThere = await tree.read(given).then(
    (bytes) => bytes !== undefined,
    () => false,
  );
  if (isThere) return given;
  const paths = (await tree.list()).map(({ path }) => path);
  const byLowerCase = Map.groupBy(paths, (path) => path.toLowerCase());
  const wanted = plainPath(given).toLowerCase();
  for (const path of inAnyFolder ? [wanted, ...withoutFolders(paths, wanted)] : [wanted]) {
    const exact = byLowerCase.get(path);
    const stem = path.replace(/\.(?:mdx?|html)$/, '');
    const names = pageFiles.map((end) => (stem === '' ? end.replace(/^\//, '') : stem + end));
    const found = exact ?? names.flatMap((name) => byLowerCase.get(name) ?? []);
    const [only] = found;
    if (only !== undefined) return found.length === 1 ? only : given;
  }
  return given;
}

/**
 * The path of a file to write. A leading `/` means the docs root if the next folder exists there. Other absolute paths, such
 * as `/tmp/notes.mdx`, are returned unchanged and refused later.
 */
export async function newPath(tree: Tree, given: string): Promise<string> {
  const path = await existingPath(tree, given, { inAnyFolder: false });
  if (!path.startsWith('/')) return path;
  const [folder = '', ...rest] = path.slice(1).split('/');
  const isInDocs =
    rest.length === 0 || (await tree.list()).some((file) => file.path.startsWith(`${folder}/`));
  return isInDocs ? path.slice(1) : path;
}

/** The folder if it exists, or its last part that does. */
export function existingFolder(paths: readonly string[], folder: string): string {
  const isThere = (each: string): boolean =>
    paths.some((path) => path === each || path.startsWith(`${each}/`));
  if (folder === '' || isThere(folder)) return folder;
  return withoutFolders(paths, folder).find(isThere) ?? folder;
}

/** The path without leading folders that do not exist. */
function withoutFolders(paths: readonly string[], path: string): string[] {
  const shorter: string[] = [];
  const names = path.split('/');
  const folders = new Set(paths.map((each) => each.split('/', 1)[0]?.toLowerCase()));
  while (names.length > 1 && !folders.has(names.shift()?.toLowerCase())) shorter.push(names.join('/'));
  return shorter;
}

/** Without host, fragment and line number. */
function plainPath(given: string): string {
  const address = URL.canParse(given) && /^https?:/.test(given) ? new URL(given).pathname : given;
  const [path = ''] = address.split(/[?#]/, 1);
  return path
    .replace(/(?::\d{1,6}){1,2}$/, '')
    .replace(/^\/{1,9}/, '')
    .replace(/\/$/, '');
}
