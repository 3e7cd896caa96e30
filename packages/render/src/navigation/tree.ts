/**
 * The navigation as data: sections that hold entries (pages, links, groups) and switchers between divisions
 * (tabs, versions, languages and so on). Types only.
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
  /** The page that stands for the group itself. */
  root?: string;
  expanded: boolean;
  /** How the page of the group lists what the group holds. */
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
  /** Of its icon, as six or three hexadecimal digits in lower case. */
  color?: { light: string; dark: string };
  isDefault: boolean;
  /** Shown at the far end of its row. */
  atEnd?: boolean;
  /** For a language: its own header links, footer and banner, as configured. */
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
  /** Links shown on every page below this section. */
  globals: Division[];
}

export interface BranchStep {
  switcher: Switcher;
  division: Division;
}

/** One path through the switchers down to a list of entries: what a reader sees around a page. */
export interface Branch {
  id: string;
  /** The labels of its steps in a form that addresses can hold. */
  name: string;
  steps: BranchStep[];
  /** Switchers met on the way whose divisions are only links, or which lie beside the chosen one. */
  asides: Switcher[];
  globals: Division[];
  entries: NavEntry[];
  /** The pages of the entries in reading order, each once. */
  pages: string[];
  language?: string;
}
