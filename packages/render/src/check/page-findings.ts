/** Findings about one rendered page: broken links, ids, headings, pictures, credentials, weight. */
import { referencesIn } from '../facts/output-facts.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageCheck, Reference } from '../model/finished-page.ts';
import type { FoundSecret, SkippedHeading } from '../model/page.ts';
import { slugOf } from '../page/headings.ts';
import type { OutputAddresses, Verdict } from './output-addresses.ts';
import { anchorHint, heavyPage, remoteFile, undescribed } from './output-findings.ts';
import type { SourcePlaces } from './source-places.ts';

export interface CheckedPage extends PageCheck {
  output: string;
  route: string;
  file: string;
  milliseconds: number;
}

/** Phones need noticeably long to lay out larger pages. */
const heavyBytes = 500_000;
/** Further findings of a page are dropped. */
const maxFindingsPerPage = 1000;
/** Hints compare texts, which is slow for many broken anchors. */
const maxHints = 500;

export class PageFindings {
  readonly #addresses: OutputAddresses;
  readonly #places: SourcePlaces;
  readonly #pages: ReadonlyMap<string, CheckedPage>;
  #hintsLeft = maxHints;

  /** `pages` are all pages by output. */
  constructor(addresses: OutputAddresses, places: SourcePlaces, pages: ReadonlyMap<string, CheckedPage>) {
    this.#addresses = addresses;
    this.#places = places;
    this.#pages = pages;
  }

  /** Adds the pages that this one links to, to `reached`. */
  of(page: CheckedPage, reached: Set<string>): Diagnostic[] {
    const { facts, file } = page;
    const found: Diagnostic[] = [];
    for (const reference of referencesIn(facts)) {
      if (found.length >= maxFindingsPerPage) break;
      const verdict = this.#addresses.resolve(reference.address, page.output);
      if (verdict.kind === 'found' && verdict.path !== page.output) reached.add(verdict.path);
      else if (verdict.kind === 'no id') found.push(...this.#lostAnchor(page, reference.address, verdict));
      else if (verdict.kind === 'no file') found.push(this.#lostFile(page, reference, verdict.path));
    }
    const own = { kind: 'no id', path: page.output, ids: facts.ids } as const;
    for (const fragment of facts.lostFragments)
      found.push(...this.#lostAnchor(page, fragment, { ...own, fragment: fragment.slice(1) }));
    for (const id of facts.duplicateIds) found.push(this.#duplicateId(file, id));
    for (const heading of facts.skippedHeadings) found.push(this.#skippedHeading(file, heading));
    for (const picture of facts.undescribedPictures) found.push(undescribed(file, picture));
    for (const address of facts.remoteFiles) found.push(remoteFile(file, address));
    const secrets = new Map(
      [...facts.secrets, ...page.secretsBeside].map((secret) => [secret.whole, secret]),
    );
    for (const secret of secrets.values()) found.push(this.#secret(file, secret));
    if (page.bytes > heavyBytes) found.push(heavyPage(file, page.bytes));
    return found;
  }

  #lostAnchor(
    page: CheckedPage,
    href: string,
    { path, fragment, ids }: Extract<Verdict, { kind: 'no id' }>,
  ): Diagnostic[] {
    const uses = page.anchors.filter((use) => use.href === href);
    const written = uses[0]?.written ?? href;
    const place = uses.length === 0 ? this.#places.find(page.file, [href, `#${fragment}`]) : undefined;
    const route = this.#pages.get(path)?.route ?? path;
    const message =
      path === page.output
        ? `The link "${written}" names an id that is not on this page; readers stay where they are`
        : `The link "${written}" names an id that is not on the page "${route}"; readers arrive at its top`;
    const hint = anchorHint(fragment, this.#hintsLeft-- > 0 ? ids : '');
    const target = `${path}#${fragment}`;
    const finding = { severity: 'warning', code: 'broken_anchor', message, hint, target } as const;
    if (uses.length === 0) return [{ ...finding, file: page.file, ...place }];
    return uses.map(({ place: at }) => ({ ...finding, ...(at ? at : { file: page.file }) }));
  }

  #lostFile(page: CheckedPage, { address, loads }: Reference, target: string): Diagnostic {
    const name = address.slice(address.lastIndexOf('/') + 1).replace(/\.html$/, '');
    return {
      severity: 'warning',
      code: loads ? 'image_missing' : 'broken_link',
      message: `"${address}" leads to no file of the output; ${loads ? 'readers do not see it' : 'readers who follow it see that the page is missing'}`,
      file: page.file,
      ...this.#places.find(page.file, [address, name]),
      target,
    };
  }

  #duplicateId(file: string, id: string): Diagnostic {
    const message = `The id "${id}" occurs more than once on the page; links to it lead to the first element`;
    const place = this.#places.find(file, [`id="${id}"`, `{#${id}}`]);
    return { severity: 'warning', code: 'duplicate_id', message, file, ...place };
  }

  #skippedHeading(file: string, { id, level, before }: SkippedHeading): Diagnostic {
    const place = this.#places.findHeading(file, level, (text) => {
      const slug = slugOf(text);
      return slug === id || id.startsWith(`${slug}-`);
    });
    const message = `The heading "${id}" is of level ${level}, right after one of level ${before}`;
    const hint = `Make it level ${before + 1}, so that screen readers present the right structure.`;
    return { severity: 'info', code: 'heading_order', message, file, ...place, hint };
  }

  #secret(file: string, { kind, start, whole, severity }: FoundSecret): Diagnostic {
    return {
      severity,
      code: 'secret_in_page',
      message: `The page shows what looks like ${kind}: "${start}"`,
      file,
      ...this.#places.find(file, [whole, whole.slice(0, 40)]),
      hint: 'Revoke it and use a placeholder instead.',
    };
  }
}
