/** Runs a program in the sandbox of this machine. No other module starts a process that reads files of authors. */
import { converseIn, type Conversation } from './conversation.ts';
import { findIsolation } from './isolation.ts';

export { ChannelAbused } from './channel.ts';
export { ProcessDied, type Conversation } from './conversation.ts';
export { firstFileDescriptor, outputDescriptor } from './protocol.ts';

export async function converse<Answer>(conversation: Conversation<Answer>): Promise<Answer> {
  return converseIn(await findIsolation(), conversation);
}
