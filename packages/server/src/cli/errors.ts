/** A failure of a command with a sentence for the person who called it. */
import { exitTable, type Exit } from './exit.ts';

export class CommandError extends Error {
  readonly exit: Exit;

  constructor(message: string, exit: Exit = 'failed') {
    super(message);
    this.name = 'CommandError';
    this.exit = exit;
  }

  get status(): number {
    return exitTable[this.exit].status;
  }
}
