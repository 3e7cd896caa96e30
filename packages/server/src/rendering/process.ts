/**
 * The door to processes that read strangers' files: each is shut in as tightly as this machine was seen to allow. Nothing else
 * starts one.
 */
import { converseIn, type Conversation } from './conversation.ts';
import { findIsolation } from './isolation.ts';

export { ChannelAbused } from './channel.ts';
export { ProcessDied, type Conversation } from './conversation.ts';
export { firstFileDescriptor, outputDescriptor } from './protocol.ts';

export async function converse<Answer>(conversation: Conversation<Answer>): Promise<Answer> {
  return converseIn(await findIsolation(), conversation);
}
