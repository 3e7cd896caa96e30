/**
 * The scripts and stylesheets that preview pages share. Their classes accumulate over the pages rendered so
 * far; unused classes are harmless.
 */
import { isDeepStrictEqual } from 'node:util';
import { siteFileReader } from '../assets/inline-masks.ts';
import { mathFiles } from '../math/files.ts';
import { sharedFiles } from '../outputs/shared-files.ts';
import type { PageResult } from '../model/page.ts';
import { entryColorsCss } from '../theme/entry-colors.ts';
import { apiFiles } from '../theme/files.ts';
import type { View } from './view.ts';

export class SharedStyles {
  readonly #styles = new Map<string, string>();
  readonly #classes = new Set<string>();
  readonly #mathStyles = new Map<string, string>();
  #changes = 0;
  #generated: { view: View; files: Promise<Map<string, string | Uint8Array>> } | undefined;

  /** Increments whenever a stylesheet may have changed. */
  get changes(): number {
    return this.#changes;
  }

  addPage({ styles, classes, mathStyles }: PageResult): void {
    const before = this.#size;
    for (const [name, declarations] of styles) this.#styles.set(name, declarations);
    for (const [name, declaration] of mathStyles) this.#mathStyles.set(name, declaration);
    for (const name of classes) this.#classes.add(name);
    if (this.#size !== before) this.#invalidate();
  }

  /** Called after the site was reloaded. */
  compare(before: View, view: View): void {
    const colors = ({ site }: View): string => entryColorsCss(site.navigation.branches);
    const isSame =
      isDeepStrictEqual(before.site.settings, view.site.settings) && colors(before) === colors(view);
    if (!isSame) this.#invalidate();
  }

  async file(path: string, view: View): Promise<string | Uint8Array | undefined> {
    if (path.startsWith('_docyard/katex/'))
      return mathFiles(this.#mathStyles).find((file) => file.path === path)?.content;
    if (this.#generated?.view !== view) this.#generated = { view, files: this.#generate(view) };
    return (await this.#generated.files).get(path);
  }

  get #size(): number {
    return this.#styles.size + this.#classes.size + this.#mathStyles.size;
  }

  #invalidate(): void {
    this.#changes += 1;
    this.#generated = undefined;
  }

  async #generate({ site, pictures, files: known }: View): Promise<Map<string, string | Uint8Array>> {
    const files = new Map<string, string | Uint8Array>();
    const context = {
      site,
      styles: this.#styles,
      classes: this.#classes,
      styleFiles: pictures.style,
      readFile: siteFileReader(site.root, known),
    };
    for await (const { path, content } of sharedFiles(context)) files.set(path, content);
    for (const { path, content } of apiFiles(new Set(['api', 'try-it'] as const))) files.set(path, content);
    return files;
  }
}
