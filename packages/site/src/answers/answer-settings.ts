/** Settings of the assistant that answers questions of readers; off without `assistant.enabled`. */
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import type { PublicAddress } from '../serving/request-origin.ts';

export const assistantProviders = ['openai-compatible', 'anthropic'] as const;

export interface EndpointSettings {
  /** Without a slash at the end. */
  url: string;
  /** Of the model. */
  name: string;
  /** Secret. */
  key: string | null;
}

export interface ModelSettings extends EndpointSettings {
  provider: (typeof assistantProviders)[number];
}

export interface AnswerSettings {
  /** Null for passages without an answer. */
  model: ModelSettings | null;
  /** Null for passages in the order of the search. */
  embeddings: EndpointSettings | null;
  maxQuestionsPerHour: number;
  maxTokensPerDay: number;
  maxAnswerTokens: number;
  timeoutSeconds: number;
  instructions: string;
  site: PublicAddress;
}

const flag = z.union([z.boolean(), z.stringbool({ error: 'must be on or off' })], {
  error: 'must be on or off',
});
const whole = (min: number, max: number) =>
  z.coerce
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
const endpointUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((url) => url.replace(/\/$/, ''))
  .optional();

export const answerSettings = {
  assistantEnabled: {
    path: 'assistant.enabled',
    scope: 'shared',
    variable: 'ASSISTANT_ENABLED',
    check: flag.default(false),
    meaning: 'On: readers can ask questions about the site.',
  },
  assistantModelUrl: {
    path: 'assistant.modelUrl',
    scope: 'shared',
    variable: 'ASSISTANT_MODEL_URL',
    check: endpointUrl,
    meaning:
      'Base address of the model endpoint, such as http://127.0.0.1:8000/v1. Without it, readers get passages.',
  },
  assistantModel: {
    path: 'assistant.model',
    scope: 'shared',
    variable: 'ASSISTANT_MODEL',
    check: z.string().min(1).optional(),
    meaning: 'Name of the model. Required with modelUrl.',
  },
  assistantProvider: {
    path: 'assistant.provider',
    scope: 'shared',
    variable: 'ASSISTANT_PROVIDER',
    check: z
      .enum(assistantProviders, { error: `must be one of ${assistantProviders.join(', ')}` })
      .default('openai-compatible'),
    meaning: 'Protocol of the endpoint: openai-compatible or anthropic.',
  },
  assistantKeyFile: {
    path: 'assistant.keyFile',
    scope: 'shared',
    variable: 'ASSISTANT_KEY_FILE',
    check: z.string().optional(),
    meaning: 'File with the API key of the endpoint.',
  },
  assistantEmbeddingsUrl: {
    path: 'assistant.embeddingsUrl',
    scope: 'shared',
    variable: 'ASSISTANT_EMBEDDINGS_URL',
    check: endpointUrl,
    meaning:
      'Base address of an OpenAI-compatible embeddings endpoint, which ranks passages by meaning. Without it, passages keep the order of the search.',
  },
  assistantEmbeddingsModel: {
    path: 'assistant.embeddingsModel',
    scope: 'shared',
    variable: 'ASSISTANT_EMBEDDINGS_MODEL',
    check: z.string().min(1).optional(),
    meaning: 'Name of the embeddings model. Required with embeddingsUrl.',
  },
  assistantEmbeddingsKeyFile: {
    path: 'assistant.embeddingsKeyFile',
    scope: 'shared',
    variable: 'ASSISTANT_EMBEDDINGS_KEY_FILE',
    check: z.string().optional(),
    meaning: 'File with the API key of the embeddings endpoint.',
  },
  assistantMaxQuestionsPerHour: {
    path: 'assistant.maxQuestionsPerHour',
    scope: 'shared',
    variable: 'ASSISTANT_MAX_QUESTIONS_PER_HOUR',
    check: whole(1, 100_000).default(60),
    meaning: 'Questions per hour of one reader, or of one address if readers do not sign in.',
  },
  assistantMaxTokensPerDay: {
    path: 'assistant.maxTokensPerDay',
    scope: 'shared',
    variable: 'ASSISTANT_MAX_TOKENS_PER_DAY',
    check: whole(1, 1_000_000_000_000).default(2_000_000),
    meaning: 'Tokens that all questions of a day (UTC) may use. Counted per process, from its start.',
  },
  assistantMaxAnswerTokens: {
    path: 'assistant.maxAnswerTokens',
    scope: 'shared',
    variable: 'ASSISTANT_MAX_ANSWER_TOKENS',
    check: whole(50, 32_000).default(800),
    meaning: 'Longest answer, in tokens.',
  },
  assistantTimeoutSeconds: {
    path: 'assistant.timeoutSeconds',
    scope: 'shared',
    variable: 'ASSISTANT_TIMEOUT_SECONDS',
    check: whole(1, 600).default(60),
    meaning: 'Time for one answer.',
  },
  assistantInstructions: {
    path: 'assistant.instructions',
    scope: 'shared',
    variable: 'ASSISTANT_INSTRUCTIONS',
    check: z.string().max(4000, 'must have at most 4000 characters').optional(),
    meaning: 'Additional instructions for the model, such as the tone of answers.',
  },
} as const;

interface GivenEndpoint {
  url: string | undefined;
  name: string | undefined;
  readKey: () => string | null;
}

interface GivenAssistant extends Omit<AnswerSettings, 'model' | 'embeddings'> {
  isEnabled: boolean;
  provider: ModelSettings['provider'];
  model: GivenEndpoint;
  embeddings: GivenEndpoint;
}

/** Null when it is off. */
export function answerSettingsOf(given: GivenAssistant): AnswerSettings | null {
  const { isEnabled, provider, model, embeddings, ...limits } = given;
  if (!isEnabled) return null;
  const { assistantModelUrl, assistantModel, assistantEmbeddingsUrl, assistantEmbeddingsModel } =
    answerSettings;
  const endpoint = endpointOf(model, assistantModelUrl.path, assistantModel.path);
  return {
    model: endpoint && { provider, ...endpoint },
    embeddings: endpointOf(embeddings, assistantEmbeddingsUrl.path, assistantEmbeddingsModel.path),
    ...limits,
  };
}

function endpointOf(
  { url, name, readKey }: GivenEndpoint,
  urlSetting: string,
  nameSetting: string,
): EndpointSettings | null {
  if (url === undefined) return null;
  if (name === undefined)
    throw new ConfigError(`${urlSetting} is set without ${nameSetting}. Name the model to use.`);
  return { url, name, key: readKey() };
}
