/** Which form of a site is wanted: the options that `build` and the local `export` share. */
import type { RenderOptions } from '@docyard/render';
import { Option, type Command } from 'commander';
import { remotePictures } from './remote.ts';

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
  const text = 'whether scripts of the repository (*.js) run on every page';
  return new Option('--custom-scripts <choice>', text).choices(['skip', 'include']);
}

export function addSiteOptions(command: Command): Command {
  return command
    .option('--base-path <path>', 'where the site will live below its host, for example /docs')
    .addOption(new Option('--url-style <style>', 'form of addresses').choices(urlStyles).default('html'))
    .option('--origin <url>', 'origin for absolute addresses, for example https://docs.example.com')
    .option('--group <name...>', 'also pages that only these groups may see')
    .option('--air-gapped', 'offer nothing that needs a network, for readers without one')
    .addOption(customScriptsOption())
    .option('--offline', 'fetch nothing: no pictures and API descriptions of other hosts')
    .option('--fresh', 'do not read or write the cache');
}

export function renderOptionsOf(options: SiteOptions): RenderOptions {
  const { basePath, urlStyle, origin, group = [], airGapped = false, customScripts = 'skip' } = options;
  return {
    urlStyle,
    groups: group,
    airGapped,
    customScripts,
    ...remotePictures(options),
    ...(basePath === undefined ? {} : { basePath }),
    ...(origin === undefined ? {} : { origin }),
  };
}
