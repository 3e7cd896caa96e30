/** The environment of a run. Settings of the caller, such as a database, could direct faults at real servers. */

/** Variables that programs need to start; the run sets all others. */
const passedOn: ReadonlySet<string> = new Set(['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']);

/** Removes the settings of the caller and returns their names. */
export function dropForeignSettings(environment: NodeJS.ProcessEnv): string[] {
  const foreign = Object.keys(environment).filter((name) => !passedOn.has(name));
  for (const name of foreign) delete environment[name];
  return foreign;
}
