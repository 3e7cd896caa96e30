/**
 * How old the content of a bundle is, in one line for people. The date is that of the commit, which the signed manifest
 * holds; the clock of this machine only tells the age.
 */
export interface Dated {
  commit: string | null;
  committedAt: string | null;
  version: string | null;
  /** The key whose signature was checked. */
  signedBy: string | null;
}

const dayMs = 86_400_000;

/** “content of 10 November 2026, 5 days old, commit abc1234, version 2.1, signed by 0123456789ABCDEF” */
export function freshnessLine(content: Dated, now: Date): string {
  const { commit, version, signedBy } = content;
  return [
    contentDate(content, now),
    commit === null ? 'no commit' : `commit ${commit.slice(0, 7)}`,
    version === null ? 'no version' : `version ${version}`,
    signedBy === null ? 'signed by nobody that was checked' : `signed by ${signedBy}`,
  ].join(', ');
}

/** “content of 10 November 2026, 5 days old” */
export function contentDate({ committedAt }: Pick<Dated, 'committedAt'>, now: Date): string {
  if (committedAt === null) return 'content of unknown date';
  return `content of ${dayOf(committedAt)}, ${ageOf(committedAt, now)}`;
}

/** “10 November 2026”, in UTC, so that the same bundle is told the same way everywhere. */
export function dayOf(timestamp: string): string {
  return new Date(timestamp).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function ageOf(timestamp: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(timestamp)) / dayMs);
  if (days < -1) return 'in the future of this clock';
  if (days < 1) return 'less than a day old';
  return days === 1 ? '1 day old' : `${days} days old`;
}
