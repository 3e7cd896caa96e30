/**
 * The first moment of a process that exports: a process for its pages begins to load at once, beside it, and not only when
 * it has read the site. It must not load anything else before that.
 */
import { fstatSync } from 'node:fs';
import { compileWhole } from '@docyard/render/process-settings';
import { prepareRenderProcesses } from '@docyard/render/render-processes';
import { openFiles } from './open-files.ts';

/** What some 4,000 pages leave: reading a larger site takes longer than a process for the pages needs to load. */
const largeMemoryBytes = 190e6;

if (!hasTime()) prepareRenderProcesses(1);
compileWhole();
await import('./child.ts');

/**
 * Where few pages are left to render and it will be a while until they are known, whoever starts first has the processors to
 * itself: three processes that load at once share two of them.
 */
function hasTime(): boolean {
  try {
    return fstatSync(openFiles.young).size > largeMemoryBytes;
  } catch {
    // There is no such file, and so no memory.
    return false;
  }
}
