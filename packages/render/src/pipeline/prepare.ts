/** What a run is made with: worked out before the first page, from the site, the options and what the last run has left. */
import type { configuredPictures } from '../theme/configured-pictures.ts';
import { RemotePictures } from '../assets/remote-pictures.ts';
import type { RenderedCheck } from '../check/rendered.ts';
import { packedInMemory } from '../text/kept.ts';
import { addressesFor, relativeHref } from '../navigation/addresses.ts';
import { createLinkResolver } from '../navigation/links.ts';
import { PageMemory } from '../cache/page-memory.ts';
import { LastSections, lastRunFor } from '../cache/replay.ts';
import { SearchFiles } from '../cache/search-files.ts';
import type { PageTrace } from '../cache/traces.ts';
import { WordEdit } from '../cache/word-edit.ts';
import { FullText } from '../outputs/full-text.ts';
import { PrintPages } from '../outputs/print-pages.ts';
import { SocialImages } from '../outputs/social-images.ts';
import { searchedPages } from '../search/pages.ts';
import { type RenderOptions, nameableRoutes, planSite, planTasks } from './site-plan.ts';
import { PageComposer } from '../theme/compose.ts';
import { CustomScripts } from '../theme/custom-scripts.ts';
import { isLargeSite } from './process-settings.ts';
import type { PageTask } from '../model/page.ts';
import { AnchorLinks } from './anchor-links.ts';
import { type RunEvent, text } from './events.ts';
import { frameAnchorRoutes } from './frame-anchors.ts';
import { Gathered } from './gathered.ts';
import type { Site } from '../site/site.ts';

export type Start = ReturnType<typeof begin>;
export type Run = ReturnType<typeof prepare>;

/** What is known before any picture of another host is. */
export function begin(site: Site, options: RenderOptions) {
  const remote = new RemotePictures(options.fetchPicture, {}, site.remoteHosts);
  const nameable = nameableRoutes(site, options);
  const { names, findings } = nameable;
  const plan = planSite(site, options, remote, nameable);
  const links = createLinkResolver(plan);
  /** A file of the repository may be an output as well, and linked to from a page. */
  const written = new Set<string>();
  const fetchPictures = async function* (addresses: Iterable<string>): AsyncGenerator<RunEvent> {
    for await (const { path, content } of remote.settle(addresses)) {
      options.signal?.throwIfAborted();
      written.add(path);
      yield text(path, content, 'asset');
    }
  };
  const customScripts = new CustomScripts(site.root, site.files.scripts, options.customScripts);
  return { site, options, remote, names, findings, plan, links, written, fetchPictures, customScripts };
}

/** All that pages are made with and put into. */
export function prepare(start: Start, pictures: ReturnType<typeof configuredPictures>, check: RenderedCheck) {
  const { site, options, plan, links, names } = start;
  const gathered = new Gathered();
  for (const file of pictures.files) gathered.assets.add(file);
  const frameLinks = check.watchFrame(links);
  const socialImages = new SocialImages(site, frameLinks);
  const useFile = (file: string): unknown => gathered.useFile(file);
  const isLarge = isLargeSite(plan.rendered.length);
  const aside = isLarge ? { setAside: options.setAside ?? packedInMemory } : {};
  const addresses = addressesFor(plan.urlStyle, plan.routes);
  const searched = searchedPages(site, plan.rendered, (route) =>
    names.sameText(relativeHref('', addresses.hrefOf(route))),
  );
  const outputOf = (route: string): string => names.sameText(addresses.outputOf(route));
  const tasks = planTasks(site, plan, searched.pages, outputOf);
  check.expectPages(tasks);
  const { memory: ofRun } = options;
  const memory = ofRun && new PageMemory(ofRun.store, ofRun.engine, plan, ofRun.hashes);
  const frameTargets = frameTargetsOf(start, tasks);
  const last = memory && lastRunFor(options, { site, plan, tasks, frameFiles: new Set(gathered.assets) });
  /** The frame depends on the ids of these pages; with other ids, every page has another frame. */
  const before = last && frameTargets.every((task) => last.pages.has(task)) ? last : undefined;
  const index = before && { files: before.lastFiles, reserve: before.last.searchReserve };
  const wanted = before
    ? tasks.filter((task) => !before.pages.has(task))
    : [...new Set([...frameTargets, ...tasks])];
  /** Of the last run, read by another thread from now on. */
  const sections = before && new LastSections(site, before, wanted.length > 0);
  const taskOf = new Map(tasks.map((task) => [task.output, task]));
  const isWanted = new Set(wanted);
  const anchorLinks = new AnchorLinks(taskOf.keys(), plan.urlStyle, {
    frameTargets: frameTargets.map(({ output }) => output),
    idsOfOthers: (output) => {
      const task = taskOf.get(output);
      if (!before || !task || isWanted.has(task)) return undefined;
      return memory?.recallByKey(before.last.pageKeys[task.id] ?? undefined)?.content.ids;
    },
  });
  const composer = new PageComposer(site, plan, frameLinks, pictures, useFile, socialImages, {
    customScripts: start.customScripts,
    fragmentOn: (output, fragment) => anchorLinks.fragmentOn(output, fragment),
  });
  const anchorTargets = new Map(before?.last.anchorTargets);
  const print = new PrintPages(site, plan, addresses, aside);
  if (before) {
    check.recallFrame(before.last.frame);
    print.lastPartition = before.last.printed.partition;
  }
  return {
    ...start,
    check,
    pictures,
    gathered,
    socialImages,
    composer,
    isLarge,
    addresses,
    tasks,
    memory,
    before,
    wanted,
    print,
    fullText: new FullText(aside),
    sections,
    search: new SearchFiles(searched, index, aside),
    wordEdit: before && WordEdit.guess(before, wanted),
    anchorLinks,
    /** By the number of a page: the numbers of others that it leads to with a fragment. */
    anchorTargets,
    dependents: before
      ? dependentsOf(before.pages, { tasks, wanted: isWanted, anchorTargets })
      : new Map<PageTask, string[]>(),
    idsOf: (outputs: readonly string[]): number[] =>
      outputs.flatMap((output) => taskOf.get(output)?.id ?? []),
    /** What is not as it was in the last run, by output. */
    edited: new Map<string, PageTrace>(),
    /** By the number of the page. */
    printedBytes: before ? [...before.last.printed.bytes] : [],
    pageKeys: before ? [...before.last.pageKeys] : [],
  };
}

/** The pages that the frame leads to with a fragment. */
function frameTargetsOf({ site, plan, links }: Start, tasks: readonly PageTask[]): PageTask[] {
  const routes = frameAnchorRoutes(site, links);
  return routes.size === 0
    ? []
    : tasks.filter(({ id, route }) => id < plan.rendered.length && routes.has(route));
}

/** Pages that are as they were and lead to an id of one that may not be, with the outputs of those. */
function dependentsOf(
  pages: ReadonlySet<PageTask>,
  run: {
    tasks: readonly PageTask[];
    wanted: ReadonlySet<PageTask>;
    anchorTargets: ReadonlyMap<number, readonly number[]>;
  },
): Map<PageTask, string[]> {
  const wantedById = new Map([...run.wanted].map(({ id, output }) => [id, output]));
  const dependents = new Map<PageTask, string[]>();
  for (const task of run.tasks) {
    const targets = run.anchorTargets.get(task.id)?.flatMap((id) => wantedById.get(id) ?? []) ?? [];
    if (targets.length > 0 && pages.has(task)) dependents.set(task, targets);
  }
  return dependents;
}
