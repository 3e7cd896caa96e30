/**
 * Small schemas that records of several areas are made of. No record itself.
 */
import { z } from 'zod';

export const timestamp = z.iso.datetime();
export const nullableTimestamp = timestamp.nullable();
export const wholeNumber = z.int().min(0);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Counts the changes of a record, beginning with 1. */
export const recordVersion = z.int().min(1).meta({
  description: 'Increases with every change. Send it with a change to detect changes by other callers.',
});

export const expectedVersion = z.int().min(1).optional().meta({
  description:
    'The `version` of the record that the change is based on. When the record has another version, the request fails with `version_conflict`. Without it, the change is applied to any version.',
});

/** Whether a change names a field besides the version it expects. */
export const namesField = (change: object): boolean => Object.keys(change).some((name) => name !== 'version');

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

/** A bare host name, told apart from the common mistakes so that the message can say which one it was. */
export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .check((ctx) => {
    const complaint = complainAboutDomain(ctx.value);
    if (complaint !== undefined) {
      ctx.issues.push({ code: 'custom', message: complaint, input: ctx.value });
    }
  })
  .meta({ description: 'A bare host name such as `docs.example.com`.', examples: ['docs.example.com'] });

function complainAboutDomain(domain: string): string | undefined {
  const wanted = 'Give the bare host name, for example docs.example.com';
  if (domain === '') return `The domain is empty. ${wanted}.`;
  if (domain.includes('://')) return `The domain must not carry a scheme. ${wanted}, without https://.`;
  if (/[/?#]/.test(domain)) return `The domain must not carry a path. ${wanted}, without a slash.`;
  if (/:\d*$/.test(domain)) return `The domain must not carry a port. ${wanted}, without a colon and number.`;
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  if (domain.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(domain)) {
    return `This is not a host name. ${wanted}.`;
  }
  return undefined;
}

export const modelName = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'The name of a model has no spaces.');

export const docsPath = z
  .string()
  .min(1)
  .max(1024)
  .refine(staysInside, 'A path has no ".." in it.')
  .refine((path) => !/^[/\\]/.test(path), 'A path begins without a slash.');
