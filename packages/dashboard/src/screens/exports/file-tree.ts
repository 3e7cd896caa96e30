/** Converts the file list of a manifest into a tree with folder sizes. */
import type { Manifest } from '@docyard/api';

export type ManifestFile = Manifest['files'][number];

export interface Folder {
  name: string;
  /** With a trailing slash; empty for the root. */
  path: string;
  sizeBytes: number;
  fileCount: number;
  folders: Folder[];
  files: ManifestFile[];
}

export function treeOf(files: readonly ManifestFile[]): Folder {
  const root = emptyFolder('', '');
  const byPath = new Map([['', root]]);
  for (const file of files) {
    for (const folder of foldersOf(file.path, byPath)) {
      folder.sizeBytes += file.sizeBytes;
      folder.fileCount += 1;
    }
    byPath.get(file.path.slice(0, file.path.lastIndexOf('/') + 1))?.files.push(file);
  }
  for (const folder of byPath.values()) {
    folder.folders.sort((a, b) => compare(a.name, b.name));
    folder.files.sort((a, b) => compare(a.path, b.path));
  }
  return root;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function foldersOf(path: string, byPath: Map<string, Folder>): Folder[] {
  const onTheWay: Folder[] = [];
  let parent = byPath.get('');
  if (parent !== undefined) onTheWay.push(parent);
  for (
    let slash = path.indexOf('/');
    slash !== -1 && parent !== undefined;
    slash = path.indexOf('/', slash + 1)
  ) {
    const folderPath = path.slice(0, slash + 1);
    let folder = byPath.get(folderPath);
    if (folder === undefined) {
      folder = emptyFolder(nameOf(path.slice(0, slash)), folderPath);
      byPath.set(folderPath, folder);
      parent.folders.push(folder);
    }
    onTheWay.push(folder);
    parent = folder;
  }
  return onTheWay;
}

function emptyFolder(name: string, path: string): Folder {
  return { name, path, sizeBytes: 0, fileCount: 0, folders: [], files: [] };
}

/** By code unit, like the files of the bundle. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
