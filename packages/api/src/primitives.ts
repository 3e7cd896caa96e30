/**
 * Small schemas that records of several areas are made of. No record itself.
 */
import { z } from 'zod';

export const timestamp = z.iso.datetime();
export const nullableTimestamp = timestamp.nullable();
export const wholeNumber = z.int().min(0);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** How long what is replaced goes on counting beside its successor: a week at most. */
export const overlapSeconds = z.int().min(0).max(604_800);

/** A leading dash would read as an option of git. */
export const gitRef = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^-\s]\S*$/, 'A ref does not begin with a dash and holds no spaces.');

export function staysInside(path: string): boolean {
  return !path.split(/[/\\]/).includes('..');
}

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'This is no http or https address.' })
  .max(2048)
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), 'The address must not carry a user or password.');

export const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 20, 'At most 20 entries are kept.');
