/** A failure of a command, with a message for the user. */
import { exitTable, type Exit } from './exit.ts';

export class CommandError extends Error {
  readonly exit: Exit;
  /** Additional fields for `--json`, such as the record of the job. */
  readonly facts: Record<string, unknown>;

  constructor(message: string, exit: Exit = 'failed', facts: Record<string, unknown> = {}) {
    super(message);
    this.name = 'CommandError';
    this.exit = exit;
    this.facts = facts;
  }

  get status(): number {
    return exitTable[this.exit].status;
  }
}
