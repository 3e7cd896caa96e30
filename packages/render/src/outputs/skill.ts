/**
 * Writes skill.md, which explains to agents how to use the documentation, in the format of https://agentskills.io/specification, and
 * the index of https://github.com/cloudflare/agent-skills-discovery-rfc, version 0.2.0, by which clients find it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFrontMatter } from '../source/front-matter.ts';
import { splitFrontMatter } from '../source/split-source.ts';
import { isDefaultBranch } from '../site/visibility.ts';
import { oneLine } from '../text/html.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { listedRoutes } from './llms-folders.ts';

const path = 'skill.md';
const maxNameCharacters = 64;
const maxDescriptionCharacters = 1024;
const maxTopics = 30;
const validName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function* skill(context: OutputContext): Generator<OutputItem> {
  if (!hasPageOfSkill(context)) yield { path, content: skillText(context) };
}

export function* skillIndex(context: OutputContext): Generator<OutputItem> {
  const { root, files } = context.site;
  const isOwn = files.all.includes(path);
  if (!isOwn && hasPageOfSkill(context)) return;
  const content = isOwn ? readFileSync(join(root, path)) : Buffer.from(skillText(context));
  const skills = [
    {
      ...(isOwn ? describedIn(context, content.toString()) : descriptionOf(context)),
      type: 'skill-md',
      url: '../../skill.md',
      digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    },
  ];
  const $schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
  yield {
    path: '.well-known/agent-skills/index.json',
    content: `${JSON.stringify({ $schema, skills }, undefined, 2)}\n`,
  };
}

/** Its Markdown has the same path. */
function hasPageOfSkill({ pages }: OutputContext): boolean {
  return pages.some(({ route }) => route === 'skill');
}

interface SkillDescription {
  name: string;
  description: string;
}

function descriptionOf({ site: { settings } }: OutputContext): SkillDescription {
  const words =
    settings.name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = [...words, 'docs'].join('-').slice(-maxNameCharacters).replace(/^-/, '');
  const about = settings.description ? ` ${oneLine(settings.description)}` : '';
  const description = `Finds and reads the documentation of ${oneLine(settings.name)}. Use it for questions and code that involve ${oneLine(settings.name)}.${about}`;
  return { name, description: description.slice(0, maxDescriptionCharacters) };
}

/** Of the author's file, as far as it is valid. */
function describedIn(context: OutputContext, text: string): SkillDescription {
  const { name, description } = readFrontMatter(splitFrontMatter(text).matter).data;
  const own = descriptionOf(context);
  return {
    name:
      typeof name === 'string' && name.length <= maxNameCharacters && validName.test(name) ? name : own.name,
    description:
      typeof description === 'string' && description.trim() !== ''
        ? oneLine(description).slice(0, maxDescriptionCharacters)
        : own.description,
  };
}

function skillText(context: OutputContext): string {
  const { settings } = context.site;
  const { name, description } = descriptionOf(context);
  const fileAt = (file: string): string => context.publicAddresses.ofFile(file) ?? file;
  const topics = topicsOf(context);
  const blocks = [
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---`,
    `# ${oneLine(settings.name)}`,
    settings.description ? `> ${oneLine(settings.description)}` : '',
    '## How to use this documentation',
    [
      `1. Read [llms.txt](${fileAt('llms.txt')}), which lists the pages with a sentence about each. Some folders have an \`llms.txt\` with more pages.`,
      '2. Read a page as Markdown: append `.md` to its URL, or send `Accept: text/markdown`.',
      `3. Search in [llms-full.txt](${fileAt('llms-full.txt')}), the text of all pages, if no title fits.`,
      `4. If your client supports the Model Context Protocol, try the server at ${fileAt('mcp')}. Not every host of this documentation has one.`,
    ].join('\n'),
    settings.machineReaders.instructions.length > 0 ? '## Instructions' : '',
    settings.machineReaders.instructions.map((line) => `- ${oneLine(line)}`).join('\n'),
    topics.length > 0 ? `## Topics\n\n${topics.map((topic) => `- ${topic}`).join('\n')}` : '',
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Groups of listed pages in the default language and version. */
function topicsOf(context: OutputContext): string[] {
  const { places } = context.site.navigation;
  const topics = listedRoutes(context).flatMap((route) => {
    const place = places.get(route);
    const label = place && isDefaultBranch(place.branch) ? place.trail[0] : undefined;
    return label === undefined ? [] : [oneLine(label)];
  });
  return [...new Set(topics)].slice(0, maxTopics);
}
