/**
 * The first moment of a process that exports: a process for its pages begins to load at once, beside it, and not only when
 * it has read the site. It must not load anything else before that.
 */
import { prepareRenderProcesses } from '@docyard/render/render-processes';

prepareRenderProcesses(1);
await import('./child.ts');
