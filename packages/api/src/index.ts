/**
 * The wire contract: schemas, the table of operations, the OpenAPI document and the typed client.
 */
export { placeInDashboard } from './dashboard-place.ts';
export { patchType } from './agent-operations.ts';
export { auditFormats } from './audit-operations.ts';
export * from './client.ts';
export * from './errors.ts';
export * from './insight-schemas.ts';
export { buildOpenApi } from './openapi.ts';
export * from './review-schemas.ts';
export * from './routes.ts';
export * from './run-export.ts';
export * from './schemas.ts';
export * from './scopes.ts';
export * from './verify-webhook.ts';
export * from './wait.ts';
