/** What the mode of a page says about its layout. */

/** On a wide screen; on a small one every page has the drawer. */
export function showsSidebar(mode: string): boolean {
  return mode !== 'custom' && mode !== 'center';
}
