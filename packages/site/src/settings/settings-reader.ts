import { resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { siteSettings } from './settings-table.ts';

export type SettingName = keyof typeof siteSettings;

export interface Given {
  value: unknown;
  /** For messages. */
  place: string;
  /** Relative paths start here. */
  folder: string;
}

type AddressName =
  | 'bundleUrl'
  | 'refreshFrom'
  | 'apiKeyFile'
  | 'data'
  | 'reportKeyFile'
  | 'accessLogFile'
  | 'tlsCertFile'
  | 'tlsKeyFile'
  | 'accessContentKeyFile'
  | 'accessSessionKeyFile'
  | 'accessPasswordFile'
  | 'accessClientSecretFile'
  | 'accessTokenKeyFile'
  | 'assistantKeyFile'
  | 'assistantEmbeddingsKeyFile';

/** Validates settings wherever they come from. */
export class SettingsReader {
  readonly given: (name: SettingName) => Given;

  constructor(given: (name: SettingName) => Given) {
    this.given = given;
  }

  has(name: SettingName): boolean {
    const { value } = this.given(name);
    return value !== undefined && value !== null && value !== '';
  }

  read<N extends SettingName>(name: N): z.output<(typeof siteSettings)[N]['check']> {
    const { value, place } = this.given(name);
    const read = checked(siteSettings[name], { value, place, isSecret: secretNames.has(name) });
    return read as z.output<(typeof siteSettings)[N]['check']>;
  }

  /** Null without a value. URLs are kept; everything else is a path. */
  address(name: AddressName): string | null {
    const value = this.read(name);
    if (value === undefined) return null;
    return /^(https?|s3|file):/i.test(value) ? value : resolve(this.given(name).folder, value);
  }
}

/** The URL may contain a signature. */
const secretNames: ReadonlySet<string> = new Set<SettingName>(['bundleUrl', 'refreshFrom']);

export function checked(
  { check, meaning }: { check: z.ZodType; meaning: string },
  { value, place, isSecret = false }: { value: unknown; place: string; isSecret?: boolean },
): unknown {
  const parsed = check.safeParse(value === null || value === '' ? undefined : value);
  if (parsed.success) return parsed.data;
  const isShown = typeof value !== 'object' && !isSecret;
  const assigns = place.startsWith('--') ? ' ' : '=';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = isShown ? `${place}${assigns}${text}` : place;
  const complaint = parsed.error.issues[0]?.message ?? 'is not valid';
  throw new ConfigError(`${shown}: ${complaint}. ${meaning}`);
}
