const origin = 'http://dashboard.invalid';
const maxCharacters = 500;

/** The path of a return address within the dashboard, or `/` for an address that leads to another origin (open redirect). */
export function dashboardPath(to: string | null | undefined): string {
  if (typeof to !== 'string' || to.length > maxCharacters || !to.startsWith('/')) return '/';
  const url = URL.parse(to, origin);
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '') return '/';
  // A proxy may decode an encoded separator.
  if (url.pathname.startsWith('//') || /%(?:2f|5c|0[0-9a-d]|25)/i.test(url.pathname)) return '/';
  return url.pathname + url.search + url.hash;
}
