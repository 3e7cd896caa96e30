const programs: Readonly<Record<string, string>> = { cli: 'Command line', system: 'The service' };

export function actorName({ actor, name }: { actor: string; name: string | null }): string {
  return programs[actor] ?? name ?? actor;
}

/** Within a sentence: `by Ada Harbour`, `by the command line`. */
export function byActor({ actor, name }: { actor: string; name: string | null }): string {
  if (actor === 'cli') return 'by the command line';
  return actor === 'system' ? 'by the service' : `by ${name ?? actor}`;
}
