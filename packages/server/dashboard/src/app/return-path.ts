/** The screen to show after signing in, from `?to=` of the address. Anything but a screen of the dashboard becomes the first one. */
export function returnPath(to: string | null, origin: string): string {
  const url = to === null || !to.startsWith('/') ? null : URL.parse(to, origin);
  if (url === null || url.origin !== origin || url.pathname.startsWith('//')) return '/';
  return isGate(url.pathname) ? '/' : url.pathname + url.search + url.hash;
}

function isGate(path: string): boolean {
  return ['/login', '/setup', '/invitation'].includes(path);
}
