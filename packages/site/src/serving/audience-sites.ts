/** The files of each audience of a release, opened when the first of its readers comes. */
import { type Audience, audienceOf, type Audiences } from '@docyard/bundle';
import type { ServedSite } from './served-site.ts';

export class AudienceSites {
  readonly #audiences: Audiences;
  readonly #open: (audience: Audience) => Promise<ServedSite>;
  readonly #opened = new Map<Audience, Promise<ServedSite>>();

  constructor(audiences: Audiences, open: (audience: Audience) => Promise<ServedSite>) {
    this.#audiences = audiences;
    this.#open = open;
  }

  /** `manifest` for the public files, undefined for no files. */
  async of(reader: { groups: readonly string[] } | undefined): Promise<ServedSite | 'manifest' | undefined> {
    const audience = audienceOf(this.#audiences, reader);
    if (audience === undefined || audience === 'manifest') return audience;
    const known = this.#opened.get(audience);
    if (known !== undefined) return known;
    const opening = this.#open(audience);
    this.#opened.set(audience, opening);
    opening.catch(() => this.#opened.delete(audience));
    return opening;
  }

  /** Sites are opened again with a new configuration. */
  close(): void {
    this.#opened.clear();
  }
}
