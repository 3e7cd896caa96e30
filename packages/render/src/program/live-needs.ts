/**
 * Reads from the string literals of interactive code which classes need styles, which addresses need
 * resolving and which hosts it may contact. Strings composed at run time are not found.
 */
import type { Node } from 'estree-jsx';
import type { ProgramModule } from './program.ts';
import { isDocumentText, parseClassicScript, walk } from './syntax.ts';

export interface LiveNeeds {
  classNames: string[];
  /** As written: `/guide`, `./picture.png`, `../api`. */
  addresses: string[];
  /** Origins, such as `https://api.example.com`. */
  hosts: string[];
}

const maxClassNames = 5000;
const maxAddresses = 500;
const maxHosts = 50;
const longestWord = 200;

export function liveNeeds(modules: readonly ProgramModule[]): LiveNeeds {
  const found = { classNames: new Set<string>(), addresses: new Set<string>(), hosts: new Set<string>() };
  for (const { id, factory } of modules) {
    const texts = textsOf(factory);
    for (const text of id.endsWith('.json') ? texts.flatMap(textsOfData) : texts) {
      addAll(found.classNames, classNamesIn(text), maxClassNames);
      addAll(found.hosts, hostsIn(text), maxHosts);
      if (isAddress(text)) addAll(found.addresses, [text], maxAddresses);
    }
  }
  return {
    classNames: [...found.classNames],
    addresses: [...found.addresses],
    hosts: [...found.hosts].filter((host) => !namespaceHost.test(host)),
  };
}

function addAll(to: Set<string>, items: Iterable<string>, maximum: number): void {
  for (const item of items) if (to.size < maximum) to.add(item);
}

/** Stands for an interpolated value: the word before it is incomplete. */
const unfinished = '\0';

function textsOf(factory: string): string[] {
  const texts: string[] = [];
  walk(parseClassicScript(factory), (node: Node) => {
    if (isDocumentText(node)) return false;
    if (node.type === 'Literal' && typeof node.value === 'string') texts.push(node.value);
    else if (node.type === 'TemplateElement')
      texts.push((node.value.cooked ?? '') + (node.tail ? '' : unfinished));
    return true;
  });
  return texts;
}

function textsOfData(text: string): string[] {
  if (!/^\s*[[{"]/.test(text)) return [];
  const texts: string[] = [];
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
  });
  return texts;
}

/** The shape of a utility class. */
const classWord = /^-?[a-z@!*[][\w\-:/.[\]()%#,!&>*=@+']*$/;

function classNamesIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word.length <= longestWord && classWord.test(word));
}

const originPattern =
  /\b(?:https?|wss?):\/\/[a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?(?::\d{1,5})?(?=[/?#\s"'`\\]|$)/gi;

function hostsIn(text: string): string[] {
  return (text.match(originPattern) ?? []).map((origin) => origin.toLowerCase());
}

/** XML namespaces look like addresses. */
const namespaceHost = /^https?:\/\/(?:www\.)?w3\.org$/;

/** Code that only links to other hosts needs no permission to contact them. */
export function asksHosts(code: string): boolean {
  return /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\b/.test(code);
}

function isAddress(text: string): boolean {
  return text.length <= longestWord * 5 && /^(?:\/(?!\/)|\.\.?\/|#)[^\s\0<>"'`{}|\\^]*$/.test(text);
}
