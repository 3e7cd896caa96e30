/** The state that the pages and files of one build share, computed before the first page is rendered. */
import { RemoteFonts } from '../assets/remote-fonts.ts';
import { RemotePictures } from '../assets/remote-pictures.ts';
import { OutputCheck } from '../check/output-check.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { FetchedPicture } from '../model/finished-page.ts';
import type { PageTask } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';
import { type Addresses, addressesFor, relativeHref } from '../navigation/addresses.ts';
import { type LinkResolver, createLinkResolver } from '../navigation/links.ts';
import type { OutputNames } from '../navigation/output-names.ts';
import { SocialImages } from '../outputs/social-images.ts';
import { type SearchedPages, searchedPages } from '../search/pages.ts';
import type { Site } from '../site/site.ts';
import { type SpillBytes, compressInMemory } from '../text/spill.ts';
import { PageComposer } from '../theme/compose.ts';
import {
  type ConfiguredPictures,
  configuredPictures,
  missingInFrame,
  picturesOfFrame,
} from '../theme/configured-pictures.ts';
import { remoteFonts, siteFonts } from '../theme/fonts.ts';
import { contextualFindings } from '../theme/contextual-menu.ts';
import { CustomScripts } from '../theme/custom-scripts.ts';
import { contrastFindings } from '../theme/site-css.ts';
import { AnchorLinks } from './anchor-links.ts';
import { isLargeSite } from './process-settings.ts';
import { type RenderOptions, nameableRoutes, planSite, planTasks } from './site-plan.ts';

export interface SiteBuild {
  site: Site;
  options: RenderOptions;
  plan: SitePlan;
  tasks: readonly PageTask[];
  addresses: Addresses;
  links: LinkResolver;
  /** Output names in use. */
  names: OutputNames;
  /** Findings from before the first page. */
  findings: readonly Diagnostic[];
  remote: RemotePictures;
  /** Pictures of other hosts in the frame, and fonts of other hosts. */
  frameDownloads: readonly Download[];
  pictures: ConfiguredPictures;
  customScripts: CustomScripts;
  socialImages: SocialImages;
  composer: PageComposer;
  check: OutputCheck;
  anchorLinks: AnchorLinks;
  searched: SearchedPages;
  frameFiles: FrameFiles;
  /** Outputs that may also be files of the repository. */
  written: Set<string>;
  /** Where texts of a large site are stored until they are needed. */
  aside: { spill?: SpillBytes };
}

interface Download {
  path: string;
  content: Uint8Array;
}

export class FrameFiles {
  #used: string[] = [];

  add(file: string): void {
    this.#used.push(file);
  }

  take(): string[] {
    const used = this.#used;
    this.#used = [];
    return used;
  }
}

export async function prepareBuild(site: Site, options: RenderOptions): Promise<SiteBuild> {
  const remote = new RemotePictures(options.fetchPicture, {}, site.remoteHosts);
  const nameable = nameableRoutes(site, options);
  const plan = planSite(site, options, remote, nameable);
  const links = createLinkResolver(plan);
  const written = new Set<string>();
  const fonts = new RemoteFonts(options.fetchFont, site.remoteHosts);
  const fontFiles = fonts.settle(remoteFonts(site));
  const frameDownloads: Download[] = [];
  for await (const { path, picture } of fetchPictures({ remote, options, written }, picturesOfFrame(site)))
    frameDownloads.push({ path, content: picture });
  frameDownloads.push(...(await fontFiles));
  const pictures = configuredPictures(site, links, siteFonts(site, links, fonts));
  const customScripts = new CustomScripts(site.root, site.files.scripts, options.customScripts);
  const addresses = addressesFor(plan.urlStyle, plan.routes);
  const intern = (text: string): string => nameable.names.intern(text);
  const searched = searchedPages(site, plan.rendered, (route) =>
    intern(relativeHref('', addresses.hrefOf(route))),
  );
  const tasks = planTasks(site, plan, searched.pages, (route) => intern(addresses.outputOf(route)));
  const check = new OutputCheck(site, plan.urlStyle);
  check.expectPages(tasks);
  const frameLinks = check.watchFrame(links);
  const socialImages = new SocialImages(site, frameLinks);
  const anchorLinks = new AnchorLinks(
    tasks.map(({ output }) => output),
    plan.urlStyle,
    frameTargetsOf({ site, plan, links }, tasks),
  );
  const frameFiles = new FrameFiles();
  const composer = new PageComposer(
    site,
    plan,
    frameLinks,
    pictures,
    (file) => frameFiles.add(file),
    socialImages,
    {
      customScripts,
      fragmentOn: (output, fragment) => anchorLinks.fragmentOn(output, fragment),
      sourceFacts: options.sourceFacts,
    },
  );
  return {
    site,
    options,
    plan,
    tasks,
    addresses,
    links,
    names: nameable.names,
    findings: [
      ...site.diagnostics,
      ...nameable.findings,
      ...customScripts.findings,
      ...pictures.diagnostics,
      ...missingInFrame(site, remote.table),
      ...contrastFindings(site.settings, site.configFile),
      ...contextualFindings(site.settings.contextual, site.configFile),
    ],
    remote,
    frameDownloads,
    pictures,
    customScripts,
    socialImages,
    composer,
    check,
    anchorLinks,
    searched,
    frameFiles,
    written,
    aside: isLargeSite(plan.rendered.length) ? { spill: options.spill ?? compressInMemory } : {},
  };
}

export async function* fetchPictures(
  { remote, options, written }: Pick<SiteBuild, 'remote' | 'options' | 'written'>,
  addresses: Iterable<string>,
): AsyncGenerator<FetchedPicture> {
  for await (const { path, content } of remote.settle(addresses)) {
    options.signal?.throwIfAborted();
    written.add(path);
    yield { path, picture: content };
  }
}

/**
 * Outputs of the pages that the header, the sidebar, the footer or the banner may link to with a fragment.
 */
function frameTargetsOf(
  { site, plan, links }: Pick<SiteBuild, 'site' | 'plan' | 'links'>,
  tasks: readonly PageTask[],
): string[] {
  const routes = new Set<string>();
  const note = (address: string): void => {
    const target = links.resolve(address, 'docs.json');
    if (target.kind === 'page' && target.suffix.includes('#')) routes.add(target.route);
  };
  for (const address of site.frameAddresses) note(address);
  for (const { url } of site.metas.values()) if (url?.includes('#')) note(url);
  return tasks
    .filter(({ id, route }) => id < plan.rendered.length && routes.has(route))
    .map(({ output }) => output);
}
