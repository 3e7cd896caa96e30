/** Writes the ranking of the search dialog as a module for the server of exported sites. A test fails while the committed file is stale. */
import { writeFile } from 'node:fs/promises';
import { rankingFile, rankingSource } from '../packages/site/test/support/ranking-source.ts';

await writeFile(rankingFile, await rankingSource());
