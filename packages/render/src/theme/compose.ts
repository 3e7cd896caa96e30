/**
 * Puts a rendered page into its frame. What several pages share (header, sidebar, footer of a branch as seen from one
 * depth of folder) is made once and kept.
 */
import type { SiteSettings } from '../config/settings.ts';
import { type Addresses, addressesFor, prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import { type NavigationMap, type PagePlace, nearestBranch } from '../navigation/branches.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageMeta } from '../page/meta.ts';
import type { PageResult, PageTask, SitePlan } from '../page/task.ts';
import { type FrameContext, anchorsHtml, footerHtml, headerHtml, languageCode, menusHtml } from './frame.ts';
import { type PageView, pageDocument } from './shell.ts';
import { SidebarTemplate } from './sidebar.ts';
import { type SiteLinks, createSiteLinks } from './site-links.ts';
import { textOfHtml } from '../html.ts';
import { mathStylesheet } from '../math/files.ts';

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
  header: string;
  footer: string;
  aboveSidebar: string;
  sidebar: SidebarTemplate | undefined;
}

export class PageComposer {
  readonly #site: ComposedSite;
  readonly #plan: SitePlan;
  readonly #pictures: Pictures;
  readonly #addresses: Addresses;
  readonly #links: SiteLinks;
  readonly #rendered: ReadonlySet<string>;
  readonly #frames = new Map<string, FrameParts>();
  readonly #home: string;

  constructor(
    site: ComposedSite,
    plan: SitePlan,
    links: LinkResolver,
    pictures: Pictures,
    useFile: (file: string) => void,
  ) {
    this.#site = site;
    this.#plan = plan;
    this.#pictures = pictures;
    this.#rendered = new Set(plan.rendered);
    this.#addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
    this.#links = createSiteLinks(this.#addresses, links, this.#rendered, useFile, site.settings.iconLibrary);
    this.#home = plan.urlStyle === 'html' ? 'index.html' : '';
  }

  compose(task: PageTask, result: PageResult): string {
    const { settings, navigation, metas } = this.#site;
    const meta = metas.get(task.route) as PageMeta;
    const prefix = prefixToRoot(task.output);
    const place = navigation.places.get(task.route);
    const branch = place?.branch ?? nearestBranch(navigation, task.route);
    const frame = this.#frame(branch, prefix);
    const view: PageView = {
      settings,
      language: languageCode(branch?.language ?? 'en'),
      prefix,
      route: task.route,
      title: meta.title,
      descriptionHtml: result.description,
      description: textOfHtml(result.description),
      bodyHtml: result.html,
      asideHtml: result.aside,
      bannerHtml: result.banner,
      headings: result.headings,
      mode: result.failed ? 'default' : meta.mode,
      header: frame.header,
      sidebar: frame.aboveSidebar + (frame.sidebar?.htmlFor(task.route) ?? ''),
      footer: frame.footer,
      eyebrow: this.#eyebrow(place),
      ...(meta.hidePagination ? {} : this.#neighbours(place, prefix)),
      canonical: this.#canonical(meta),
      noIndex: meta.noIndex && !settings.indexHidden,
      deprecated: meta.deprecated,
      endpoint: meta.endpoint,
      metatags: this.#metatags(meta),
      stylesheets: this.#stylesheets(prefix, result.features),
      favicon: this.#favicon(prefix),
    };
    return pageDocument(view);
  }

  #frame(branch: Branch | undefined, prefix: string): FrameParts {
    const key = `${branch?.id ?? ''} ${prefix}`;
    const known = this.#frames.get(key);
    if (known) return known;
    const context: FrameContext = {
      settings: this.#site.settings,
      links: this.#links,
      prefix,
      branch,
      logo: this.#pictures.logo,
      homeHref: relativeHref(prefix, this.#home),
    };
    const infoOf = (route: string): { title: string; icon?: string; tag?: string; url?: string } => {
      const meta = this.#site.metas.get(route);
      return {
        title: meta?.sidebarTitle ?? route,
        ...(meta?.icon ? { icon: meta.icon } : {}),
        ...(meta?.tag ? { tag: meta.tag } : {}),
        ...(meta?.url && /^https?:\/\//.test(meta.url) ? { url: meta.url } : {}),
      };
    };
    const parts: FrameParts = {
      header: headerHtml(context),
      footer: footerHtml(context),
      aboveSidebar: menusHtml(context, ['product', 'dropdown', 'item']) + anchorsHtml(context),
      sidebar: branch && new SidebarTemplate(branch, prefix, { links: this.#links, infoOf }),
    };
    this.#frames.set(key, parts);
    return parts;
  }

  /** The group a page belongs to; the whole way to it when the site asks for breadcrumbs. */
  #eyebrow(place: PagePlace | undefined): string[] {
    if (!place) return [];
    return this.#site.settings.breadcrumbs ? place.trail : place.trail.slice(-1);
  }

  #neighbours(place: PagePlace | undefined, prefix: string): Pick<PageView, 'previous' | 'next'> {
    const target = (route: string | undefined): { href: string; title: string } | undefined => {
      const href = route === undefined ? undefined : this.#links.page(prefix, route);
      const meta = route === undefined ? undefined : this.#site.metas.get(route);
      return href !== undefined && meta && !meta.url ? { href, title: meta.sidebarTitle } : undefined;
    };
    return { previous: target(place?.previous), next: target(place?.next) };
  }

  #canonical(meta: PageMeta): string | undefined {
    if (meta.canonical && /^https?:\/\//.test(meta.canonical)) return meta.canonical;
    const { origin, basePath } = this.#plan;
    if (!origin) return undefined;
    return `${origin}${basePath}/${this.#addresses.canonicalOf(meta.route)}`;
  }

  #metatags(meta: PageMeta): [string, string][] {
    const site = Object.entries(this.#site.settings.metatags).filter(([key]) => key !== 'canonical');
    return [...new Map([...site, ...meta.metatags])];
  }

  #stylesheets(prefix: string, features: PageResult['features']): string[] {
    const own = ['_docyard/style.css', '_docyard/site.css'];
    if (features.includes('math')) own.push(mathStylesheet);
    return [...own, ...this.#site.files.stylesheets].map((file) => relativeHref(prefix, file));
  }

  #favicon(prefix: string): PageView['favicon'] {
    const { favicon } = this.#pictures;
    return (
      favicon && { light: relativeHref(prefix, favicon.light), dark: relativeHref(prefix, favicon.dark) }
    );
  }
}
