/** Query parameters that lists share: search, order, and records by id. */
import { z } from 'zod';

const maxSearchLength = 100;
const maxIds = 100;

export const Search = z
  .string()
  .trim()
  .min(1)
  .max(maxSearchLength)
  .regex(/^\P{Cc}*$/u, 'Use letters, digits and punctuation; control characters cannot be searched for.')
  .optional();

export type SortOrder<Name extends string> = Name | `-${Name}`;

/** Ascending by one of the fields; a minus sign before it makes the order descending. */
export function sortedBy<Name extends string>(names: readonly [Name, ...Name[]], usual: SortOrder<Name>) {
  const orders = names.flatMap((name) => [name, `-${name}`] as const);
  return z
    .enum(orders as [SortOrder<Name>, ...SortOrder<Name>[]])
    .optional()
    .meta({ description: `The order; a minus sign makes it descending. Default \`${usual}\`.` });
}

export const Ids = z
  .string()
  .max(maxIds * 65)
  .regex(/^\w{1,64}(?:,\w{1,64})*$/, 'Give ids separated by commas.')
  .refine((text) => text.split(',').length <= maxIds, `At most ${maxIds} ids can be asked for at once.`)
  .optional()
  .meta({ description: 'Only the records with these ids, separated by commas. At most 100.' });

export const ProjectId = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .meta({ description: 'Only what belongs to this project.' });

export const YesOrNo = z.enum(['true', 'false']).optional();
