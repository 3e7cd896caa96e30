/** What the pages of a run give to the files that are about all of them. */
import type { PageTrace } from '../cache/traces.ts';
import type { PageFacts } from '../outputs/contract.ts';
import type { PageFeature, PageTask } from '../model/page.ts';

/** What all pages together need and tell. */
export class Gathered {
  readonly assets = new Set<string>();
  readonly styles = new Map<string, string>();
  readonly classes = new Set<string>();
  readonly mathStyles = new Map<string, string>();
  readonly features = new Set<PageFeature>();
  readonly facts = new Map<string, PageFacts>();
  #used: string[] = [];

  /** A page that is shown a second time at the root is one page. */
  add(task: PageTask, trace: PageTrace, isShown: boolean): void {
    for (const file of trace.assets) this.assets.add(file);
    for (const file of trace.frameAssets) this.assets.add(file);
    for (const [name, declarations] of trace.styles) this.styles.set(name, declarations);
    for (const name of trace.classes) this.classes.add(name);
    for (const [name, declaration] of trace.mathStyles) this.mathStyles.set(name, declaration);
    for (const feature of trace.features) this.features.add(feature);
    if (isShown) this.facts.set(task.route, factsOf(task, trace));
  }

  useFile(file: string): void {
    this.assets.add(file);
    this.#used.push(file);
  }

  /** Files that were used since the last time this was asked. */
  takeUsedFiles(): string[] {
    const used = this.#used;
    this.#used = [];
    return used;
  }
}

export function factsOf({ route, output, title }: PageTask, { facts }: PageTrace): PageFacts {
  const { description, summary, updates, failed } = facts;
  // Written out, as is all that is kept of every page: what is spread takes half as much again.
  return { description, summary, updates, failed, route, output, title };
}
