/** The paths of the operations, as the router needs them. */
import { operation, type OperationId } from '@docyard/api';
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';

/** Paths without a parameter first: what has its own path is not the name of a record. */
export function operationsByPath(ids: readonly OperationId[]): [path: string, ids: OperationId[]][] {
  const byPath = [...Map.groupBy(ids, (id) => operation(id).path)];
  return byPath.toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
}

export function refuseMethod(web: Web, ids: readonly OperationId[]): never {
  const methods = ids.flatMap((id) => {
    const { method } = operation(id);
    return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
  });
  const allow = methods.toSorted().join(', ');
  const message = `${web.req.method} is not possible here; ${allow} is.`;
  throw new Problem('method_not_allowed', message, { headers: { allow } });
}

export function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
