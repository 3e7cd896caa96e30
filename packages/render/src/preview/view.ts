/**
 * A loaded site prepared for rendering single pages, with the same plan, tasks and frames as an export.
 * Created anew at each reload.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ConfiguredPictures, configuredPictures } from '../theme/configured-pictures.ts';
import { siteFileReader } from '../assets/inline-masks.ts';
import type { RemoteFonts } from '../assets/remote-fonts.ts';
import type { RemotePictures } from '../assets/remote-pictures.ts';
import { type Addresses, addressesFor, relativeHref } from '../navigation/addresses.ts';
import { type LinkResolver, createLinkResolver } from '../navigation/links.ts';
import { FullText } from '../outputs/full-text.ts';
import type { OutputContext } from '../outputs/contract.ts';
import { PrintPages } from '../outputs/print-pages.ts';
import { SocialImages } from '../outputs/social-images.ts';
import type { PageTask } from '../model/page.ts';
import { type SearchScope, type SearchedPage, searchedPages } from '../search/pages.ts';
import { type RenderOptions, planSite, planTasks } from '../pipeline/site-plan.ts';
import { PageComposer } from '../theme/compose.ts';
import { siteFonts } from '../theme/fonts.ts';
import { CustomScripts } from '../theme/custom-scripts.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';
import { visibleSite } from '../site/visible-site.ts';
import { markdownPath } from '../outputs/page-markdown.ts';

export interface View {
  site: Site;
  plan: SitePlan;
  links: LinkResolver;
  addresses: Addresses;
  pictures: ConfiguredPictures;
  composer: PageComposer;
  socialImages: SocialImages;
  searched: { pages: ReadonlyMap<string, SearchedPage>; scopes: SearchScope[] };
  /** By output path. */
  tasks: ReadonlyMap<string, PageTask>;
  files: ReadonlySet<string>;
  customScripts: CustomScripts;
}

interface Remote {
  pictures: RemotePictures;
  fonts: RemoteFonts;
}

/** Reuses the plan of `before` when it is unchanged, so that rendered pages stay valid. */
export function viewOf(
  whole: Site,
  options: RenderOptions,
  { pictures: remote, fonts: remoteFonts }: Remote,
  before?: View,
): View {
  const site = visibleSite(whole, options);
  const made = planSite(site, options, remote);
  const plan = before && isSamePlan(before.plan, made) ? before.plan : made;
  const links = createLinkResolver(plan);
  const pictures = configuredPictures(site, links, siteFonts(site, links, remoteFonts));
  const addresses = addressesFor(plan.urlStyle, plan.routes);
  const searched = searchedPages(site, plan.rendered, (route) => relativeHref('', addresses.hrefOf(route)));
  const socialImages = new SocialImages(site, links);
  const tasks = planTasks(site, plan, searched.pages);
  const customScripts = new CustomScripts(site.root, site.files.scripts, options.customScripts);
  return {
    site,
    plan,
    links,
    addresses,
    pictures,
    composer: new PageComposer(site, plan, links, pictures, () => undefined, socialImages, { customScripts }),
    customScripts,
    socialImages,
    searched,
    tasks: new Map(tasks.map((task) => [task.output, task])),
    files: new Set(site.files.all),
  };
}

/** Specs are compared by identity: they are large, and unchanged ones keep their object. */
function isSamePlan({ specs: specsBefore, ...before }: SitePlan, { specs, ...after }: SitePlan): boolean {
  const names = Object.keys(specs);
  return (
    names.length === Object.keys(specsBefore).length &&
    names.every((name) => specs[name] === specsBefore[name]) &&
    isDeepStrictEqual(before, after)
  );
}

/** The page of a Markdown file; empty without one. */
export function outputOfMarkdown(view: View, path: string): string {
  const route = path.slice(0, -markdownPath('').length);
  return view.plan.rendered.includes(route) ? view.addresses.outputOf(route) : '';
}

/** For outputs that need the list of pages, not their content. */
export function outputContext(view: View): OutputContext {
  const { site, plan, addresses, composer, socialImages, pictures } = view;
  const unread = { description: '', summary: '', updates: [], failed: false };
  return {
    site,
    plan,
    addresses,
    publicAddresses: composer.publicAddresses,
    fullText: new FullText(),
    print: new PrintPages(site, plan, addresses),
    socialImages,
    pages: [...view.tasks.values()].map(({ route, output, title }) => ({ route, output, title, ...unread })),
    styles: new Map(),
    classes: new Set(),
    used: () => false,
    frameAt: (prefix) => composer.frameAt(prefix),
    styleFiles: pictures.style,
    logo: pictures.logo,
    readFile: siteFileReader(site.root, view.files),
  };
}
