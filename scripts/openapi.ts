/**
 * Writes docs/openapi.json from the table of operations. A test fails while the committed file is stale.
 */
import { writeFile } from 'node:fs/promises';
import { buildOpenApi } from '../packages/api/src/openapi.ts';

await writeFile(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
);
