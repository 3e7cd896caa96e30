/** Where requests go. The innermost list of servers counts: operation, then path, then document. */
import { asList, asObject, asText, at } from '../config/json.ts';
import type { ServerView } from './view.ts';

const SERVER_LIMIT = 50;
const CHOICE_LIMIT = 200;

export function serverViews(...owners: unknown[]): ServerView[] {
  const list =
    owners.map((owner) => asList(at(owner, 'servers'))).find((servers) => servers.length > 0) ?? [];
  return list.slice(0, SERVER_LIMIT).flatMap((server) => {
    const url = asText(at(server, 'url'));
    if (url === undefined) return [];
    return [{ url, description: asText(at(server, 'description')) ?? '', variables: variablesOf(server) }];
  });
}

/** The address with what its variables are at first; without a final slash. */
export function initialUrl(server: ServerView | undefined): string {
  let url = server?.url ?? '';
  for (const { name, initial } of server?.variables ?? [])
    url = url.replaceAll(`{${name}}`, () => initial || `{${name}}`);
  return url.replace(/\/$/, '');
}

function variablesOf(server: unknown): ServerView['variables'] {
  return Object.entries(asObject(at(server, 'variables')) ?? {})
    .slice(0, SERVER_LIMIT)
    .map(([name, variable]) => {
      const choices = asList(at(variable, 'enum'))
        .flatMap((choice) => asText(choice) ?? [])
        .slice(0, CHOICE_LIMIT);
      return {
        name,
        initial: asText(at(variable, 'default')) ?? choices[0] ?? '',
        choices,
        description: asText(at(variable, 'description')) ?? '',
      };
    });
}
