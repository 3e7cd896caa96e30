/**
 * Writes docs/openapi.json and the routes of the client from the table of operations. Tests fail while a committed file is stale.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildOpenApi } from '../packages/api/src/openapi.ts';
import { routeOf } from '../packages/api/src/operation-route.ts';
import { operation, operationIds } from '../packages/api/src/routes.ts';

await writeFile(
  new URL('../docs/openapi.json', import.meta.url),
  `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
);

const routes = Object.fromEntries(operationIds.map((id) => [id, routeOf(operation(id))]));
const routesFile = fileURLToPath(new URL('../packages/api/src/operation-routes.ts', import.meta.url));
await writeFile(
  routesFile,
  `/** Written by \`npm run openapi\` from the table of operations. Do not edit. */
import type { OperationRoute } from './operation-route.ts';
import type { OperationId } from './routes.ts';

export const operationRoutes: Readonly<Record<OperationId, OperationRoute>> = ${JSON.stringify(routes)};
`,
);
execFileSync('oxfmt', [routesFile], { stdio: 'inherit' });
