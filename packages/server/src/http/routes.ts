import { operation, type OperationId } from '@docyard/api';
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';

/** Paths without parameters come first, because they would otherwise match a parameter. */
export function operationsByPath(ids: readonly OperationId[]): [path: string, ids: OperationId[]][] {
  const byPath = new Map<string, OperationId[]>();
  for (const id of ids) {
    const { path, deprecatedPath = path } = operation(id);
    for (const each of new Set([path, deprecatedPath])) byPath.set(each, [...(byPath.get(each) ?? []), id]);
  }
  return [...byPath].toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
}

export function refuseMethod(web: Web, ids: readonly OperationId[]): never {
  const methods = ids.flatMap((id) => {
    const { method } = operation(id);
    return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  });
  const allow = methods.toSorted().join(', ');
  const message = `${web.req.method} is not allowed here. Use ${allow}.`;
  throw new Problem('method_not_allowed', message, { headers: { allow } });
}

export function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
