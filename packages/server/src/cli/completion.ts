/**
 * `docyard completion SHELL`: prints a completion script. The script does not start docyard, which would be slower
 * than a key press.
 */
import { Argument, type Command } from 'commander';
import { completionScripts, type CompletionNode } from './completion-scripts.ts';

const howTo = `
Examples:
  docyard completion bash > ~/.local/share/bash-completion/completions/docyard
  docyard completion zsh > ~/.zfunc/_docyard         with ~/.zfunc in fpath
  docyard completion fish > ~/.config/fish/completions/docyard.fish
  docyard completion powershell >> $PROFILE
`;

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export function describeCompletion(command: Command): void {
  command
    .description('Print a shell completion script.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', howTo)
    .action(async (shell: (typeof shells)[number]) => {
      const { buildProgram } = await import('../main.ts');
      process.stdout.write(completionScripts[shell](nodesOf(await buildProgram())));
    });
}

/** The command and all its subcommands, parents first. */
export function nodesOf(command: Command, above: readonly string[] = []): CompletionNode[] {
  const path = [...above, command.name()];
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  return [
    {
      path: path.join(' '),
      subcommands: subcommands.map((each) => ({
        name: each.name(),
        about: each.summary() || each.description(),
      })),
      options: help
        .visibleOptions(command)
        .map(({ short, long, required, optional, argChoices, description }) => ({
          names: [short, long].filter((name) => name !== undefined),
          about: description,
          takesValue: required || optional,
          choices: argChoices ?? [],
        })),
      choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    },
    ...subcommands.flatMap((each) => nodesOf(each, path)),
  ];
}
