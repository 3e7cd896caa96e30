/**
 * The navigation tree: sections contain entries (pages, links, groups) and switchers between divisions (tabs,
 * versions, languages, …).
 */
import type { JsonObject } from '../model/json.ts';

export type DivisionKind = 'tab' | 'anchor' | 'dropdown' | 'product' | 'version' | 'language' | 'item';

export interface PageEntry {
  kind: 'page';
  route: string;
}

export interface LinkEntry {
  kind: 'link';
  label: string;
  href: string;
  icon?: string;
}

export interface GroupEntry {
  kind: 'group';
  label: string;
  icon?: string;
  tag?: string;
  root?: string;
  expanded: boolean;
  /** How the group's root page lists the entries of the group. */
  directory?: 'accordion' | 'card';
  entries: NavEntry[];
}

export type NavEntry = PageEntry | LinkEntry | GroupEntry;

export interface Division {
  kind: DivisionKind;
  label: string;
  icon?: string;
  tag?: string;
  description?: string;
  href?: string;
  /** Icon color: three or six lower-case hexadecimal digits. */
  color?: { light: string; dark: string };
  isDefault: boolean;
  atEnd?: boolean;
  /** For a language: its overrides of header links, footer and banner. */
  own?: JsonObject;
  section: Section;
}

export interface Switcher {
  kind: DivisionKind;
  divisions: Division[];
}

export interface Section {
  entries: NavEntry[];
  switchers: Switcher[];
  globals: Division[];
}

export interface BranchStep {
  switcher: Switcher;
  division: Division;
}

/** One path through the switchers to a list of entries. */
export interface Branch {
  id: string;
  name: string;
  steps: BranchStep[];
  /** Switchers along the path that contain only links or are not part of the path. */
  asides: Switcher[];
  globals: Division[];
  entries: NavEntry[];
  /** In reading order, without duplicates. */
  pages: string[];
  language?: string;
}
