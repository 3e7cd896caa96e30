/** The model options of `docyard projects agent`. */
import { modelProviders, type Project } from '@docyard/api';
import { Option, type Command } from 'commander';
import { CommandError } from './errors.ts';
import { definedOnly, jsonIn, numbersIn, textIn } from './option-values.ts';

type Stored = Project['agent']['model'];

export interface ModelOptions {
  /** False for `--no-model`; likewise below. */
  model?: string | false;
  modelUrl?: string;
  modelProvider?: string;
  modelKeyFile?: string;
  modelKey: boolean;
  modelHeadersFile?: string;
  modelHeaders: boolean;
  modelOption?: string[];
  modelOptions: boolean;
  modelBodyFile?: string;
}

export function addModelOptions(command: Command): Command {
  return command
    .option('--model <name>', 'name of the model')
    .option('--no-model', 'use the endpoint of the installation again')
    .option('--model-url <url>', 'URL of the model endpoint')
    .addOption(
      new Option('--model-provider <name>', 'protocol of the model endpoint').choices(modelProviders),
    )
    .option('--model-key-file <file>', 'key of the endpoint; - reads standard input')
    .option('--no-model-key', 'delete the key of the endpoint')
    .option('--model-headers-file <file>', 'extra headers of requests, as JSON; - reads standard input')
    .option('--no-model-headers', 'delete the extra headers')
    .option('--model-option <name=number...>', 'settings such as contextTokens=32768 temperature=0.2')
    .option('--model-body-file <file>', 'extra fields of requests, as JSON; - reads standard input')
    .option('--no-model-options', 'use the default settings of the model again, without extra fields');
}

export function modelOf(options: ModelOptions, stored: Stored): unknown {
  if (options.model === false) return null;
  const headers = secretIn(options.modelHeadersFile, options.modelHeaders, '--model-headers-file');
  const change = definedOnly({
    name: options.model,
    url: options.modelUrl,
    provider: options.modelProvider,
    key: secretIn(options.modelKeyFile, options.modelKey, '--model-key-file'),
    headers: typeof headers === 'string' ? jsonIn(headers, '--model-headers-file') : headers,
    body:
      options.modelBodyFile === undefined
        ? undefined
        : jsonIn(textIn(options.modelBodyFile, '--model-body-file'), '--model-body-file'),
    ...numbersIn(options.modelOption, '--model-option'),
  });
  if (options.modelOptions && Object.keys(change).length === 0) return undefined;
  const { key: _key, headers: _headers, ...kept } = stored ?? { provider: modelProviders[0] };
  const base = options.modelOptions ? kept : requiredOf(kept);
  const model: Record<string, unknown> = { ...base, ...change };
  if (model['name'] === undefined || model['url'] === undefined) {
    throw new CommandError('The project has no model endpoint. Pass --model-url and --model.', 'usage');
  }
  return model;
}

function requiredOf({ provider, url, name }: Partial<NonNullable<Stored>>): object {
  return definedOnly({ provider, url, name });
}

/** Undefined to keep the secret, null to delete it. */
function secretIn(file: string | undefined, isKept: boolean, option: string): string | null | undefined {
  if (file !== undefined) return textIn(file, option).trim();
  return isKept ? undefined : null;
}

export function describedModel({
  provider: _provider,
  url: _url,
  name: _name,
  key: _key,
  headers = {},
  body,
  ...numbers
}: NonNullable<Stored>): [string, string][] {
  const given = Object.entries(numbers).map(([name, value]) => `${name}=${value}`);
  const lines: [string, string[]][] = [
    ['model headers', Object.keys(headers)],
    ['model options', given],
    ['model body', body === undefined ? [] : [JSON.stringify(body)]],
  ];
  return lines.flatMap(([name, values]) => (values.length === 0 ? [] : [[name, values.join(' ')]]));
}
