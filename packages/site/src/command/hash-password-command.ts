/** `docyard site hash-password`: makes a line for `access.passwordFile`. */
import type { Command } from 'commander';
import { type CommandNames, SiteCommandError } from './command-error.ts';

const minPasswordCharacters = 12;
const maxInputBytes = 4096;

export function describeHashPassword(command: Command, names: CommandNames): void {
  command
    .description(
      'Hash a password for the file of access.passwordFile. The password is read from standard input.',
    )
    .option('--groups <names>', 'groups of readers with this password, separated by commas')
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        `  ${names.site} hash-password >>passwords`,
        `  openssl rand -base64 18 | tee /dev/stderr | ${names.site} hash-password --groups partners >>passwords`,
      ].join('\n'),
    )
    .action(async ({ groups = '' }: { groups?: string }) => {
      const [{ passwordLine }, { groupsIn }] = await Promise.all([
        import('../access/password-sign-in.ts'),
        import('../access/reader.ts'),
      ]);
      const password = process.stdin.isTTY ? await typedPassword() : await firstLineOfInput();
      if (password.length < minPasswordCharacters)
        throw new SiteCommandError(
          `The password needs at least ${minPasswordCharacters} characters, because everyone on the network can guess.`,
        );
      process.stdout.write(`${await passwordLine(password, groupsIn(groups))}\n`);
    });
}

async function firstLineOfInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    text += piece.toString();
    if (text.includes('\n') || text.length > maxInputBytes) break;
  }
  return text.split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
}

/** Shows nothing of the password. */
async function typedPassword(): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write('Password: ');
  stdin.setRawMode(true);
  let text = '';
  try {
    for await (const piece of stdin as AsyncIterable<Buffer>) {
      for (const key of piece.toString()) {
        if (key === '\r' || key === '\n') return text;
        // Control-C and Control-D.
        if (key === '\u0003' || key === '\u0004') throw new SiteCommandError('Canceled.');
        text = key === '\u007F' || key === '\b' ? text.slice(0, -1) : text + key;
      }
    }
    return text;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
