/** Schemas of single fields that several records share. */
import * as z from 'zod';

export const timestamp = z.iso.datetime();
export const nullableTimestamp = timestamp.nullable();
export const createdAt = timestamp.describe('Creation time.');
export const updatedAt = timestamp.describe('Time of the last change.');
export const wholeNumber = z.int().min(0);
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const recordVersion = z.int().min(1).meta({
  description:
    'Increases by one with every change. Send it with a change to detect changes by other callers.',
});

export const expectedVersion = z.int().min(1).optional().meta({
  description:
    'The `version` of the record that you read. If another caller has changed the record since, the request fails with `version_conflict` and changes nothing. Without it, the change applies to any version.',
});

/** Whether a change sets a field besides `version`. */
export const namesField = (change: object): boolean => Object.keys(change).some((name) => name !== 'version');

/** How long a replaced key or secret stays valid. At most one week. */
export const overlapSeconds = z.int().min(0).max(604_800);

const recordId = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(64)
    .meta({ description, examples: [example] });
export const exportJobId = recordId('The export job.', 'se_3f9a2c1b8e7d4a06');
export const agentJobId = recordId('The agent job.', 'aj_7c20b9e4d5f1a863');
export const projectId = recordId('The project.', 'pr_5f0c9d1e7a3b8264');
export const keyId = recordId('The API key.', 'key_9b1d4e7f2a6c8305');
export const webhookId = recordId('The webhook.', 'wh_2e8b5c7a1f904d36');
export const deliveryId = recordId('The delivery.', 'whd_4c7e1a9b3d5f2860');
export const deploymentId = recordId('The deployment.', 'dp_3f9a2c1b8e7d4a06');
export const forgeEventId = recordId('The event.', 'fe_8a1d4c7e2b5f9036');
export const pullRequestId = recordId('The pull request.', 'pul_8a1d4c7e2b5f9036');
export const userId = recordId('The user.', 'pe_6d2f8a0c4b7e1935');

/** git would read a leading dash as an option. */
export const gitRef = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^-\s]\S*$/, 'A ref must not begin with a dash or contain spaces.');

export function staysInside(path: string): boolean {
  return !path.split(/[/\\]/).includes('..');
}

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'This is not an http or https URL.' })
  .max(2048)
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), 'The URL must not contain a user name or password.');

export const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 20, 'At most 20 entries are allowed.')
  .describe(
    'Up to 20 entries of your own: names up to 64 characters, values up to 512. Stored with the job.',
  );

export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .check((ctx) => {
    const message = domainProblem(ctx.value);
    if (message !== undefined) {
      ctx.issues.push({ code: 'custom', message, input: ctx.value });
    }
  })
  .meta({
    description:
      'The domain of the site: a bare host name such as `docs.example.com`, without scheme, path or port.',
    examples: ['docs.example.com'],
  });

function domainProblem(domain: string): string | undefined {
  const wanted = 'Use the bare host name, for example docs.example.com';
  if (domain === '') return `The domain is empty. ${wanted}.`;
  if (domain.includes('://')) return `The domain must not contain a scheme. ${wanted}, without https://.`;
  if (/[/?#]/.test(domain)) return `The domain must not contain a path. ${wanted}, without a slash.`;
  if (/:\d*$/.test(domain))
    return `The domain must not contain a port. ${wanted}, without a colon and number.`;
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  if (domain.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(domain)) {
    return `This is not a host name. ${wanted}.`;
  }
  return undefined;
}

export const modelName = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'A model name must not contain spaces.');

export const docsPath = z
  .string()
  .min(1)
  .max(1024)
  .refine(staysInside, 'A path must not contain "..".')
  .refine((path) => !/^[/\\]/.test(path), 'A path must not begin with a slash.');
