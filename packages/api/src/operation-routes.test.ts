import { expect, it } from 'vitest';
import { routeOf } from './operation-route.ts';
import { operationRoutes } from './operation-routes.ts';
import { operation, operationIds } from './routes.ts';

it('the routes of the client are those of the table of operations', () => {
  const current = Object.fromEntries(operationIds.map((id) => [id, routeOf(operation(id))]));
  expect(operationRoutes, 'Run npm run openapi').toEqual(current);
});
