import type { Tool } from '../contract.ts';
import { deleteFile } from './delete-file.ts';
import { diff } from './diff.ts';
import { editFile, multiEdit } from './edit-file.ts';
import { findPages } from './find-pages.ts';
import { finish } from './finish.ts';
import { listFiles } from './list-files.ts';
import { movePage } from './move-page.ts';
import { outline } from './outline.ts';
import { pageInfo } from './page-info.ts';
import { readFile } from './read-file.ts';
import { renderPage } from './render-page.ts';
import { search } from './search.ts';
import { validate } from './validate.ts';
import { writeFile } from './write-file.ts';

export const tools: readonly Tool[] = [
  outline,
  findPages,
  listFiles,
  readFile,
  search,
  pageInfo,
  editFile,
  multiEdit,
  writeFile,
  movePage,
  deleteFile,
  validate,
  renderPage,
  diff,
  finish,
];
