/** Opaque ids: a prefix for the kind and 16 random hexadecimal digits. Ids are not secret. */
import { randomBytes } from 'node:crypto';

export type IdPrefix =
  | 'se'
  | 'aj'
  | 'pr'
  | 'org'
  | 'key'
  | 'au'
  | 'wh'
  | 'whd'
  | 'msg'
  | 'pe'
  | 'dp'
  | 'di'
  | 'fe'
  | 'rt'
  | 'ae'
  | 'ar'
  | 'pul';

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}
