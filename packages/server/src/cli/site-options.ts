/** The options that `build` and the local `export` share. */
import type { RenderOptions } from '@docyard/render';
import { Option, type Command } from 'commander';
import { CommandError } from './errors.ts';
import { remoteAssets } from './remote.ts';

export interface SiteOptions {
  basePath?: string;
  urlStyle: NonNullable<RenderOptions['urlStyle']>;
  origin?: string;
  group?: string[];
  airGapped?: boolean;
  customScripts?: CustomScripts;
  offline?: boolean;
  fresh?: boolean;
}

export const urlStyles = ['html', 'directory', 'clean'] as const;

export type CustomScripts = NonNullable<RenderOptions['customScripts']>;

export function customScriptsOption(): Option {
  const text = 'run scripts of the repository (*.js) on every page';
  return new Option('--custom-scripts <choice>', text).choices(['skip', 'include']);
}

export function addSiteOptions(command: Command): Command {
  return command
    .option('--base-path <path>', 'path of the site on its host, for example /docs')
    .addOption(new Option('--url-style <style>', 'style of page URLs').choices(urlStyles).default('html'))
    .option('--origin <url>', 'origin for absolute URLs, for example https://docs.example.com')
    .option('--group <name...>', 'include pages restricted to these groups')
    .option('--air-gapped', 'omit features that need a network')
    .addOption(customScriptsOption())
    .option('--offline', 'do not fetch images, fonts and API descriptions from other hosts')
    .option('--fresh', 'do not read or write the cache');
}

const basePathForm = /^(?:\/|(?:\/[\w.~-]+)*)$/;

export function refuseInvalidOptions({ basePath, origin }: SiteOptions): void {
  if (basePath !== undefined && (!basePathForm.test(basePath) || basePath.split('/').includes('..')))
    throw new CommandError(
      `--base-path ${basePath}: must begin with a slash and not end with one, such as /docs.`,
      'usage',
    );
  const url = origin === undefined ? undefined : URL.parse(origin);
  if (url === null || (url !== undefined && !/^https?:$/.test(url.protocol)))
    throw new CommandError(
      `--origin ${origin}: must be an http or https URL, such as https://docs.example.com.`,
      'usage',
    );
}

export function renderOptionsOf(options: SiteOptions): RenderOptions {
  const { basePath, urlStyle, origin, group = [], airGapped = false, customScripts = 'skip' } = options;
  return {
    urlStyle,
    groups: group,
    airGapped,
    customScripts,
    ...remoteAssets(options),
    ...(basePath === undefined ? {} : { basePath }),
    ...(origin === undefined ? {} : { origin }),
  };
}
