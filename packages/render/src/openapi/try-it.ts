/**
 * The request form of an API page: whether it is offered, its data, and its CSP sources. A form requires a
 * known server.
 */
import { type RequestModel, requestModel } from './request.ts';
import type { OperationView, ServerView } from './view.ts';
import type { PlaygroundDisplay } from '../model/site-plan.ts';

export interface TryItOptions {
  playground: PlaygroundDisplay;
  airGapped: boolean;
  credentials: boolean;
  prefill: boolean;
  /** Translations by English text. */
  texts: Record<string, string> | undefined;
}

export interface TryIt {
  html: string;
  connectSources: string[];
}

/** Limits the sources in the policy; a server with more variable combinations gets a wildcard. */
const maxSources = 20;
const maxData = 200_000;

export function tryItOf(view: OperationView, options: TryItOptions): TryIt | undefined {
  const isOffered = options.playground === 'interactive' || options.playground === 'auth';
  if (!isOffered || options.airGapped || view.kind === 'webhook') return undefined;
  const servers = view.servers.filter(({ url, variables }) => sourcesOf(url, variables).length > 0);
  const connectSources = servers.flatMap(({ url, variables }) => sourcesOf(url, variables));
  if (connectSources.length === 0) return undefined;
  const request = filledModel({ ...requestModel(view), servers }, options.prefill);
  const json = scriptText({ request, credentials: options.credentials, texts: options.texts });
  if (json.length > maxData) return undefined;
  return {
    html: `<script type="application/json" data-request>${json}</script>`,
    connectSources: [...new Set(connectSources)].slice(0, maxSources),
  };
}

/** Required fields start with their example; others only with `prefill`. */
function filledModel(model: RequestModel, prefill: boolean): RequestModel {
  const parameters = model.parameters.map((field) =>
    field.initial === '' && (prefill || field.required) ? { ...field, initial: field.example } : field,
  );
  return { ...model, parameters };
}

/** Escaped so that text cannot end the script element. */
function scriptText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * CSP sources of a server. Variables with few values are expanded; others become `*` where CSP allows it: the
 * leftmost host label or the port.
 */
export function sourcesOf(url: string, variables: ServerView['variables']): string[] {
  const [scheme = '', host = ''] = /^(https?):\/\/([^/?#]+)/i.exec(url)?.slice(1) ?? [];
  if (scheme === '') return wholeAddressSources(url, variables);
  const hosts = expanded(host.toLowerCase(), variables);
  return [...new Set(hosts.map((one) => sourceOf(scheme.toLowerCase(), one)))];
}

/** A server that consists of one variable can be any host, unless its values are listed. */
function wholeAddressSources(url: string, variables: ServerView['variables']): string[] {
  const name = /^\{([^{}]+)\}/.exec(url)?.[1];
  const variable = variables.find((one) => one.name === name);
  if (!variable) return [];
  if (variable.choices.length === 0) {
    if (/^https:/i.test(variable.initial)) return ['https:'];
    return /^http:/i.test(variable.initial) ? ['http:', 'https:'] : [];
  }
  return variable.choices.slice(0, maxSources).flatMap((choice) => sourcesOf(choice, []));
}

function expanded(host: string, variables: ServerView['variables']): string[] {
  let hosts = [host];
  for (const { name, choices } of variables) {
    const mark = `{${name.toLowerCase()}}`;
    if (!host.includes(mark) || choices.length === 0 || hosts.length * choices.length > maxSources) continue;
    hosts = hosts.flatMap((one) => choices.map((choice) => one.replaceAll(mark, choice.toLowerCase())));
  }
  return hosts;
}

const plainHost = /^(?:[a-z\d_-]+\.)*[a-z\d_-]+(?::\d{1,5})?$/;

function sourceOf(scheme: string, host: string): string {
  if (plainHost.test(host)) return `${scheme}://${host}`;
  const starred = host.replace(/:\{[^{}]+\}$/, ':*').replace(/^(?:[^.{}]*\{[^{}]+\}[^.{}]*\.)+/, '*.');
  const rest = starred.replace(/^\*\./, '').replace(/:\*$/, '');
  return plainHost.test(rest) && rest.includes('.') ? `${scheme}://${starred}` : `${scheme}:`;
}
