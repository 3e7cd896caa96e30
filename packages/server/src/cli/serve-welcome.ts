/** The text that `docyard serve` prints after the start. Secrets go to a terminal or to a file, never to a log. */
import type { Config } from '../config.ts';

export interface NewSecrets {
  adminKey?: string | undefined;
  /** Undefined when the terminal shows the key. */
  keyFile: string | undefined;
  /** Undefined when a user exists. */
  setupToken?: string | undefined;
}

interface WelcomeInput {
  origin: string;
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'dashboard'>;
  secrets: NewSecrets;
  isTerminal: boolean;
  /** False with --no-admin-key, because others may read the output. */
  canShowLink: boolean;
  isKeyFileNamed: boolean;
}

export async function welcome(input: WelcomeInput): Promise<string> {
  const { exportFlow } = await import('../http/first-steps.ts');
  const { origin, config, secrets } = input;
  const lines = [
    '',
    `  Docyard is running at ${origin}`,
    '',
    ...(config.dashboard ? [`  Dashboard ${origin}/dashboard/`] : []),
    `  Manual    ${origin}/docs/`,
    `  OpenAPI   ${origin}/openapi.json`,
    `  Data      ${config.dataDir}`,
    '',
    ...(await setupLines(input)),
  ];
  const keyText = adminKeyText(secrets);
  if (keyText !== '') lines.push(keyText);
  else if (!input.isKeyFileNamed)
    lines.push(
      `  ${input.canShowLink ? 'Lost the admin key? Create another' : 'Create an admin key'}: npx docyard keys create --name "My key"${dataOption(config)}`,
      '',
    );
  if (!input.isKeyFileNamed) {
    const key = secrets.adminKey === undefined ? undefined : keyExpression(secrets.adminKey, secrets.keyFile);
    lines.push(
      '  Paste these lines into another terminal for a first export:',
      '',
      exportFlow({ origin, key }),
      '',
    );
  }
  lines.push('  Press Ctrl-C to stop.', '', '');
  return lines.join('\n');
}

export function adminKeyText({ adminKey, keyFile }: NewSecrets): string {
  if (adminKey === undefined) return '';
  if (keyFile !== undefined) return `  The admin key is in ${keyFile}\n`;
  return `  Your admin key, shown only once:\n\n    ${adminKey}\n`;
}

export function workerWelcome(origin: string): string {
  const lines = [
    `  Docyard is running at ${origin}`,
    '  This process runs jobs and serves only /healthz, /readyz and /metrics.',
    '  Press Ctrl-C to stop. Running jobs move to another worker.',
  ];
  return `\n${lines.join('\n\n')}\n\n`;
}

async function setupLines({
  origin,
  config,
  secrets,
  isTerminal,
  canShowLink,
}: WelcomeInput): Promise<string[]> {
  if (secrets.setupToken === undefined) return [];
  const { setupLink, setupLinkFile, tokenMinutes } = await import('../users/setup.ts');
  if (isTerminal && canShowLink)
    return [
      `  Create the owner account (link expires in ${tokenMinutes} minutes):`,
      '',
      `    ${setupLink(origin, secrets.setupToken)}`,
      '',
    ];
  return [
    `  Create the owner account: open the link in ${setupLinkFile(config)} within ${tokenMinutes} minutes, or run`,
    `  npx docyard users create --email EMAIL --role owner${dataOption(config)}`,
    '',
  ];
}

/** On PostgreSQL, commands use DATABASE_URL. */
function dataOption({ dataDir, databaseUrl }: WelcomeInput['config']): string {
  return databaseUrl === null ? ` --data ${shellWord(dataDir)}` : '';
}

function keyExpression(key: string, file: string | undefined): string {
  return file === undefined ? key : `$(cat ${shellWord(file)})`;
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
