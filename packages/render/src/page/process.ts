/**
 * The process that renders pages, in its first moment: what it renders them with is loaded after it was said how. It must not
 * load anything else.
 */
import { compileWhole } from '../process-settings.ts';

compileWhole();
await import('./work.ts');
