/** The program `docyard-site`. */
import { Command, CommanderError } from 'commander';
import { exitStatuses, explained, SiteCommandError } from './command/command-error.ts';
import { describeImport } from './command/import-command.ts';
import { describeSite } from './command/site-command.ts';
import { closestName } from './settings/closest-name.ts';
import { usageMessage } from './command/usage-message.ts';
import { version } from './version.ts';

const names = { program: 'docyard-site', site: 'docyard-site', import: 'docyard-site import' };

export async function main(args: string[]): Promise<number> {
  silenceExperimentalWarnings();
  const words = args.filter((word) => word !== '--debug');
  try {
    const program = siteProgram();
    refuseMistypedCommand(program, words);
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatuses.usage;
    return report(error, { isJson: words.includes('--json'), isDebug: words.length < args.length });
  }
}

function refuseMistypedCommand(program: Command, [word = '-']: readonly string[]): void {
  const known = program.commands.map((command) => command.name());
  if (word.startsWith('-') || known.includes(word)) return;
  const similar = closestName(word, known);
  const hint = similar === undefined ? 'Run docyard-site --help for usage.' : `Did you mean ${similar}?`;
  throw new SiteCommandError(`Unknown command: ${word}. ${hint}`, 'usage');
}

function siteProgram(): Command {
  const program = new Command('docyard-site')
    .enablePositionalOptions()
    .version(version, '-V, --version', 'print the version')
    .option('--debug', 'show a stack trace with an error (accepted by every command)')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureOutput({
      outputError: (text, write) => write(`docyard-site: ${usageMessage(text)} Run with --help for usage.\n`),
    })
    .exitOverride();
  describeSite(program, names);
  describeImport(program.command('import'), names);
  return program;
}

async function report(
  thrown: unknown,
  { isJson, isDebug }: { isJson: boolean; isDebug: boolean },
): Promise<number> {
  const [{ BundleRefusedError }, { explainFileError }, { ConfigError, DataFolderError }] = await Promise.all([
    import('@docyard/bundle'),
    import('./disk.ts'),
    import('./errors.ts'),
  ]);
  const known = explained(thrown);
  const exit =
    known instanceof SiteCommandError
      ? known.exit
      : known instanceof BundleRefusedError
        ? 'problems_found'
        : 'failed';
  const fileError = explainFileError(known);
  const message = fileError ?? (known instanceof Error ? known.message : String(known));
  process.stderr.write(`docyard-site: ${message}\n`);
  const isExpected =
    exit !== 'failed' ||
    fileError !== undefined ||
    known instanceof SiteCommandError ||
    known instanceof ConfigError ||
    known instanceof DataFolderError;
  if ((!isExpected || isDebug) && known instanceof Error) process.stderr.write(`${known.stack}\n`);
  const code = known instanceof BundleRefusedError ? known.refusal : exit;
  if (isJson) process.stdout.write(`${JSON.stringify({ ok: false, code, message })}\n`);
  return exitStatuses[exit];
}

/** `node:sqlite` warns at every start, and operators cannot act on it. */
function silenceExperimentalWarnings(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const [first] = rest;
    const type = typeof first === 'string' ? first : (first as { type?: string } | undefined)?.type;
    if (type !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}
