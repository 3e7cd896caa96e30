/** `docyard secrets`: rotates the secret key of an installation and shows which keys are in use. */
import type { Command } from 'commander';
import { addLocalOptions, withData, type LocalOptions } from './local.ts';
import { print } from './print.ts';

const examples = `
Examples:
  docyard secrets status --data /var/lib/docyard
  docyard secrets rotate --data /var/lib/docyard
  SECRET_KEY_FILE=new-key SECRET_KEY_PREVIOUS_FILE=old-key docyard secrets rotate
`;

export function describeSecrets(command: Command): void {
  command
    .description('Rotate the secret key of an installation, or show which keys are in use.')
    .addHelpText('after', examples);
  addLocalOptions(command.command('status'), false)
    .description('Show the keys and how many API keys, passwords and sealed values use each.')
    .action(status);
  addLocalOptions(command.command('rotate'), false)
    .description(
      'Make the new key active and re-encrypt everything. Can be repeated; the service keeps running.',
    )
    .action(rotate);
  addLocalOptions(command.command('finish'), false)
    .description('Remove the previous key from the data folder. Download links signed with it stop working.')
    .action(finish);
}

async function status(options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { readKeyUse } = await import('../operations/secrets-status.ts');
    const uses = await readKeyUse(context);
    const rows = uses.map(({ id, state, apiKeys, passwords, sealedValues }) => ({
      key: id,
      state,
      'api keys': String(apiKeys),
      passwords: String(passwords),
      'sealed values': String(sealedValues),
    }));
    print(options, uses, rows);
  });
}

async function rotate(options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { rotateSecrets } = await import('../operations/rotate-secrets.ts');
    const rotation = await rotateSecrets(context);
    const { active, previous, resealed, unreadable } = rotation;
    const isSetting = context.config.secretKey !== null;
    const { linkSeconds } = context.config;
    const lines = [
      `The key ${active} is active. Re-encrypted ${counted(resealed)} of the key ${previous}.`,
      ...(unreadable === 0 ? [] : [`No key opens ${counted(unreadable)}. Set these secrets again.`]),
      `Links signed with the key ${previous} work until it is removed. Wait ${linkSeconds} seconds, then ${
        isSetting ? 'remove SECRET_KEY_PREVIOUS and restart every process.' : 'run `docyard secrets finish`.'
      }`,
    ];
    process.stdout.write(options.json ? `${JSON.stringify(rotation, null, 2)}\n` : `${lines.join('\n')}\n`);
  });
}

async function finish(options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { finishRotation } = await import('../operations/rotate-secrets.ts');
    await finishRotation(context);
    process.stdout.write(
      options.json ? '{ "removed": true }\n' : 'Removed the previous key from the data folder.\n',
    );
  });
}

function counted(values: number): string {
  return values === 1 ? '1 value' : `${values} values`;
}
