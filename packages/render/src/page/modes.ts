/** On wide screens; on small ones every page has the drawer. */
export function showsSidebar(mode: string): boolean {
  return mode !== 'custom' && mode !== 'center';
}
