/**
 * Bundles the islands script of exported pages from its source and Preact. It is a classic script, because modules do not load
 * from disk.
 */
import { writeFile } from 'node:fs/promises';
import { bundleIslandScript, islandScriptFile } from '../packages/render/test/support/island-bundle.ts';

await writeFile(islandScriptFile, await bundleIslandScript());
