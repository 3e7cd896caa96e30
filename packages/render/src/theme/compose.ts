/** Puts a rendered page into its frame. */
import { followedAddresses } from '../facts/output-facts.ts';
import type { SiteSettings } from '../config/settings.ts';
import { SharedText } from '../text/encoded-text.ts';
import { textOfHtml } from '../text/html.ts';
import { IslandScripts } from '../islands/scripts.ts';
import { mathStylesheet } from '../math/files.ts';
import { type Addresses, addressesFor, prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import { type NavigationMap, nearestBranch } from '../navigation/branches.ts';
import { Equivalents } from '../navigation/equivalents.ts';
import { PublicAddresses } from '../navigation/public-addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageMeta } from '../model/page-source.ts';
import { isPageStylesheet } from '../components/style.ts';
import type { PageSummary } from '../model/finished-page.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import type { GuestBanner } from './banner.ts';
import { BranchPages } from './branch-pages.ts';
import { contextualHtml } from './contextual-menu.ts';
import type { CustomScripts } from './custom-scripts.ts';
import { apiStylesheet } from './files.ts';
import type { SiteFonts } from './fonts.ts';
import { Frames, surroundingsOf } from './frames.ts';
import { type HeadSite, headFacts, type SocialImageFinder } from './head-facts.ts';
import { PageSwitches } from './page-switches.ts';
import { PlaceParts } from './place-parts.ts';
import { type PageDocument, type PageView, pageDocument, showsSidebar } from './shell.ts';
import { modifiedDay, shownDay } from '../site/source-facts.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { pageLinks } from './page-links.ts';
import { type FragmentOn, type SiteLinks, createSiteLinks, linksWithin } from './site-links.ts';
import { languageCode, wordsFor } from '../words/words.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { NavigationOutput } from './navigation-output.ts';

export interface ComposedSite {
  settings: SiteSettings;
  navigation: NavigationMap;
  metas: ReadonlyMap<string, PageMeta>;
  files: { stylesheets: string[] };
}

export interface Pictures {
  logo: { light: string; dark: string } | undefined;
  favicon: { light: string; dark: string } | undefined;
  style: { fonts: Pick<SiteFonts, 'preloaded'> };
}

export interface SiteFrame {
  language: string;
  header: string;
  footer: string;
  stylesheets: readonly string[];
  favicon: PageView['favicon'];
}

type ComposedPage = Pick<PageSummary, 'usesSocialImage' | 'followed'>;

export interface ComposerOptions {
  customScripts?: Pick<CustomScripts, 'paths' | 'hosts'>;
  fragmentOn?: FragmentOn | undefined;
  sourceFacts?: SourceFacts | undefined;
}

export class PageComposer {
  readonly publicAddresses: PublicAddresses;
  readonly islandScripts = new IslandScripts();
  readonly #site: ComposedSite;
  readonly #pictures: Pictures;
  readonly #addresses: Addresses;
  readonly #links: SiteLinks;
  readonly #branches: BranchPages;
  readonly #places: PlaceParts;
  readonly #rendered: ReadonlySet<string>;
  readonly #frames: Frames;
  readonly #home: string;
  readonly #airGapped: boolean;
  readonly #customScripts: Pick<CustomScripts, 'paths' | 'hosts'>;
  readonly #sourceFacts: SourceFacts | undefined;
  readonly #switches: PageSwitches;
  readonly #headSite: HeadSite;
  readonly #renamedFiles: ReadonlyMap<string, string>;
  readonly #bareLinks = new Map<string, readonly string[]>();

  constructor(
    site: ComposedSite,
    plan: SitePlan,
    links: LinkResolver,
    pictures: Pictures,
    useFile: (file: string) => void,
    socialImages: SocialImageFinder,
    { customScripts = { paths: [], hosts: [] }, fragmentOn, sourceFacts }: ComposerOptions = {},
  ) {
    this.#site = site;
    this.#sourceFacts = sourceFacts;
    this.#customScripts = {
      paths: customScripts.paths,
      hosts: plan.airGapped ? [] : customScripts.hosts,
    };
    this.#pictures = pictures;
    this.#rendered = new Set(plan.rendered);
    this.#renamedFiles = new Map(plan.renamedFiles);
    this.#addresses = addressesFor(plan.urlStyle, plan.routes);
    this.#branches = new BranchPages(site.navigation, (route) => this.#rendered.has(route));
    this.#links = createSiteLinks(
      this.#addresses,
      links,
      this.#rendered,
      this.#branches,
      useFile,
      site.settings.iconLibrary,
      fragmentOn,
    );
    this.#places = new PlaceParts(site.metas, site.settings.breadcrumbs);
    this.#home = plan.urlStyle === 'html' ? 'index.html' : '';
    this.#airGapped = plan.airGapped;
    const equivalents = new Equivalents(site.navigation, (route) => this.#rendered.has(route));
    this.#switches = new PageSwitches(site.navigation, this.#branches, equivalents, this.#links);
    this.#frames = new Frames({
      settings: site.settings,
      logo: pictures.logo,
      home: this.#home,
      links: this.#links,
      branches: this.#branches,
      places: this.#places,
      switches: this.#switches,
    });
    this.publicAddresses = new PublicAddresses(plan, this.#addresses, site.navigation, equivalents);
    this.#headSite = {
      settings: site.settings,
      addresses: this.publicAddresses,
      links,
      images: socialImages,
      logo: pictures.logo?.light,
      useFile,
    };
  }

  /** Registers a page for the shared files of the frame. */
  addPage({ route, output }: PageTask, { usesSocialImage, followed }: ComposedPage): void {
    this.#frames.of(this.#branchOf(route), prefixToRoot(output));
    if (usesSocialImage) this.#headSite.images.forPage(route);
    if (followed) this.#bareLinks.set(route, followed);
  }

  /**
   * Addresses linked by a page without a sidebar; undefined for other pages. A failed page shows its sidebar.
   */
  followedBy({ route, output }: PageTask, { failed, content }: PageResult): string[] | undefined {
    const { mode = 'default' } = this.#site.metas.get(route) ?? {};
    const isBare = !failed && !showsSidebar(mode) && output === this.#addresses.outputOf(route);
    return isBare ? followedAddresses(content) : undefined;
  }

  usedSocialImage = false;

  compose(task: PageTask, result: PageResult): PageDocument {
    const { settings, navigation, metas } = this.#site;
    const { preloaded } = this.#pictures.style.fonts;
    const meta = metas.get(task.route) as PageMeta;
    const prefix = prefixToRoot(task.output);
    const place = navigation.places.get(task.route);
    const branch = this.#branchOf(task.route);
    const frame = this.#frames.of(branch, prefix);
    const links = branch ? linksWithin(this.#links, this.#branches, branch) : this.#links;
    const withSwitches = (html: string): string => this.#switches.fill(html, frame, prefix, task.route);
    const language = languageCode(branch?.language ?? 'en');
    const words = wordsFor(language);
    const modified = modifiedDay(settings, meta, this.#sourceFacts);
    const head = headFacts(this.#headSite, { meta, result, place, language, prefix, modified });
    this.usedSocialImage = head.image !== undefined;
    const markdown = relativeHref(prefix, `${task.route}.md`);
    const view: PageView = {
      settings,
      banner: frame.surroundings.banner,
      language,
      words,
      prefix,
      route: task.route,
      branches: this.#branches.namesOf(task.route),
      title: meta.title,
      descriptionHtml: result.description,
      description: textOfHtml(result.description),
      bodyHtml: result.html,
      asideHtml: result.aside,
      contentIds: result.content.ids,
      bannerHtml: frame.surroundings.banner ? result.banner : '',
      guestBanners: this.#guestBanners(task.route, result),
      headings: result.headings,
      mode: result.failed ? 'default' : meta.mode,
      header: frame.switches.length === 0 ? frame.header : withSwitches(frame.header.text),
      sidebar: [
        withSwitches(frame.aboveSidebar),
        frame.sidebar?.textFor(task.route) ?? '',
        frame.belowSidebar,
      ].filter((piece) => piece !== '' && !(piece instanceof SharedText && piece.text === '')),
      footer: frame.footer,
      eyebrow: place ? this.#places.eyebrow(place, links, prefix) : [],
      directory: place ? this.#places.directory(place, links, prefix) : '',
      ...(place && !meta.hidePagination ? this.#places.neighbours(place, links, prefix) : {}),
      updated: shownDay(settings, meta, this.#sourceFacts),
      pageLinks: pageLinks(settings, this.#sourceFacts?.links, meta, words),
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
      customScripts: {
        paths: this.#customScripts.paths.map((path) => prefix + path),
        hosts: this.#customScripts.hosts,
      },
      stylesheets: this.#stylesheets(prefix, result),
      favicon: this.#favicon(prefix),
      font: preloaded && relativeHref(prefix, preloaded),
    };
    return pageDocument(view);
  }

  #guestBanners(route: string, { guestBanners = [] }: PageResult): GuestBanner[] {
    const branches = guestBanners.length === 0 ? [] : this.#branches.shownIn(route);
    return guestBanners.map(([language, bannerHtml]) => {
      const branch = branches.find((each) => each.language && languageCode(each.language) === language);
      const { banner } = surroundingsOf(branch, this.#site.settings);
      return { language, banner, bannerHtml, words: wordsFor(language) };
    });
  }

  navigationFiles(): { path: string; content: string }[] {
    return this.#frames.files();
  }

  /** The frame of the home page, for a page outside of the navigation. */
  frameAt(prefix: string): SiteFrame {
    const branch = this.#branchOfRoot(this.#rootRoute());
    const frame = this.#frames.of(branch, prefix);
    return {
      language: languageCode(branch?.language ?? 'en'),
      header: this.#switches.fill(frame.header.text, frame, prefix),
      footer: frame.footer.text,
      stylesheets: this.#stylesheets(prefix, { features: [], styles: [] }),
      favicon: this.#favicon(prefix),
    };
  }

  #rootRoute(): string | undefined {
    return this.#rendered.has('index') ? 'index' : this.#rendered.values().next().value;
  }

  #branchOfRoot(root: string | undefined): Branch | undefined {
    return root === undefined ? undefined : this.#branchOf(root);
  }

  navigationOutput(): NavigationOutput {
    const { navigation } = this.#site;
    const root = this.#rootRoute();
    const branchOfRoot = this.#branchOfRoot(root);
    const routes = new Map([...this.#rendered].map((route) => [this.#links.page('', route), route]));
    if (root !== undefined) routes.set(this.#home, root).set('', root).set('./', root);
    return {
      home: root !== undefined && branchOfRoot ? { route: root, branch: branchOfRoot } : undefined,
      branches: navigation.branches,
      viewOf: (branch) => {
        const own = branch.pages.find(
          (route) => this.#rendered.has(route) && navigation.places.get(route)?.branch === branch,
        );
        const prefix = own === undefined ? '' : prefixToRoot(this.#addresses.outputOf(own));
        return this.#frames.view(branch, own === undefined ? undefined : { route: own, prefix });
      },
      bareViewOf: (route, branch) => {
        const addresses = this.#bareLinks.get(route);
        const prefix = prefixToRoot(this.#addresses.outputOf(route));
        return addresses && this.#frames.bareView(branch, { route, prefix }, addresses);
      },
      routeAt: (address) => routes.get(address),
      namesOf: (route) => this.#branches.branchesOf(route).map(({ name }) => name),
      isShown: (route) => this.#rendered.has(route) && this.#site.metas.get(route)?.url === undefined,
    };
  }

  #branchOf(route: string): Branch | undefined {
    const { navigation } = this.#site;
    return navigation.places.get(route)?.branch ?? nearestBranch(navigation, route);
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

  #stylesheets(prefix: string, { features, styles }: Pick<PageResult, 'features' | 'styles'>): string[] {
    const own = ['_docyard/style.css', '_docyard/site.css'];
    if (features.includes('api')) own.push(apiStylesheet);
    if (features.includes('math')) own.push(mathStylesheet);
    const ofPage = styles.flatMap(([name]) => (isPageStylesheet(name) ? [name] : []));
    const ofSite = this.#site.files.stylesheets.map((file) => this.#renamedFiles.get(file) ?? file);
    return [...own, ...ofSite, ...ofPage].map((file) => relativeHref(prefix, file));
  }

  #favicon(prefix: string): PageView['favicon'] {
    const { favicon } = this.#pictures;
    return (
      favicon && { light: relativeHref(prefix, favicon.light), dark: relativeHref(prefix, favicon.dark) }
    );
  }
}
