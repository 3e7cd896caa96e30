/** A failure of a command with a sentence for the person who called it. */
export class CommandError extends Error {
  readonly status: number;

  constructor(message: string, status = 1) {
    super(message);
    this.name = 'CommandError';
    this.status = status;
  }
}
