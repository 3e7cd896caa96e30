/** Asks for a secret on the terminal. What is typed is not shown. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './errors.ts';

/** `elsewise` says how to give it where there is no terminal. */
export async function askSecretly(question: string, elsewise: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError(elsewise, 'usage');
  process.stderr.write(`${question}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      terminal.once('SIGINT', () => reject(new CommandError('Nothing is stored.', 'interrupted')));
      void terminal.question('').then(resolve, reject);
    });
  } finally {
    process.stderr.write('\n');
    terminal.close();
  }
}
