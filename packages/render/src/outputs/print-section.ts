/**
 * The content of a page as a part of one long document: ids are made its own, headings go one level down, and everything that
 * opens or loads later is open and loaded. In which document pages stand is known only when all of them are there; until
 * then, addresses inside of the site are left open.
 */
import { encodedText, readableText } from '../text/encoded-text.ts';
import { escapeAttribute } from '../text/html.ts';
import { tagProgram } from '../text/tag-program.ts';

export interface SectionPlace {
  route: string;
  /** The address of the page from the root of the site, as links name it. */
  href: string;
}

export interface PrintedSection {
  /** With a mark for each address that is left open. */
  content: Uint8Array;
  addresses: OpenAddress[];
}

/** An address from the root of the site, in its parts. */
export interface OpenAddress {
  path: string;
  search: string;
  fragment: string | undefined;
}

export interface DocumentPlace {
  /** From the document to the root of the site. */
  prefix: string;
  /** Where the page at an address from the root of the site is printed. */
  printedAt(path: string): PrintedPlace | undefined;
  /** The fragment that leads to the id which is meant. */
  fragmentOn?(route: string, fragment: string): string;
}

export interface PrintedPlace {
  route: string;
  /** The way to its document; empty when it is this one. */
  document: string;
}

/** One byte that no HTML holds. */
export const openMark = '\0';

/** The parts of the page follow each other. */
export function printedSection(parts: readonly Uint8Array[], { route, href }: SectionPlace): PrintedSection {
  const program = tagProgram();
  const { run } = program;
  program.take(parts.map(withoutMarks));
  const idStart = encodedText(`${escapeAttribute(route)}:`);
  program.bytes.set(idStart, run.roomForIdStart(idStart.length));
  const length = run.print();
  const content = Buffer.allocUnsafeSlow(length);
  program.bytes.copy(content, 0, run.printedPlace(), run.printedPlace() + length);
  const places = program.numbers(run.addressesPlace(), run.addressCount() * 2);
  const addresses = Array.from({ length: run.addressCount() }, (_, index) =>
    openAddress(program.byteText(places[index * 2] as number, places[index * 2 + 1] as number), href),
  );
  return { content, addresses };
}

function withoutMarks(bytes: Uint8Array): Uint8Array {
  return bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes;
}

/** `value` is escaped; nothing that matters in an address is changed by that but the ampersand. */
function openAddress(value: string, href: string): OpenAddress {
  const [path = '', fragment] = readableText(value).replaceAll('&amp;', '&').split('#', 2);
  const { pathname, search } = new URL(path, `http://site/${href}`);
  return { path: pathname.slice(1), search, fragment };
}

/** The id of something on a page, in the document. */
export function printedId(route: string, id?: string): string {
  return escapeAttribute(id === undefined || id === '' ? route : `${route}:${id}`);
}

/** An address that was left open, in a document. */
export function printedAddress(
  { path, search, fragment }: OpenAddress,
  { prefix, printedAt, fragmentOn }: DocumentPlace,
): string {
  const inside = search === '' ? printedAt(path) : undefined;
  if (inside) {
    const meant = fragment && (fragmentOn?.(inside.route, fragment) ?? fragment);
    return `${escapeAttribute(inside.document)}#${printedId(inside.route, meant)}`;
  }
  const rest = `${path}${search}${fragment === undefined ? '' : `#${fragment}`}`;
  return escapeAttribute(prefix + rest || './');
}
