/**
 * Resolves the links, files and stylesheets that a page refers to, and reports the ones that do not exist.
 */
import { join } from 'node:path';
import { pictureSize } from '../assets/picture-size.ts';
import { prepareStylesheet } from '../assets/references.ts';
import { hint as remoteHint, remoteNotice } from '../components/remote.ts';
import { pageStylesheet } from '../components/style.ts';
import { classWithFile } from '../css/class-files.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { PageTask } from '../model/page.ts';
import type { PictureSize, RemotePicture } from '../model/site-plan.ts';
import { prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import type { PageCollector } from './collector.ts';
import type { SiteTools } from './site-tools.ts';

const siteStylesheetFile = '_docyard/site.css';
const maxRuleCharacters = 500_000;

export interface PageLink {
  /** Undefined when the target does not exist. */
  href: string | undefined;
  outside: boolean;
}

export class PageAddresses {
  readonly #tools: SiteTools;
  readonly #task: PageTask;
  readonly #collector: PageCollector;
  readonly #prefix: string;
  #ruleCharacters = 0;

  constructor(tools: SiteTools, task: PageTask, collector: PageCollector) {
    this.#tools = tools;
    this.#task = task;
    this.#collector = collector;
    this.#prefix = prefixToRoot(task.output);
  }

  link(written: string, place: FilePlace | undefined): PageLink {
    const link = this.#resolve(written, place);
    const { href } = link;
    if (!link.outside && href !== undefined && href.includes('#'))
      this.#collector.noteAnchor({ href, written, place });
    return link;
  }

  #resolve(href: string, place: FilePlace | undefined): PageLink {
    const target = this.#tools.links.resolve(href, this.#task.file);
    switch (target.kind) {
      case 'outside':
        return { href: target.href, outside: true };
      case 'here':
        return { href: target.suffix || '#', outside: false };
      case 'page':
        return { href: this.#pageHref(target.route, target.suffix), outside: false };
      case 'output':
        return { href: relativeHref(this.#prefix, target.path) + target.suffix, outside: false };
      case 'file':
        this.#collector.assets.add(target.file);
        return { href: relativeHref(this.#prefix, target.output) + target.suffix, outside: false };
      case 'withheld':
        return { href: undefined, outside: false };
      case 'unsafe':
        this.#collector.report(
          'unsafe_link',
          `The link "${href}" has the scheme "${target.scheme}:", which is not allowed; readers see its text without a link`,
          place,
        );
        return { href: undefined, outside: false };
      case 'broken':
        this.#collector.report(
          'broken_link',
          `The link "${href}" leads to no page or file of the site; readers see its text without a link`,
          place,
          'Check the spelling, or add a redirect for a page that has moved.',
          href,
        );
        return { href: undefined, outside: false };
    }
  }

  #pageHref(route: string, suffix: string): string | undefined {
    const { addresses, rendered, plan } = this.#tools;
    if (rendered.has(route)) return relativeHref(this.#prefix, addresses.hrefOf(route)) + suffix;
    return plan.origin
      ? `${plan.origin}${plan.basePath}/${addresses.canonicalOf(route)}${suffix}`
      : undefined;
  }

  /** The address of a page or file relative to the page; undefined when there is none. Reports nothing. */
  quietAddress(written: string): string | undefined {
    const { links } = this.#tools;
    const page = links.resolve(written, this.#task.file);
    const target = page.kind === 'broken' ? links.resolveFile(written, this.#task.file) : page;
    if (target.kind === 'page') return this.#pageHref(target.route, target.suffix);
    if (target.kind === 'output') return relativeHref(this.#prefix, target.path) + target.suffix;
    if (target.kind !== 'file') return undefined;
    this.#collector.assets.add(target.file);
    return relativeHref(this.#prefix, target.output) + target.suffix;
  }

  /** The output file of a picture of another host; requests its download when there is none. */
  quietPicture(address: string): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind === 'file') return relativeHref(this.#prefix, target.output);
    if (target.kind === 'outside') this.#requestPicture(target.href);
    return undefined;
  }

  asset(address: string, place: FilePlace | undefined): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind === 'file') {
      this.#collector.assets.add(target.file);
      return relativeHref(this.#prefix, target.output) + target.suffix;
    }
    if (target.kind === 'outside') {
      if (/^data:/i.test(target.href)) return target.href;
      this.#leaveElsewhere(target.href, place);
      return undefined;
    }
    this.#collector.report(
      target.kind === 'unsafe' ? 'unsafe_link' : 'image_missing',
      `"${address.slice(0, 200)}" is not a file of the site; readers see its description instead`,
      place,
      undefined,
      address,
    );
    return undefined;
  }

  #leaveElsewhere(href: string, place: FilePlace | undefined): void {
    const known = this.#requestPicture(href);
    const problem = known && 'problem' in known ? known.problem : undefined;
    const message = remoteNotice(href, problem, 'is not loaded');
    this.#collector.report('remote_image', message, place, remoteHint, href);
  }

  #requestPicture(href: string): RemotePicture | undefined {
    const { pictures, asksForPictures } = this.#tools.plan;
    const known = pictures.get(href);
    if (asksForPictures && known === undefined) this.#collector.wantPicture(href);
    return known;
  }

  remoteAddress(address: string): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind !== 'outside' || !/^https?:/i.test(target.href)) return undefined;
    return target.href.replace(/^http:/i, 'https:');
  }

  pictureSize(address: string): PictureSize | undefined {
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind !== 'file') return undefined;
    const { pictureSizes, plan } = this.#tools;
    if (!pictureSizes.has(target.file))
      pictureSizes.set(target.file, pictureSize(join(plan.root, target.file)));
    return pictureSizes.get(target.file);
  }

  useClasses(names: string): string {
    for (const name of names.split(/\s+/)) if (name) this.#collector.classes.add(this.#classWithFile(name));
    return names;
  }

  /** `bg-[url(/hero.png)]` names a file of the site; without that file the class gets no rule. */
  #classWithFile(name: string): string {
    const [, before, address, after] =
      /^([^'"]{0,200}url\()['"]?([^'"()]{1,500})['"]?(\)[^'"()]{0,200})$/.exec(name) ?? [];
    if (before === undefined || address === undefined) return name;
    const file = this.styleFile(address, undefined);
    return file === undefined || /[^\w./%~@+-]/.test(file)
      ? name
      : classWithFile(name, `${before}${file}${after}`);
  }

  styleFile(address: string, place: FilePlace | undefined): string | undefined {
    if (/["\\\n]/.test(address)) return undefined;
    if (/^data:image\//i.test(address)) return address;
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind !== 'file') {
      const isRemote = target.kind === 'outside';
      const fate = isRemote
        ? 'is on another host; readers do not see it'
        : 'is not a file of the site; readers do not see it';
      const message = `"${address.slice(0, 200)}" ${fate}`;
      this.#collector.report(isRemote ? 'remote_asset' : 'image_missing', message, place, undefined, address);
      return undefined;
    }
    this.#collector.assets.add(target.file);
    return encodeURI(prefixToRoot(siteStylesheetFile) + target.output) + target.suffix;
  }

  /** The Content-Security-Policy allows no inline styles. */
  useRules(css: string, place: FilePlace | undefined): void {
    const file = place?.file ?? this.#task.file;
    const output = pageStylesheet(css, file);
    if (this.#collector.styles.has(output)) return;
    if ((this.#ruleCharacters += css.length) > maxRuleCharacters)
      return this.#collector.report(
        'element_dropped',
        'The <style> elements of a page have too many rules; the rules of this one are omitted',
        place,
      );
    const prepared = prepareStylesheet(css, file, this.#tools.links, output);
    for (const asset of prepared.assets) this.#collector.assets.add(asset);
    for (const { code, message, hint } of prepared.diagnostics)
      this.#collector.report(code, message, place, hint);
    this.#collector.styles.set(output, prepared.css);
  }
}
