/**
 * The door to processes that read strangers' files: each is shut in as tightly as this machine was seen to allow. Nothing else
 * starts one.
 */
import { converseIn, type Conversation } from './conversation.ts';
import { findIsolation } from './isolation.ts';
import { needsCopy } from './readable.ts';
import { startProcess, type Beginning, type Started } from './started.ts';

export { ChannelAbused } from './channel.ts';
export { ProcessDied, type Conversation } from './conversation.ts';
export type { Started } from './started.ts';
export { firstFileDescriptor, outputDescriptor } from './protocol.ts';

export async function converse<Answer>(conversation: Conversation<Answer>): Promise<Answer> {
  return converseIn(await findIsolation(), conversation);
}

/** One for a conversation that may come. Undefined where its folder must be copied, which would be too early now. */
export async function startAhead(beginning: Beginning & { folder: string }): Promise<Started | undefined> {
  const { folder, ...rest } = beginning;
  const shelter = await findIsolation();
  if (await needsCopy(folder, shelter, beginning.hidden)) return undefined;
  const started = startProcess(shelter, rest, [{ source: folder, place: folder }]);
  started.isAwaited = false;
  return started;
}
