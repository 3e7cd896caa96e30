/**
 * The environment of a run. Settings of the caller, such as a database, a bucket or limits, would lead the run to servers that
 * it must not break.
 */

/** What programs need to start. Everything else is set by the run. */
const passedOn: ReadonlySet<string> = new Set(['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']);

/** Removes the settings of the caller and returns their names. */
export function dropForeignSettings(environment: NodeJS.ProcessEnv): string[] {
  const foreign = Object.keys(environment).filter((name) => !passedOn.has(name));
  for (const name of foreign) delete environment[name];
  return foreign;
}
