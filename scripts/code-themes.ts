/** Writes the table of code themes from the themes that Shiki publishes. A test fails while the committed file is stale. */
import { writeFile } from 'node:fs/promises';
import {
  codeThemesFile,
  codeThemesSource,
  publishedCodeThemes,
} from '../packages/render/src/highlight/published-themes-testing.ts';

await writeFile(codeThemesFile, codeThemesSource(await publishedCodeThemes()));
