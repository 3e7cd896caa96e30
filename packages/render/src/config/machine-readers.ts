/**
 * Reads the settings for machine-readable output: Markdown, llms.txt, structured data, meta tags and social
 * images.
 */
import { asList, asText, asTexts, at, textAt } from './json.ts';
import type { JsonObject } from '../model/json.ts';

export interface MachineReaders {
  specInMarkdown: boolean;
  instructions: string[];
  organization?: Organization;
  folderTags: { folder: string; metatags: [string, string][] }[];
  socialImage: { appearance: 'light' | 'dark'; background?: string };
}

export interface Organization {
  id?: string;
  name?: string;
  legalName?: string;
  url?: string;
  logo?: string;
  sameAs: string[];
}

export function readMachineReaders(config: JsonObject): MachineReaders {
  const organization = readOrganization(at(config, 'seo', 'organization'));
  const background = textAt(config, 'thumbnails', 'background');
  return {
    specInMarkdown: at(config, 'markdown', 'schema') !== false,
    instructions: asTexts(at(config, 'markdown', 'instructions')),
    ...(organization ? { organization } : {}),
    folderTags: asList(at(config, 'seo', 'paths')).flatMap(readFolderTags),
    socialImage: {
      appearance: at(config, 'thumbnails', 'appearance') === 'dark' ? 'dark' : 'light',
      ...(background ? { background } : {}),
    },
  };
}

function readOrganization(value: unknown): Organization | undefined {
  const organization: Organization = { sameAs: asTexts(at(value, 'sameAs')) };
  for (const key of ['id', 'name', 'legalName', 'url', 'logo'] as const) {
    const text = textAt(value, key);
    if (text !== undefined) organization[key] = text;
  }
  return Object.keys(organization).length > 1 ? organization : undefined;
}

function readFolderTags(item: unknown): MachineReaders['folderTags'] {
  const path = textAt(item, 'path');
  if (path === undefined) return [];
  return [{ folder: path.replaceAll(/^\/+|[/*]+$/g, ''), metatags: readTags(at(item, 'metatags')) }];
}

function readTags(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, content]): [string, string][] => {
    const text = asText(content);
    return text === undefined ? [] : [[name, text]];
  });
}
