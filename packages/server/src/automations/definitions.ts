/** The automations of a project, as last read from its repository, and when the file is read again. */
import {
  automationsFile,
  maxAutomationsFileBytes,
  type AutomationDefinition,
  type AutomationProblem,
} from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { inTransaction, type AutomationFileRow } from '../ports/database.ts';
import type { SourceFiles } from '../ports/sources.ts';
import { parseAutomations } from './file.ts';
import { nextTime } from './schedule.ts';
import { triggerOf } from './template.ts';

type FileContext = Pick<Context, 'database' | 'clock'>;

export type FileRecord = Selectable<AutomationFileRow>;

const refreshSeconds = 3600;
const maxRetrySeconds = 3600;

export async function readFileRecord(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<FileRecord | undefined> {
  return context.database
    .selectFrom('automation_files')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export function definitionsOf(file: Pick<FileRecord, 'automations'> | undefined): AutomationDefinition[] {
  return file === undefined ? [] : (JSON.parse(file.automations) as AutomationDefinition[]);
}

/** A worker reads the file soon. */
export async function requestRefresh(
  context: FileContext,
  project: { id: string; organization_id: string },
): Promise<void> {
  const refresh_at = nowText(context);
  await context.database
    .insertInto('automation_files')
    .values({
      project_id: project.id,
      organization_id: project.organization_id,
      commit_id: null,
      automations: '[]',
      problems: '[]',
      read_at: null,
      attempts: 0,
      refresh_at,
    })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ refresh_at }))
    .execute();
}

export function automationsPath(directory: string | null): string {
  return directory === null ? automationsFile : `${directory}/${automationsFile}`;
}

/** A file with problems changes nothing but its problems. A missing file has no automations. */
export async function storeFile(
  context: FileContext,
  {
    claimed,
    path,
    found,
    readAt,
  }: {
    claimed: FileRecord;
    path: string;
    found: SourceFiles;
    /** Before the repository was asked, so that later events wait for another read. */
    readAt: string;
  },
): Promise<void> {
  const source = found.files.get(path);
  const isTooLarge = found.tooLarge.includes(path);
  const parsed = isTooLarge
    ? { automations: [], problems: [tooLarge] }
    : source === undefined
      ? { automations: [], problems: [] }
      : parseAutomations(source);
  const isUsable = parsed.problems.length === 0;
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const updated = await database
      .updateTable('automation_files')
      .set({
        problems: JSON.stringify(parsed.problems),
        read_at: readAt,
        attempts: 0,
        ...(isUsable ? { automations: JSON.stringify(parsed.automations), commit_id: found.commit } : {}),
      })
      .where('project_id', '=', claimed.project_id)
      .returningAll()
      .executeTakeFirst();
    if (updated === undefined) return;
    const isKnown = source !== undefined || isTooLarge;
    await releaseClaim(inside, claimed, isKnown ? refreshSeconds : null);
    if (isUsable) await storeAutomations(inside, updated, parsed.automations);
  });
}

const tooLarge: AutomationProblem = {
  message: `${automationsFile} is larger than ${maxAutomationsFileBytes} bytes. Shorten it.`,
  path: '',
  line: null,
};

/** The automations of the last version stay in effect. */
export async function storeFailedRead(
  context: FileContext,
  { claimed, message }: { claimed: FileRecord; message: string },
): Promise<void> {
  const attempts = claimed.attempts + 1;
  const problem: AutomationProblem = {
    message: `The repository was not read: ${message}`,
    path: '',
    line: null,
  };
  await context.database
    .updateTable('automation_files')
    .set({ problems: JSON.stringify([problem]), attempts })
    .where('project_id', '=', claimed.project_id)
    .execute();
  await releaseClaim(context, claimed, Math.min(30 * 2 ** attempts, maxRetrySeconds));
}

/** Another request since the claim keeps its time. */
async function releaseClaim(
  context: FileContext,
  claimed: FileRecord,
  seconds: number | null,
): Promise<void> {
  const at = seconds === null ? null : new Date(context.clock.now().getTime() + seconds * 1000).toISOString();
  await context.database
    .updateTable('automation_files')
    .set({ refresh_at: at })
    .where('project_id', '=', claimed.project_id)
    .where('refresh_at', '=', claimed.refresh_at)
    .execute();
}

async function storeAutomations(
  context: FileContext,
  file: FileRecord,
  automations: readonly AutomationDefinition[],
): Promise<void> {
  const { project_id, organization_id } = file;
  const known = await context.database
    .selectFrom('automations')
    .selectAll()
    .where('project_id', '=', project_id)
    .execute();
  const now = context.clock.now();
  for (const automation of automations) {
    const { name, on } = automation;
    const before = known.find((each) => each.name === name);
    const schedule = on.schedule === undefined ? null : JSON.stringify(on.schedule);
    const next_at = on.schedule === undefined ? null : (nextTime(on.schedule, now)?.toISOString() ?? null);
    const values = { kind: triggerOf(automation), schedule };
    if (before === undefined) {
      await context.database
        .insertInto('automations')
        .values({
          project_id,
          name,
          organization_id,
          ...values,
          next_at,
          checked_at: now.toISOString(),
          paused_at: null,
          job_id: null,
        })
        .execute();
    } else if (before.schedule !== schedule || before.kind !== values.kind) {
      const checked_at = before.kind === values.kind ? before.checked_at : now.toISOString();
      await context.database
        .updateTable('automations')
        .set({ ...values, next_at, checked_at })
        .where('project_id', '=', project_id)
        .where('name', '=', name)
        .execute();
    }
  }
  const names = automations.map(({ name }) => name);
  let removed = context.database.deleteFrom('automations').where('project_id', '=', project_id);
  if (names.length > 0) removed = removed.where('name', 'not in', names);
  await removed.execute();
}
