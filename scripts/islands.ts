/**
 * Writes the script that makes islands live in exported pages, from its source and Preact: one classic script, as pages
 * opened from disk need it. A test fails while the committed file is stale.
 */
import { writeFile } from 'node:fs/promises';
import { bundleIslandScript, islandScriptFile } from '../packages/render/test/support/island-bundle.ts';

await writeFile(islandScriptFile, await bundleIslandScript());
