/**
 * Makes the corpus: a documentation site of any number of pages with prose, headings, lists, tables, links,
 * components and code blocks, the same bytes every time. The text means nothing; its shape is that of real manuals.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Chance } from '../test/torture/chance.ts';
import { codeBlock } from './corpus-code.ts';

const words =
  `access account action active address agent alert amount answer application archive argument array asset
attempt audit balance batch binary block body branch browser bucket budget buffer build bundle cache call caller
certificate change channel check client cluster code column command commit component condition config connection
container content context contract cookie copy counter cursor customer dashboard data database date deadline default
delay delivery deployment detail device directory disk document domain draft duration edge endpoint engine entry
environment error event example expiry export expression failure feature field file filter flag folder format frame
function gateway group handler hash header health history host identifier image import index input instance interval
invoice item job key label latency layer length level library limit line link list listener loader location lock log
machine manifest map memory message method metric migration mode model module monitor name network node notice number
object offset operation operator option order organization origin output owner package page parameter parser partner
password path pattern payload payment period permission phase plan platform plugin policy pool port prefix process
product profile project property protocol proxy query queue quota range rate reader record redirect region registry
release replica report repository request resource response result retry role route row rule runner runtime sample
schedule schema scope script secret section segment sequence server service session setting shard signal signature
snapshot source stage state status step storage stream string summary switch system table tag target task template
tenant text thread threshold time token topic trace traffic transaction trigger type update upload user value
variable version view volume warning watcher webhook window worker workspace zone`.split(/\s+/);

const verbs =
  `accepts adds allows applies asks begins calls carries changes checks closes collects compares contains
copies counts creates deletes describes ends expects fetches fills finds follows gives groups handles holds keeps
leaves lists loads maps marks moves names needs offers opens orders passes picks publishes reads receives records
refuses removes renews repeats replaces reports requires resolves retries returns runs selects sends serves sets
shows signs skips sorts starts stops stores takes tells tracks turns updates uses validates waits writes`.split(
    /\s+/,
  );

const joiners =
  `and then|so that|because|before|after|unless|while|when|until|whenever|as soon as|even if`.split('|');
const qualities =
  `active clean common complete correct current early empty exact external fast final fixed fresh full
general given idle internal known large last late local long main missing narrow new next old open optional partial
plain previous private public quick rare recent remote required safe second short signed simple single slow small
stable stale static strict temporary trusted typical unique unknown valid whole wide`.split(/\s+/);

export interface Corpus {
  folder: string;
  pages: number;
  sourceBytes: number;
  sourceFiles: number;
}

export async function writeCorpus(folder: string, pages: number, seed = 1): Promise<Corpus> {
  const files = corpusFiles(pages, seed);
  let sourceBytes = 0;
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    sourceBytes += Buffer.byteLength(text);
  }
  return { folder, pages, sourceBytes, sourceFiles: files.size };
}

function corpusFiles(pages: number, seed: number): Map<string, string> {
  const names = pageNames(pages, seed);
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = name.split('/')[0] ?? '';
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const docs = {
    theme: 'mint',
    name: 'Corpus',
    colors: { primary: '#0f766e' },
    navigation: {
      groups: [...groups].map(([group, members]) => ({
        group: capital(group.replaceAll('-', ' ')),
        pages: members,
      })),
    },
  };
  const files = new Map([['docs.json', `${JSON.stringify(docs, null, 2)}\n`]]);
  for (const [index, name] of names.entries()) {
    files.set(`${name}.mdx`, page(new Chance(seed * 1_000_003 + index), name, names));
  }
  return files;
}

const pagesInGroup = 25;

function pageNames(pages: number, seed: number): string[] {
  const chance = new Chance(seed);
  const taken = new Set<string>(['index']);
  for (let group = 0; taken.size < pages; group += 1) {
    const folder = `${some(chance, words)}-${some(chance, words)}-${group}`;
    for (let member = 0; member < pagesInGroup && taken.size < pages; member += 1) {
      taken.add(`${folder}/${some(chance, qualities)}-${some(chance, words)}-${member}`);
    }
  }
  return [...taken];
}

function page(chance: Chance, name: string, names: readonly string[]): string {
  const title = capital((name.split('/').at(-1) ?? name).replaceAll('-', ' '));
  const parts = [`---\ntitle: "${title}"\ndescription: "${sentence(chance)}"\n---`, paragraph(chance)];
  const sections = 3 + Math.floor(chance.next() * 4);
  for (let index = 0; index < sections; index += 1) {
    parts.push(`## ${heading(chance)}`, paragraph(chance), part(chance, names), paragraph(chance));
    if (chance.happens(0.6)) parts.push(codeBlock(chance, words));
    if (chance.happens(0.4)) parts.push(`### ${heading(chance)}`, paragraph(chance), part(chance, names));
  }
  return `${parts.join('\n\n')}\n`;
}

function part(chance: Chance, names: readonly string[]): string {
  const kinds = [
    () => many(chance, 3, 6, () => `- ${sentence(chance)}`).join('\n'),
    () => many(chance, 3, 5, (index) => `${index + 1}. ${sentence(chance)}`).join('\n'),
    () =>
      `See [${heading(chance)}](/${some(chance, names)}) and **${some(chance, words)}**: ${sentence(chance)}`,
    () => table(chance),
    () => `<Note>\n  ${sentence(chance)} ${sentence(chance)}\n</Note>`,
    () =>
      `<Steps>\n${many(chance, 2, 4, () => `  <Step title="${heading(chance)}">\n    ${sentence(chance)}\n  </Step>`).join('\n')}\n</Steps>`,
    () => `> ${sentence(chance)}`,
    () => paragraph(chance),
  ];
  return some(chance, kinds)();
}

function table(chance: Chance): string {
  const row = () => `| \`${some(chance, words)}\` | ${some(chance, qualities)} | ${sentence(chance)} |`;
  return ['| Name | Kind | Meaning |', '|---|---|---|', ...many(chance, 3, 7, row)].join('\n');
}

function paragraph(chance: Chance): string {
  return many(chance, 3, 6, () => sentence(chance)).join(' ');
}

function sentence(chance: Chance): string {
  const clause = () => {
    const noun = chance.happens(0.12) ? `\`${some(chance, words)}\`` : some(chance, words);
    return `the ${some(chance, qualities)} ${noun} ${some(chance, verbs)} the ${some(chance, words)} of a ${some(chance, words)}`;
  };
  const text = chance.happens(0.6) ? `${clause()} ${some(chance, joiners)} ${clause()}` : clause();
  return `${capital(text)}.`;
}

function heading(chance: Chance): string {
  return capital(`${some(chance, qualities)} ${some(chance, words)} and ${some(chance, words)}`);
}

function many<T>(chance: Chance, least: number, most: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.floor(chance.between(least, most + 1)) }, (_, index) => make(index));
}

function some<T>(chance: Chance, from: readonly T[]): T {
  return chance.pick(from) as T;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
