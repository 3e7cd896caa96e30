import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { untilStopSignal, explainListenError } from '@docyard/site/command';
import { adminKeyText, welcome, workerWelcome, type NewSecrets } from './serve-welcome.ts';

interface ServeOptions {
  role?: string;
  port?: string;
  host?: string;
  data?: string;
  publicUrl?: string;
  logLevel?: string;
  logFormat?: string;
  adminKeyFile?: string;
  adminKey: boolean;
  dashboard: boolean;
  offline?: boolean;
  sample: boolean;
}

export function describeServe(command: Command): void {
  command
    .description('Run the service: API, worker, start page and manual.')
    .option('--role <role>', 'api (answer requests), worker (run jobs) or all (default: all)')
    .option('-p, --port <number>', 'port to listen on, 0 for a free one (default: 4400)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('-d, --data <folder>', 'folder for all data (default: ./data)')
    .option('--public-url <url>', 'URL at which clients reach the server')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: info)')
    .option('--log-format <format>', 'json or text (default: text on a terminal, otherwise json)')
    .option('--admin-key-file <file>', 'write the first admin key to this file, readable only by you')
    .option('--no-admin-key', 'create no admin key on the first start; docyard keys create creates one later')
    .option('--no-sample', 'create no sample project on the first start')
    .option('--no-dashboard', 'serve no dashboard, only the API and the manual')
    .option('--offline', 'connect to no other machine')
    .addHelpText(
      'after',
      '\nExample:\n  docyard serve --port 4400 --data /var/lib/docyard --admin-key-file admin-key\n' +
        '\nEvery option has an environment variable. The manual under /docs/ lists all of them.',
    )
    .action(serve);
}

const optionSettings: [
  option: string,
  variable: string,
  value: (options: ServeOptions) => string | undefined,
][] = [
  ['--role', 'ROLE', ({ role }) => role],
  ['--port', 'PORT', ({ port }) => port],
  ['--host', 'HOST', ({ host }) => host],
  ['--data', 'DATA_DIR', ({ data }) => data],
  ['--public-url', 'PUBLIC_URL', ({ publicUrl }) => publicUrl],
  ['--log-level', 'LOG_LEVEL', ({ logLevel }) => logLevel],
  ['--log-format', 'LOG_FORMAT', ({ logFormat }) => logFormat],
  ['--no-dashboard', 'DASHBOARD', ({ dashboard }) => (dashboard ? undefined : 'off')],
  ['--offline', 'OFFLINE', ({ offline }) => (offline ? 'on' : undefined)],
];

async function serve(options: ServeOptions): Promise<void> {
  const [{ readConfig }, { startService }, { setUpFirstRun }, { createNamedOwner, openSetup }, { join }] =
    await Promise.all([
      import('../config.ts'),
      import('../serve.ts'),
      import('../first-run.ts'),
      import('../users/setup.ts'),
      import('node:path'),
    ]);
  const given = optionSettings.flatMap(([option, variable, value]) => {
    const text = value(options);
    return text === undefined ? [] : [{ option, variable, text }];
  });
  const config = readConfig(
    { ...process.env, ...Object.fromEntries(given.map(({ variable, text }) => [variable, text])) },
    Object.fromEntries(given.map(({ variable, option }) => [variable, option])),
  );
  const { adminKey, adminKeyFile } = options;
  const isTerminal = process.stdout.isTTY;
  const unnamedKeyFile = isTerminal ? undefined : join(config.dataDir, 'admin-key');
  const originAt = (port: number) => config.publicUrl ?? `http://${displayHost(config.host)}:${port}`;
  const secrets: NewSecrets = { keyFile: adminKeyFile ?? unnamedKeyFile };
  const service = await startService(config, async (context, { port }) => {
    if (config.role === 'worker') return;
    // A worker on another machine could not read the sample.
    const sample = options.sample && config.role === 'all';
    secrets.adminKey = await setUpFirstRun(context, { sample, adminKey, adminKeyFile, unnamedKeyFile });
    if (config.firstUser !== null) await createNamedOwner(context, config.firstUser);
    // Only the dashboard uses the token.
    if (config.dashboard) secrets.setupToken = await openSetup(context, originAt(port));
  }).catch((error: unknown) => {
    // The created key cannot be shown later.
    process.stdout.write(adminKeyText(secrets));
    const listenError = explainListenError(error);
    throw listenError === undefined ? error : new CommandError(listenError);
  });
  const origin = originAt(service.port);
  const shown = {
    origin,
    config,
    secrets,
    isTerminal,
    canShowLink: adminKey,
    isKeyFileNamed: adminKeyFile !== undefined,
  };
  process.stdout.write(config.role === 'worker' ? workerWelcome(origin) : await welcome(shown));
  await untilStopSignal();
  process.stdout.write('\nStopping: finishing requests, returning running jobs to the queue.\n');
  await service.stop();
  process.stdout.write('Stopped.\n');
}

function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
