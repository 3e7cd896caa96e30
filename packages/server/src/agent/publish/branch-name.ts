import { defaultBranchTemplate } from '@docyard/api/constants';
import { looksSecret } from '../policy/secrets.ts';

export interface BranchFacts {
  jobId: string;
  /** The first instruction of the job. */
  prompt: string;
  createdAt: string;
  secrets: readonly string[];
}

const idCharacters = 12;
const maxSlugCharacters = 40;

/** The name contains the id of the job, so that no two jobs share a branch. */
export function branchName(template: string | null, { jobId, createdAt, ...facts }: BranchFacts): string {
  const id = jobId.slice(jobId.indexOf('_') + 1).slice(0, idCharacters);
  const whole = template ?? defaultBranchTemplate;
  return (
    (whole.includes('{job}') ? whole : `${whole}-{job}`)
      .replace('{job}', id)
      .replace('{date}', createdAt.slice(0, 10))
      .replace('{slug}', slugOf(facts))
      // Git reserves the suffix, which a slug can complete.
      .replaceAll(/\.lock(?=\/|$)/g, '-lock')
  );
}

function slugOf({ prompt, secrets }: Pick<BranchFacts, 'prompt' | 'secrets'>): string {
  if (looksSecret(prompt, secrets)) return 'change';
  const [line = ''] = prompt.trim().split('\n');
  const words = line
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > maxSlugCharacters) break;
    slug = longer;
  }
  return slug === '' ? 'change' : slug;
}
