/** The innermost list of servers applies: operation, then path, then document. */
import { asList, asObject, asText, at } from '../config/json.ts';
import type { ServerView } from './view.ts';

const maxServers = 50;
const maxChoices = 200;

export function serverViews(...owners: unknown[]): ServerView[] {
  const list =
    owners.map((owner) => asList(at(owner, 'servers'))).find((servers) => servers.length > 0) ?? [];
  return list.slice(0, maxServers).flatMap((server) => {
    const url = asText(at(server, 'url'));
    if (url === undefined) return [];
    return [{ url, description: asText(at(server, 'description')) ?? '', variables: variablesOf(server) }];
  });
}

/** With default variable values, without trailing slash. */
export function initialUrl(server: ServerView | undefined): string {
  let url = server?.url ?? '';
  for (const { name, initial } of server?.variables ?? [])
    url = url.replaceAll(`{${name}}`, () => initial || `{${name}}`);
  return url.replace(/\/$/, '');
}

function variablesOf(server: unknown): ServerView['variables'] {
  return Object.entries(asObject(at(server, 'variables')) ?? {})
    .slice(0, maxServers)
    .map(([name, variable]) => {
      const choices = asList(at(variable, 'enum'))
        .flatMap((choice) => asText(choice) ?? [])
        .slice(0, maxChoices);
      return {
        name,
        initial: asText(at(variable, 'default')) ?? choices[0] ?? '',
        choices,
        description: asText(at(variable, 'description')) ?? '',
      };
    });
}
