/** The program `docyard-site`. */
import { Command, CommanderError } from 'commander';
import { exitStatuses, explained, SiteCommandError } from './command/command-error.ts';
import { describeImport } from './command/import-command.ts';
import { describeSite } from './command/site-command.ts';
import { version } from './version.ts';

const names = { program: 'docyard-site', site: 'docyard-site', import: 'docyard-site import' };

export async function main(args: string[]): Promise<number> {
  silenceExperimentalWarnings();
  try {
    await siteProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatuses.usage;
    return report(error, { isJson: args.includes('--json') });
  }
}

function siteProgram(): Command {
  const program = new Command('docyard-site')
    .enablePositionalOptions()
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('(Run with --help for usage)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'docyard-site: ')) })
    .exitOverride();
  describeSite(program, names);
  describeImport(program.command('import'), names);
  return program;
}

async function report(thrown: unknown, { isJson }: { isJson: boolean }): Promise<number> {
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
  if (!isExpected && known instanceof Error) process.stderr.write(`${known.stack}\n`);
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
