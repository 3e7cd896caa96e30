/** What readers of a site can do: sign in, ask questions, be counted. */
import { accessSettingsOf, type AccessSettings } from '../access/access-settings.ts';
import type { AnalyticsSettings } from '../analytics/analytics-settings.ts';
import { answerSettingsOf, type AnswerSettings } from '../answers/answer-settings.ts';
import type { PublicAddress } from '../serving/request-origin.ts';
import { readKeyFile } from './keys.ts';
import type { SettingsReader } from './settings-reader.ts';

export function analyticsOf(reader: SettingsReader): (AnalyticsSettings & PublicAddress) | null {
  if (!reader.read('analyticsEnabled')) return null;
  return { retentionDays: reader.read('analyticsRetentionDays'), ...publicAddressOf(reader) };
}

function publicAddressOf(reader: SettingsReader): PublicAddress {
  return {
    url: reader.read('accessUrl') ?? null,
    trustedProxies: reader.read('accessTrustedProxies') ?? [],
  };
}

export function accessOf(reader: SettingsReader): AccessSettings | null {
  return accessSettingsOf({
    mode: reader.read('accessMode'),
    signIn: reader.read('accessSignIn'),
    url: reader.read('accessUrl'),
    sessionHours: reader.read('accessSessionHours'),
    sessionKeyFile: reader.address('accessSessionKeyFile'),
    trustedProxies: reader.read('accessTrustedProxies'),
    passwordFile: reader.address('accessPasswordFile'),
    issuer: reader.read('accessIssuer'),
    clientId: reader.read('accessClientId'),
    clientSecretFile: reader.address('accessClientSecretFile'),
    scopes: reader.read('accessScopes'),
    groupsClaim: reader.read('accessGroupsClaim'),
    allowedGroups: reader.read('accessAllowedGroups'),
    tokenKeyFile: reader.address('accessTokenKeyFile'),
    audience: reader.read('accessAudience'),
    tokenCookie: reader.read('accessTokenCookie'),
    signInUrl: reader.read('accessSignInUrl'),
    userHeader: reader.read('accessUserHeader'),
    groupsHeader: reader.read('accessGroupsHeader'),
  });
}

export function answersOf(reader: SettingsReader): AnswerSettings | null {
  const readKey = (name: 'assistantKeyFile' | 'assistantEmbeddingsKeyFile') => () => {
    const file = reader.address(name);
    return file === null ? null : readKeyFile(file);
  };
  return answerSettingsOf({
    isEnabled: reader.read('assistantEnabled'),
    provider: reader.read('assistantProvider'),
    model: {
      url: reader.read('assistantModelUrl'),
      name: reader.read('assistantModel'),
      readKey: readKey('assistantKeyFile'),
    },
    embeddings: {
      url: reader.read('assistantEmbeddingsUrl'),
      name: reader.read('assistantEmbeddingsModel'),
      readKey: readKey('assistantEmbeddingsKeyFile'),
    },
    maxQuestionsPerHour: reader.read('assistantMaxQuestionsPerHour'),
    maxTokensPerDay: reader.read('assistantMaxTokensPerDay'),
    maxAnswerTokens: reader.read('assistantMaxAnswerTokens'),
    timeoutSeconds: reader.read('assistantTimeoutSeconds'),
    instructions: reader.read('assistantInstructions') ?? '',
    site: publicAddressOf(reader),
  });
}
