/**
 * Puts a rendered page into its frame. What several pages share (header, sidebar, footer of a branch as seen from one
 * depth of folder) is made once and kept.
 */
import type { SiteSettings } from '../config/settings.ts';
import { type Surroundings, overriddenSurroundings } from '../config/surroundings.ts';
import { SharedText } from '../encoded-text.ts';
import { textOfHtml } from '../html.ts';
import { IslandScripts } from '../islands/scripts.ts';
import { mathStylesheet } from '../math/files.ts';
import { type Addresses, addressesFor, prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import { type NavigationMap, type PagePlace, nearestBranch } from '../navigation/branches.ts';
import { Equivalents } from '../navigation/equivalents.ts';
import { PublicAddresses } from '../navigation/public-addresses.ts';
import type { SocialImages } from '../outputs/social-images.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageMeta } from '../page/meta.ts';
import { isPageStylesheet } from '../components/style.ts';
import type { PageResult, PageTask, SitePlan } from '../page/task.ts';
import { contextualHtml } from './contextual.ts';
import { directoryHtml } from './directory.ts';
import { apiStylesheet } from './files.ts';
import { anchorsHtml, drawerLinksHtml, footerHtml, headerHtml } from './frame.ts';
import { type HeadSite, headFacts } from './head-facts.ts';
import { type FrameContext, type PageSwitch, menusHtml, switchMarks } from './menus.ts';
import { type PageDocument, type PageView, pageDocument } from './shell.ts';
import type { EntryInfo } from './sidebar-entry.ts';
import { type PageSidebar, type Sidebar, createSidebar } from './sidebar.ts';
import { type SiteLinks, createSiteLinks } from './site-links.ts';
import { plainTitle } from './text.ts';
import { languageCode, wordsFor } from './words.ts';

export interface ComposedSite {
  settings: SiteSettings;
  navigation: NavigationMap;
  metas: ReadonlyMap<string, PageMeta>;
  files: { stylesheets: string[] };
}

export interface Pictures {
  logo: { light: string; dark: string } | undefined;
  favicon: { light: string; dark: string } | undefined;
}

interface FrameParts {
  surroundings: Surroundings;
  header: SharedText;
  footer: SharedText;
  aboveSidebar: string;
  belowSidebar: string;
  sidebar: PageSidebar | undefined;
  switches: PageSwitch[];
}

export class PageComposer {
  readonly publicAddresses: PublicAddresses;
  /** The scripts of the pages that were composed. */
  readonly islandScripts = new IslandScripts();
  readonly #site: ComposedSite;
  readonly #pictures: Pictures;
  readonly #addresses: Addresses;
  readonly #links: SiteLinks;
  readonly #rendered: ReadonlySet<string>;
  readonly #frames = new Map<string, FrameParts>();
  readonly #home: string;
  readonly #airGapped: boolean;
  readonly #equivalents: Equivalents;
  readonly #headSite: HeadSite;
  readonly #sidebars = new Map<Branch, Sidebar>();

  constructor(
    site: ComposedSite,
    plan: SitePlan,
    links: LinkResolver,
    pictures: Pictures,
    useFile: (file: string) => void,
    socialImages: SocialImages,
  ) {
    this.#site = site;
    this.#pictures = pictures;
    this.#rendered = new Set(plan.rendered);
    this.#addresses = addressesFor(plan.urlStyle, plan.routes);
    this.#links = createSiteLinks(this.#addresses, links, this.#rendered, useFile, site.settings.iconLibrary);
    this.#home = plan.urlStyle === 'html' ? 'index.html' : '';
    this.#airGapped = plan.airGapped;
    this.#equivalents = new Equivalents(site.navigation, (route) => this.#rendered.has(route));
    this.publicAddresses = new PublicAddresses(plan, this.#addresses, site.navigation, this.#equivalents);
    this.#headSite = {
      settings: site.settings,
      addresses: this.publicAddresses,
      links,
      images: socialImages,
      logo: pictures.logo?.light,
      useFile,
    };
  }

  /** A page that stands in the output already: its frame needs the same files as if it were written now. */
  keep(task: PageTask, usesImage: boolean): void {
    this.prepare(task);
    if (usesImage) this.#headSite.images.forPage(task.route);
  }

  /** Makes what stands around a page before the page is there. */
  prepare({ route, output }: PageTask): void {
    const { navigation } = this.#site;
    const branch = navigation.places.get(route)?.branch ?? nearestBranch(navigation, route);
    this.#frame(branch, prefixToRoot(output));
  }

  /** Whether the page that was composed last shows a picture of the site's own when it is shared. */
  usedImage = false;

  compose(task: PageTask, result: PageResult): PageDocument {
    const { settings, navigation, metas } = this.#site;
    const meta = metas.get(task.route) as PageMeta;
    const prefix = prefixToRoot(task.output);
    const place = navigation.places.get(task.route);
    const branch = place?.branch ?? nearestBranch(navigation, task.route);
    const frame = this.#frame(branch, prefix);
    const language = languageCode(branch?.language ?? 'en');
    const words = wordsFor(language);
    const head = headFacts(this.#headSite, { meta, result, place, language, prefix });
    this.usedImage = head.image !== undefined;
    const markdown = relativeHref(prefix, `${task.route}.md`);
    const view: PageView = {
      settings,
      banner: frame.surroundings.banner,
      language,
      words,
      prefix,
      route: task.route,
      title: meta.title,
      descriptionHtml: result.description,
      description: textOfHtml(result.description),
      bodyHtml: result.html,
      asideHtml: result.aside,
      contentIds: result.content.ids,
      bannerHtml: frame.surroundings.banner ? result.banner : '',
      headings: result.headings,
      mode: result.failed ? 'default' : meta.mode,
      header:
        frame.switches.length === 0
          ? frame.header
          : this.#withSwitches(frame.header.text, frame.switches, task.route, prefix),
      sidebar: [
        this.#withSwitches(frame.aboveSidebar, frame.switches, task.route, prefix),
        frame.sidebar?.textFor(task.route) ?? '',
        frame.belowSidebar,
      ].filter((piece) => piece !== '' && !(piece instanceof SharedText && piece.text === '')),
      footer: frame.footer,
      eyebrow: this.#eyebrow(place, prefix),
      directory: place?.group ? this.#directory(place.group, prefix) : '',
      ...(meta.hidePagination ? {} : this.#neighbours(place, prefix)),
      ...((meta.timestamp ?? settings.timestamp) && meta.lastUpdated ? { updated: meta.lastUpdated } : {}),
      contextual: contextualHtml(meta.contextual ?? settings.contextual, {
        words,
        markdownHref: markdown,
        copyScript: `${prefix}_docyard/copy-page.js`,
        address: head.canonical,
        path: `/${task.route}`,
        icon: (name) => this.#links.icon(prefix, name),
      }),
      contextualInContents: (meta.contextual ?? settings.contextual).display === 'toc',
      ...head,
      showsFeed: meta.showsFeed,
      deprecated: meta.deprecated,
      tag: meta.tag,
      endpoint: meta.endpoint,
      bar: result.bar,
      connectSources: result.features.includes('try-it') ? result.connectSources : undefined,
      islands: this.#islands(prefix, result.islands),
      stylesheets: this.#stylesheets(prefix, result),
      favicon: this.#favicon(prefix),
    };
    return pageDocument(view);
  }

  /** What pages load of the sidebars of large branches; only branches that a page was written for. */
  navigationFiles(): { path: string; content: string }[] {
    return [...this.#sidebars.values()]
      .flatMap((sidebar) => sidebar.files())
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  #sidebar(branch: Branch): Sidebar {
    const known = this.#sidebars.get(branch);
    if (known) return known;
    const sidebar = createSidebar(branch, {
      links: this.#links,
      infoOf: (route) => this.#entryInfo(route),
      drilldown: this.#site.settings.drilldown === true,
      more: wordsFor(languageCode(branch.language ?? 'en')).more,
    });
    this.#sidebars.set(branch, sidebar);
    return sidebar;
  }

  #entryInfo(route: string): EntryInfo {
    const meta = this.#site.metas.get(route);
    return {
      title: meta?.sidebarTitle ?? route,
      icon: meta?.icon,
      tag: meta?.tag,
      deprecated: meta?.deprecated,
      url: meta?.url,
      method: meta?.hideApiMarker ? undefined : meta?.endpoint?.method,
    };
  }

  #frame(branch: Branch | undefined, prefix: string): FrameParts {
    const key = `${branch?.id ?? ''} ${prefix}`;
    const known = this.#frames.get(key);
    if (known) return known;
    const surroundings = surroundingsOf(branch, this.#site.settings);
    const context: FrameContext = {
      settings: this.#site.settings,
      surroundings,
      words: wordsFor(languageCode(branch?.language ?? 'en')),
      links: this.#links,
      prefix,
      branch,
      logo: this.#pictures.logo,
      homeHref: relativeHref(prefix, this.#home),
      switches: [],
    };
    const parts: FrameParts = {
      surroundings,
      header: new SharedText(headerHtml(context)),
      footer: new SharedText(footerHtml(context)),
      aboveSidebar: menusHtml(context, ['product', 'dropdown', 'item']) + anchorsHtml(context),
      belowSidebar: drawerLinksHtml(context),
      sidebar: branch && this.#sidebar(branch).from(prefix),
      switches: context.switches,
    };
    this.#frames.set(key, parts);
    return parts;
  }

  #withSwitches(html: string, switches: readonly PageSwitch[], route: string, prefix: string): string {
    if (switches.length === 0) return html;
    return html.replaceAll(switchMarks, (_whole, index: string) => {
      const { from, to, otherwise } = switches[Number(index)] as PageSwitch;
      const other = this.#equivalents.find(route, from, to);
      return (other === undefined ? undefined : this.#links.page(prefix, other)) ?? otherwise;
    });
  }

  /** The group a page belongs to; the whole way to it when the site asks for breadcrumbs. */
  #eyebrow(place: PagePlace | undefined, prefix: string): PageView['eyebrow'] {
    if (!place) return [];
    if (!this.#site.settings.breadcrumbs) return place.trail.slice(-1).map((label) => ({ label }));
    return place.trail.map((label, index) => {
      const route = place.trailRoutes[index];
      const href = route === undefined ? undefined : this.#links.page(prefix, route);
      return { label, href };
    });
  }

  #directory(group: NonNullable<PagePlace['group']>, prefix: string): string {
    return directoryHtml(group, {
      links: this.#links,
      prefix,
      infoOf: (route) => {
        const meta = this.#site.metas.get(route);
        return {
          title: meta?.sidebarTitle ?? route,
          description: plainTitle(meta?.description ?? ''),
          icon: meta?.icon,
          url: meta?.url === undefined ? undefined : this.#links.address(prefix, meta.url),
        };
      },
    });
  }

  /** The nearest pages of the branch before and after that are part of the output and not links to elsewhere. */
  #neighbours(place: PagePlace | undefined, prefix: string): Pick<PageView, 'previous' | 'next'> {
    if (!place) return {};
    const { branch, index } = place;
    const nearest = (step: 1 | -1): { href: string; title: string } | undefined => {
      for (let at = index + step; ; at += step) {
        const route = branch.pages[at];
        if (route === undefined) return undefined;
        const meta = this.#site.metas.get(route);
        const href = this.#links.page(prefix, route);
        if (href !== undefined && meta && !meta.url) return { href, title: meta.sidebarTitle };
      }
    };
    return { previous: nearest(-1), next: nearest(1) };
  }

  #islands(prefix: string, islands: PageResult['islands']): PageView['islands'] {
    if (!islands) return undefined;
    const { runtime, modules } = this.islandScripts.use(islands.modules);
    return {
      runtime: prefix + runtime,
      modules: modules.map((path) => prefix + path),
      parts: islands.parts,
      hosts: this.#airGapped ? [] : islands.hosts,
    };
  }

  #stylesheets(prefix: string, { features, styles }: PageResult): string[] {
    const own = ['_docyard/style.css', '_docyard/site.css'];
    if (features.includes('api')) own.push(apiStylesheet);
    if (features.includes('math')) own.push(mathStylesheet);
    const ofPage = styles.flatMap(([name]) => (isPageStylesheet(name) ? [name] : []));
    return [...own, ...this.#site.files.stylesheets, ...ofPage].map((file) => relativeHref(prefix, file));
  }

  #favicon(prefix: string): PageView['favicon'] {
    const { favicon } = this.#pictures;
    return (
      favicon && { light: relativeHref(prefix, favicon.light), dark: relativeHref(prefix, favicon.dark) }
    );
  }
}

/** A language may bring its own header links, footer and banner. */
export function surroundingsOf(branch: Branch | undefined, settings: SiteSettings): Surroundings {
  const language = branch?.steps.find(({ switcher }) => switcher.kind === 'language')?.division;
  return (language?.own && overriddenSurroundings(settings, language.own)) ?? settings;
}
