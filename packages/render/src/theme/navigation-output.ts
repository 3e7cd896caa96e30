/** The rendered navigation, for the check that every entry is reachable by links. */
import type { Branch } from '../navigation/tree.ts';

export interface LinkedHtml {
  prefix: string;
  html: readonly string[];
}

export interface NavigationOutput {
  home: { route: string; branch: Branch } | undefined;
  branches: readonly Branch[];
  viewOf(branch: Branch): LinkedHtml;
  bareViewOf(route: string, branch: Branch): LinkedHtml | undefined;
  routeAt(address: string): string | undefined;
  /** Home first. */
  namesOf(route: string): readonly string[];
  isShown(route: string): boolean;
}
