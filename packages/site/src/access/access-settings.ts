/** Settings of who may read a site. Without `access.mode`, everyone may. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type JwtSettings, parseTokenKey } from './jwt-sign-in.ts';
import type { OidcSettings } from './oidc-sign-in.ts';
import { parsePasswordFile, type PasswordHash } from './password-sign-in.ts';
import { fileErrorReason } from '../disk/file-error.ts';
import { ConfigError } from '../errors.ts';
import { complainAboutRange } from '../network/address-ranges.ts';

const accessModes = ['public', 'password', 'oidc', 'jwt', 'header'] as const;
type Mode = (typeof accessModes)[number];

export interface AccessSettings {
  how:
    | { mode: 'password'; passwords: PasswordHash[] }
    | ({ mode: 'oidc' } & Omit<OidcSettings, 'offline'>)
    | ({ mode: 'jwt' } & JwtSettings)
    | { mode: 'header'; userHeader: string; groupsHeader: string };
  isSignInOptional: boolean;
  /** Null for the host of each request. */
  url: string | null;
  sessionHours: number;
  /** Null for a key in the data folder. */
  sessionKeyFile: string | null;
  trustedProxies: readonly string[];
}

const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const headerName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of a header');
const texts = (entry: z.ZodString) =>
  z
    .union([z.string().transform((list) => list.split(',').map((each) => each.trim())), z.array(z.string())])
    .pipe(z.array(entry))
    .optional();
const range = z.string().refine((entry) => complainAboutRange(entry) === undefined, {
  error: ({ input }) => `holds ${String(input)}, which is neither an address nor a range such as 10.0.0.0/8`,
});

export const accessSettings = {
  accessMode: {
    path: 'access.mode',
    scope: 'shared',
    variable: 'ACCESS_MODE',
    check: z.enum(accessModes, { error: `must be one of ${accessModes.join(', ')}` }).default('public'),
    meaning:
      'Who may read the site: everyone (public), or readers who sign in with password, oidc, jwt or header.',
  },
  accessSignIn: {
    path: 'access.signIn',
    scope: 'shared',
    variable: 'ACCESS_SIGN_IN',
    check: z.enum(['required', 'optional'], { error: 'must be required or optional' }).default('required'),
    meaning: 'Whether readers must sign in (required), or only for the pages of their groups (optional).',
  },
  accessContentKeyFile: {
    path: 'access.contentKeyFile',
    scope: 'shared',
    variable: 'ACCESS_CONTENT_KEY_FILE',
    check: z.string().optional(),
    meaning: 'File with the content key that encrypts the pages for groups. Without it, they are not served.',
  },
  accessUrl: {
    path: 'access.url',
    scope: 'site',
    variable: 'ACCESS_URL',
    check: webAddress.optional(),
    meaning: 'Public address of the site, such as https://docs.example.com. Required for oidc.',
  },
  accessSessionHours: {
    path: 'access.sessionHours',
    scope: 'shared',
    variable: 'ACCESS_SESSION_HOURS',
    check: z.coerce
      .number({ error: 'must be a number' })
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(720, 'must be at most 720')
      .default(12),
    meaning: 'Hours until a reader has to sign in again.',
  },
  accessSessionKeyFile: {
    path: 'access.sessionKeyFile',
    scope: 'shared',
    variable: 'ACCESS_SESSION_KEY_FILE',
    check: z.string().optional(),
    meaning:
      'File with at least 32 characters that sign sessions. Servers of one site share it. Default: made in the data folder.',
  },
  accessTrustedProxies: {
    path: 'access.trustedProxies',
    scope: 'shared',
    variable: 'ACCESS_TRUSTED_PROXIES',
    check: texts(range),
    meaning: 'Addresses or ranges of proxies whose X-Forwarded headers are believed. Required for header.',
  },
  accessPasswordFile: {
    path: 'access.passwordFile',
    scope: 'shared',
    variable: 'ACCESS_PASSWORD_FILE',
    check: z.string().optional(),
    meaning:
      'File with lines of docyard-site hash-password, each for one password and its groups. Required for password.',
  },
  accessIssuer: {
    path: 'access.issuer',
    scope: 'shared',
    variable: 'ACCESS_ISSUER',
    check: webAddress.optional(),
    meaning: 'Address of the OpenID provider; for jwt, the expected iss. Required for oidc.',
  },
  accessClientId: {
    path: 'access.clientId',
    scope: 'shared',
    variable: 'ACCESS_CLIENT_ID',
    check: z.string().optional(),
    meaning: 'Client id at the OpenID provider. Required for oidc.',
  },
  accessClientSecretFile: {
    path: 'access.clientSecretFile',
    scope: 'shared',
    variable: 'ACCESS_CLIENT_SECRET_FILE',
    check: z.string().optional(),
    meaning: 'File with the client secret. Without it, the client is public.',
  },
  accessScopes: {
    path: 'access.scopes',
    scope: 'shared',
    variable: 'ACCESS_SCOPES',
    check: z.string().default('openid profile email'),
    meaning: 'Scopes to ask the OpenID provider for.',
  },
  accessGroupsClaim: {
    path: 'access.groupsClaim',
    scope: 'shared',
    variable: 'ACCESS_GROUPS_CLAIM',
    check: z.string().min(1).default('groups'),
    meaning:
      'Claim with the groups of a reader, for oidc and jwt. Dots lead into objects: realm_access.roles.',
  },
  accessAllowedGroups: {
    path: 'access.allowedGroups',
    scope: 'shared',
    variable: 'ACCESS_ALLOWED_GROUPS',
    check: texts(z.string().min(1)),
    meaning: 'Groups whose members may sign in with oidc. Default: everyone with an account.',
  },
  accessTokenKeyFile: {
    path: 'access.tokenKeyFile',
    scope: 'shared',
    variable: 'ACCESS_TOKEN_KEY_FILE',
    check: z.string().optional(),
    meaning: 'Public key (PEM or JSON Web Key Set) or shared secret that signs tokens. Required for jwt.',
  },
  accessAudience: {
    path: 'access.audience',
    scope: 'site',
    variable: 'ACCESS_AUDIENCE',
    check: z.string().min(1).optional(),
    meaning: 'Expected aud of tokens. Required for jwt.',
  },
  accessTokenCookie: {
    path: 'access.tokenCookie',
    scope: 'shared',
    variable: 'ACCESS_TOKEN_COOKIE',
    check: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'must be the name of a cookie')
      .optional(),
    meaning: 'Cookie in which your application stores a token. Without it, tokens come in links.',
  },
  accessSignInUrl: {
    path: 'access.signInUrl',
    scope: 'shared',
    variable: 'ACCESS_SIGN_IN_URL',
    check: webAddress.optional(),
    meaning:
      'Page of your application that returns readers with a token, for jwt. It gets the wanted page as ?to=.',
  },
  accessUserHeader: {
    path: 'access.userHeader',
    scope: 'shared',
    variable: 'ACCESS_USER_HEADER',
    check: headerName.default('X-Forwarded-User'),
    meaning: 'Header with the name of the reader, for header.',
  },
  accessGroupsHeader: {
    path: 'access.groupsHeader',
    scope: 'shared',
    variable: 'ACCESS_GROUPS_HEADER',
    check: headerName.default('X-Forwarded-Groups'),
    meaning: 'Header with the groups of the reader, separated by commas, for header.',
  },
} as const;

