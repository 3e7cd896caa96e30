import packageJson from '../package.json' with { type: 'json' };

export const version: string = packageJson.version;

/** Set by scripts/bundle-programs.ts; undefined when running from source. */
export const builtFrom: string | undefined = undefined;
