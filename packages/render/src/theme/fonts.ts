/**
 * The fonts of a site: those of its configuration, from its own files or another host, else the bundled ones or
 * the fonts of the reader's system.
 */
import { latinLetter, coversLetter, neededLetters } from '../assets/font-letters.ts';
import { configuredFile, isElsewhere } from '../assets/references.ts';
import type { FontRequest, RemoteFonts } from '../assets/remote-fonts.ts';
import type { Font } from '../config/settings.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { FontFace } from '../model/font-face.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Site } from '../site/site.ts';
import { languageCode } from '../words/words.ts';
import { type BundledFont, type BundledName, bundledFont, bundledName, stackOf } from './bundled-fonts.ts';

export interface SiteFonts {
  faces: readonly FontFace[];
  /** Without the leading `--dy-`. */
  variables: Readonly<Record<string, string>>;
  bundled: readonly BundledFont[];
  /** Output path of the font of plain text, which pages load early. */
  preloaded?: string | undefined;
  /** Outputs of site files. */
  files: readonly string[];
  diagnostics: readonly Diagnostic[];
}

type FontSite = Pick<Site, 'settings' | 'navigation' | 'configFile'>;

interface ChosenFont {
  stack: string;
  faces: readonly FontFace[];
  bundled?: BundledFont;
  file?: string;
  finding?: Diagnostic;
}

export function siteFonts(site: FontSite, links: LinkResolver, remote: RemoteFonts): SiteFonts {
  const letters = lettersOf(site);
  const { body, heading } = site.settings.fonts;
  const choose = (font: Font | undefined): ChosenFont => chosenFont(font, { site, links, remote, letters });
  const text = choose(body);
  const title = heading && choose(heading);
  const code = body && isSystem(body) ? undefined : bundled('mono', letters);
  const chosen = [text, title, code].filter((font) => font !== undefined);
  return {
    faces: distinct(chosen.flatMap(({ faces }) => faces)),
    variables: {
      sans: text.stack,
      ...(code ? { mono: code.stack } : {}),
      ...(title && title.stack !== text.stack ? { 'heading-font': title.stack } : {}),
      ...(heading?.weight ? { 'heading-weight': heading.weight } : {}),
      ...(body?.weight ? { 'body-weight': body.weight } : {}),
    },
    bundled: [...new Set(chosen.flatMap((font) => font.bundled ?? []))],
    preloaded: preloadedFile(text.faces, Number(body?.weight ?? 400)),
    files: distinct(chosen.flatMap(({ file }) => file ?? [])),
    diagnostics: distinct(chosen.flatMap(({ finding }) => finding ?? [])),
  };
}

/** The fonts that must be downloaded. */
export function remoteFonts(site: FontSite): FontRequest[] {
  const letters = lettersOf(site);
  return Object.values(site.settings.fonts)
    .filter((font) => isRemote(font))
    .map((font) => requestFor(font, letters));
}

function isSystem({ family, source }: Font): boolean {
  return source === undefined && /^system(?:-ui)?$/i.test(family);
}

function isRemote(font: Font): boolean {
  if (font.source !== undefined) return isElsewhere(font.source);
  return !isSystem(font) && bundledName(font.family) === undefined;
}

function requestFor({ family, source, weight }: Font, letters: readonly string[]): FontRequest {
  return { family, source: source?.replace(/^\/\//, 'https://'), weight, letters };
}

function lettersOf({ navigation }: FontSite): string[] {
  return neededLetters(
    navigation.branches.flatMap(({ language }) => (language === undefined ? [] : languageCode(language))),
  );
}

interface Choice {
  site: FontSite;
  links: LinkResolver;
  remote: RemoteFonts;
  letters: readonly string[];
}

function chosenFont(font: Font | undefined, choice: Choice): ChosenFont {
  const { links, remote, letters } = choice;
  if (font === undefined) return bundled('sans', letters);
  if (isSystem(font)) return { stack: 'var(--dy-system-sans)', faces: [] };
  const { file } = configuredFile(font.source, links);
  if (file !== undefined) {
    /** A file without a weight is assumed to be a variable font. */
    const face = { family: font.family, file, weight: font.weight ?? '100 900' };
    return { stack: stackWith(font.family), faces: [face], file };
  }
  if (!isRemote(font)) {
    const name = font.source === undefined ? bundledName(font.family) : undefined;
    return name
      ? bundled(name, letters)
      : { ...bundled('sans', letters), finding: missing(font, choice.site) };
  }
  const outcome = remote.outcomeOf(requestFor(font, letters));
  if ('faces' in outcome) return { stack: stackWith(font.family), faces: outcome.faces };
  return { ...bundled('sans', letters), finding: notLoaded(font, outcome.problem, choice.site) };
}

function bundled(name: BundledName, letters: readonly string[]): ChosenFont {
  const font = bundledFont(name, letters);
  return { stack: stackOf(font), faces: font.faces, bundled: font };
}

function stackWith(family: string): string {
  return `'${family}', var(--dy-system-sans)`;
}

function missing({ source = '' }: Font, { configFile }: FontSite): Diagnostic {
  return {
    severity: 'warning',
    code: 'font_missing',
    message: `The font file "${source}" does not exist in the site; the bundled font is used`,
    file: configFile,
    hint: 'Add the font file to the site and set fonts.source to its path.',
  };
}

function notLoaded({ family }: Font, problem: string, { configFile }: FontSite): Diagnostic {
  return {
    severity: 'info',
    code: 'font_not_loaded',
    message: `The font "${family}" could not be downloaded, so the bundled font is used: ${problem}`,
    file: configFile,
    hint: 'Check fonts.family and export again with a network, or add the font file to the site and set fonts.source to its path.',
  };
}

function preloadedFile(faces: readonly FontFace[], weight: number): string | undefined {
  const latin = faces.filter(({ unicodeRange }) => coversLetter(unicodeRange, latinLetter));
  const fitting = latin.find((face) => {
    const [lowest = 0, highest = lowest] = face.weight.split(' ').map(Number);
    return lowest <= weight && weight <= highest;
  });
  return (fitting ?? latin[0])?.file;
}

function distinct<Item>(items: readonly Item[]): Item[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...seen.values()];
}
