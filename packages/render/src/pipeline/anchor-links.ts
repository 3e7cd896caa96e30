/**
 * Corrects links to headings whose fragment differs from an id only in case or punctuation. The ids of a
 * target are known once it is rendered, so a page waits for the pages it links to.
 */
import { OutputAddresses } from '../check/output-addresses.ts';
import { frameFacts, isFound } from '../facts/output-facts.ts';
import { decodedText, encodedText } from '../text/encoded-text.ts';
import { escapeAttribute } from '../text/html.ts';
import { percentDecode } from '../text/percent-decode.ts';
import { idsHash } from '../text/short-hash.ts';
import type { IdsOf } from '../model/finished-page.ts';
import type { HtmlFacts, PageResult } from '../model/page.ts';
import { detachedText } from '../text/compact-values.ts';
import type { UrlStyle } from '../model/site-plan.ts';

interface AnchorLink {
  /** As written in the output. */
  href: string;
  /** The output of the target page. */
  target: string;
  fragment: string;
}

export class AnchorLinks {
  readonly #planned: ReadonlySet<string>;
  readonly #addresses: OutputAddresses;
  /** Outputs of the pages that the frame of every page may link to with a fragment. */
  readonly frameTargets: readonly string[];
  readonly #ids = new Map<string, ReadonlySet<string>>();
  #idsOfOthers: IdsOf = () => undefined;

  constructor(planned: Iterable<string>, urlStyle: UrlStyle, frameTargets: readonly string[]) {
    this.#planned = new Set(planned);
    this.#addresses = new OutputAddresses(urlStyle);
    this.frameTargets = frameTargets;
  }

  /** `idsOf` answers for pages that this build does not render. */
  useIdsOf(idsOf: IdsOf): void {
    this.#idsOfOthers = idsOf;
  }

  idsHashOf(output: string): string {
    return idsHash([...(this.#idsOf(output) ?? [])]);
  }

  addPage(output: string, { ids }: HtmlFacts): void {
    this.#ids.set(output, new Set(ids.map(detachedText)));
  }

  awaitedBy(output: string, content: HtmlFacts): string[] {
    const targets = new Set(this.#linksTo(output, content).map(({ target }) => target));
    targets.delete(output);
    for (const target of this.frameTargets) targets.add(target);
    return [...targets];
  }

  isKnown(output: string): boolean {
    return this.#idsOf(output) !== undefined;
  }

  /** Returns the same object when no link is wrong. */
  corrected(output: string, result: PageResult): PageResult {
    return this.#correctedBanner(output, this.#corrected(result, this.#linksTo(output, result.content)));
  }

  #correctedBanner(output: string, result: PageResult): PageResult {
    const { banner, guestBanners } = result;
    const corrected = (html: string): string => this.#correctedFrame(output, html);
    if (!banner.includes('#') && !guestBanners?.some(([, html]) => html.includes('#'))) return result;
    return {
      ...result,
      banner: corrected(banner),
      ...(guestBanners && {
        guestBanners: guestBanners.map(([language, html]) => [language, corrected(html)]),
      }),
    };
  }

  #correctedFrame(output: string, html: string): string {
    const bytes = encodedText(html);
    const corrections = this.#correctionsOf(this.#linksTo(output, frameFacts(bytes)));
    return corrections.size === 0 ? html : decodedText(rewritten(bytes, corrections));
  }

  #correctionsOf(links: readonly AnchorLink[]): Map<string, string> {
    const corrections = new Map<string, string>();
    for (const { href, target, fragment } of links) {
      const correctFragment = this.fragmentOn(target, fragment);
      if (correctFragment !== fragment)
        corrections.set(href, `${href.slice(0, href.indexOf('#'))}#${correctFragment}`);
    }
    return corrections;
  }

  #corrected(result: PageResult, links: readonly AnchorLink[]): PageResult {
    const { content } = result;
    const corrections = this.#correctionsOf(links);
    if (corrections.size === 0) return result;
    return {
      ...result,
      html: rewritten(result.html, corrections),
      aside: rewritten(result.aside, corrections),
      content: {
        ...content,
        fragments: content.fragments.map((fragment) => corrections.get(fragment) ?? fragment),
        references: content.references.map(
          (reference) => reference.charAt(0) + (corrections.get(reference.slice(1)) ?? reference.slice(1)),
        ),
      },
    };
  }

  /** The fragment of the only matching id; unchanged when none or several match. */
  fragmentOn(output: string, fragment: string): string {
    const ids = this.#idsOf(output);
    if (!ids || isFound(fragment, (id) => ids.has(id))) return fragment;
    const id = matchingId(percentDecode(fragment), ids);
    return id === undefined ? fragment : encodeURIComponent(id);
  }

  #idsOf(output: string): ReadonlySet<string> | undefined {
    const known = this.#ids.get(output);
    if (known) return known;
    const others = this.#idsOfOthers(output);
    if (!others) return undefined;
    const ids = new Set(others);
    this.#ids.set(output, ids);
    return ids;
  }

  #linksTo(output: string, { fragments, references }: HtmlFacts): AnchorLink[] {
    const links = fragments.map((href) => ({ href, target: output, fragment: href.slice(1) }));
    for (const reference of references) {
      const hash = reference.indexOf('#');
      if (hash < 0 || !reference.startsWith('a')) continue;
      const path = reference.slice(1, hash).split('?', 1)[0] ?? '';
      const target = this.#addresses.among(this.#planned, path, output);
      if (target !== undefined)
        links.push({ href: reference.slice(1), target, fragment: reference.slice(hash + 1) });
    }
    return links;
  }
}

function rewritten(html: Uint8Array, corrections: ReadonlyMap<string, string>): Uint8Array {
  const before = decodedText(html);
  let text = before;
  for (const [href, corrected] of corrections)
    text = text.replaceAll(` href="${escapeAttribute(href)}"`, () => ` href="${escapeAttribute(corrected)}"`);
  return text === before ? html : encodedText(text);
}

/**
 * The only id that equals the fragment apart from case and punctuation; undefined when none or several do.
 */
export function matchingId(fragment: string, ids: Iterable<string>): string | undefined {
  const key = keyOf(fragment);
  if (key === '') return undefined;
  let found: string | undefined;
  for (const id of ids) {
    if (id === found || keyOf(id) !== key) continue;
    if (found !== undefined) return undefined;
    found = id;
  }
  return found;
}

function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '');
}
