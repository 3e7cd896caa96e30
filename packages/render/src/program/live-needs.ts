/**
 * What live code may come to show, read from the texts in it: classes that need styles, addresses that need resolving,
 * hosts that it may ask. Nobody can know more without running it; what is put together at run time is not found.
 */
import type { Node } from 'estree-jsx';
import type { ProgramModule } from './program.ts';
import { isDocumentText, parseClassicScript, walk } from './syntax.ts';

export interface LiveNeeds {
  classNames: string[];
  /** As they are written: `/guide`, `./picture.png`, `../api`. */
  addresses: string[];
  /** Origins, such as `https://api.example.com`. */
  hosts: string[];
}

const maximumClassNames = 5000;
const maximumAddresses = 500;
const maximumHosts = 50;
const longestWord = 200;

export function liveNeeds(modules: readonly ProgramModule[]): LiveNeeds {
  const found = { classNames: new Set<string>(), addresses: new Set<string>(), hosts: new Set<string>() };
  for (const { id, factory } of modules) {
    const texts = textsOf(factory);
    for (const text of id.endsWith('.json') ? texts.flatMap(textsOfData) : texts) {
      addAll(found.classNames, classNamesIn(text), maximumClassNames);
      addAll(found.hosts, hostsIn(text), maximumHosts);
      if (isAddress(text)) addAll(found.addresses, [text], maximumAddresses);
    }
  }
  return {
    classNames: [...found.classNames],
    addresses: [...found.addresses],
    hosts: [...found.hosts],
  };
}

function addAll(to: Set<string>, items: Iterable<string>, maximum: number): void {
  for (const item of items) if (to.size < maximum) to.add(item);
}

/** Stands where a template goes on with a value: the word before it is not whole. */
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

/** The module of a JSON file holds its content as one text. */
function textsOfData(text: string): string[] {
  if (!/^\s*[[{"]/.test(text)) return [];
  const texts: string[] = [];
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
  });
  return texts;
}

/** What a utility class can look like; other words would only cost time later. */
const classWord = /^-?[a-z@!*[][\w\-:/.[\]()%#,!&>*=@+']*$/;

function classNamesIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word.length <= longestWord && classWord.test(word));
}

const originPattern =
  /\b(?:https?|wss?):\/\/[a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?(?::\d{1,5})?(?=[/?#\s"'`\\]|$)/gi;

function hostsIn(text: string): string[] {
  return (text.match(originPattern) ?? []).map((origin) => origin.toLowerCase());
}

function isAddress(text: string): boolean {
  return text.length <= longestWord * 5 && /^(?:\/(?!\/)|\.\.?\/|#)[^\s\0<>"'`{}|\\^]*$/.test(text);
}
