/** The pictures and fonts that the configuration names, as files of the site; what is missing becomes a finding. */
import { hint as remoteHint, remoteNotice } from '../components/remote.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { readSurroundings, type Surroundings } from '../config/surroundings.ts';
import type { createLinkResolver } from '../navigation/links.ts';
import type { Branch, NavEntry } from '../navigation/tree.ts';
import type { StyleFiles } from './site-css.ts';
import { configuredFile, isElsewhere } from '../assets/references.ts';
import type { RemotePicture } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';

export interface ConfiguredPictures {
  style: StyleFiles;
  logo: { light: string; dark: string } | undefined;
  favicon: { light: string; dark: string } | undefined;
  files: string[];
  diagnostics: Diagnostic[];
}

export function configuredPictures(
  site: Site,
  links: ReturnType<typeof createLinkResolver>,
): ConfiguredPictures {
  const diagnostics: Diagnostic[] = [];
  const pair = (
    name: string,
    value: { light: string; dark: string } | undefined,
  ): { light: string; dark: string } | undefined => {
    const light = configuredFile(value?.light, links);
    const dark = configuredFile(value?.dark, links);
    if (value && (light.missing || dark.missing)) {
      diagnostics.push({
        severity: 'warning',
        code: 'image_missing',
        message: `The ${name} "${light.missing ? value.light : value.dark}" is not a file of the site; readers do not see it`,
        file: 'docs.json',
      });
    }
    const first = light.file ?? dark.file;
    return first === undefined ? undefined : { light: first, dark: dark.file ?? first };
  };
  const logo = pair('logo', site.settings.logo);
  const favicon = pair('favicon', site.settings.favicon);
  const background = pair('background image', site.settings.background?.image);
  const fonts = configuredFonts(site, links, diagnostics);
  const files = [logo, favicon, background].flatMap((item) => (item ? [item.light, item.dark] : []));
  const style = { fonts, background };
  return { logo, favicon, style, files: [...files, ...Object.values(fonts)], diagnostics };
}

/** Fonts that are files of the site; the others are used where the reader has them, and reported. */
function configuredFonts(
  site: Site,
  links: ReturnType<typeof createLinkResolver>,
  diagnostics: Diagnostic[],
): StyleFiles['fonts'] {
  const found: StyleFiles['fonts'] = {};
  const told = new Set<string>();
  for (const part of ['heading', 'body'] as const) {
    const font = site.settings.fonts[part];
    if (!font) continue;
    const { file } = configuredFile(font.source, links);
    if (file !== undefined) found[part] = file;
    else if (!told.has(font.family)) {
      told.add(font.family);
      const isFile = font.source !== undefined && !/^(?:https?:)?\/\//i.test(font.source);
      diagnostics.push({
        severity: isFile ? 'warning' : 'info',
        code: isFile ? 'font_missing' : 'font_not_loaded',
        message: isFile
          ? `The font file "${font.source}" is not a file of the site`
          : `The font "${font.family}" is used where readers have it installed; nothing is loaded from elsewhere`,
        file: site.configFile,
        hint: 'Put the font file into the site and name it in fonts.source.',
      });
    }
  }
  return found;
}

/**
 * Addresses of pictures on other hosts that stand around pages: logo, favicon, background, and icons of the navigation.
 * They must be known before the first page is written.
 */
export function picturesOfFrame({ settings, navigation, metas }: Site): string[] {
  const { logo, favicon, background } = settings;
  const pairs = [logo, favicon, background?.image].flatMap((pair) => (pair ? [pair.light, pair.dark] : []));
  const icons = [
    ...iconsAround(settings),
    ...navigation.branches.flatMap(iconsOfBranch),
    ...[...metas.values()].map(({ icon }) => icon),
  ];
  const addresses = [...pairs, ...icons].flatMap((address) =>
    address !== undefined && isElsewhere(address) ? address.replace(/^\/\//, 'https://') : [],
  );
  return [...new Set(addresses)];
}

/** Those that could not be had. The frame leaves them out without a word, so it is said here. */
export function missingInFrame(site: Site, pictures: ReadonlyMap<string, RemotePicture>): Diagnostic[] {
  return picturesOfFrame(site).flatMap((address): Diagnostic[] => {
    const known = pictures.get(address);
    if (known && 'file' in known) return [];
    return [
      {
        severity: 'info',
        code: 'remote_image',
        message: remoteNotice(address, known?.problem, 'is not shown'),
        file: site.configFile,
        hint: remoteHint,
        target: address.slice(0, 500),
      },
    ];
  });
}

type Icon = string | undefined;

function iconsAround({ navbar, footer }: Surroundings): Icon[] {
  const links = [...navbar.links, ...footer.socials, ...footer.columns.flatMap(({ items }) => items)];
  return [navbar.primary?.icon, ...links.map(({ icon }) => icon)];
}

function iconsOfBranch({ entries, steps, asides, globals }: Branch): Icon[] {
  const divisions = [...steps.map(({ switcher }) => switcher), ...asides].flatMap(
    (switcher) => switcher.divisions,
  );
  return [
    ...entries.flatMap(iconsOfEntry),
    ...[...divisions, ...globals].map(({ icon }) => icon),
    ...divisions.flatMap(({ own }) => (own ? iconsAround(readSurroundings(own)) : [])),
  ];
}

function iconsOfEntry(entry: NavEntry): Icon[] {
  if (entry.kind === 'page') return [];
  return [entry.icon, ...(entry.kind === 'group' ? entry.entries.flatMap(iconsOfEntry) : [])];
}
