import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './errors.ts';

/** `alternative` is the error message without a terminal: how to pass the secret instead. */
export async function promptSecret(question: string, alternative: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError(alternative, 'usage');
  process.stderr.write(`${question}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once('SIGINT', () =>
        reject(new CommandError('Interrupted. Nothing was stored.', 'interrupted')),
      );
      void terminal.question('').then(resolve, reject);
    });
  } finally {
    process.stderr.write('\n');
    terminal.close();
  }
}
