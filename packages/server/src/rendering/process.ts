/**
 * The door to processes that read strangers' files: each is shut in as tightly as this machine was seen to allow. Nothing else
 * starts one.
 */
import { converseIn, type Conversation } from './conversation.ts';
import { findIsolation, isShelterOf, likelyShelter, type Isolation } from './isolation.ts';
import type { Shelter } from './launch.ts';
import { areReadable } from './readable.ts';
import { startProcess, type Beginning, type Started } from './started.ts';

export { ChannelAbused } from './channel.ts';
export { ProcessDied, type Conversation } from './conversation.ts';
export type { Started } from './started.ts';
export { firstFileDescriptor, outputDescriptor } from './protocol.ts';

export async function converse<Answer>(conversation: Conversation<Answer>): Promise<Answer> {
  const { order } = conversation;
  // It may fail before anybody here waits for it.
  if (order instanceof Promise) order.catch(() => undefined);
  const likely = order instanceof Promise ? await likelyShelter().catch(() => undefined) : undefined;
  if (likely === undefined) return converseIn(await findIsolation(), conversation);
  const isolation = findIsolation();
  try {
    return await converseIn(likely, { ...conversation, order: onceFound(isolation, likely, order) });
  } catch (error) {
    if (isShelterOf(await isolation, likely)) throw error;
    return converseIn(await isolation, conversation);
  }
}

/**
 * While the walls are being tried, a process may start behind the likely ones. Its order it gets when those were found to hold;
 * otherwise it is killed without one.
 */
async function onceFound(
  isolation: Promise<Isolation>,
  likely: Shelter,
  order: object | Promise<object>,
): Promise<object> {
  if (!isShelterOf(await isolation, likely)) throw new Error('The likely walls do not hold here.');
  return order;
}

/** One for a conversation that may come. Undefined where its folder must be copied, which would be too early now. */
export async function startAhead(beginning: Beginning & { folder: string }): Promise<Started | undefined> {
  const { folder, ...rest } = beginning;
  const shelter = await findIsolation();
  if (!(await areReadable([folder], shelter, beginning.hidden))) return undefined;
  const started = startProcess(shelter, rest, [{ source: folder, place: folder }]);
  started.isAwaited = false;
  return started;
}
