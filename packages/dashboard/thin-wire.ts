/**
 * A part of the build: of the package with the wire, the dashboard is given addresses, lists and the client, and no schema. The
 * server checks what it is sent; the schemas and the library they are made with would be a sixth of the dashboard (41 kB of
 * 260, compressed).
 */
import { operation, operationIds } from '@docyard/api';
import type { Plugin } from 'vite';

const replaced = /\/packages\/api\/src\/((?:[\w-]+-)?(?:schemas|operations)|scopes|openapi|routes)\.ts$/;

export function thinWire(): Plugin {
  return {
    name: 'thin-wire',
    enforce: 'pre',
    async load(file) {
      const [, name] = replaced.exec(file) ?? [];
      if (name === undefined) return undefined;
      return name === 'routes' ? tableOfOperations() : constantsOf((await import(file)) as object);
    },
  };
}

/** As much of each operation as a caller needs. */
function tableOfOperations(): string {
  const entries = operationIds.map((id) => {
    const { method, path, success } = operation(id);
    return [id, { method, path, success: { kind: success.kind } }];
  });
  return `const operations = ${JSON.stringify(Object.fromEntries(entries))};
export const operation = (id) => operations[id];`;
}

/** The lists and functions among the exports of a module; a function must need nothing else of it to be of use. */
function constantsOf(module: object): string {
  return Object.entries(module)
    .filter(([, value]) => typeof value === 'function' || isPlain(value))
    .map(([name, value]) => `export const ${name} = ${written(value)};`)
    .join('\n');
}

function written(value: unknown): string {
  return typeof value === 'function' ? String(value) : JSON.stringify(value);
}

/** Whether it is data through and through. Schemas are objects of a class, with functions in them. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null) return true;
  const isOurs = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isOurs && !('_zod' in value) && Object.values(value).every(isPlain);
}
