/**
 * Runs a program in the sandbox of this machine. No other module starts a process that reads files of
 * authors.
 */
import { runInSandbox, type SandboxedRun } from './run-in-sandbox.ts';
import { findIsolation } from './isolation.ts';

export { ChannelError } from './channel.ts';
export { ProcessDiedError, type SandboxedRun } from './run-in-sandbox.ts';
export { firstFileDescriptor, outputDescriptor } from './protocol.ts';

export async function runSandboxed<Answer>(run: SandboxedRun<Answer>): Promise<Answer> {
  return runInSandbox(await findIsolation(), run);
}
