/** The version of this program, as its package says, and of which sources it was built. */
import packageJson from '../package.json' with { type: 'json' };

export const version: string = packageJson.version;

/** Put in by scripts/bundle-programs.ts; whoever runs the sources themselves has none. */
export const builtFrom: string | undefined = undefined;
