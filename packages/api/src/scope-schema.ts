import * as z from 'zod';
import { currentScope, deprecatedScopes, scopes } from './scopes.ts';

/** Accepts deprecated names and returns the current ones. */
export const Scope = z
  .enum([...scopes, ...deprecatedScopes.keys()], `Use one of these scopes: ${scopes.join(', ')}.`)
  .transform(currentScope)
  .meta({ id: 'Scope', enum: scopes });
export type Scope = z.output<typeof Scope>;
