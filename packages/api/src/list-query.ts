/** Query parameters that several lists share. */
import * as z from 'zod';

const maxSearchLength = 100;
const maxIds = 100;

export const Search = z
  .string()
  .trim()
  .min(1)
  .max(maxSearchLength)
  .regex(/^\P{Cc}*$/u, 'Use letters, digits and punctuation; control characters are not allowed.')
  .optional();

export type SortOrder<Name extends string> = Name | `-${Name}`;

/** A minus sign before a field makes the order descending. */
export function sortedBy<Name extends string>(
  names: readonly [Name, ...Name[]],
  defaultOrder: SortOrder<Name>,
) {
  const orders = names.flatMap((name) => [name, `-${name}`] as const);
  return z
    .enum(orders as [SortOrder<Name>, ...SortOrder<Name>[]])
    .optional()
    .describe(`Sort order. A minus sign makes it descending. Default: \`${defaultOrder}\`.`);
}

export const Ids = z
  .string()
  .max(maxIds * 65)
  .regex(/^\w{1,64}(?:,\w{1,64})*$/, 'Use ids separated by commas.')
  .refine((text) => text.split(',').length <= maxIds, `At most ${maxIds} ids are allowed.`)
  .optional()
  .meta({ description: 'Only the records with these ids, separated by commas. At most 100.' });

export const ProjectId = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .meta({ description: 'Only records of this project.' });

export const YesOrNo = z.enum(['true', 'false']).optional();
