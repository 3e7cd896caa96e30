/** The part of an operation that the client needs. It has no schema, so that a bundle of the client does not contain zod. */
import type { z } from 'zod';
import type { Operation } from './operation.ts';

export interface OperationRoute {
  method: Operation['method'];
  path: string;
  success: Operation['success']['kind'];
  keepsNoAnswer?: true;
  /** A second status with the same body. An error response of a proxy lacks the fields. */
  alsoStatus?: { status: number; fields: readonly string[] };
}

export function routeOf({ method, path, success, keepsNoAnswer, alsoStatus }: Operation): OperationRoute {
  const fields = 'schema' in success ? requiredFields(success.schema) : [];
  return {
    method,
    path,
    success: success.kind,
    ...(keepsNoAnswer && { keepsNoAnswer }),
    ...(alsoStatus !== undefined && { alsoStatus: { status: alsoStatus, fields } }),
  };
}

function requiredFields(schema: z.ZodType): string[] {
  const { shape = {} } = schema as Partial<z.ZodObject>;
  return Object.entries(shape).flatMap(([name, part]) =>
    (part as z.ZodType).safeParse(undefined).success ? [] : [name],
  );
}
