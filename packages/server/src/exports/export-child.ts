/**
 * The first moment of a process that exports: a process for its pages begins to load at once, beside it, and not only when
 * it has read the site. It must not load anything else before that.
 */
import { fstatSync } from 'node:fs';
import { prepareRenderProcesses } from '@docyard/render/render-processes';
import { openFiles } from './open-files.ts';

if (!mayRememberPages()) prepareRenderProcesses(1);
await import('./child.ts');

/** Then few pages are left to render, if any, and those who start first have the processors to themselves for a while. */
function mayRememberPages(): boolean {
  try {
    return fstatSync(openFiles.young).size > 0;
  } catch {
    // There is no such file, and so no memory.
    return false;
  }
}
