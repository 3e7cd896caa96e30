/** Writes the table of code themes from the themes that Shiki publishes. A test fails while the committed file is stale. */
import { writeFile } from 'node:fs/promises';
import {
  codeThemesFile,
  codeThemesSource,
  publishedCodeThemes,
} from '../packages/render/test/support/published-themes.ts';

await writeFile(codeThemesFile, codeThemesSource(await publishedCodeThemes()));