export interface GivenAccess {
  mode: Mode;
  signIn: 'required' | 'optional';
  url: string | undefined;
  sessionHours: number;
  sessionKeyFile: string | null;
  trustedProxies: string[] | undefined;
  passwordFile: string | null;
  issuer: string | undefined;
  clientId: string | undefined;
  clientSecretFile: string | null;
  scopes: string;
  groupsClaim: string;
  allowedGroups: string[] | undefined;
  tokenKeyFile: string | null;
  audience: string | undefined;
  tokenCookie: string | undefined;
  signInUrl: string | undefined;
  userHeader: string;
  groupsHeader: string;
}

/** Null for a public site. */
export function accessSettingsOf(given: GivenAccess): AccessSettings | null {
  const { mode, url = null, sessionHours, sessionKeyFile, trustedProxies = [] } = given;
  if (mode === 'public') return null;
  const isSignInOptional = given.signIn === 'optional';
  return { how: howOf(mode, given), isSignInOptional, url, sessionHours, sessionKeyFile, trustedProxies };
}

function howOf(mode: Exclude<Mode, 'public'>, given: GivenAccess): AccessSettings['how'] {
  const required = <T>(value: T | null | undefined, path: string): T => {
    if (value !== null && value !== undefined) return value;
    throw new ConfigError(`access.mode is ${mode}, but ${path} is missing.`);
  };
  const { issuer, groupsClaim, userHeader, groupsHeader, clientSecretFile } = given;
  if (mode === 'password') {
    const file = required(given.passwordFile, 'access.passwordFile');
    return { mode, passwords: parsePasswordFile(textOf(file), file) };
  }
  if (mode === 'oidc') {
    required(given.url, 'access.url');
    return {
      mode,
      issuer: required(issuer, 'access.issuer'),
      clientId: required(given.clientId, 'access.clientId'),
      clientSecret: clientSecretFile === null ? null : textOf(clientSecretFile).trim(),
      scopes: given.scopes,
      groupsClaim,
      allowedGroups: given.allowedGroups ?? [],
    };
  }
  if (mode === 'jwt') {
    const file = required(given.tokenKeyFile, 'access.tokenKeyFile');
    return {
      mode,
      key: parseTokenKey(textOf(file), file),
      issuer: issuer ?? null,
      audience: required(given.audience, 'access.audience'),
      groupsClaim,
      cookie: given.tokenCookie ?? null,
      signInUrl: given.signInUrl ?? null,
    };
  }
  if ((given.trustedProxies ?? []).length === 0) required(undefined, 'access.trustedProxies');
  return { mode, userHeader, groupsHeader };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
  }
}
