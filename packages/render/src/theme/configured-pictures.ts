/** Resolves the images in the configuration to site files; missing ones become findings. */
import { hint as remoteHint, remoteNotice } from '../components/remote.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { readSurroundings, type Surroundings } from '../config/surroundings.ts';
import type { createLinkResolver } from '../navigation/links.ts';
import type { Branch, NavEntry } from '../navigation/tree.ts';
import type { SiteFonts } from './fonts.ts';
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
  fonts: SiteFonts,
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
        message: `The ${name} "${light.missing ? value.light : value.dark}" does not exist in the site and is not shown`,
        file: 'docs.json',
      });
    }
    const first = light.file ?? dark.file;
    return first === undefined ? undefined : { light: first, dark: dark.file ?? first };
  };
  const logo = pair('logo', site.settings.logo);
  const favicon = pair('favicon', site.settings.favicon);
  const background = pair('background image', site.settings.background?.image);
  const files = [logo, favicon, background].flatMap((item) => (item ? [item.light, item.dark] : []));
  const style = { fonts, background };
  return {
    logo,
    favicon,
    style,
    files: [...files, ...fonts.files],
    diagnostics: [...diagnostics, ...fonts.diagnostics],
  };
}

/**
 * Remote images in the frame: logo, favicon, background and navigation icons. They are needed before the first
 * page is written.
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

/** The frame omits missing images silently, so they are reported here. */
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
