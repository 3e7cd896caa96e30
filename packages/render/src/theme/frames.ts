/** Caches header, sidebar and footer per branch and folder depth, and writes the navigation scripts. */
import type { SiteSettings } from '../config/settings.ts';
import { type Surroundings, overriddenSurroundings } from '../config/surroundings.ts';
import { SharedText } from '../text/encoded-text.ts';
import { attributes } from '../text/html.ts';
import { relativeHref } from '../navigation/addresses.ts';
import type { Branch } from '../navigation/tree.ts';
import type { BranchPages } from './branch-pages.ts';
import { branchScript, branchScriptPath, rootMark } from './branch-script.ts';
import { anchorsHtml, drawerLinksHtml, footerHtml, headerHtml } from './frame.ts';
import { type FrameContext, type PageSwitch, menusHtml } from './menus.ts';
import type { PageSwitches } from './page-switches.ts';
import type { PlaceParts } from './place-parts.ts';
import type { SidebarOptions } from './sidebar-entry.ts';
import { type PageSidebar, type Sidebar, createSidebar, wholeSidebarHtml } from './sidebar.ts';
import { type SiteLinks, linksWithin } from './site-links.ts';
import { languageCode, wordsFor } from '../words/words.ts';

export interface FrameParts {
  branch: Branch | undefined;
  surroundings: Surroundings;
  header: SharedText;
  footer: SharedText;
  aboveSidebar: string;
  belowSidebar: string;
  sidebar: PageSidebar | undefined;
  switches: PageSwitch[];
}

interface FrameSite {
  settings: SiteSettings;
  logo: FrameContext['logo'];
  home: string;
  links: SiteLinks;
  branches: BranchPages;
  places: PlaceParts;
  switches: PageSwitches;
}

interface NavigationFile {
  path: string;
  content: string;
}

/** The HTML through which a page of a branch links to other pages. */
export interface BranchView {
  branch: Branch;
  prefix: string;
  html: string[];
}

export class Frames {
  readonly #site: FrameSite;
  readonly #frames = new Map<string, FrameParts>();
  readonly #sidebars = new Map<Branch, Sidebar>();

  constructor(site: FrameSite) {
    this.#site = site;
  }

  of(branch: Branch | undefined, prefix: string): FrameParts {
    const key = `${branch?.id ?? ''} ${prefix}`;
    const known = this.#frames.get(key);
    if (known) return known;
    const { settings, links, logo, home } = this.#site;
    const surroundings = surroundingsOf(branch, settings);
    const context: FrameContext = {
      settings,
      surroundings,
      words: wordsFor(languageCode(branch?.language ?? 'en')),
      links,
      prefix,
      branch,
      logo,
      homeHref: relativeHref(prefix, home),
      switches: [],
    };
    const parts: FrameParts = {
      branch,
      surroundings,
      header: new SharedText(headerHtml(context)),
      footer: new SharedText(footerHtml(context)),
      aboveSidebar: menusHtml(context, ['product', 'dropdown', 'item']) + anchorsHtml(context),
      belowSidebar: drawerLinksHtml(context),
      sidebar: branch && prefix !== rootMark ? this.#sidebar(branch).from(prefix) : undefined,
      switches: context.switches,
    };
    this.#frames.set(key, parts);
    return parts;
  }

  files(): NavigationFile[] {
    const large = [...this.#sidebars.values()].flatMap((sidebar) => sidebar.files());
    const ofHosts = this.#site.branches.hosts.map((branch) => this.#branchScript(branch));
    return [...large, ...ofHosts].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The branch as its first page shows it, else as guests show it. */
  view(branch: Branch, home: { route: string; prefix: string } | undefined): BranchView {
    if (home === undefined)
      return { branch, prefix: rootMark, html: [unescapeQuotes(this.#branchScript(branch).content)] };
    const { prefix, route } = home;
    const frame = this.of(branch, prefix);
    const loaded = this.#sidebar(branch).files();
    const asSeenHere = (script: string): string =>
      unescapeQuotes(script).replaceAll(`="${rootMark}`, `="${prefix}`);
    const html = [
      this.#site.switches.fill(frame.header.text + frame.aboveSidebar, frame, prefix, route),
      frame.sidebar?.textFor(route).text ?? '',
      frame.belowSidebar + frame.footer.text,
      ...loaded.map(({ content }) => asSeenHere(content)),
    ];
    return { branch, prefix, html };
  }

  /** A page without a sidebar: header, footer and the addresses in its text. */
  bareView(
    branch: Branch,
    { route, prefix }: { route: string; prefix: string },
    addresses: readonly string[],
  ): BranchView {
    const frame = this.of(branch, prefix);
    const links = addresses.map((href) => `<a${attributes({ href })}>`);
    const header = this.#site.switches.fill(frame.header.text, frame, prefix, route);
    return { branch, prefix, html: [header, frame.footer.text, ...links] };
  }

  #branchScript(branch: Branch): NavigationFile {
    const { settings, branches, places, switches } = this.#site;
    const frame = this.of(branch, rootMark);
    const options = this.#sidebarOptions(branch);
    const content = branchScript(branch, {
      header: switches.fill(frame.header.text, frame, rootMark),
      sidebar:
        switches.fill(frame.aboveSidebar, frame, rootMark) +
        wholeSidebarHtml(branch, rootMark, options) +
        frame.belowSidebar,
      footer: branch.language === undefined ? '' : frame.footer.text,
      language: branch.language === undefined ? undefined : languageCode(branch.language),
      words: wordsFor(languageCode(branch.language ?? 'en')),
      settings,
      links: options.links,
      branches,
      places,
    });
    return { path: branchScriptPath(branch), content };
  }

  #sidebar(branch: Branch): Sidebar {
    const known = this.#sidebars.get(branch);
    if (known) return known;
    const sidebar = createSidebar(branch, this.#sidebarOptions(branch));
    this.#sidebars.set(branch, sidebar);
    return sidebar;
  }

  #sidebarOptions(branch: Branch): SidebarOptions {
    const { links, branches, places, settings } = this.#site;
    return {
      links: linksWithin(links, branches, branch),
      infoOf: (route) => places.entryInfo(route),
      drilldown: settings.drilldown === true,
      more: wordsFor(languageCode(branch.language ?? 'en')).more,
    };
  }
}

/** Unescapes the quotes of HTML embedded in a script. */
function unescapeQuotes(script: string): string {
  return script.replaceAll('\\"', '"');
}

/** A language may override header links, footer and banner. */
export function surroundingsOf(branch: Branch | undefined, settings: SiteSettings): Surroundings {
  const language = branch?.steps.find(({ switcher }) => switcher.kind === 'language')?.division;
  return (language?.own && overriddenSurroundings(settings, language.own)) ?? settings;
}
