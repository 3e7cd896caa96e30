import { type ReadSiteFile, withInlineMasks } from '../assets/inline-masks.ts';
import type { SiteSettings } from '../config/settings.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { PageMeta } from '../model/page-source.ts';
import { isPageStylesheet } from '../components/style.ts';
import { offersCopy } from '../theme/contextual-menu.ts';
import { bundledFontFiles } from '../theme/bundled-fonts.ts';
import { entryColorsCss } from '../theme/entry-colors.ts';
import { themeFiles } from '../theme/files.ts';
import { inThemeLayer } from '../css/layers.ts';
import { type StyleFiles, inlineStylesCss, siteStylesheet } from '../theme/site-css.ts';
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
  readFile: ReadSiteFile;
}

export async function* sharedFiles({
  site,
  styles,
  classes,
  styleFiles,
  readFile,
}: SharedFilesContext): AsyncGenerator<{ path: string; content: string | Uint8Array }> {
  const menus = [
    site.settings.contextual,
    ...[...site.metas.values()].flatMap((meta) => meta.contextual ?? []),
  ];
  yield* bundledFontFiles(styleFiles.fonts.bundled);
  yield* themeFiles({
    withCopy: menus.some(offersCopy),
    withFeedback: site.settings.feedback.thumbsRating,
    withAnswers: site.settings.searchAnswers,
  });
  const content =
    inThemeLayer(siteStylesheet(site.settings, styleFiles) + entryColorsCss(site.navigation.branches)) +
    (await utilityStylesheet(classes)) +
    inlineStylesCss(styles);
  const path = '_docyard/site.css';
  yield { path, content: withInlineMasks(content, path, readFile) };
  for (const [name, rules] of styles)
    if (isPageStylesheet(name)) yield { path: name, content: withInlineMasks(rules, name, readFile) };
}
