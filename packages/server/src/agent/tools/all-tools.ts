import type { Tool, ToolContext } from '../contract.ts';
import { codeTools } from './code-tools.ts';
import { deleteFile } from './delete-file.ts';
import { diff } from './diff.ts';
import { editFile, multiEdit } from './edit-file.ts';
import { findPages } from './find-pages.ts';
import { finish, finishWithEvidence } from './finish.ts';
import { listFiles } from './list-files.ts';
import { movePage } from './move-page.ts';
import { outline } from './outline.ts';
import { pageInfo } from './page-info.ts';
import { readFile } from './read-file.ts';
import { renderPage } from './render-page.ts';
import { reportEvidence } from './report-evidence.ts';
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

interface Occasion extends Pick<ToolContext, 'code' | 'evidence'> {
  engine: 'builtin' | 'external';
}

/** Only what the run can use. An external agent has no `finish`, so it reports evidence with a tool. */
export function toolsFor({ code, evidence, engine }: Occasion): readonly Tool[] {
  const ofCode = code === undefined ? [] : codeTools(code);
  if (evidence === undefined) return [...tools.slice(0, -1), ...ofCode, finish];
  const last = engine === 'external' ? [reportEvidence, finish] : [finishWithEvidence];
  return [...tools.slice(0, -1), ...ofCode, ...last];
}
