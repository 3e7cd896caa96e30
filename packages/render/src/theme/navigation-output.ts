/** The navigation as readers see it, for the check that clicks reach every entry. */
import type { Branch } from '../navigation/tree.ts';

export interface LinkedHtml {
  /** What stands before an address from the root. */
  prefix: string;
  html: readonly string[];
}

export interface NavigationOutput {
  /** The page at the root, and the branch around it. */
  home: { route: string; branch: Branch } | undefined;
  branches: readonly Branch[];
  /** What leads on from the pages of a branch. */
  viewOf(branch: Branch): LinkedHtml;
  /** What leads on from a page that shows no sidebar; undefined for other pages. */
  bareViewOf(route: string, branch: Branch): LinkedHtml | undefined;
  /** The page that an address from the root names. */
  routeAt(address: string): string | undefined;
  /** The names of the branches of a page, its home first. */
  namesOf(route: string): readonly string[];
  isShown(route: string): boolean;
}
