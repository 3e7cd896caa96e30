/** The scripts and stylesheets that all pages share, and those that single pages bring. */
import type { SiteSettings } from '../config/settings.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { PageMeta } from '../page/meta.ts';
import { isPageStylesheet } from '../components/style.ts';
import { offersCopy } from '../theme/contextual.ts';
import { entryColorsCss } from '../theme/entry-colors.ts';
import { themeFiles } from '../theme/files.ts';
import { type StyleFiles, siteStylesheet } from '../theme/site-css.ts';
import { utilityStylesheet } from '../theme/utilities/stylesheet.ts';

export interface SharedFilesContext {
  site: {
    settings: SiteSettings;
    metas: ReadonlyMap<string, PageMeta>;
    navigation: Pick<NavigationMap, 'branches'>;
  };
  styles: ReadonlyMap<string, string>;
  classes: ReadonlySet<string>;
  styleFiles: StyleFiles;
}

export function* sharedFiles({
  site,
  styles,
  classes,
  styleFiles,
}: SharedFilesContext): Generator<{ path: string; content: string }> {
  const menus = [
    site.settings.contextual,
    ...[...site.metas.values()].flatMap((meta) => meta.contextual ?? []),
  ];
  yield* themeFiles({ withCopy: menus.some(offersCopy) });
  const content =
    siteStylesheet(site.settings, styles, styleFiles) +
    entryColorsCss(site.navigation.branches) +
    utilityStylesheet(classes);
  yield { path: '_docyard/site.css', content };
  for (const [path, rules] of styles) if (isPageStylesheet(path)) yield { path, content: rules };
}
