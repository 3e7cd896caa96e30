/** Build plugin: replaces the schemas of `@docyard/api` with plain constants, because the server validates all input. */
import { operation, operationIds } from '@docyard/api';
import type { Plugin } from 'vite';

const replaced = /\/packages\/api\/src\/((?:[\w-]+-)?(?:schemas|operations)|scopes|openapi|routes)\.ts$/;

export function omitSchemas(): Plugin {
  return {
    name: 'omit-schemas',
    enforce: 'pre',
    async load(file) {
      const [, name] = replaced.exec(file) ?? [];
      if (name === undefined) return undefined;
      return name === 'routes' ? operationTable() : constantsOf((await import(file)) as object);
    },
  };
}

function operationTable(): string {
  const entries = operationIds.map((id) => {
    const { method, path, success } = operation(id);
    return [id, { method, path, success: { kind: success.kind } }];
  });
  return `const operations = ${JSON.stringify(Object.fromEntries(entries))};
export const operation = (id) => operations[id];`;
}

/** Plain data and functions of a module. A function may depend only on its own exports. */
function constantsOf(module: object): string {
  return Object.entries(module)
    .filter(([, value]) => typeof value === 'function' || isPlain(value))
    .map(([name, value]) => `export const ${name} = ${serialize(value)};`)
    .join('\n');
}

function serialize(value: unknown): string {
  return typeof value === 'function' ? String(value) : JSON.stringify(value);
}

/** Whether a value is plain data. Schemas are class instances. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null) return true;
  const isOurs = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isOurs && !('_zod' in value) && Object.values(value).every(isPlain);
}
