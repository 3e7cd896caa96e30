/** Shared by commands that work directly on the data folder. */
import { Option, type Command } from 'commander';
import type { z } from 'zod';
import type { Actor, Context } from '../context.ts';
import type { Organization } from '../organizations/organizations.ts';
import { CommandError } from './errors.ts';

export interface LocalOptions {
  data?: string;
  org?: string;
  json?: boolean;
}

export function addLocalOptions(command: Command, withOrganization = true): Command {
  command.option('-d, --data <folder>', 'data folder of the service (default: ./data)');
  if (withOrganization)
    command.option('--org <id>', 'organization id; required if there are several organizations');
  return command.option('--json', 'print JSON');
}

/** Works while the server runs. */
export async function withData(
  options: LocalOptions,
  work: (context: Context) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const [{ readConfig }, { compose }, { existsSync }, { join }] = await Promise.all([
    import('../config.ts'),
    import('../compose.ts'),
    import('node:fs'),
    import('node:path'),
  ]);
  const given = options.data === undefined ? {} : { DATA_DIR: options.data };
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env, ...settings, ...given });
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'docyard.db'))) {
    throw new CommandError(
      `${config.dataDir} contains no Docyard data. Start the service once, or pass the data folder with --data.`,
    );
  }
  const context = await compose(config);
  try {
    await work(context);
  } finally {
    await context.close();
  }
}

export async function chooseOrganization(context: Context, id: string | undefined): Promise<Organization> {
  const { listOrganizations } = await import('../organizations/organizations.ts');
  const organizations = await listOrganizations(context);
  const chosen = id === undefined ? organizations[0] : organizations.find((each) => each.id === id);
  const list = organizations.map((each) => `${each.id} (${each.name})`).join(', ');
  if (id === undefined && organizations.length > 1) {
    throw new CommandError(`There are several organizations. Choose one with --org: ${list}.`, 'usage');
  }
  if (chosen === undefined)
    throw new CommandError(`Organization not found: ${id ?? ''}. Known: ${list || 'none'}.`, 'not_found');
  return chosen;
}

export function operatorOf(organization: Organization): Actor {
  return { organizationId: organization.id, projectId: null, name: 'cli', address: null, requestId: null };
}

/** Validates arguments with the schema of the API. `options` holds fields whose option has another name. */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  options: Readonly<Record<string, string>> = {},
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const fields = (issue?.path ?? []).filter((part) => typeof part === 'string').toReversed();
  const known = fields.find((field) => Object.hasOwn(options, field));
  const option = known === undefined ? fields[0] : options[known];
  throw new CommandError(`--${option ?? ''}: ${issue?.message ?? 'not valid'}`, 'usage');
}

export interface SearchOptions {
  search?: string;
  sort?: string;
}

/** `fields` are the sort fields; a minus sign makes the order descending. */
export function addSearchOptions(command: Command, fields: readonly string[]): Command {
  return command
    .option('--search <text>', 'only rows that contain these words')
    .addOption(
      new Option('--sort <field>', 'sort order; a leading minus sign makes it descending').choices(
        fields.flatMap((field) => [field, `-${field}`]),
      ),
    );
}

/** The query parameters of the API. */
export function searchOf({ search, sort }: SearchOptions): { q?: string; sort?: string } {
  const q = search?.trim().slice(0, 100);
  return { ...(q === undefined || q === '' ? {} : { q }), ...(sort === undefined ? {} : { sort }) };
}

export async function everyRow<Row>(
  list: (cursor: string | undefined) => Promise<{ data: Row[]; nextCursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    rows.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
