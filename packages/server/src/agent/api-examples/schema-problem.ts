/** Why a value does not match a schema of an API description. Patterns and formats are not compared. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { isObject, objectIn, type Json } from './described-api.ts';

export type SchemaDirection = 'request' | 'response';

export function schemaProblem(
  document: Json,
  schema: unknown,
  { value, direction }: { value: unknown; direction: SchemaDirection },
): string | undefined {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    allErrors: true,
    verbose: true,
    logger: false,
  });
  // A pattern of an author could take forever.
  ajv.removeKeyword('pattern').removeKeyword('patternProperties');
  // References begin at the document. A property that no schema names was probably renamed.
  const closed = direction === 'request' ? { unevaluatedProperties: false } : {};
  let errors: ErrorObject[] | null | undefined;
  try {
    const validate = ajv.compile({ ...document, allOf: [schema], ...closed });
    validate(value);
    errors = validate.errors;
  } catch {
    // A description that cannot be compiled is reported by the renderer, if at all.
    return undefined;
  }
  const wrong = (errors ?? []).filter((error) => isWrong(error, direction));
  return wrong[0] === undefined ? undefined : textOf(wrong[0]);
}

/** Servers set properties that are read-only, and clients those that are write-only. */
function isWrong({ keyword, params, parentSchema }: ErrorObject, direction: SchemaDirection): boolean {
  const { properties, patternProperties } = objectIn(parentSchema);
  if (keyword === 'additionalProperties' && isObject(patternProperties)) return false;
  if (keyword !== 'required') return true;
  const { missingProperty } = params as { missingProperty?: string };
  const property = objectIn(objectIn(properties)[missingProperty ?? '']);
  return property[direction === 'request' ? 'readOnly' : 'writeOnly'] !== true;
}

function textOf({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, allowedValues } = params as {
    additionalProperty?: string;
    unevaluatedProperty?: string;
    allowedValues?: unknown[];
  };
  const extra = additionalProperty ?? unevaluatedProperty;
  const place = instancePath === '' ? 'the body' : instancePath.slice(1).replaceAll('/', '.');
  if (extra !== undefined) return `${place} has no property ${JSON.stringify(extra.slice(0, 100))}`;
  const values = allowedValues === undefined ? '' : `: ${JSON.stringify(allowedValues).slice(0, 300)}`;
  return `${place} ${message}${values}`;
}
