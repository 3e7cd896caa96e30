/** Describes the age of a bundle in one line. The date of the commit comes from the signed manifest. */
export interface Dated {
  commit: string | null;
  committedAt: string | null;
  version: string | null;
  /** The verified key. */
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
    signedBy === null ? 'signature not verified' : `signed by ${signedBy}`,
  ].join(', ');
}

/** “content of 10 November 2026, 5 days old” */
export function contentDate({ committedAt }: Pick<Dated, 'committedAt'>, now: Date): string {
  if (committedAt === null) return 'content of unknown date';
  return `content of ${dayOf(committedAt)}, ${ageOf(committedAt, now)}`;
}

/** “10 November 2026”, in UTC, so that it is the same in every time zone. */
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
  if (days < -1) return 'later than the clock of this machine';
  if (days < 1) return 'less than a day old';
  return days === 1 ? '1 day old' : `${days} days old`;
}
