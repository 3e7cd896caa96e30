/**
 * The form of an API page: whether it is offered, the data it is built from, and where its requests may go. The form
 * itself is a script of the theme; it is there only when its page can name a host to ask.
 */
import { type RequestModel, requestModel } from './request.ts';
import type { OperationView, ServerView } from './view.ts';
import type { PlaygroundDisplay } from '../model/site-plan.ts';

export interface TryItOptions {
  playground: PlaygroundDisplay;
  airGapped: boolean;
  /** Cookies of the reader go along. */
  credentials: boolean;
  /** Fields are filled with examples. */
  prefill: boolean;
  /** What the form says, by its English form, on a page in another language. */
  texts: Record<string, string> | undefined;
}

export interface TryIt {
  /** The data as an element of the page. */
  html: string;
  connectSources: string[];
}

/** A policy names no more hosts; a server with more combinations of variables is allowed by a wider rule instead. */
const maximumSources = 20;
/** A larger form would weigh more than the page it is on. */
const maximumData = 200_000;

export function tryItOf(view: OperationView, options: TryItOptions): TryIt | undefined {
  const isOffered = options.playground === 'interactive' || options.playground === 'auth';
  if (!isOffered || options.airGapped || view.kind === 'webhook') return undefined;
  const servers = view.servers.filter(({ url, variables }) => sourcesOf(url, variables).length > 0);
  const connectSources = servers.flatMap(({ url, variables }) => sourcesOf(url, variables));
  if (connectSources.length === 0) return undefined;
  const request = filledModel({ ...requestModel(view), servers }, options.prefill);
  const json = scriptText({ request, credentials: options.credentials, texts: options.texts });
  if (json.length > maximumData) return undefined;
  return {
    html: `<script type="application/json" data-request>${json}</script>`,
    connectSources: [...new Set(connectSources)].slice(0, maximumSources),
  };
}

/** What must be sent holds its example from the start; the rest only if the site asks for it. */
function filledModel(model: RequestModel, prefill: boolean): RequestModel {
  const parameters = model.parameters.map((field) =>
    field.initial === '' && (prefill || field.required) ? { ...field, initial: field.example } : field,
  );
  return { ...model, parameters };
}

/** No text of a specification can end the element it is in. */
function scriptText(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * The hosts of a server as sources of a content security policy. A variable with a few values gives each; one without
 * gives `*` where the policy can say that, which is for a whole first part of a host or for a port.
 */
export function sourcesOf(url: string, variables: ServerView['variables']): string[] {
  const [scheme = '', host = ''] = /^(https?):\/\/([^/?#]+)/i.exec(url)?.slice(1) ?? [];
  if (scheme === '') return wholeAddressSources(url, variables);
  const hosts = expanded(host.toLowerCase(), variables);
  return [...new Set(hosts.map((one) => sourceOf(scheme.toLowerCase(), one)))];
}

/** A server that is nothing but a variable may be anywhere, unless its values are listed. */
function wholeAddressSources(url: string, variables: ServerView['variables']): string[] {
  const name = /^\{([^{}]+)\}/.exec(url)?.[1];
  const variable = variables.find((one) => one.name === name);
  if (!variable) return [];
  if (variable.choices.length === 0) return /^https?:/i.test(variable.initial) ? ['https:'] : [];
  return variable.choices.slice(0, maximumSources).flatMap((choice) => sourcesOf(choice, []));
}

function expanded(host: string, variables: ServerView['variables']): string[] {
  let hosts = [host];
  for (const { name, choices } of variables) {
    const mark = `{${name.toLowerCase()}}`;
    if (!host.includes(mark) || choices.length === 0 || hosts.length * choices.length > maximumSources)
      continue;
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
