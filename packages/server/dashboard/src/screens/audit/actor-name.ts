/** What people call an actor of the API: a key, a person, the command line or the service itself. */
const programs: Readonly<Record<string, string>> = { cli: 'Command line', system: 'The service' };

export function actorName({ actor, name }: { actor: string; name: string | null }): string {
  return programs[actor] ?? name ?? actor;
}
