/** Where a person is led after signing in: a place of the dashboard, whatever the address asked for. */

const origin = 'http://dashboard.invalid';
const maxCharacters = 500;

/** The path with its query below `/dashboard`, as a browser would read it; `/` for everything that leads to another place. */
export function placeInDashboard(to: string | null | undefined): string {
  if (typeof to !== 'string' || to.length > maxCharacters || !to.startsWith('/')) return '/';
  const url = URL.parse(to, origin);
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '') return '/';
  // An encoded separator may be decoded by a proxy or the next reader.
  if (url.pathname.startsWith('//') || /%(?:2f|5c|0[0-9a-d]|25)/i.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}
