/** Messages to agent jobs that no run has taken yet. */
import { nowText, type Context } from '../context.ts';

type RecordContext = Pick<Context, 'database' | 'clock'>;

/** Returns the sequence of the message. */
export async function addMessage(
  context: RecordContext,
  given: { jobId: string; prompt: string },
): Promise<number> {
  const { jobId: job_id, prompt } = given;
  const { sequence } = await context.database
    .insertInto('agent_messages')
    .values({ job_id, prompt, created_at: nowText(context), taken_at: null, run: null })
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return sequence;
}

export async function pendingMessages(
  context: Pick<Context, 'database'>,
  jobId: string,
): Promise<{ sequence: number; prompt: string }[]> {
  return context.database
    .selectFrom('agent_messages')
    .select(['sequence', 'prompt'])
    .where('job_id', '=', jobId)
    .where('taken_at', 'is', null)
    .orderBy('sequence')
    .execute();
}

/** Call it in the transaction that writes the step with the message, so that no message is lost or repeated. */
export async function markMessagesTaken(
  context: RecordContext,
  sequences: readonly number[],
  run: number,
): Promise<void> {
  if (sequences.length === 0) return;
  await context.database
    .updateTable('agent_messages')
    .set({ taken_at: nowText(context), run })
    .where('sequence', 'in', sequences)
    .execute();
}
